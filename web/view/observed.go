package view

import (
	"time"

	"candor/safety"
	"candor/session"
)

// OriginInfo says whose turns an observed thread has: those of a participant of a space.
type OriginInfo struct {
	Protocol    string      `json:"protocol"` // mew
	Space       safety.Text `json:"space"`
	Participant safety.Text `json:"participant"`
}

// AskedInfo says who asked for an observed turn, and why. By is empty if nobody is known to
// have asked. The thread, the turn and the call are those of the one who asked, as far as there
// are such. ReasonSource is model for the reason of that call, and thought for the thought
// before it.
type AskedInfo struct {
	By           safety.Text    `json:"by"`
	ThreadID     string         `json:"thread_id,omitempty"`
	TurnNumber   int            `json:"turn_number,omitempty"`
	CallID       string         `json:"call_id,omitempty"`
	Reason       *safety.Text   `json:"reason,omitempty"`
	ReasonSource session.Source `json:"reason_source,omitempty"`
	StartUnseen  bool           `json:"start_unseen,omitempty"` // the turn began before we heard of it
}

// NoteInfo is something within an observed turn that is no part of its steps: a message, a
// thought of somebody else, a request to stop. Late says that it came after the turn's end.
type NoteInfo struct {
	From safety.Text      `json:"from"`
	To   *safety.Text     `json:"to,omitempty"` // whom it was for; absent if it was for everybody
	Kind session.NoteKind `json:"kind"`
	Text safety.Text      `json:"text"`
	Late bool             `json:"late,omitempty"`
	At   time.Time        `json:"at"`
}

// The frames that only observed threads have.
type (
	// noteFrame carries something within a turn that is no part of its steps. It may come after
	// the turn's end.
	noteFrame struct {
		frameHead
		From safety.Text      `json:"from"`
		To   *safety.Text     `json:"to,omitempty"`
		Kind session.NoteKind `json:"kind"`
		Text safety.Text      `json:"text"`
		Late bool             `json:"late,omitempty"`
	}
	// conclusionFrame carries what an agent made of its reasoning. The status completed follows,
	// or a response.
	conclusionFrame struct {
		frameHead
		Text safety.Text `json:"text"`
	}
)

// originInfo returns nil for a thread that is not observed.
func originInfo(o session.Origin) *OriginInfo {
	if !o.Observed() {
		return nil
	}
	return &OriginInfo{o.Protocol, o.Space, o.Participant}
}

// askedInfo returns nil for a turn that is not observed, or for which nobody asked.
func askedInfo(a session.Asked) *AskedInfo {
	if a == (session.Asked{}) {
		return nil
	}
	return &AskedInfo{a.By, a.Thread, a.Turn, a.Call, orNull(a.Reason), a.Source, a.Unseen}
}

// notesInfo lists the notes of a turn.
func notesInfo(t session.Turn) []NoteInfo {
	var all []NoteInfo
	for _, n := range t.Notes {
		all = append(all, NoteInfo{n.From, orNull(n.To), n.Kind, n.Text, n.Late, n.At})
	}
	return all
}

// observedTexts lists the texts that only observed turns have, for a search: who asked and
// why, the conclusion, and each note behind its author's name.
func observedTexts(t session.Turn) []field {
	texts := []field{
		{"asked_by", t.Asked.By.String()}, {"asked_reason", t.Asked.Reason.String()},
		{"conclusion", t.Conclusion.String()},
	}
	for _, n := range t.Notes {
		texts = append(texts, field{"note", n.From.String() + ": " + n.Text.String()})
	}
	return texts
}

// lateSteps lists the numbers of the steps that began after the turn's end.
func lateSteps(t session.Turn) []int {
	var all []int
	for _, s := range t.Steps {
		if s.Late && s.Agent == "" {
			all = append(all, s.Number)
		}
	}
	return all
}

// answered projects what an observed turn got after its end.
func answered(b session.Answered, head func(string) frameHead) []Frame {
	var frames []Frame
	if !b.Conclusion.Empty() {
		frames = append(frames, Frame{"conclusion", conclusionFrame{head("conclusion"), b.Conclusion}})
	}
	if !b.Response.Empty() {
		frames = append(frames, Frame{"response", responseFrame{frameHead: head("response"), Content: b.Response}})
	}
	return frames
}

// completed projects the end of a turn. One with neither an answer nor a conclusion is an
// observed one, and ends with a status.
func completed(b session.TurnCompleted, head func(string) frameHead) []Frame {
	var frames []Frame
	if !b.Conclusion.Empty() {
		frames = append(frames, Frame{"conclusion", conclusionFrame{head("conclusion"), b.Conclusion}})
	}
	if b.Response.Empty() {
		return append(frames, Frame{"status", statusFrame{
			head("status"), "Completed", session.Completed, "", Interruption{}}})
	}
	return append(frames, Frame{"response", responseFrame{head("response"), b.Response, stopInfo(b.Stop)}})
}

// note projects a note. The turn's last one is b's.
func note(t session.Turn, b session.Noted, head func(string) frameHead) []Frame {
	late := len(t.Notes) > 0 && t.Notes[len(t.Notes)-1].Late
	return []Frame{{"note", noteFrame{head("note"), b.From, orNull(b.To), b.Kind, b.Text, late}}}
}

// HandoffInfo is a task that one agent gave another, or the answer to it.
type HandoffInfo struct {
	CallID string      `json:"call_id"`
	From   string      `json:"from"` // empty for the main agent
	To     string      `json:"to"`
	Text   safety.Text `json:"text"`
	At     time.Time   `json:"at"`
	profile
}

// profile says who the agent is that gets a task, for people: its name, which other agents may have too, its model and
// the effort of reasoning that the model is told to make. What is not known is absent, as is all of it from an answer.
type profile struct {
	Name   *safety.Text `json:"name,omitempty"`
	Model  *safety.Text `json:"model,omitempty"`
	Effort *safety.Text `json:"effort,omitempty"`
}

func profileOf(p session.Profile) profile {
	return profile{orNull(p.Name), orNull(p.Model), orNull(p.Effort)}
}

// handoffFrame tells what one agent gave another, or got back.
type handoffFrame struct {
	frameHead
	CallID string      `json:"call_id"`
	From   string      `json:"from"`
	To     string      `json:"to"`
	Text   safety.Text `json:"text"`
	profile
}
