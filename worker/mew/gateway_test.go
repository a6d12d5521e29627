package mew

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/agent"
	"candor/safety"
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
	for _, id := range g.others {
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
	raw, err := marshal(e)
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
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
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

// kinds returns the kinds of messages, in order.
func kinds(all []envelope) []string {
	var out []string
	for _, e := range all {
		out = append(out, e.Kind)
	}
	return out
}

// of returns the messages of a kind.
func of(all []envelope, kind string) []envelope {
	return slices.DeleteFunc(slices.Clone(all), func(e envelope) bool { return e.Kind != kind })
}

// member returns a member of a message's payload, by its path, as text.
func field(t *testing.T, e envelope, path string) any {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(e.Payload, &v))
	for name := range strings.SplitSeq(path, ".") {
		if list, ok := v.([]any); ok && len(list) > 0 {
			v = list[0]
		}
		inner, _ := v.(map[string]any)
		v = inner[name]
	}
	return v
}

// transcript writes messages one a line, with their ids replaced by what they are, so that two
// runs give the same text.
func transcript(all []envelope) string {
	names := map[string]string{}
	count := map[string]int{}
	for _, e := range all {
		count[e.Kind]++
		names[e.ID] = fmt.Sprintf("%s-%d", e.Kind[strings.LastIndex(e.Kind, "/")+1:], count[e.Kind])
	}
	var b strings.Builder
	for _, e := range all {
		e.TS, e.Protocol = "", ""
		raw, _ := marshal(e)
		line := string(raw)
		for id, name := range names {
			line = strings.ReplaceAll(line, id, name)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// model is a provider that answers step by step.
type model func(ctx context.Context, step int, req agent.Request) (agent.Response, error)

// steps returns a model that gives these responses, one after the other.
func steps(responses ...agent.Response) model {
	return func(_ context.Context, step int, _ agent.Request) (agent.Response, error) {
		return responses[min(step, len(responses))-1], nil
	}
}

// fakeProvider counts the steps of all turns.
type fakeProvider struct {
	answer model
	mu     sync.Mutex
	step   int
	asked  []agent.Request
}

// Respond implements agent.Provider.
func (p *fakeProvider) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	p.mu.Lock()
	p.step++
	step := p.step
	p.asked = append(p.asked, req)
	p.mu.Unlock()
	return p.answer(ctx, step, req)
}

func (p *fakeProvider) requests() []agent.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// uses returns a response that calls one tool.
func uses(text, tool, args string) agent.Response {
	return agent.Response{Text: text, Calls: []agent.Call{{Name: tool, Arguments: json.RawMessage(args)}}}
}

// toolFunc is a tool made of a function.
type toolFunc struct {
	spec agent.Spec
	run  func(context.Context, json.RawMessage) (json.RawMessage, error)
}

// Spec implements agent.Tool.
func (f toolFunc) Spec() agent.Spec { return f.spec }

// Run implements agent.Tool.
func (f toolFunc) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	return f.run(ctx, args)
}

// adder returns a tool that adds two numbers.
func adder() toolFunc {
	number := &jsonschema.Schema{Type: "number"}
	return toolFunc{
		spec: agent.Spec{Name: "add", Description: "Adds a and b.", ReadOnly: true, Schema: &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{"a": number, "b": number},
			Required: []string{"a", "b"},
		}},
		run: func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			var in struct{ A, B float64 }
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			return json.Marshal(in.A + in.B)
		},
	}
}

// helper is a participant that runs.
type helper struct {
	*gateway
	provider *fakeProvider
	stop     context.CancelFunc
	done     chan error
}

// join makes a participant take part at a gateway until the test ends. change may be nil.
func join(t *testing.T, g *gateway, answer model, change func(*Participant), tools ...agent.Tool) *helper {
	t.Helper()
	h := &helper{gateway: g, provider: &fakeProvider{answer: answer}, done: make(chan error, 1)}
	box := &agent.Toolbox{}
	require.NoError(t, box.Replace(tools...))
	p := &Participant{
		Gateway: g.url, Space: "lab", ID: "helper", Token: testToken, Log: slog.New(slog.DiscardHandler),
		Dispatcher: &agent.Dispatcher{
			Provider: h.provider, Tools: box, Safety: safety.NewLayer(), Log: slog.New(slog.DiscardHandler),
		},
		backoff: backoff{first: time.Millisecond, longest: time.Millisecond},
	}
	if change != nil {
		change(p)
	}
	ctx, stop := context.WithCancel(t.Context())
	h.stop = stop
	go func() { h.done <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		<-h.done
	})
	g.until(t, "the participant joins", func() bool { return g.joins > 0 })
	return h
}

// leaves waits until Run returns and gives its error.
func (h *helper) leaves(t *testing.T) error {
	t.Helper()
	select {
	case err := <-h.done:
		h.done <- err // for the cleanup
		return err
	case <-time.After(20 * time.Second):
		assert.Fail(t, "the participant does not leave")
		return nil
	}
}

// ask sends a chat of the person to the participant.
func (g *gateway) ask(text string) envelope {
	return g.say("chat", "anna", []string{"helper"}, object{"text": text})
}
