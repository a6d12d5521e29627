package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"candor/safety"
	"candor/session"
)

// chatRecorder records one turn in its thread's log. It implements every optional
// interface of a Recorder: approvals, sub-agents, opaque reasoning and front-end calls.
type chatRecorder struct {
	chat    *Chat
	session *session.Session
	user    string
	ref     session.Ref
	held    *heldMemory // nil holds nothing
	stop    func()      // stops the turn; may be nil

	threshold *float64      // of confidence, of this turn alone; nil if it has none
	parts     *atomic.Int64 // how many parts of texts were recorded; nil if the turn's log has none
}

// ender is a [Recorder] whose turn others can stop. ends decides that the turn ends as it is about to, and is false if
// it was stopped before.
type ender interface {
	ends(ctx context.Context) bool
}

func (r chatRecorder) ends(ctx context.Context) bool { return r.chat.ends(ctx, r.ref) }

// maxSpoken is how many parts of texts the log of a turn has. Those beyond are shown, but not
// recorded: the steps' events have the texts as a whole.
const maxSpoken = 4096

var (
	_ Recorder       = chatRecorder{}
	_ Approver       = chatRecorder{}
	_ AgentRecorder  = chatRecorder{}
	_ OpaqueKeeper   = chatRecorder{}
	_ FrontEndRunner = chatRecorder{}
	_ TextStreamer   = chatRecorder{}
	_ SecretKeeper   = chatRecorder{}
	_ MemoryHolder   = chatRecorder{}
	_ ender          = chatRecorder{}

	_ ThresholdHolder = chatRecorder{}
)

// Seen implements SecretKeeper.
func (r chatRecorder) Seen() *safety.SeenSecrets { return r.session.Seen() }

// Hold implements MemoryHolder.
func (r chatRecorder) Hold(n int) error {
	if r.held == nil {
		return nil
	}
	return r.held.hold(r.session, n)
}

// Record implements Recorder.
func (r chatRecorder) Record(b session.Body) error {
	_, err := r.session.Append(r.ref, b)
	if errors.Is(err, session.ErrTurnEnded) && r.stop != nil {
		r.stop() // another process took this one for dead and ended its turn
	}
	return err
}

// ForAgent implements AgentRecorder.
func (r chatRecorder) ForAgent(agent string) Recorder {
	r.ref.Agent = agent
	return r
}

// Keep implements OpaqueKeeper. It drops the items of sub-agents: no later turn continues
// their conversations, and a provider of their own would evict the lead agent's items.
func (r chatRecorder) Keep(call string, items []Opaque) {
	if r.ref.Agent != "" {
		return
	}
	r.chat.opaque.put(r.user, r.ref.Thread, r.ref.Turn, call, items)
}

// StreamText implements TextStreamer. It records the part if the turn's workflow asks for it; one
// that cannot be recorded does no harm.
func (r chatRecorder) StreamText(step, index int, text safety.Text) {
	r.session.PublishText(session.StepText{Ref: r.ref, Step: step, Index: index, Text: text})
	if r.parts != nil && r.parts.Add(1) <= maxSpoken {
		_ = r.Record(session.Spoken{Step: step, Index: index, Text: text})
	}
}

// Threshold implements ThresholdHolder.
func (r chatRecorder) Threshold() *float64 { return r.threshold }

// Forward implements FrontEndRunner.
func (r chatRecorder) Forward(call string) func(context.Context) (json.RawMessage, error) {
	return r.chat.frontEndCalls.put(callKey(r.user, r.ref.Thread, r.ref.Turn, call))
}

// Approved implements Approver.
func (r chatRecorder) Approved(grant string) bool { return r.session.Approved(grant) }

// Ask implements Approver. A request that cannot be recorded cannot be seen by anybody,
// so it counts as unanswered.
func (r chatRecorder) Ask(call string, q Question) func(context.Context) Reply {
	id := r.session.RequestID(r.ref, call)
	a := &pendingApproval{
		chatRecorder: r, call: call, allowsAlways: q.AllowAlways, edit: q.Edit, answered: make(chan Reply, 1),
	}
	r.chat.approvals.put(id, a)
	err := r.Record(session.ApprovalAsked{
		Request: id, Call: call, Description: q.Description, AllowAlways: q.AllowAlways, Grant: q.Grant,
		Shown: q.Arguments.Shown, Hidden: q.Arguments.Hidden, LowConfidence: q.LowConfidence,
		Editable: q.Edit != nil, Within: r.chat.approvals.timeout,
	})
	if err != nil {
		r.chat.approvals.take(id, r.user)
		return func(context.Context) Reply { return Reply{Answer: session.Expired} }
	}
	until := time.Now().Add(r.chat.approvals.timeout) // not before the time that the log names
	return func(ctx context.Context) Reply { return r.chat.approvals.wait(ctx, id, a, until) }
}
