package sse_test

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	r3labs "github.com/r3labs/sse/v2"
	"github.com/stretchr/testify/require"
	gosse "github.com/tmaxmax/go-sse"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
	"candor/web/access"
)

// peer is a server of event streams, and what sends its next event to all of them. Events are
// numbered from 1.
type peer struct {
	http.Handler
	publish func(number int)
}

// The peers, in the order of the table. All ratios are to bare.
const (
	bare   = "net/http, bare"
	candor = "Candor"
)

// peers are the servers that are compared.
var peers = []struct {
	name string
	make func(t *testing.T) peer
}{
	{bare, newBare},
	{candor, newCandor},
	{"r3labs/sse, as it comes", newR3labs},
	{"tmaxmax/go-sse, as it comes", newGoSSE},
	{"hijacked, writev", newHijacked},
}

// mark occurs once in each event and nowhere else on a stream.
const mark = "~"

// maxStreams is the most streams that the benchmark opens.
const maxStreams = 5000

// payload is the data of an event, which makes its frame 700 bytes long.
func payload(number int) string {
	data := fmt.Sprintf(`{"type":"thinking","turn_number":%d,"message":"%s`, number, mark)
	return data + strings.Repeat("because ", (650-len(data))/8) + `"}`
}

func frame(number int) []byte {
	return fmt.Appendf(nil, "data: %s\nevent: thinking\nid: 550e8400-%d\n\n", payload(number), number)
}

// hub passes frames to streams. A stream that is behind by more than its queue is ended.
type hub struct {
	mu      sync.Mutex
	streams map[chan []byte]bool
}

func (h *hub) join() chan []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	frames := make(chan []byte, window)
	h.streams[frames] = true
	return frames
}

func (h *hub) leave(frames chan []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.streams, frames)
}

func (h *hub) publish(number int) {
	f := frame(number)
	h.mu.Lock()
	defer h.mu.Unlock()
	for frames := range h.streams {
		select {
		case frames <- f:
		default:
			delete(h.streams, frames)
			close(frames)
		}
	}
}

// newBare is the least that a handler of net/http does: it writes what its queue has, and then flushes.
func newBare(*testing.T) peer {
	h := &hub{streams: map[chan []byte]bool{}}
	return peer{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		rc := http.NewResponseController(w)
		frames := h.join()
		defer h.leave(frames)
		_ = rc.Flush()
		for {
			select {
			case f, open := <-frames:
				for ; len(f) > 0; f = next(frames) {
					if _, err := w.Write(f); err != nil {
						return
					}
				}
				if rc.Flush() != nil || !open {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}), h.publish}
}

// next returns the next frame if there is one already.
func next(frames <-chan []byte) []byte {
	select {
	case f := <-frames:
		return f
	default:
		return nil
	}
}

// newHijacked takes the connections from net/http and writes what a queue has with one system call.
func newHijacked(t *testing.T) peer {
	h := &hub{streams: map[chan []byte]bool{}}
	return peer{http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		require.NoError(t, err)
		go func() {
			defer conn.Close()
			frames := h.join()
			defer h.leave(frames)
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"))
			var all net.Buffers
			for f := range frames {
				all = append(all[:0], f)
				for f = next(frames); len(f) > 0; f = next(frames) {
					all = append(all, f)
				}
				left := all // WriteTo consumes it
				if _, err := left.WriteTo(conn); err != nil {
					return
				}
			}
		}()
	}), h.publish}
}

func newR3labs(*testing.T) peer {
	s := r3labs.New()
	s.CreateStream("all")
	return peer{s, func(number int) {
		s.Publish("all", &r3labs.Event{ID: fmt.Append(nil, number), Event: []byte("thinking"),
			Data: []byte(payload(number))})
	}}
}

func newGoSSE(t *testing.T) peer {
	s := &gosse.Server{OnSession: func(w http.ResponseWriter, _ *http.Request) ([]string, bool) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush() // else the headers come with the first event
		return []string{gosse.DefaultTopic}, true
	}}
	return peer{s, func(number int) {
		e := &gosse.Message{Type: gosse.Type("thinking"), ID: gosse.ID(fmt.Sprint(number))}
		e.AppendData(payload(number))
		require.NoError(t, s.Publish(e))
	}}
}

// newCandor is the whole server, with its authentication, its log and its limits. Its events are
// narratives of turns of fifty steps.
func newCandor(t *testing.T) peer {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	settings := app.Settings{Model: app.ModelSettings{Provider: "offline"},
		Tools: app.ToolSettings{Workspace: apptest.Root(t)}, StreamsPerUser: maxStreams + 10}
	a, err := app.New(settings, tokens, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	own, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	thread, err := own.OpenThread()
	require.NoError(t, err)
	said, _ := safety.NewLayer().Clean(mark + strings.Repeat("because ", 55))
	var turn session.Ref
	return peer{a, func(number int) {
		const steps = 50
		if number%steps == 1 {
			e, err := own.Accept(thread.Thread, safety.Literal("why?"), nil)
			require.NoError(t, err)
			turn = e.Ref
		}
		_, err := own.Append(turn, session.Narrated{Step: number%steps + 1, Text: said})
		require.NoError(t, err)
		if number%steps == 0 {
			_, err := own.Append(turn, session.TurnCompleted{})
			require.NoError(t, err)
		}
	}}
}
