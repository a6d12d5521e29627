package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log is a job's log that takes posts as a server does: whole, and each id once.
type log struct {
	mu     sync.Mutex
	ids    map[string]bool
	events []Event
	posts  int
	most   int                                  // events in one post
	answer func(post int, events []Event) error // before a post is taken
	after  func(post int) error                 // and after
	hold   chan struct{}                        // posts wait for it
}

func (l *log) post(ctx context.Context, raws []json.RawMessage) ([]uint64, error) {
	if l.hold != nil {
		select {
		case <-l.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	events := make([]Event, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &events[i]); err != nil {
			return nil, err
		}
	}
	l.posts++
	l.most = max(l.most, len(events))
	if l.answer != nil {
		if err := l.answer(l.posts, events); err != nil {
			return nil, err
		}
	}
	for _, e := range events {
		if !l.ids[e.ID] {
			l.ids[e.ID], l.events = true, append(l.events, e)
		}
	}
	if l.after != nil {
		return make([]uint64, len(events)), l.after(l.posts)
	}
	return make([]uint64, len(events)), nil
}

func newLog() *log { return &log{ids: map[string]bool{}} }

// newPoster posts to a log, with its words in the buffer and its file in the folder.
func newPoster(t *testing.T, l sender) (p *poster, words *bytes.Buffer, dir string) {
	words, dir = &bytes.Buffer{}, t.TempDir()
	p = &poster{
		to: l, run: 1, log: slog.New(slog.NewTextHandler(words, nil)), onStop: func(error) {},
		backoff: backoff{first: time.Millisecond, most: 4 * time.Millisecond},
		queue:   queue{dir: dir, maxEvents: 1000, maxBytes: 8 << 20},
	}
	p.start()
	return p, words, dir
}

func assertInOrder(t *testing.T, events []Event, n int) {
	t.Helper()
	require.Len(t, events, n)
	for i, e := range events {
		require.Equal(t, fmt.Sprintf("r1-%d", i+1), e.ID)
		require.Equal(t, fmt.Sprint(i), strings.Fields(e.Message + " .")[0])
	}
}

func TestOrderAndOnceUnderAnyFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, random := newLog(), rand.New(rand.NewPCG(1, 2))
		l.answer = func(int, []Event) error {
			switch random.IntN(4) {
			case 0:
				return &Error{Status: 500}
			case 1:
				return &Error{Err: errors.New("reset")}
			}
			return nil
		}
		l.after = func(int) error { // taken, but the answer is lost
			if random.IntN(3) == 0 {
				return &Error{Err: errors.New("reset")}
			}
			return nil
		}
		p, _, _ := newPoster(t, l)
		for i := range 500 {
			require.NoError(t, p.add(Status("n", fmt.Sprint(i))))
			if i%7 == 0 {
				synctest.Wait()
			}
		}
		require.NoError(t, p.Close(t.Context()))
		assertInOrder(t, l.events, 500)
		assert.LessOrEqual(t, l.most, MaxPost)
	})
}

func TestWhatMemoryDoesNotHoldGoesThroughAFileInOrder(t *testing.T) {
	l := newLog()
	l.hold = make(chan struct{})
	p, words, dir := newPoster(t, l)
	p.queue.maxEvents, p.queue.maxBytes = 10, 4096
	fat := strings.Repeat("x", 300)
	for i := range 2000 {
		require.NoError(t, p.add(Status("n", fmt.Sprint(i, " ", fat))), "capture goes on")
	}
	info, err := p.queue.file.Stat()
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.LessOrEqual(t, p.queue.bytes, 4096)
	close(l.hold)
	require.NoError(t, p.Close(t.Context()))
	assertInOrder(t, l.events, 2000)
	assert.Equal(t, 1, strings.Count(words.String(), "wait for the server in a file"), "it is said once")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files, "nothing stays behind")
}

func TestTheFileBeginsAgainOnceItIsRead(t *testing.T) {
	q := queue{dir: t.TempDir(), maxEvents: 1, maxBytes: 1 << 20}
	defer func() { assert.NoError(t, q.close()) }()
	next, due := 0, 0
	for range 50 {
		for range 5 {
			_, err := q.put(json.RawMessage(fmt.Sprint(next)))
			require.NoError(t, err)
			next++
		}
		for range 3 { // two at a time, so that reading stops in mid-file
			batch, _, err := q.take(2, 1<<20)
			require.NoError(t, err)
			for _, e := range batch {
				require.Equal(t, fmt.Sprint(due), string(e))
				due++
			}
		}
	}
	assert.Equal(t, next, due)
	info, err := q.file.Stat()
	require.NoError(t, err)
	assert.Zero(t, info.Size())
}

