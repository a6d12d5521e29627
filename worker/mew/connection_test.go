package mew

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
)

func TestATurnGoesOnAfterALostConnection(t *testing.T) {
	g := newGateway(t, nil)
	release := make(chan struct{})
	join(t, g, func(_ context.Context, step int, _ agent.Request) (agent.Response, error) {
		if step == 1 {
			return uses("I add.", "add", `{"a":1,"b":2}`), nil
		}
		<-release
		return agent.Response{Text: "3"}, nil
	}, nil, adder())
	g.ask("Add.")
	g.await(t, "mcp/response", 1)
	g.drop()
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	close(release)
	g.await(t, "chat", 1)
	assert.Equal(t, []string{"reasoning/start", "reasoning/thought", "reasoning/thought", "mcp/request", "mcp/response",
		"reasoning/conclusion", "chat"}, kinds(g.all()))
}

func TestWhatTheGatewayHasNotSettledIsSentAgainUnderTheSameID(t *testing.T) {
	o := newOutbox()
	o.connected(true)
	for _, id := range []string{"a", "b", "c"} {
		require.NoError(t, o.add(parcel{id: id, kind: "chat"}))
	}
	sent := func() (out []string) {
		for p, ok := o.next(); ok; p, ok = o.next() {
			out = append(out, p.id)
		}
		return out
	}
	assert.Equal(t, []string{"a", "b", "c"}, sent())
	o.settle("b")
	o.connected(false)
	o.connected(true)
	assert.Equal(t, []string{"c"}, sent(), "a was sent before b, so it has arrived, too")
	o.settle("unknown")
	o.connected(true)
	assert.Equal(t, []string{"c"}, sent())
}

func TestAMessageThatCameTooFastIsSentAgain(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.tooFast = 1 })
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask("Speak.")
	g.until(t, "everything is said", func() bool { return len(g.said) == 3 })
	assert.ElementsMatch(t, []string{"reasoning/start", "reasoning/conclusion", "chat"}, kinds(g.all()))
}

func TestAGatewayThatIsFullIsTriedAgain(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.full = 2 })
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask("Speak.")
	g.await(t, "chat", 1)
}

func TestAMessageThatIsTooLongEndsTheConnection(t *testing.T) {
	g := newGateway(t, nil)
	join(t, g, steps(agent.Response{Text: "done"}), nil)
	g.ask(strings.Repeat("x", maxIncoming))
	g.until(t, "the participant comes back", func() bool { return g.joins == 2 })
	g.ask("Are you there?")
	g.await(t, "chat", 1)
}

func TestAMessageThatEndsEveryConnectionIsDropped(t *testing.T) {
	o := newOutbox()
	require.NoError(t, o.add(parcel{id: "poison", kind: "chat"}))
	sent := 0
	for range 3 * maxAttempts {
		o.connected(true)
		for _, ok := o.next(); ok; _, ok = o.next() {
			sent++
		}
		o.connected(false)
	}
	assert.Equal(t, maxAttempts, sent)
}

func TestTheOutboxIsBounded(t *testing.T) {
	o := newOutbox()
	for range maxUnsettled {
		require.NoError(t, o.add(parcel{id: "x"}))
	}
	require.ErrorIs(t, o.add(parcel{id: "x"}), errNoGateway)
	o = newOutbox()
	for range maxUnsettledBytes / maxOutgoing {
		require.NoError(t, o.add(parcel{id: "x", raw: make([]byte, maxOutgoing)}))
	}
	require.ErrorIs(t, o.add(parcel{id: "z", raw: []byte("z")}), errNoGateway)
	require.ErrorIs(t, newOutbox().add(parcel{id: "x", raw: make([]byte, maxOutgoing+1)}), errTooLong)
}

func TestFramesAreDroppedWhereTheyCannotBeSentAtOnce(t *testing.T) {
	o := newOutbox()
	frame := parcel{raw: []byte("#s#x")}
	require.NoError(t, o.add(frame))
	_, ok := o.next()
	assert.False(t, ok, "there is no connection")
	o.connected(true)
	require.NoError(t, o.add(frame))
	_, ok = o.next()
	assert.True(t, ok)
	o.connected(true)
	_, ok = o.next()
	assert.False(t, ok, "a frame is not repeated")
	o.hold(true)
	require.NoError(t, o.add(frame))
	o.hold(false)
	_, ok = o.next()
	assert.False(t, ok, "the participant was paused")
}

