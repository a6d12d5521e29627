package mew

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"candor/safety"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testToken = "token-for-tests-only"

// gateway is a small gateway for one participant, "helper". What others say comes from the test.
type gateway struct {
	url     string
	shipped bool // MEW's own dialect: silent until the join message, deaf to header and URL
	may     []object
	others  []string
	opens   bool // answers requests for streams

	tooFast int // how many messages it refuses as too fast
	full    int // how many joins it refuses for the moment

	mu      sync.Mutex
	conn    *websocket.Conn
	joins   int
	refused bool // lets nobody in
	opened  bool // has answered a request for a stream
	said    []envelope
	frames  []string
	changed chan struct{} // closed and replaced whenever something above changes
}

func newGateway(t *testing.T, change func(*gateway)) *gateway {
	t.Helper()
	g := &gateway{changed: make(chan struct{}), may: []object{{"kind": "*"}}}
	if change != nil {
		change(g)
	}
	server := httptest.NewServer(http.HandlerFunc(g.serve))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

func (g *gateway) serve(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	refused := g.refused
	g.mu.Unlock()
	if !g.shipped && (refused || r.Header.Get("Authorization") != "Bearer "+testToken ||
		r.URL.Query().Get("space") != "lab" || r.URL.Path != "/mew/ws") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxOutgoing)
	if g.shipped && !g.join(r.Context(), conn) {
		return
	}
	g.mu.Lock()
	g.conn = conn
	full := g.full > 0
	g.full--
	g.mu.Unlock()
	if full {
		g.say("system/error", "gateway", nil, object{"error": "too_many"})
		return
	}
	g.welcome(g.may)
	g.update(func() { g.joins++ })
	for {
		_, raw, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		g.take(conn, raw)
	}
}

// join reads the join message of MEW's own dialect.
func (g *gateway) join(ctx context.Context, conn *websocket.Conn) bool {
	var in struct{ Type, Space, Token, ParticipantID string }
	_, raw, err := conn.Read(ctx)
	if err != nil || json.Unmarshal(raw, &in) != nil {
		return false
	}
	if in.Type != "join" || in.Space != "lab" || in.Token != testToken || in.ParticipantID != "helper" {
		_ = conn.Write(ctx, websocket.MessageText, []byte(`{"kind":"system/error","payload":{"error":"unauthorized"}}`))
		return false
	}
	return true
}

// take records a message of the participant and sends it back to it.
func (g *gateway) take(conn *websocket.Conn, raw []byte) {
	if raw[0] == '#' {
		g.update(func() { g.frames = append(g.frames, string(raw)) })
		return
	}
	e, ok := decode(raw)
	if !ok {
		return // the join message, to a gateway that needs none
	}
	if g.tooFast > 0 {
		g.tooFast--
		g.say("system/error", "gateway", []string{"helper"}, object{"error": "rate_limited"}, e.ID)
		return
	}
	known := false
	g.update(func() {
		known = slices.ContainsFunc(g.said, func(other envelope) bool { return other.ID == e.ID })
		if !known {
			g.said = append(g.said, e)
		}
	})
	switch {
	case known:
		g.say("system/error", "gateway", []string{"helper"}, object{"error": "duplicate_id"}, e.ID)
	default:
		_ = conn.Write(context.Background(), websocket.MessageText, raw)
	}
	if e.Kind == "stream/request" && g.opens {
		g.say("stream/open", "gateway", nil, object{"stream_id": "s-1", "encoding": "text"}, e.ID)
		g.update(func() { g.opened = true })
	}
}

func (g *gateway) update(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
	close(g.changed)
	g.changed = make(chan struct{})
}

func (g *gateway) welcome(may []object) {
	var there []object
	g.mu.Lock()
	others := g.others
	g.mu.Unlock()
	for _, id := range others {
		there = append(there, object{"id": id})
	}
	g.say("system/welcome", "gateway", []string{"helper"},
		object{"you": object{"id": "helper", "capabilities": may}, "participants": there})
}

// say sends a message of somebody to the participant and returns it.
func (g *gateway) say(kind, from string, to []string, payload any, about ...string) envelope {
	e, err := newEnvelope(kind, payload)
	if err != nil {
		panic(err)
	}
	e.From, e.To = from, to
	return g.send(e.about(about...))
}

func (g *gateway) send(e envelope) envelope {
	raw, err := safety.Marshal(e)
	if err != nil {
		panic(err)
	}
	g.mu.Lock()
	conn := g.conn
	g.mu.Unlock()
	_ = conn.Write(context.Background(), websocket.MessageText, raw)
	return e
}

// drop cuts the connection.
func (g *gateway) drop() {
	g.mu.Lock()
	conn := g.conn
	g.mu.Unlock()
	_ = conn.CloseNow()
}

// until waits until a condition holds, which is called with the lock held.
func (g *gateway) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for {
		g.mu.Lock()
		ok, changed := holds(), g.changed
		g.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			g.mu.Lock()
			defer g.mu.Unlock()
			require.Fail(t, "it never came", "%s; said: %s", what, transcript(g.said))
		}
	}
}

// await returns the n-th message of a kind, from 1.
func (g *gateway) await(t *testing.T, kind string, n int) (found envelope) {
	t.Helper()
	g.until(t, fmt.Sprint(kind, " ", n), func() bool {
		left := n
		for _, e := range g.said {
			if e.Kind == kind {
				if left--; left == 0 {
					found = e
					return true
				}
			}
		}
		return false
	})
	return found
}

// all returns what was said so far, in order.
func (g *gateway) all() []envelope {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.said)
}
