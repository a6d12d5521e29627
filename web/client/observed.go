package client

import "time"

// Origin says whose turns an observed thread has: those of one participant of a space.
type Origin struct {
	Protocol    string `json:"protocol"` // mew
	Space       string `json:"space"`
	Participant string `json:"participant"`
}

// Asked says who asked for an observed turn, and why. By is empty if nobody is known to have.
// ThreadID, TurnNumber and CallID say where in its own turns the participant asked, as far as
// that is known. ReasonSource is model for the reason of that call, and thought for the thought
// before it.
type Asked struct {
	By           string `json:"by"`
	ThreadID     string `json:"thread_id"`
	TurnNumber   int    `json:"turn_number"`
	CallID       string `json:"call_id"`
	Reason       string `json:"reason"`
	ReasonSource string `json:"reason_source"`
	StartUnseen  bool   `json:"start_unseen"` // the turn began before the server heard of it
}

// Note is something within an observed turn that is no part of its steps. Kind is chat, thought
// or conclusion (of somebody else), cancel, reject, shutdown or other. Late says that it came after the turn's end.
type Note struct {
	From string    `json:"from"`
	To   string    `json:"to"` // empty if it was for everybody
	Kind string    `json:"kind"`
	Text string    `json:"text"`
	Late bool      `json:"late"`
	At   time.Time `json:"at"`
}
