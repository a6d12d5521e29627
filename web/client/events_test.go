package client

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inMemory runs a server and a client over pipes, which work with the fake time of a
// synctest bubble.
func inMemory(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	ln := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	s := &http.Server{Handler: h}
	var wg sync.WaitGroup
	wg.Go(func() { _ = s.Serve(ln) })
	c, err := NewOver("http://memory", token, func(ctx context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		select {
		case ln.conns <- theirs:
			return ours, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close(); s.Close(); wg.Wait() })
	return c
}

type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.done) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.IPAddr{} }

func frame(n int) string {
	return fmt.Sprintf("id: s-%d\nevent: thinking\n"+
		`data: {"type":"thinking","thread_id":"t","turn_number":%d}`+"\n\n", n, n)
}

// follow collects the turn numbers of events, and what happens to the connection
// between them, up to the event with the last number.
func follow(t *testing.T, c *Client, last int) (seen []string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for e, err := range c.Events(ctx, Stream{Threads: []string{"t"}}) {
		require.NoError(t, err)
		switch {
		case e.Type == Lost || e.Type == Connected:
			seen = append(seen, strings.TrimPrefix(e.Type, "client_"))
		default:
			seen = append(seen, strconv.Itoa(e.TurnNumber))
		}
		if e.TurnNumber == last {
			break
		}
	}
	return seen
}

func TestACutStreamContinuesBehindTheLastEvent(t *testing.T) {
	cuts := map[string]string{
		"between events":                      frame(2),
		"in the middle of an event":           frame(2) + "id: s-3\ndata: {\"type\":\"think",
		"behind the id of an event":           frame(2) + "id: s-3\n",
		"before the empty line that ends one": frame(2) + strings.TrimSuffix(frame(3), "\n"),
		"behind a cursor without an event":    frame(2) + "id: s-2\n\n",
		"in a comment":                        frame(2) + ": heart",
	}
	for name, first := range cuts {
		for _, clean := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, clean end %v", name, clean), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var asked []string
					c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
						asked = append(asked, r.Header.Get("Last-Event-ID"))
						if len(asked) > 1 {
							_, _ = io.WriteString(w, frame(3))
							return
						}
						// Without a length and with the connection closed, an end cannot be told
						// from a cut.
						w.Header().Set("Connection", "close")
						w.Header().Set("Transfer-Encoding", "identity")
						_, _ = io.WriteString(w, "id: s-1\n\n"+first)
						_ = http.NewResponseController(w).Flush()
						if !clean {
							panic(http.ErrAbortHandler)
						}
					})
					assert.Equal(t, []string{"connected", "2", "lost", "connected", "3"}, follow(t, c, 3))
					assert.Equal(t, []string{"", "s-2"}, asked)
				})
			})
		}
	}
}

func TestTheCursorIsKnownBeforeTheFirstEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.Header.Get("Last-Event-ID"))
			if len(asked) == 1 {
				_, _ = io.WriteString(w, ": candor\nretry: 2000\n"+
					"data: {\"type\":\"position\"}\nevent: position\nid: s-7\n\n")
				return
			}
			_, _ = io.WriteString(w, frame(8))
		})
		assert.Equal(t, []string{"connected", "lost", "connected", "8"}, follow(t, c, 8))
		assert.Equal(t, []string{"", "s-7"}, asked)
	})
}

func TestAFailingServerIsRetriedWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, start := 0, time.Now()
		c := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
			if tries++; tries <= 8 {
				w.WriteHeader(503)
				_, _ = io.WriteString(w, `{"error":"shutting_down","message":"Later."}`)
				return
			}
			_, _ = io.WriteString(w, frame(1))
		})
		seen := follow(t, c, 1)
		assert.Equal(t, 8, strings.Count(strings.Join(seen, " "), "lost"))
		assert.Greater(t, time.Since(start), 10*time.Second)
		assert.Less(t, time.Since(start), time.Minute)
	})
}

func TestASilentStreamIsReconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if tries++; tries > 1 {
				_, _ = io.WriteString(w, frame(2))
				return
			}
			rc := http.NewResponseController(w)
			for range 5 { // heartbeats keep it alive
				_, _ = io.WriteString(w, ": heartbeat\n\n")
				_ = rc.Flush()
				time.Sleep(maxSilence - time.Second) // fake time: in a bubble
			}
			<-r.Context().Done()
		})
		start := time.Now()
		assert.Equal(t, []string{"connected", "lost", "connected", "2"}, follow(t, c, 2))
		assert.Greater(t, time.Since(start), 4*maxSilence)
	})
}

func TestARefusalEndsTheStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			_, _ = io.WriteString(w, `{"error":"no_thread","message":"You have no such thread."}`)
		})
		n := 0
		for _, err := range c.Events(t.Context(), Stream{}) {
			n++
			assert.True(t, Is(err, "no_thread"), "%v", err)
		}
		assert.Equal(t, 1, n)
	})
}

func TestTheSizeOfAnEventIsBounded(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "id: s-1\ndata: ")
		for range maxEvent/1024 + 2 {
			_, _ = io.WriteString(w, strings.Repeat("x", 1024))
		}
		_, _ = io.WriteString(w, "\n\n")
	})
	for e, err := range c.Events(t.Context(), Stream{}) {
		require.NoError(t, err)
		if e.Type == Lost {
			require.ErrorContains(t, e.Err, "too long")
			break
		}
	}
}

func TestTheTextOfARunningStepLeavesThePositionWhereItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const text = `data: {"type":"step_text","turn_number":1,"index":0,"text":"I look. "}` +
			"\nevent: step_text\n\n"
		var from []string
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			from = append(from, r.Header.Get("Last-Event-ID"))
			_, _ = io.WriteString(w, text)
			if len(from) >= 3 {
				_, _ = io.WriteString(w, frame(9))
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		live := 0
		for e, err := range c.Events(ctx, Stream{After: "s-4", Live: true}) {
			require.NoError(t, err)
			if e.Type == "step_text" {
				live++
				assert.Equal(t, "I look. ", e.Text)
			}
			if e.TurnNumber == 9 {
				break
			}
		}
		assert.Equal(t, 3, live)
		assert.Equal(t, []string{"s-4", "s-4", "s-4"}, from)
		assert.NotContains(t, follow(t, c, 9), "1", "a stream that is not live has no such events")
	})
}

func TestTheSummaryBehindAnAnswerIsAnEventLikeOthers(t *testing.T) {
	c := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
		for _, data := range []string{
			`{"type":"thinking","step":2,"message":"I weighed it.","answer":true}`,
			`{"type":"thinking","step":1,"message":"I look.","answer":false}`,
			`{"type":"approval_answered","answer":"deny"}`,
		} {
			_, _ = io.WriteString(w, "data: "+data+"\nid: s-1\n\n")
		}
	})
	var got []Answer
	for e, err := range c.Events(t.Context(), Stream{}) {
		require.NoError(t, err)
		if e.Type != Connected {
			got = append(got, e.Answer)
		}
		if len(got) == 3 {
			break
		}
	}
	assert.Equal(t, []Answer{BehindAnswer, "", "deny"}, got)
}
