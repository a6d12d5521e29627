package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// unshared returns a stream's share of processors that nobody else uses.
func unshared() *streamShare {
	s := shares{perUser: 1}
	return &streamShare{enter: func(ctx context.Context) (func(), error) { return s.enter(ctx, "ann") }}
}

// A session has no reader while its stream sends a heartbeat, so it can be evicted then.
func TestAStreamWhoseSessionIsEvictedEndsWithAResync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := session.NewMemory(nil)
		own, err := store.Open(t.Context(), "ann")
		require.NoError(t, err)
		_, err = own.OpenThread()
		require.NoError(t, err)
		now := sse.Cursor{Session: own.ID(), Seq: own.Head()}
		f := feed{session: own, from: now, heartbeat: time.Minute, share: unshared(), counts: &streamCounts{}}
		var sent []sse.Message
		for m := range f.messages(t.Context()) {
			if sent = append(sent, m); m.Heartbeat {
				n, err := store.Evict(t.Context(), time.Now())
				require.NoError(t, err)
				require.Equal(t, 1, n)
			}
			require.LessOrEqual(t, len(sent), 2, "the stream goes on")
		}
		require.Len(t, sent, 2, "the stream ends without a word")
		assert.Equal(t, "resync", sent[1].Name)
		assert.Equal(t, now, sent[1].ID)
	})
}

// A client that saw a part of another thread's event resumes behind all of that event.
func TestAPartOfAnEventThatIsFilteredOutHidesNothingOfTheNext(t *testing.T) {
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	other, err := own.OpenThread()
	require.NoError(t, err)
	wanted, err := own.OpenThread()
	require.NoError(t, err)
	for _, thread := range []string{other.Thread, wanted.Thread} {
		_, err = own.Accept(thread, safety.Literal("hi"), nil)
		require.NoError(t, err)
	}
	f := feed{
		session: own, encoder: view.NewEncoder(frameLines), threads: []string{wanted.Thread},
		heartbeat: time.Minute, share: unshared(),
		from: sse.Cursor{Session: own.ID(), Seq: 2, Part: 1}, // within the event of the other thread
	}
	for m := range f.messages(t.Context()) {
		assert.Contains(t, string(m.Frame), wanted.Thread)
		return
	}
}

func TestStreamsAreCountedPerUser(t *testing.T) {
	c := streamCount(2)
	leave, err := c.enter("ann")
	require.NoError(t, err)
	_, err = c.enter("ann")
	require.NoError(t, err)
	_, err = c.enter("ann")
	p, ok := errors.AsType[*problem.Problem](err)
	require.True(t, ok)
	assert.Equal(t, "too_many_streams", p.Code)
	_, err = c.enter("bob")
	require.NoError(t, err)
	own, all := c.count("ann")
	assert.Equal(t, []int{2, 3}, []int{own, all})
	leave()
	_, err = c.enter("ann")
	require.NoError(t, err, "a stream that ended makes room")
}

// Only the race detector sees a lock that is missing here.
func TestStreamsMayBeCountedBesideOthersThatOpen(t *testing.T) {
	c := streamCount(1000)
	var users sync.WaitGroup
	for range 8 {
		users.Go(func() {
			for range 100 {
				leave, err := c.enter("ann")
				assert.NoError(t, err)
				c.count("ann")
				leave()
			}
		})
	}
	users.Wait()
	_, all := c.count("ann")
	assert.Zero(t, all)
}

func TestAStreamFromTheBeginningHasItsUsersShareOfTheProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, err := session.NewMemory(nil).Open(t.Context(), "ann")
		require.NoError(t, err)
		for range 3 {
			_, err = own.OpenThread()
			require.NoError(t, err)
		}
		f := feed{session: own, encoder: view.NewEncoder(frameLines), heartbeat: time.Minute, share: unshared(),
			counts: &streamCounts{}}
		f.from = sse.Cursor{Session: own.ID()}
		leave, err := f.share.enter(t.Context())
		require.NoError(t, err)
		var beats, events int
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for m := range f.messages(t.Context()) {
				if events++; m.Heartbeat {
					beats, events = beats+1, events-1
				}
				if events == 2 { // while it is behind
					return
				}
			}
		}()
		time.Sleep(3 * time.Minute) // of the bubble's time
		synctest.Wait()
		assert.Zero(t, events, "another answer is being made")
		assert.Equal(t, 3, beats, "the stream does not end while it waits")
		leave()
		<-ended
		_, err = f.share.enter(t.Context())
		assert.NoError(t, err, "the stream gives its share back when it ends")
	})
}

// The log has further events, of which the client wants none: what it got must not wait for them.
func TestAnEventDoesNotWaitForEventsThatItsClientDoesNotWant(t *testing.T) {
	own, err := session.NewMemory(nil).Open(t.Context(), "ann")
	require.NoError(t, err)
	var threads []string
	for range 2 {
		opened, err := own.OpenThread()
		require.NoError(t, err)
		threads = append(threads, opened.Thread)
	}
	for _, id := range []string{threads[0], threads[1], threads[1]} {
		_, err = own.Accept(id, safety.Literal("hi"), nil)
		require.NoError(t, err)
	}
	f := feed{
		session: own, encoder: view.NewEncoder(frameLines), threads: threads[:1], heartbeat: time.Minute,
		share: unshared(), counts: &streamCounts{}, from: sse.Cursor{Session: own.ID(), Seq: 2},
	}
	var sent []sse.Message
	for m := range f.messages(t.Context()) {
		if sent = append(sent, m); !m.More {
			break
		}
	}
	last := len(sent) - 1
	assert.Equal(t, sse.Message{}, sent[last], "it ends the wait")
	require.Positive(t, last)
	assert.True(t, sent[last-1].More)
	assert.Contains(t, string(sent[last-1].Frame), threads[0])
}

func TestAStreamIsServedAfterItsMiddlewareHasReturned(t *testing.T) {
	var order []string
	s := New(Options{Store: session.NewMemory(nil), Log: slog.New(slog.DiscardHandler)})
	s.Mount(Route{Method: http.MethodGet, Path: "/stream",
		Admit: func(r *http.Request) (context.Context, string, error) { return r.Context(), "ann", nil },
		Serve: func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
			defer func() { order = append(order, "handler") }()
			afterwards(w, r, func(w http.ResponseWriter) { order = append(order, "stream") })
			return nil
		}})
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/stream", nil))
	assert.Equal(t, []string{"handler", "stream"}, order)
	assert.Equal(t, "DENY", w.Header().Get("X-Frame-Options"), "the headers of the middleware stay")
}
