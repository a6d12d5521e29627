package sse

import (
	"bufio"
	"context"
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// messages returns a source of these messages.
func messages(all ...Message) func(context.Context) iter.Seq[Message] {
	return func(context.Context) iter.Seq[Message] {
		return func(yield func(Message) bool) {
			for _, m := range all {
				if !yield(m) {
					return
				}
			}
		}
	}
}

func at(seq uint64) Cursor { return Cursor{Session: someSession, Seq: seq} }

var retryLine = regexp.MustCompile(`retry: [23][0-9]{3}\n`)

func TestServeWritesThePreambleThenEachMessageThenReturns(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/?thread_id=x", nil)
	r.Header.Set("Last-Event-ID", "not-a-number")
	NewServer(time.Second).Serve(w, r, messages(
		Message{ID: at(4), Name: "status", Data: []byte(`{"a":1}`)},
		Message{Heartbeat: true},
		Message{Name: "step_text", Data: []byte(`{"a":2}`)},
		Message{ID: at(5), Name: "response", Data: []byte(`{"id: ":2}`)},
	), ignore)
	body := w.Body.String()
	assert.Regexp(t, retryLine, body)
	assert.Equal(t, ": candor\nretry\ndata: {\"a\":1}\nevent: status\nid: 550e8400-4\n\n"+
		": heartbeat\ndata: {\"a\":2}\nevent: step_text\n\n"+
		"data: {\"id: \":2}\nevent: response\nid: 550e8400-5\n\n",
		retryLine.ReplaceAllString(body, "retry\n"))
	assert.Equal(t, "text/event-stream; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Equal(t, "no", w.Header().Get("X-Accel-Buffering"))
}

func TestServeOfAnEmptySourceSendsThePreambleAndReturns(t *testing.T) {
	w := httptest.NewRecorder()
	NewServer(time.Second).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), messages(), ignore)
	assert.Equal(t, ": candor\nretry\n", retryLine.ReplaceAllString(w.Body.String(), "retry\n"), "it is no block")
}

// ignore takes no notice of clients that read slowly.
func ignore() {}

func TestABacklogLargerThanTheBufferArrivesWholeAndInOrder(t *testing.T) {
	var all []Message
	for i := range uint64(300) {
		all = append(all, Message{ID: at(i + 1), Name: "n", Data: []byte(strings.Repeat("x", 1000))})
	}
	w := httptest.NewRecorder()
	NewServer(time.Second).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), messages(all...), ignore)
	var last uint64
	for lines := bufio.NewScanner(w.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			c, ok := ParseCursor(id)
			require.True(t, ok)
			if c.Seq > 0 {
				require.Equal(t, last+1, c.Seq)
				last = c.Seq
			}
		}
	}
	assert.Equal(t, uint64(300), last)
}

func TestAClientThatDisconnectsCancelsTheSource(t *testing.T) {
	cancelled := make(chan struct{})
	s := NewServer(time.Second)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Serve(w, r, func(ctx context.Context) iter.Seq[Message] {
			return func(yield func(Message) bool) {
				yield(Message{ID: at(1), Name: "n", Data: []byte("{}")})
				<-ctx.Done()
				close(cancelled)
			}
		}, ignore)
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL, nil)
	require.NoError(t, err)
	resp, err := srv.Client().Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	_, err = bufio.NewReader(resp.Body).ReadString('{')
	require.NoError(t, err)
	cancel()
	<-cancelled
}

// brokenWriter fails every write, as a connection does whose client has gone, or does not read.
type brokenWriter struct {
	header http.Header
	writes int
	err    error // of each write
}

func (b *brokenWriter) Header() http.Header { return b.header }
func (b *brokenWriter) WriteHeader(int)     {}
func (b *brokenWriter) Write([]byte) (int, error) {
	b.writes++
	return 0, b.err
}

func TestAFailedWriteEndsTheStreamAndIsNotRepeated(t *testing.T) {
	for cutOff, err := range []error{errors.New("broken pipe"), os.ErrDeadlineExceeded} {
		w := &brokenWriter{header: http.Header{}, err: err}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		s := NewServer(time.Second)
		s.Serve(w, r, func(context.Context) iter.Seq[Message] {
			return func(yield func(Message) bool) {
				for n := 0; n < 100 && yield(Message{ID: at(1), Name: "n", Data: []byte("{}")}); n++ {
					continue
				}
			}
		}, ignore)
		assert.Equal(t, 1, w.writes)
		assert.Equal(t, uint64(cutOff), s.CutOff(), "only a client that does not read is cut off")
	}
}

