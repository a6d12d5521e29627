package mew

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/safety"
	"candor/session/pause"
)

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

// callOf returns the payload of a request that calls a tool.
func callOf(tool string, args object) object {
	return object{"id": 7, "method": "tools/call", "params": object{"name": tool, "arguments": args}}
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
		backoff: pause.Backoff{First: time.Millisecond, Longest: time.Millisecond},
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
	case <-time.After(2 * time.Minute):
		assert.Fail(t, "the participant does not leave")
		return nil
	}
}

// ask sends a chat of the person to the participant.
func (g *gateway) ask(text string) envelope {
	return g.say("chat", "anna", []string{"helper"}, object{"text": text})
}
