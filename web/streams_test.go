package web_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

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

var seed = maphash.MakeSeed()

// digest is what a client saw: how much, and a hash of it in order.
type digest struct {
	frames int
	lastID string
	sum    uint64
	twice  bool
}

func (d *digest) add(f apptest.Frame) {
	var h maphash.Hash
	h.SetSeed(seed)
	maphash.WriteComparable(&h, d.sum)
	for _, part := range []string{f.ID, f.Event, f.Data} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	d.frames, d.sum = d.frames+1, h.Sum64()
	d.twice = d.twice || d.lastID == f.ID
	d.lastID = f.ID
}

// Five hundred clients watch fifty turns, one of them without ever reading, while more
// is sent to it than the kernel's buffers hold. The others miss nothing. No client is
// cut off: a slow machine must not look like a client that does not read.
func TestAStalledStreamDoesNotDelayFiveHundredOthers(t *testing.T) {
	const turnsBefore, turns, perTurn = 50, 8, 100_000
	clients := apptest.Size(50, 500)
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000, StreamsPerUser: clients + 10,
		WriteTimeout: time.Hour, WholeTexts: true}, talkative(perTurn))
	thread, origin := s.Begin("ann")
	stalled := stall(s, origin)
	defer stalled.Close()
	s.RunTurns("ann", thread, turnsBefore)
	before := wholeStream(s, "ann", origin)
	require.Greater(t, before.bytes, 4<<20, "more than the kernel buffers for the stalled client")

	now := before.ids[len(before.ids)-1]
	seen := make([]digest, clients-1)
	var wg sync.WaitGroup
	for i := range seen {
		c, err := s.Subscribe(t.Context(), "ann", now, "")
		require.NoError(t, err)
		wg.Go(func() {
			defer c.Body.Close()
			for done := 0; done < turns; {
				f, err := c.Next()
				if !assert.NoError(t, err) {
					return
				}
				seen[i].add(f)
				if f.Event == "response" {
					done++
				}
			}
		})
	}
	s.RunTurns("ann", thread, turns)
	wg.Wait()

	want := wholeStream(s, "ann", now)
	for i := range seen {
		require.Equal(t, want.digest, seen[i], "client %d", i)
	}
}

func TestAClientThatDoesNotReadIsDisconnected(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000, WriteTimeout: 100 * time.Millisecond},
		talkative(100_000))
	thread, origin := s.Begin("ann")
	defer stall(s, origin).Close()
	apptest.Eventually(t, "the stalled client is cut off", func() bool {
		s.RunTurns("ann", thread, 1) // more and more is sent, until the kernel's buffers are full
		return s.Get("ann", "/api/gateway/status").JSON()["sse_connections"].(float64) == 0
	})
	// It is counted once its handler has ended, which is a moment after it is no connection any more.
	apptest.Eventually(t, "the cut is counted", func() bool {
		return strings.Contains(s.Get("ann", "/metrics").Body, "candor_streams_cut_off_total 1\n")
	})
}

// stall opens a stream and never reads from it.
func stall(s *apptest.Server, origin string) net.Conn {
	s.T.Helper()
	conn, err := net.Dial("tcp", s.HTTP.Listener.Addr().String())
	require.NoError(s.T, err)
	require.NoError(s.T, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET /api/chat/events HTTP/1.1\r\nHost: localhost\r\n"+
		"Authorization: Bearer %s\r\nLast-Event-ID: %s\r\n\r\n", apptest.TokenOf("ann"), origin)
	require.NoError(s.T, err)
	apptest.Eventually(s.T, "the stalled client is in", func() bool {
		return s.Do("ann", http.MethodGet, "/api/gateway/status", "").JSON()["sse_connections"].(float64) == 1
	})
	return conn
}

// whole is a stream from an event to the session's present.
type whole struct {
	digest
	ids   []string
	bytes int
}

// wholeStream reads what the log gives a client that goes on from origin, an event's id,
// and checks that it is the rest of the log: every number once, in order.
func wholeStream(s *apptest.Server, user, origin string) whole {
	s.T.Helper()
	own := s.Session(user)
	ctx, cancel := context.WithCancel(s.T.Context())
	defer cancel()
	c, err := s.Subscribe(ctx, user, origin, "")
	require.NoError(s.T, err)
	var w whole
	epoch, number, _ := strings.Cut(origin, "-")
	seq, err := strconv.ParseUint(number, 10, 64)
	require.NoError(s.T, err)
	epoch += "-"
	for want := seq + 1; want <= own.Head(); {
		f, err := c.Next()
		require.NoError(s.T, err)
		w.add(f)
		w.ids, w.bytes = append(w.ids, f.ID), w.bytes+len(f.Data)
		if strings.Contains(f.ID, ".") {
			require.True(s.T, strings.HasPrefix(f.ID, fmt.Sprint(epoch, want, ".")), "%s is a part of event %d", f.ID,
				want)
			continue
		}
		require.Equal(s.T, fmt.Sprint(epoch, want), f.ID)
		want++
	}
	return w
}

// A client is cut off two hundred times, each time after a random number of bytes,
// and goes on with the last id it has. In all it saw each event once.
func TestTwoHundredReconnectsNeitherLoseNorRepeatEvents(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000, StreamsPerUser: 50}, talkative(300))
	thread, origin := s.Begin("ann")
	cuts := apptest.Size(40, 200)
	s.RunTurns("ann", thread, 30)
	var wg sync.WaitGroup
	saw := make([]digest, 4)
	for i := range saw {
		wg.Go(func() { saw[i] = readCutOff(s, origin, cuts, rand.New(rand.NewPCG(7, uint64(i))), cuts+60) })
	}
	s.RunTurns("ann", thread, cuts+30)
	wg.Wait()
	want := wholeStream(s, "ann", origin)
	for i := range saw {
		assert.Equal(t, want.digest, saw[i], "client %d", i)
	}
}

// readCutOff reads until it has seen as many answers as given, cutting its own
// connection at random places, cuts times.
func readCutOff(s *apptest.Server, origin string, cuts int, random *rand.Rand, answers int) digest {
	var d digest
	lastID := origin
	for cut := 0; ; cut++ {
		c, err := s.Subscribe(s.T.Context(), "ann", lastID, "")
		if !assert.NoError(s.T, err) {
			return d
		}
		if cut < cuts {
			c.Lines.Reset(io.LimitReader(c.Body, 1+random.Int64N(6000)))
		}
		for {
			f, err := c.Next()
			if err != nil {
				break
			}
			d.add(f)
			if f.Event == "response" {
				answers--
			}
			if answers == 0 {
				c.Body.Close()
				assert.GreaterOrEqual(s.T, cut, cuts, "all the cuts were made")
				return d
			}
		}
		c.Body.Close()
		lastID = c.LastID
	}
}