func TestRequestedLooksAtWhatTheClientAccepts(t *testing.T) {
	for accept, want := range map[string]bool{
		"text/event-stream": true, "application/json, text/event-stream;q=0.9": true,
		"application/json": false, "*/*": false, "": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept", accept)
		assert.Equal(t, want, Requested(r), accept)
	}
}

func TestCursorAtPointsIntoAnEventUntilItsLastFrame(t *testing.T) {
	assert.Equal(t, "550e8400-7.1", CursorAt(someSession, 7, 1, 2).String())
	assert.Equal(t, "550e8400-7", CursorAt(someSession, 7, 2, 2).String())
}

// timedWriter notes the deadlines that it is given.
type timedWriter struct {
	*httptest.ResponseRecorder
	read, write []time.Time
}

func (w *timedWriter) SetReadDeadline(at time.Time) error  { w.read = append(w.read, at); return nil }
func (w *timedWriter) SetWriteDeadline(at time.Time) error { w.write = append(w.write, at); return nil }

func TestAStreamOutlivesTheDeadlinesOfItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &timedWriter{ResponseRecorder: httptest.NewRecorder()}
		NewServer(time.Minute).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil),
			messages(Message{ID: at(1), Name: "n", Data: []byte("{}")}), ignore)
		assert.Equal(t, []time.Time{{}}, w.read, "no deadline")
		require.NotEmpty(t, w.write)
		for _, deadline := range w.write {
			assert.Equal(t, time.Now().Add(time.Minute), deadline, "each write has a deadline of its own")
		}
	})
}

// countedWriter counts what was written before each flush.
type countedWriter struct {
	*httptest.ResponseRecorder
	flushed []int
	written int
}

func (w *countedWriter) Write(p []byte) (int, error) {
	w.written += len(p)
	return w.ResponseRecorder.Write(p)
}

func (w *countedWriter) Flush() { w.flushed, w.written = append(w.flushed, w.written), 0 }

func TestMessagesThatFollowAtOnceAreSentTogether(t *testing.T) {
	w := &countedWriter{ResponseRecorder: httptest.NewRecorder()}
	m := Message{Name: "n", Data: []byte("{}")}
	more, size := m, len(Encode(m))
	more.More = true
	sent := 0
	NewServer(time.Second).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil),
		messages(m, more, more, m, more, Message{}, more, Message{Heartbeat: true}, more), func() { sent++ })
	assert.Equal(t, []int{size, 3 * size, size, size + len(heartbeat), size}, w.flushed[1:],
		"none waits for what does not follow, or for the end")
	assert.Equal(t, len(w.flushed), sent, "the source is told before each write")
}

func TestABacklogIsSentInPartsOfABoundedSize(t *testing.T) {
	w := &countedWriter{ResponseRecorder: httptest.NewRecorder()}
	var all []Message
	for range 100 {
		all = append(all, Message{Name: "n", Data: []byte(strings.Repeat("x", 1000)), More: true})
	}
	NewServer(time.Second).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil), messages(all...), ignore)
	require.Greater(t, len(w.flushed), 5, "not all waits for the end")
	for _, n := range w.flushed {
		assert.LessOrEqual(t, n, maxBuffered+len(Encode(all[0])))
	}
}

// stalledWriter is a client that reads nothing before read is closed.
type stalledWriter struct {
	*httptest.ResponseRecorder
	read chan struct{}
}

func (w *stalledWriter) Write(p []byte) (int, error) {
	<-w.read
	return w.ResponseRecorder.Write(p)
}

// The source waits with its client: nothing is taken from it that would have to be kept.
func TestNothingIsTakenForAClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const count = 300
		taken := 0
		w := &stalledWriter{httptest.NewRecorder(), make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			NewServer(time.Second).Serve(w, httptest.NewRequest(http.MethodGet, "/", nil),
				func(context.Context) iter.Seq[Message] {
					return func(yield func(Message) bool) {
						for taken < count && yield(Message{ID: at(1), Name: "n", Data: []byte("{}")}) {
							taken++
						}
					}
				}, ignore)
		}()
		synctest.Wait()
		assert.Zero(t, taken)
		close(w.read)
		<-done
		assert.Equal(t, count, strings.Count(w.Body.String(), "event: n\n"), "nothing is lost once it reads on")
	})
}
