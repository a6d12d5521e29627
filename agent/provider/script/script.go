package script

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/agent"
	"candor/session/pause"
)

// Script is a provider that replays a script, and the tools of that script. It never
// changes and is safe for concurrent use.
type Script struct {
	steps  []step
	turns  map[string][]step // by the message that they answer
	tools  []agent.Tool
	denied []string
	agents map[string]*Script
}

var _ agent.Provider = (*Script)(nil)

// Tools returns the script's own tools, sorted by name. They accept any object.
func (s *Script) Tools() []agent.Tool { return slices.Clone(s.tools) }

// Denied returns the names of the tools that a policy has to reject.
func (s *Script) Denied() []string { return slices.Clone(s.denied) }

// Agents returns the scripts of sub-agents, by the name of the tool that delegates to
// them.
func (s *Script) Agents() map[string]*Script { return maps.Clone(s.agents) }

// Respond implements agent.Provider by the step that is due: one step is done for every
// message of the assistant since the user's last. After the last
// step it answers that the script has ended. When the request offers no tools, a step
// that calls some answers with its narrative instead.
func (s *Script) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	steps, due := s.stepsFor(req.Messages), stepsDone(req.Messages)
	if due >= len(steps) {
		return agent.Response{Text: fmt.Sprintf("The script has ended after its %d steps.", len(steps))}, ctx.Err()
	}
	st := steps[due]
	if err := wait(ctx, st.DelayMS); err != nil {
		return agent.Response{}, fmt.Errorf("step %d of the script: %w", due+1, err)
	}
	var resp agent.Response
	switch {
	case st.Error != nil:
		return agent.Response{}, errors.New(*st.Error)
	case st.Text != nil:
		resp.Text = *st.Text
	case len(req.Tools) == 0:
		resp.Text = st.withheld()
	default:
		resp = agent.Response{Text: st.Narrative, Calls: st.calls()}
	}
	resp.Sealed, resp.Summary = resp.Sealed.Encrypted(st.Sealed), st.Summary
	resp.Stop = agent.StopOf(st.Stop, len(resp.Calls))
	if err := st.speak(ctx, req, resp.Text); err != nil {
		return agent.Response{}, fmt.Errorf("step %d of the script: %w", due+1, err)
	}
	return resp, nil
}

// defaultPiece is how many bytes of a text come at a time if the script does not say.
const defaultPiece = 16

// speak passes the text on in pieces, as a model would write it.
func (s step) speak(ctx context.Context, req agent.Request, text string) error {
	for n := 0; text != ""; n++ {
		size := defaultPiece
		if len(s.Pieces) > 0 {
			size = s.Pieces[min(n, len(s.Pieces)-1)]
		}
		size = min(size, len(text))
		if err := wait(ctx, s.PieceMS); err != nil {
			return err
		}
		req.Say(text[:size])
		text = text[size:]
	}
	return nil
}

// stepsFor returns the steps of the current turn: those for its message, or else those for any.
func (s *Script) stepsFor(messages []agent.Message) []step {
	for _, m := range slices.Backward(messages) {
		if m.Role == agent.RoleUser {
			if steps, ok := s.turns[m.Text]; ok {
				return steps
			}
			break
		}
	}
	return s.steps
}

// stepsDone counts the steps of the current turn.
func stepsDone(messages []agent.Message) (n int) {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Role == agent.RoleUser:
			return n
		case m.Role == agent.RoleAssistant:
			n++
		}
	}
	return n
}

// withheld is the answer of a step whose calls cannot be made, since the request offers
// no tools.
func (s step) withheld() string {
	if strings.TrimSpace(s.Narrative) != "" {
		return s.Narrative
	}
	return fmt.Sprintf("The script calls %s here, but no tools are offered.", s.Calls[0].Name)
}

// calls returns copies of the calls, which the caller may change.
func (s step) calls() []agent.Call {
	out := make([]agent.Call, len(s.Calls))
	for i, c := range s.Calls {
		out[i] = agent.Call{ID: c.ID, Name: c.Name, Arguments: slices.Clone(c.Arguments)}
		out[i].Reasoning, out[i].Before = c.Rationale, c.Before
	}
	return out
}

// scripted is a tool of a script.
type scripted struct {
	name    string
	outcome outcome
}

// Spec implements agent.Tool.
func (t *scripted) Spec() agent.Spec {
	return agent.Spec{
		Name:        t.name,
		Description: "A scripted tool: it takes anything and answers what the script says.",
		Schema:      &jsonschema.Schema{Type: "object"},
		Approval:    t.outcome.mode,
		Takes:       new(time.Duration(t.outcome.DelayMS) * time.Millisecond),
	}
}

// Run implements agent.Tool. It returns a copy of the result.
func (t *scripted) Run(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
	if err := wait(ctx, t.outcome.DelayMS); err != nil {
		return nil, fmt.Errorf("%s: %w", t.name, err)
	}
	switch {
	case t.outcome.Panic != nil:
		panic(*t.outcome.Panic)
	case t.outcome.Error != nil:
		return nil, errors.New(*t.outcome.Error)
	}
	return slices.Clone(t.outcome.Result), nil
}

// wait pauses for a delay of a step or a tool. It returns early, with ctx's error, when
// ctx ends.
func wait(ctx context.Context, ms int64) error {
	if ms == 0 {
		return ctx.Err()
	}
	return pause.For(ctx, time.Duration(ms)*time.Millisecond)
}

// placeholder is what a script has in the place of a value that looks like a credential.
var placeholder = regexp.MustCompile(`\{\{(github_token|password|private_key)\}\}`)

// filledIn returns a script with a made-up value for each placeholder, the same wherever it stands. The
// values look like credentials and open nothing; they are made when a script is loaded, so that no file
// contains one.
func filledIn(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("{{")) {
		return raw
	}
	values := map[string][]byte{}
	for name, value := range madeUp() {
		quoted, _ := json.Marshal(value)                   // a text, which always encodes
		values["{{"+name+"}}"] = quoted[1 : len(quoted)-1] // it stands within a text of the script
	}
	return placeholder.ReplaceAllFunc(raw, func(found []byte) []byte { return values[string(found)] })
}

// madeUp returns new values of each kind, by name. Their forms are those that the safety layer knows, so a
// script shows what happens to a credential; their letters are random, so nobody can take one for real.
func madeUp() map[string]string {
	lower := strings.ToLower(rand.Text())
	dashes := strings.Repeat("-", 5)
	return map[string]string{
		"github_token": "ghp" + "_" + (rand.Text() + lower)[8:44],
		"password":     lower[:9] + "7" + rand.Text()[:8],
		"private_key": dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + rand.Text() + "\n" + rand.Text() + "\n" +
			dashes + "END RSA PRIVATE " + "KEY" + dashes,
	}
}
