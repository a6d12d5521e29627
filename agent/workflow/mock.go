package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"candor/agent"
	"candor/safety"
)

const (
	maxMockCalls = 32
	maxMockTime  = 10 * time.Second // that a call takes
)

// mockAgent runs an agent whose model follows the node's config: it reasons, makes its calls one
// after the other, hands on a task, and decides. The agent is a real one in all else, so what it
// says and does is captured, cleaned and asked about as everything is.
type mockAgent struct {
	Reasoning  *mockReasoning `json:"mockReasoning"`
	Calls      []mockCall     `json:"mockToolCalls"`
	Handoff    *mockHandoff   `json:"mockHandoff"`
	Decision   *mockDecision  `json:"mockDecision"`
	Confidence *float64       `json:"mockConfidence"` // of a decision, if only that matters
}

// mockReasoning is what the agent says before it acts.
type mockReasoning struct {
	Summary    string   `json:"summary"`
	Trace      string   `json:"trace"`        // said in place of the summary
	TokenCount int      `json:"tokenCount"`   // of the reasoning
	Chunks     []string `json:"streamChunks"` // said in place of both, one after the other
}

// text returns what the agent says in all.
func (r *mockReasoning) text() string {
	switch {
	case r == nil:
		return ""
	case len(r.Chunks) > 0:
		return strings.Join(r.Chunks, "")
	case r.Trace != "":
		return r.Trace
	}
	return r.Summary
}

// mockCall is a call of a tool and how it ends.
type mockCall struct {
	Tool       string          `json:"toolId"`
	Arguments  json.RawMessage `json:"arguments"`
	Result     json.RawMessage `json:"result"`
	Error      *mockError      `json:"error"`
	DurationMS int64           `json:"durationMs"`
}

// mockError is the error that a call ends with.
type mockError struct {
	Code    string          `json:"error"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`
}

// mockHandoff is a task for another agent.
type mockHandoff struct {
	To      string          `json:"toAgentId"`
	Reason  string          `json:"reason"`
	Context json.RawMessage `json:"context"`
}

// mockDecision is what the agent decides in the end. The decision and who made it are the node's
// outputs.
type mockDecision struct {
	Decision   json.RawMessage `json:"decision"`
	Confidence *float64        `json:"confidence"`
	Reasoning  string          `json:"reasoning"`
}

// decide is the name of the tool by which an agent makes a decision.
const decide = "decide"

var agentID = regexp.MustCompile(`^[a-z][a-z0-9._-]{2,63}$`)

// check implements worker.
func (m *mockAgent) check() error {
	if m.Reasoning != nil && m.Reasoning.text() == "" {
		return errors.New("mockReasoning needs a summary, a trace or streamChunks")
	}
	if len(m.Calls) > maxMockCalls {
		return fmt.Errorf("there are %d mockToolCalls; %d are the most", len(m.Calls), maxMockCalls)
	}
	for i, c := range m.Calls {
		if err := c.check(); err != nil {
			return fmt.Errorf("mockToolCalls, call %d: %w", i+1, err)
		}
	}
	if err := m.checkHandoff(); err != nil {
		return fmt.Errorf("mockHandoff: %w", err)
	}
	return m.checkDecision()
}

// checkDecision reports a decision that decides nothing, and a confidence that is none.
func (m *mockAgent) checkDecision() error {
	d := m.decision()
	switch {
	case m.Decision != nil && m.Confidence != nil:
		return errors.New("mockConfidence stands for a mockDecision; a node has one of them")
	case d == nil:
		return nil
	case d.Decision == nil:
		return errors.New("mockDecision has no decision")
	case d.Confidence != nil && (*d.Confidence < 0 || *d.Confidence > 1):
		return fmt.Errorf("a confidence of %v is not between 0 and 1", *d.Confidence)
	}
	return nil
}

// decision returns what the agent decides, or nil.
func (m *mockAgent) decision() *mockDecision {
	if m.Decision == nil && m.Confidence != nil {
		return &mockDecision{Decision: json.RawMessage(`"go on"`), Confidence: m.Confidence}
	}
	return m.Decision
}

// checkHandoff reports a task for an agent that cannot be called by its id.
func (m *mockAgent) checkHandoff() error {
	switch h := m.Handoff; {
	case h == nil:
		return nil
	case !agentID.MatchString(h.name()) || h.name() == decide:
		return fmt.Errorf("%q is no agent's id", h.To)
	case slices.ContainsFunc(m.Calls, func(c mockCall) bool { return c.Tool == h.name() }):
		return fmt.Errorf("%q is the id of a tool, too", h.To)
	}
	return nil
}

// name returns the id of the agent that the task is for, without the namespace of its host.
func (h *mockHandoff) name() string { return strings.TrimPrefix(h.To, "host:") }

// check reports a call without a tool or an end, or with several.
func (c mockCall) check() error {
	var object map[string]json.RawMessage
	switch {
	case c.Tool == "" || c.Tool == decide:
		return fmt.Errorf("its toolId is %q", c.Tool)
	case (c.Result == nil) == (c.Error == nil):
		return errors.New("it needs either a result or an error")
	case c.Error != nil && (c.Error.Code == "" || c.Error.Message == ""):
		return errors.New("its error needs an error, which is a code, and a message")
	case c.DurationMS < 0 || c.DurationMS > maxMockTime.Milliseconds():
		return fmt.Errorf("durationMs is %d; it goes from 0 to %d", c.DurationMS, maxMockTime.Milliseconds())
	case c.Arguments != nil && json.Unmarshal(c.Arguments, &object) != nil:
		return errors.New("its arguments are not a JSON object")
	}
	return nil
}

// run implements worker.
func (m *mockAgent) run(ctx context.Context, s *site) (safety.JSON, error) {
	box := &agent.Toolbox{}
	if err := box.Replace(m.tools(s.dispatcher)...); err != nil {
		return safety.JSON{}, err
	}
	if m.Reasoning != nil {
		s.speak(1, m.Reasoning.Chunks)
	}
	model := m.model()
	if len(model.steps) == 0 {
		return safety.JSON{}, s.reason(1, m.Reasoning)
	}
	task := []agent.Message{{Role: agent.RoleUser, Text: "Run the node."}}
	said, err := s.dispatcher.With(model, box).Answer(ctx, s.rec, task)
	switch {
	case err != nil || m.decision() == nil:
		return safety.JSON{}, err
	case !json.Valid([]byte(said.Text)):
		return safety.JSON{}, withoutDecision(said.Text)
	}
	decided, _ := s.layer.CleanJSON(json.RawMessage(said.Text))
	return decided, nil
}

// withoutDecision returns the error of a node whose call of the tool decide ended with this text.
func withoutDecision(answer string) error {
	if strings.Contains(answer, agent.ErrDenied.Error()) {
		return errors.New("a person denied the decision")
	}
	return fmt.Errorf("there is no decision: %s", answer)
}
