package agent

import (
	"context"
	"errors"
	"sync"

	"candor/session"
)

// heldMemory is what a session is charged for a message and its turn besides their events: the
// raw text, the turn's own tools, and the conversation that the model sees. The zero value
// holds nothing. It is safe for concurrent use.
type heldMemory struct {
	mu       sync.Mutex
	releases []func()
}

// hold charges n bytes more.
func (h *heldMemory) hold(s *session.Session, n int) error {
	release, err := s.Hold(n)
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releases = append(h.releases, release)
	return nil
}

// release gives everything back.
func (h *heldMemory) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, release := range h.releases {
		release()
	}
	h.releases = nil
}

// What is charged for a message and for each part of its options besides the texts, and how
// much larger a schema is in memory than its JSON.
const (
	pendingCost  = 2 << 10
	schemaFactor = 16
)

// size returns what a message and its options are charged until its turn has ended.
func (o TurnOptions) size(content string) int {
	n := pendingCost + len(content)
	for _, t := range o.Tools {
		n += pendingCost + len(t.Name) + len(t.Description) + schemaFactor*len(t.Parameters)
	}
	for _, m := range o.Context {
		n += overhead + len(m.Text)
	}
	return n
}

// conversationSize returns what a turn's view of earlier turns is charged: the messages, and
// the results, whose texts are copied. Other texts are those of the log.
func conversationSize(messages []Message) (n int) {
	for _, m := range messages {
		if n += overhead; m.Role == RoleTool {
			n += len(m.Text)
		}
	}
	return n
}

// ErrThreshold means that a turn's threshold is not a number from 0 to 1.
var ErrThreshold = errors.New("a threshold of confidence is a number from 0 to 1")

// TurnOptions are the optional parts of a turn. Only Workflow is stored.
type TurnOptions struct {
	Tools     []FrontEndTool   // tools that only this turn has
	Context   []Message        // messages the model sees just before the user's
	Runner    Runner           // works on the turn instead of the dispatcher's loop, unless nil
	Workflow  session.Workflow // set if the turn is the run of a workflow
	Message   string           // id of the message, as [session.Session.MessageID] makes them; "" for the next one
	Threshold *float64         // of the turn's confidence, from 0 to 1; nil leaves it to the dispatcher
}

// check reports a threshold that no confidence can be compared with.
func (o TurnOptions) check() error {
	if o.Threshold != nil && !isConfidence(*o.Threshold) {
		return ErrThreshold
	}
	return nil
}

// run runs the turn to its end.
func (o TurnOptions) run(ctx context.Context, d *Dispatcher, rec Recorder, messages []Message) error {
	if o.Runner != nil {
		return d.RunWith(ctx, rec, o.Runner)
	}
	return d.Run(ctx, rec, messages, o.tools()...)
}

func (o TurnOptions) tools() []Tool {
	tools := make([]Tool, len(o.Tools))
	for i, t := range o.Tools {
		tools[i] = t
	}
	return tools
}
