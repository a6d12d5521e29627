package mew

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/agent"
	"candor/safety"
)

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
	layer := safety.NewLayer()
	f.Fuzz(func(_ *testing.T, raw []byte) {
		p := &Participant{Log: slog.New(slog.DiscardHandler), Dispatcher: &agent.Dispatcher{
			Safety: layer, Tools: &agent.Toolbox{}, Log: slog.New(slog.DiscardHandler),
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