func TestAParticipantThatIsRefusedDoesNotTryAgain(t *testing.T) {
	for _, tt := range []struct {
		name    string
		shipped bool
	}{{"by the answer to its request", false}, {"by an error after it joined", true}} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, func(g *gateway) { g.shipped = tt.shipped })
			p := &Participant{
				Gateway: g.url, Space: "lab", Token: "another-token", Log: slog.New(slog.DiscardHandler),
				Dispatcher: &agent.Dispatcher{Safety: safety.NewLayer(), Tools: &agent.Toolbox{}},
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			require.ErrorIs(t, p.Run(ctx), ErrRefused)
		})
	}
}

func TestAParticipantWaitsForItsGateway(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	p := &Participant{
		Gateway: "http://127.0.0.1:1", Space: "lab", Token: testToken, Log: slog.New(slog.DiscardHandler),
		Dispatcher: &agent.Dispatcher{Safety: safety.NewLayer(), Tools: &agent.Toolbox{}},
	}
	require.ErrorIs(t, p.Run(ctx), context.DeadlineExceeded)
}

func TestTheGatewaysURLIsChecked(t *testing.T) {
	for _, tt := range []struct{ name, gateway, space, token, want string }{
		{"http", "http://127.0.0.1:8080", "lab", "t", "ws://127.0.0.1:8080/mew/ws?space=lab"},
		{"https with a slash", "https://example.org/", "a b", "t", "wss://example.org/mew/ws?space=a+b"},
		{"a path of its own", "ws://example.org/ws", "lab", "t", "ws://example.org/ws?space=lab"},
		{"no URL", "127.0.0.1:8080", "lab", "t", ""},
		{"another scheme", "ftp://example.org", "lab", "t", ""},
		{"a password", "http://a:b@example.org", "lab", "t", ""},
		{"no space", "http://example.org", "", "t", ""},
		{"no token", "http://example.org", "lab", "", ""},
		{"a token with a line end", "http://example.org", "lab", "t\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := (&Participant{Gateway: tt.gateway, Space: tt.space, Token: tt.token}).address()
			assert.Equal(t, tt.want, got)
			assert.Equal(t, tt.want == "", err != nil)
		})
	}
}

func TestPausesGrowAndDiffer(t *testing.T) {
	b := backoff{first: time.Second, longest: 10 * time.Second}
	for attempt, most := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second,
		10 * time.Second} {
		for range 100 {
			d := b.pause(attempt)
			require.LessOrEqual(t, d, most)
			require.GreaterOrEqual(t, d, most/2)
		}
	}
	assert.Positive(t, b.pause(1000))
}

func TestCapabilitiesThatTheGatewayChangesHoldAtOnce(t *testing.T) {
	g := newGateway(t, func(g *gateway) { g.may = []object{{"kind": "chat"}, {"kind": "capability/grant-ack"}} })
	join(t, g, steps(agent.Response{Text: "hello"}), nil)
	g.ask("first")
	g.await(t, "chat", 1)
	assert.Empty(t, of(g.all(), "reasoning/start"))
	grant := g.say("capability/grant", "anna", nil,
		object{"recipient": "helper", "capabilities": []object{{"kind": "reasoning/*"}}})
	g.say("capability/grant", "anna", nil, object{"recipient": "bert"})
	g.say("system/welcome", "gateway", []string{"bert"},
		object{"you": object{"id": "bert", "capabilities": []object{}}})
	g.welcome([]object{{"kind": "*"}})
	ack := g.await(t, "capability/grant-ack", 1)
	assert.Equal(t, ids{grant.ID}, ack.Correlation)
	assert.Equal(t, "accepted", field(t, ack, "status"))
	g.ask("second")
	g.await(t, "reasoning/start", 1)
	g.await(t, "chat", 2)
	assert.Len(t, of(g.all(), "capability/grant-ack"), 1)
}

