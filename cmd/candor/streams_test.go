package main

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// talkative is a script whose every turn puts about size bytes on the stream.
func talkative(size int) map[string]any {
	return map[string]any{
		"steps": []any{
			map[string]any{"narrative": strings.Repeat("word by word ", size/2/13), "tool_calls": []any{
				map[string]any{"id": "a", "name": "look", "arguments": map[string]any{}, "rationale": "to see"},
				map[string]any{"id": "b", "name": "look", "arguments": map[string]any{}, "rationale": "to see again"},
			}},
			map[string]any{"text": "done"},
		},
		"tools": map[string]any{"look": map[string]any{"result": map[string]any{"seen": true}}},
	}
}

// begin makes the user's session and returns the cursor before its first event.
func (s *server) begin(user string) (thread, origin string) {
	s.t.Helper()
	r := s.do(user, http.MethodPost, "/api/chat/thread/new", "{}")
	require.Equal(s.t, http.StatusCreated, r.status, r.body)
	own, err := s.app.store.Open(s.t.Context(), user)
	require.NoError(s.t, err)
	return r.json(s.t)["id"].(string), own.ID()[:8] + "-0"
}

// runTurns sends messages one after another, each once the one before has ended.
func (s *server) runTurns(user, thread string, count int) {
	s.t.Helper()
	own, err := s.app.store.Open(s.t.Context(), user)
	require.NoError(s.t, err)
	for range count {
		number := int(s.send(user, thread, "go on")["turn_number"].(float64))
		for up, err := range own.Watch(s.t.Context(), 0) {
			require.NoError(s.t, err)
			if up.Event.Thread == thread && up.Event.Turn == number && up.Turn.State.Ended() {
				break
			}
		}
	}
}

var seed = maphash.MakeSeed()

// digest is what a client saw: how much, and a hash of it in order.
type digest struct {
	frames int
	lastID string
	sum    uint64
	twice  bool
}

func (d *digest) add(f frame) {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, d.sum)
	for _, part := range []string{f.id, f.event, f.data} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	d.frames, d.sum = d.frames+1, h.Sum64()
	d.twice = d.twice || d.lastID == f.id
	d.lastID = f.id
}

// Five hundred clients watch fifty turns, one of them without ever reading, while
// more goes its way than the kernel's buffers hold. The others miss nothing.
func TestFiveHundredStreamsOneOfThemStalled(t *testing.T) {
	const clients, turns, perTurn = 500, 50, 100_000
	s := startServer(t, settings{sends: 10_000, streams: clients + 10, writeWait: 15 * time.Second}, talkative(perTurn))
	thread, origin := s.begin("ann")
	stalled := s.stall(origin)
	defer stalled.Close()

	seen := make([]digest, clients-1)
	var wg sync.WaitGroup
	for i := range seen {
		c, err := s.subscribe(t.Context(), "ann", origin, "")
		require.NoError(t, err)
		wg.Go(func() {
			defer c.body.Close()
			for done := 0; done < turns; {
				f, err := c.next()
				if !assert.NoError(t, err) {
					return
				}
				seen[i].add(f)
				if f.event == "response" {
					done++
				}
			}
		})
	}
	s.runTurns("ann", thread, turns)
	wg.Wait()

	own, err := s.app.store.Open(t.Context(), "ann")
	require.NoError(t, err)
	want := s.wholeStream("ann", origin)
	require.Greater(t, want.bytes, 4<<20, "more than the kernel buffers for the stalled client")
	for i := range seen {
		require.Equal(t, want.digest, seen[i], "client %d of %d", i, own.Head())
	}
	eventually(t, "the stalled client is cut off", func() bool {
		return s.do("ann", http.MethodGet, "/api/gateway/status", "").json(t)["sse_connections"].(float64) == 0
	})
}

// stall opens a stream and never reads from it.
func (s *server) stall(origin string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	require.NoError(s.t, err)
	require.NoError(s.t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET /api/chat/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nLast-Event-ID: %s\r\n\r\n", tokenOf("ann"), origin)
	require.NoError(s.t, err)
	eventually(s.t, "the stalled client is in", func() bool {
		return s.do("ann", http.MethodGet, "/api/gateway/status", "").json(s.t)["sse_connections"].(float64) == 1
	})
	return conn
}

// whole is a stream from its origin to the session's present.
type whole struct {
	digest
	ids   []string
	bytes int
}

// wholeStream reads what the log gives a client that was there from the start, and
// checks that it is the log: every number once, in order.
func (s *server) wholeStream(user, origin string) whole {
	s.t.Helper()
	own, err := s.app.store.Open(s.t.Context(), user)
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	c, err := s.subscribe(ctx, user, origin, "")
	require.NoError(s.t, err)
	var w whole
	epoch := strings.TrimSuffix(origin, "0")
	for want := uint64(1); want <= own.Head(); {
		f, err := c.next()
		require.NoError(s.t, err)
		w.add(f)
		w.ids, w.bytes = append(w.ids, f.id), w.bytes+len(f.data)
		if strings.Contains(f.id, ".") {
			require.True(s.t, strings.HasPrefix(f.id, fmt.Sprint(epoch, want, ".")), "%s is a part of event %d", f.id, want)
			continue
		}
		require.Equal(s.t, fmt.Sprint(epoch, want), f.id)
		want++
	}
	return w
}

// A client is cut off two hundred times, each time after a random number of bytes,
// and goes on with the last id it has. In all it saw each event once.
func TestTwoHundredCutsLoseNothingAndRepeatNothing(t *testing.T) {
	s := startServer(t, settings{sends: 10_000, streams: 50}, talkative(300))
	thread, origin := s.begin("ann")
	s.runTurns("ann", thread, 30)
	var wg sync.WaitGroup
	saw := make([]digest, 4)
	for i := range saw {
		wg.Go(func() { saw[i] = s.readCutOff(origin, 200, rand.New(rand.NewPCG(7, uint64(i))), 260) })
	}
	s.runTurns("ann", thread, 230)
	wg.Wait()
	want := s.wholeStream("ann", origin)
	for i := range saw {
		assert.Equal(t, want.digest, saw[i], "client %d", i)
	}
}

// readCutOff reads until it has seen as many answers as given, cutting its own
// connection at random places, cuts times.
func (s *server) readCutOff(origin string, cuts int, random *rand.Rand, answers int) digest {
	var d digest
	lastID := origin
	for cut := 0; ; cut++ {
		c, err := s.subscribe(s.t.Context(), "ann", lastID, "")
		if !assert.NoError(s.t, err) {
			return d
		}
		if cut < cuts {
			c.lines.Reset(io.LimitReader(c.body, 1+random.Int64N(6000)))
		}
		for {
			f, err := c.next()
			if err != nil {
				break
			}
			d.add(f)
			if f.event == "response" {
				answers--
			}
			if answers == 0 {
				c.body.Close()
				assert.GreaterOrEqual(s.t, cut, cuts, "all the cuts were made")
				return d
			}
		}
		c.body.Close()
		lastID = c.lastID
	}
}