func TestAnEventThatNothingCanHoldIsRefusedAndTheOthersStay(t *testing.T) {
	l := newLog()
	l.hold = make(chan struct{})
	p, _, dir := newPoster(t, l)
	p.queue.maxEvents, p.queue.dir = 2, dir+"/missing"
	kept := 0
	for i := range 20 {
		if p.add(Status("n", fmt.Sprint(i))) == nil {
			kept++
		}
	}
	assert.Less(t, kept, 20)
	close(l.hold)
	require.NoError(t, p.Close(t.Context()))
	assert.Len(t, l.events, kept)
	assert.Equal(t, fmt.Sprintf("r1-%d", kept), l.events[kept-1].ID, "numbers have no gap")
}

func TestARefusedEventIsReplacedByOneThatSaysSo(t *testing.T) {
	l := newLog()
	l.answer = func(_ int, events []Event) error {
		for _, e := range events {
			if e.Kind == KindToolResult {
				return &Error{Status: 413, Code: "body_too_large"}
			}
		}
		return nil
	}
	l.hold = make(chan struct{})
	p, words, _ := newPoster(t, l)
	for range 3 {
		require.NoError(t, p.add(Status("n", "before")))
	}
	require.NoError(t, p.add(ToolResult("call_1", "t", session.Success, json.RawMessage(`"word-of-the-tool"`), "", 0)))
	require.NoError(t, p.add(Status("n", "behind")))
	close(l.hold)
	require.ErrorContains(t, p.Close(t.Context()), "1 events were not posted")
	require.Len(t, l.events, 5)
	assert.Equal(t, "refused", l.events[3].State)
	assert.Contains(t, l.events[3].Message, "tool_result: HTTP 413 from the server: body_too_large")
	assert.Equal(t, "r1-4", l.events[3].ID)
	assert.NotContains(t, words.String(), "word-of-the-tool")
}

func TestAPosterStopsWhenTheJobIsOver(t *testing.T) {
	l := newLog()
	l.answer = func(int, []Event) error { return ErrOver }
	p, _, _ := newPoster(t, l)
	told := make(chan error, 1)
	p.onStop = func(err error) { told <- err }
	require.NoError(t, p.add(Status("n", "0")))
	require.ErrorIs(t, <-told, ErrOver)
	require.ErrorIs(t, p.add(Status("n", "1")), ErrOver)
	require.ErrorIs(t, p.Close(t.Context()), ErrOver)
	assert.Equal(t, 1, l.posts, "it is not tried again")
}

func TestPausesGrowAndTheServersWishIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, start := newLog(), time.Now()
		var at []time.Duration
		l.answer = func(post int, _ []Event) error {
			at = append(at, time.Since(start))
			switch {
			case post < 5:
				return &Error{Status: 503}
			case post == 5:
				return &Error{Status: 429, RetryAfter: time.Minute}
			}
			return nil
		}
		p, _, _ := newPoster(t, l)
		p.backoff = backoff{first: time.Second, most: 4 * time.Second}
		require.NoError(t, p.add(Status("n", "0")))
		require.NoError(t, p.Close(t.Context()))
		for i, longest := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4 * time.Second} {
			gap := at[i+1] - at[i]
			assert.True(t, gap >= longest/2 && gap <= longest, "pause %d is %s", i, gap)
		}
		assert.GreaterOrEqual(t, at[5]-at[4], time.Minute)
	})
}

func TestCloseGivesUpWithItsContextAndSaysHowMuchIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		l.answer = func(int, []Event) error { return &Error{Status: 502} }
		p, _, dir := newPoster(t, l)
		p.queue.maxEvents, p.backoff = 5, backoff{first: time.Second, most: 5 * time.Second}
		for i := range 20 {
			require.NoError(t, p.add(Status("n", fmt.Sprint(i))))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorContains(t, p.Close(ctx), "20 events were not posted")
		require.ErrorIs(t, p.add(Status("n", "late")), context.Canceled)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, files)
	})
}
