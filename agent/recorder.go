package agent

import (
	"context"
	"encoding/json"

	"candor/safety"
	"candor/session"
)

// Recorder receives the events of a turn in the order in which they happened. A thread's
// log is one, a job's uploader another. Sub-agents that run side by side call it
// concurrently.
type Recorder interface {
	Record(session.Body) error
}

// Question is what a person is asked about a call.
type Question struct {
	Description safety.Text     // of the tool, and what safety found
	Arguments   safety.Question // of the call: all that something may act on
	Grant       string          // what session.Always approves
	AllowAlways bool            // whether session.Always is an acceptable answer

	LowConfidence bool // the agent is not sure enough of the call, which is why a person is asked

	// Edit checks arguments that a person wrote in place of the call's, and returns them as they
	// would run and as the log has them. Its errors are session.EditError and session.ErrNoApproval. It is
	// nil where the arguments cannot be changed.
	Edit func(edited json.RawMessage) (Edited, error)
}

// The optional interfaces of a Recorder. A dispatcher whose recorder lacks one does
// without it: calls that need approval are rejected, sub-agents do not run, front-end
// tools are refused, and opaque reasoning does not outlive its turn.
type (
	// Approver asks a person whether a call may run.
	Approver interface {
		// Approved reports whether the person has answered session.Always to a question
		// with this grant.
		Approved(grant string) bool
		// Ask records a question about a call and returns a function that waits for the
		// answer: until a person answers, the question expires, or the context ends.
		Ask(call string, q Question) (wait func(context.Context) Reply)
	}

	// CallAnnouncer learns which calls run.
	CallAnnouncer interface {
		// CallRuns is called, in the order of the calls, for each call that is about to run
		// without a person's approval, after it was recorded. The arguments are raw, as the
		// tool gets them: they must not be kept or shown.
		CallRuns(call string, arguments json.RawMessage)
	}

	// AgentRecorder records the events of sub-agents.
	AgentRecorder interface {
		// ForAgent returns a Recorder for events of the agent with this id.
		ForAgent(agent string) Recorder
	}

	// OpaqueKeeper keeps opaque reasoning for later turns.
	OpaqueKeeper interface {
		// Keep stores a step's items under the id of the step's first call, or under an
		// empty id if the step answers.
		Keep(call string, items []Opaque)
	}

	// TextStreamer shows what an agent says while its model still speaks.
	TextStreamer interface {
		// StreamText shows a part of the text of a step: whole sentences, cleaned, to be
		// appended. index counts the parts; the part with index 0 replaces all others, and
		// withdraws them if it is empty. The step's event replaces what was shown. A lost
		// part does no harm.
		StreamText(step, index int, text safety.Text)
	}

	// SecretKeeper has a memory of the secrets that earlier texts have named. Without one,
	// they are known for one turn.
	SecretKeeper interface {
		// Seen returns the memory, always the same one.
		Seen() *safety.SeenSecrets
	}

	// MemoryHolder charges a session for what its turn keeps in memory until the turn has ended.
	MemoryHolder interface {
		// Hold charges n bytes more. It fails if the session has no room for them.
		Hold(n int) error
	}

	// ThresholdHolder has a threshold of confidence that holds for its turn alone.
	ThresholdHolder interface {
		// Threshold returns the threshold, or nil if the turn has none of its own.
		Threshold() *float64
	}

	// FrontEndRunner forwards calls to the user's front end, which runs a turn's own
	// tools.
	FrontEndRunner interface {
		// Forward makes a call available to the front end and returns a function that
		// waits for its result: until the front end answers, its time is up, or the
		// context ends.
		Forward(call string) (wait func(context.Context) (json.RawMessage, error))
	}
)
