package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
)

// recorder keeps what is recorded.
type recorder struct {
	mu  sync.Mutex
	all map[string][]attach.Sighting
	err error
}

func (r *recorder) Record(_ context.Context, user string, all []attach.Sighting) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[user] = append(r.all[user], all...)
	return 0, r.err
}

// of returns how many facts of a user were recorded.
func (r *recorder) of(user string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all[user])
}

// server returns a server that tells a recorder.
func server() (*Server, *recorder) {
	r := &recorder{all: map[string][]attach.Sighting{}}
	return New(Options{Recorder: r, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}), r
}

// heldBy returns how many bytes the spans of all users take.
func heldBy(s *Server) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// orphan returns a span with two facts, whose parent is missing.
func orphan(t *testing.T, trace string, result string) []dialect.Node {
	t.Helper()
	n, loss, ok := dialect.Read(otlp.Span{
		Trace: strings.Repeat(trace, 32), ID: strings.Repeat("a", 16), Parent: strings.Repeat("b", 16),
		Attrs: otlp.Attributes{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x",
			"gen_ai.tool.call.id": "call_1", "gen_ai.tool.call.result": result},
	}, strings.Clone)
	require.True(t, ok)
	require.Empty(t, loss)
	return []dialect.Node{n}
}

// TestWhatWaitedLongEnoughIsToldWithoutARequest holds that spans of a program that was killed are told
// although nobody posts any more, and that a user of whom nothing is left is forgotten.
func TestWhatWaitedLongEnoughIsToldWithoutARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := server()
		defer s.Close()
		_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
		require.NoError(t, err)
		assert.Zero(t, r.of("ann"))
		waitFor(2 * dialect.MaxWait)
		assert.Equal(t, 2, r.of("ann"))
		waitFor(3 * 3600e9)
		assert.Empty(t, s.all(), "a user who went away is forgotten")
		_, err = s.take(t.Context(), "ann", orphan(t, "2", "r"))
		require.NoError(t, err)
	})
}

// TestCloseTellsWhatWaits holds that the server's end loses no span that waits.
func TestCloseTellsWhatWaits(t *testing.T) {
	s, r := server()
	_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
	require.NoError(t, err)
	s.Close()
	assert.Equal(t, 2, r.of("ann"))
}

// TestWhatWaitsGoesWithItsSession holds that what a user deletes does not come back from what waits.
func TestWhatWaitsGoesWithItsSession(t *testing.T) {
	s, r := server()
	_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
	require.NoError(t, err)
	s.Forget("ann")
	s.Forget("bob")
	assert.Zero(t, heldBy(s))
	s.Close()
	assert.Zero(t, r.of("ann"))
}

// TestWhatWaitsOfAllUsersIsBounded holds that many users, each within their own bound, do not fill the
// memory together.
func TestWhatWaitsOfAllUsersIsBounded(t *testing.T) {
	s, r := server()
	defer s.Close()
	big := strings.Repeat("x", 120<<10)
	told := 0
	for i := range 40 {
		user := "u" + strings.Repeat("i", i)
		for j := range 15 {
			_, err := s.take(t.Context(), user, orphan(t, string("123456789abcdef"[j]), big))
			require.NoError(t, err)
			require.LessOrEqual(t, heldBy(s), maxHeld)
		}
		told += r.of(user)
	}
	assert.NotZero(t, told, "what finds no room is told at once")
}

// TestWhatIsRememberedOfAllUsersIsBounded holds that spans which are told do not fill the memory either, and that what
// comes after they did is not told at once for an hour: others forget what they do not need any more.
func TestWhatIsRememberedOfAllUsersIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := server()
		defer s.Close()
		var nodes []dialect.Node
		for i := range 10_000 {
			n, _, ok := dialect.Read(otlp.Span{Trace: strings.Repeat("1", 32), ID: fmt.Sprintf("%016x", i+1)},
				strings.Clone)
			require.True(t, ok)
			nodes = append(nodes, n)
		}
		for i := range 12 {
			_, err := s.take(t.Context(), fmt.Sprint("user", i), nodes)
			require.NoError(t, err)
			require.LessOrEqual(t, heldBy(s), maxHeld)
		}
		assert.Greater(t, heldBy(s), maxHeld*7/8, "the room is filled")
		waitFor(2 * dialect.MaxWait)
		assert.LessOrEqual(t, heldBy(s), maxHeld*7/8)
		_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
		require.NoError(t, err)
		assert.Zero(t, r.of("ann"), "it waits for its parent")
	})
}

// TestAFailureToRecordIsTheAnswerOfTheRequest holds that a session that takes nothing is not answered
// with 200, and does not stop the server's end.
func TestAFailureToRecordIsTheAnswerOfTheRequest(t *testing.T) {
	s, r := server()
	r.err = errors.New("full")
	_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
	require.NoError(t, err, "nothing was recorded yet")
	outermost, _, ok := dialect.Read(otlp.Span{Trace: strings.Repeat("2", 32), ID: strings.Repeat("a", 16),
		Attrs: otlp.Attributes{"gen_ai.operation.name": "invoke_agent"}}, strings.Clone)
	require.True(t, ok)
	_, err = s.take(t.Context(), "ann", []dialect.Node{outermost})
	require.ErrorIs(t, err, r.err)
	assert.Equal(t, 1, r.of("ann"))
	s.Close()
	assert.Equal(t, 3, r.of("ann"))
}

// TestARequestDoesNotFillSpansThatWereForgotten holds that a request which waited while its user's spans were forgotten
// adds to the new ones, where they are counted and told, and that forgotten ones are not told.
func TestARequestDoesNotFillSpansThatWereForgotten(t *testing.T) {
	s, r := server()
	_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
	require.NoError(t, err)
	found, err := s.of("ann")
	require.NoError(t, err)
	s.Forget("ann")
	assert.False(t, s.lock("ann", found))
	w, err := s.locked("ann")
	require.NoError(t, err)
	assert.NotSame(t, found, w)
	w.mu.Unlock()
	s.Close()
	assert.Zero(t, r.of("ann"))
}

// TestNothingIsTakenAfterClose holds that spans which the server could not tell any more are refused, also those of a
// request that waited while it closed.
func TestNothingIsTakenAfterClose(t *testing.T) {
	s, r := server()
	_, err := s.take(t.Context(), "ann", orphan(t, "1", "r"))
	require.NoError(t, err)
	found, err := s.of("ann")
	require.NoError(t, err)
	s.Close()
	assert.Equal(t, 2, r.of("ann"))
	assert.False(t, s.lock("ann", found), "a request that has found them looks again")
	for _, user := range []string{"ann", "bob"} {
		_, err = s.take(t.Context(), user, orphan(t, "2", "r"))
		require.ErrorIs(t, err, errClosed)
	}
	assert.Equal(t, 2, r.of("ann"))
}

// TestNamesInAnAnswerAreBounded holds that a request with many names gets an answer of bounded length.
func TestNamesInAnAnswerAreBounded(t *testing.T) {
	l := lost{}
	for i := range 500 {
		l.add(dialect.Loss{What: "a call without an id", Name: strings.Repeat("x", i%200+1)}, 1, strings.Clone)
	}
	l.refused(2)
	p := l.partial()
	assert.Equal(t, 502, p.Rejected)
	assert.LessOrEqual(t, len(l), 102)
	assert.Less(t, len(p.Message), 4000)
	assert.Contains(t, p.Message, "and others")
}

// waitFor lets a time pass and what it wakes be done.
func waitFor(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
