package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/pause"
)

func assertInOrder(t *testing.T, events []Event, n int) {
	t.Helper()
	require.Len(t, events, n)
	for i, e := range events {
		require.Equal(t, fmt.Sprintf("r1-%d", i+1), e.ID)
		require.Equal(t, fmt.Sprint(i), strings.Fields(e.Message + " .")[0])
	}
}

func TestEventsArriveOnceAndInOrderWhateverFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, random := newFakeLog(), rand.New(rand.NewPCG(1, 2))
		l.before = func(int, []Event) error {
			switch random.IntN(4) {
			case 0:
				return &Error{Status: 500}
			case 1:
				return &Error{Err: errors.New("reset")}
			}
			return nil
		}
		l.after = func(int) error { // accepted, but the answer is lost
			if random.IntN(3) == 0 {
				return &Error{Err: errors.New("reset")}
			}
			return nil
		}
		u, _, _ := newUploaderTo(t, l)
		for i := range 500 {
			require.NoError(t, u.add(Status("n", fmt.Sprint(i))))
			if i%7 == 0 {
				synctest.Wait()
			}
		}
		require.NoError(t, u.Close(t.Context()))
		assertInOrder(t, l.events, 500)
		assert.LessOrEqual(t, l.largest, MaxPost)
	})
}

func TestEventsBeyondTheMemoryBoundWaitInAFileInOrder(t *testing.T) {
	l := newFakeLog()
	l.hold = make(chan struct{})
	u, logged, dir := newUploaderTo(t, l)
	u.queue.maxEvents, u.queue.maxBytes = 10, 4096
	fat := strings.Repeat("x", 300)
	for i := range 2000 {
		require.NoError(t, u.add(Status("n", fmt.Sprint(i, " ", fat))), "the disk has room")
	}
	info, err := u.queue.file.Stat()
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	u.mu.Lock()
	assert.LessOrEqual(t, u.queue.bytes, 4096)
	u.mu.Unlock()
	close(l.hold)
	require.NoError(t, u.Close(t.Context()))
	assertInOrder(t, l.events, 2000)
	assert.Equal(t, 1, strings.Count(logged.String(), "further ones wait in a file"), "it is logged once")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files, "the file is removed")
}

func TestAnEventThatCannotBeHeldIsRefusedAndTheOthersAreKept(t *testing.T) {
	l := newFakeLog()
	l.hold = make(chan struct{})
	u, _, dir := newUploaderTo(t, l)
	u.queue.maxEvents, u.queue.dir = 2, dir+"/missing"
	kept := 0
	for i := range 20 {
		if u.add(Status("n", fmt.Sprint(i))) == nil {
			kept++
		}
	}
	assert.Less(t, kept, 20)
	close(l.hold)
	require.NoError(t, u.Close(t.Context()))
	assert.Len(t, l.events, kept)
	assert.Equal(t, fmt.Sprintf("r1-%d", kept), l.events[kept-1].ID, "the numbers have no gap")
}

func TestARefusedEventIsReplacedByANote(t *testing.T) {
	l := newFakeLog()
	l.before = func(_ int, events []Event) error {
		for _, e := range events {
			if e.Kind == KindToolResult {
				return &Error{Status: 413, Code: "body_too_large"}
			}
		}
		return nil
	}
	l.hold = make(chan struct{})
	u, logged, _ := newUploaderTo(t, l)
	for range 3 {
		require.NoError(t, u.add(Status("n", "before")))
	}
	said := json.RawMessage(`"word-of-the-tool"`)
	require.NoError(t, u.add(ToolResult("call_1", "t", session.Success, said, "", 0)))
	require.NoError(t, u.add(Status("n", "after")))
	close(l.hold)
	require.ErrorContains(t, u.Close(t.Context()), "1 events were not posted")
	require.Len(t, l.events, 5)
	assert.Equal(t, "refused", l.events[3].State)
	assert.Contains(t, l.events[3].Message, "tool_result: HTTP 413 from the server: body_too_large")
	assert.Equal(t, "r1-4", l.events[3].ID)
	assert.NotContains(t, logged.String(), "word-of-the-tool")
}

func TestAnUploaderStopsWhenTheJobIsOver(t *testing.T) {
	l := newFakeLog()
	l.before = func(int, []Event) error { return ErrOver }
	u, _, _ := newUploaderTo(t, l)
	stopped := make(chan error, 1)
	u.onStop = func(err error) { stopped <- err }
	require.NoError(t, u.add(Status("n", "0")))
	require.ErrorIs(t, <-stopped, ErrOver)
	require.ErrorIs(t, u.add(Status("n", "1")), ErrOver)
	require.ErrorIs(t, u.Close(t.Context()), ErrOver)
	assert.Equal(t, 1, l.posts, "the post is not repeated")
}

func TestPausesGrowAndRetryAfterIsHonoured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := newFakeLog(), time.Now()
		var at []time.Duration
		l.before = func(post int, _ []Event) error {
			at = append(at, time.Since(start))
			switch {
			case post < 5:
				return &Error{Status: 503}
			case post == 5:
				return &Error{Status: 429, RetryAfter: time.Minute}
			}
			return nil
		}
		u, _, _ := newUploaderTo(t, l)
		u.backoff = pause.Backoff{First: time.Second, Longest: 4 * time.Second}
		require.NoError(t, u.add(Status("n", "0")))
		require.NoError(t, u.Close(t.Context()))
		for i, longest := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
			gap := at[i+1] - at[i]
			assert.True(t, gap >= longest/2 && gap <= longest, "pause %d is %s", i, gap)
		}
		assert.GreaterOrEqual(t, at[5]-at[4], time.Minute)
	})
}

func TestCloseStopsWithItsContextAndReportsTheLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newFakeLog()
		l.before = func(int, []Event) error { return &Error{Status: 502} }
		u, _, dir := newUploaderTo(t, l)
		u.queue.maxEvents, u.backoff = 5, pause.Backoff{First: time.Second, Longest: 5 * time.Second}
		for i := range 20 {
			require.NoError(t, u.add(Status("n", fmt.Sprint(i))))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorContains(t, u.Close(ctx), "20 events were not posted")
		require.ErrorIs(t, u.add(Status("n", "late")), context.Canceled)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, files)
	})
}