func TestCapabilityPatterns(t *testing.T) {
	const call = `{"method":"tools/call","params":{"name":"read_file"}}`
	for _, tt := range []struct {
		pattern, kind, payload string
		want                   bool
	}{
		{`{"kind":"*"}`, "reasoning/start", "{}", true},
		{`{"kind":"chat"}`, "chat", "{}", true},
		{`{"kind":"chat"}`, "chat/acknowledge", "{}", false},
		{`{"kind":"reasoning/*"}`, "reasoning/thought", "{}", true},
		{`{"kind":"reasoning/*"}`, "reasoning", "{}", false},
		{`{"kind":"reasoning/step"}`, "reasoning/thought", "{}", true},
		{`{"kind":"reasoning/step"}`, "reasoning/start", "{}", false},
		{`{"kind":"!chat"}`, "mcp/request", "{}", true},
		{`{"kind":["chat","mcp/*"]}`, "mcp/request", "{}", true},
		{`{"kind":"/^mcp/"}`, "mcp/request", "{}", true},
		{`{"kind":"chat"}`, "mcp/response", "{}", true},
		{`{"kind":"mcp/request","payload":{"method":"tools/call"}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"method":"tools/list"}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"read_*"}}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"params":{"name":"write_*"}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"!read_file"}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"params":{"name":"/^read/"}}}`, "mcp/request", call, true},
		{`{"kind":"mcp/request","payload":{"method":{"x":1}}}`, "mcp/request", call, false},
		{`{"kind":"mcp/request","payload":{"**":{"x":1}}}`, "mcp/request", call, true},
	} {
		var c capability
		require.NoError(t, json.Unmarshal([]byte(tt.pattern), &c))
		assert.Equal(t, tt.want, capabilities{c}.allow(tt.kind, json.RawMessage(tt.payload)), tt.pattern+" "+tt.kind)
	}
}

func TestHandledMessagesAreRememberedWithinABound(t *testing.T) {
	var r recent
	assert.True(t, r.add("first"))
	assert.False(t, r.add("first"))
	for range 2 {
		assert.True(t, r.add(""), "a message without an id is always new")
	}
	for i := range maxRecent {
		r.add(strings.Repeat("x", i+1))
	}
	assert.True(t, r.add("first"), "the oldest was forgotten")
	assert.LessOrEqual(t, len(r.known), maxRecent)
}

func TestContextsOfAllShapesAreRead(t *testing.T) {
	for raw, want := range map[string][]string{
		``: nil, `null`: nil, `""`: nil, `7`: nil,
		`"a"`: {"a"}, `"a/b"`: {"a", "b"},
		`{"id":"b","parent":"a"}`: {"a", "b"}, `{"id":"a"}`: {"a"},
		`{"operation":"push","correlation_id":["a"]}`: {"a"},
	} {
		assert.Equal(t, want, envelope{Context: json.RawMessage(raw)}.contexts(), raw)
	}
}

func FuzzAnyMessageIsSurvived(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"chat","from":"anna","to":["helper"],"payload":{"text":"hello"}}`,
		`{"kind":"mcp/request","id":"x","from":"anna","to":["helper"],"payload":{"method":"tools/list"}}`,
		`{"kind":"mcp/response","from":"bert","correlation_id":"x","payload":{"result":{"tools":[{"name":1}]}}}`,
		`{"kind":"system/welcome","payload":{"you":{"id":"helper","capabilities":[{"kind":7}]}}}`,
		`{"kind":"participant/forget","to":["helper"],"payload":{"entries":-1}}`,
		`{"kind":"reasoning/cancel","context":{"id":[]}}`, `{"kind":"stream/open","payload":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(_ *testing.T, raw []byte) {
		p := &Participant{Log: slog.New(slog.DiscardHandler), Dispatcher: &agent.Dispatcher{
			Safety: safety.NewLayer(), Tools: &agent.Toolbox{}, Log: slog.New(slog.DiscardHandler),
		}}
		ctx, stop := context.WithCancelCause(context.Background())
		m := &member{
			Participant: p, out: newOutbox(), seen: safety.NewSeenSecrets(), id: "helper", ctx: ctx, stop: stop,
			wake: make(chan struct{}, 1), may: capabilities{{Kind: ids{"*"}}},
			peers: map[string]*peer{}, listings: map[string]string{}, awaited: map[string]*ownCall{},
		}
		m.running = newTurn(m, envelope{}, func(error) {})
		if e, ok := decode(raw); ok {
			m.receive(e)
		}
		m.serv.Wait()
		stop(nil)
	})
}
