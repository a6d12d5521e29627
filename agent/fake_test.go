package agent

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// stepwise is a provider that answers each request with its next response.
type stepwise struct {
	mu        sync.Mutex
	responses []Response
	requests  []Request
}

func (p *stepwise) Respond(_ context.Context, req Request) (Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	req.Messages = append([]Message(nil), req.Messages...)
	p.requests = append(p.requests, req)
	if len(p.requests) > len(p.responses) {
		return Response{}, errors.New("out of responses")
	}
	return p.responses[len(p.requests)-1], nil
}

// providerFunc is a function as a Provider.
type providerFunc func(context.Context, Request) (Response, error)

func (f providerFunc) Respond(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// funcTool is a function with a Spec as a Tool.
type funcTool struct {
	spec Spec
	run  func(context.Context, json.RawMessage) (json.RawMessage, error)
}

func (t funcTool) Spec() Spec { return t.spec }

func (t funcTool) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	return t.run(ctx, args)
}

// toolFunc returns a tool that ignores its arguments.
func toolFunc(name string, run func(context.Context) (json.RawMessage, error)) Tool {
	return funcTool{Spec{Name: name}, func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		return run(ctx)
	}}
}

// panicking returns a tool called boom that panics.
func panicking() Tool {
	return toolFunc("boom", func(context.Context) (json.RawMessage, error) { panic("ouch") })
}

// echo returns a tool whose result is its arguments.
func echo(name string) Tool {
	return funcTool{Spec{Name: name}, func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		return args, nil
	}}
}

// strict is echo with a schema that requires a string called path.
func strict(name string) Tool {
	t := echo(name).(funcTool)
	t.spec.Schema = &jsonschema.Schema{Type: "object", Required: []string{"path"},
		Properties: map[string]*jsonschema.Schema{"path": {Type: "string"}}}
	return t
}

// events is a Recorder that keeps the events in memory and folds them into a turn.
type events struct {
	mu   sync.Mutex
	list []session.Body
	turn session.Turn
	err  error
}

func (e *events) Record(b session.Body) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	e.list = append(e.list, b)
	e.turn = e.turn.Apply(session.Event{Seq: uint64(len(e.list)), Ref: session.Ref{Turn: 1}, Body: b})
	return nil
}

func (e *events) narrative() string {
	text, _ := e.turn.Narrative()
	return text.String()
}

// of returns the recorded events of one type, in order.
func of[B session.Body](e *events) []B {
	var out []B
	for _, b := range e.list {
		if match, ok := b.(B); ok {
			out = append(out, match)
		}
	}
	return out
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func newDispatcher(t *testing.T, p Provider, tools ...Tool) *Dispatcher {
	t.Helper()
	box := &Toolbox{}
	require.NoError(t, box.Replace(tools...))
	return &Dispatcher{Provider: p, Tools: box, Safety: safety.NewLayer(), Log: quiet()}
}

// runTurn runs one turn on "hi" and returns what was recorded.
func runTurn(t *testing.T, d *Dispatcher) *events {
	t.Helper()
	rec := &events{}
	_ = d.Run(t.Context(), rec, []Message{{Role: RoleUser, Text: "hi"}})
	return rec
}

func rawJSON(s string) json.RawMessage { return json.RawMessage(s) }

// privateKey builds its value at run time, so that no key appears in the source.
func privateKey() string {
	dashes := "-----"
	return dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\nMIIEpAIBAAKCAQEA7bq\n" +
		dashes + "END RSA PRIVATE " + "KEY" + dashes
}

func githubToken() string { return "ghp" + "_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5" }

// looping is a provider that calls one tool in each of a number of steps, then answers,
// turn after turn.
type looping struct{ steps, made int }

func (p *looping) Respond(context.Context, Request) (Response, error) {
	if p.made++; p.made > p.steps {
		p.made = 0
		return Response{Text: "done"}, nil
	}
	return Response{Text: "I look again.", Calls: []Call{{
		Name: "look", Arguments: json.RawMessage(`{"rationale":"the last look was not enough","path":"a/b"}`),
	}}}, nil
}

// nested is a provider that delegates its task, and answers once it has a result.
func nested(_ context.Context, r Request) (Response, error) {
	if r.Messages[len(r.Messages)-1].Role == RoleTool {
		return Response{Text: "done"}, nil
	}
	return Response{Calls: []Call{{Name: "research", Arguments: json.RawMessage(`{"task":"deeper"}`)}}}, nil
}

func oneStep(text string, calls ...Call) *stepwise {
	return &stepwise{responses: []Response{{Text: text, Calls: calls}, {Text: "done"}}}
}
