package terminal

import (
	"cmp"

	"candor/web/client"
)

// What this file renders is of observed threads: the turns of a participant of a space, which
// is somebody else's agent. Its names are as foreign as its texts.

// participant names whose turns a thread has, as in "lab · scout". It is empty for a thread of
// our own agent.
func participant(o *client.Origin) string {
	if o == nil {
		return ""
	}
	return fit(CleanLine(o.Space), 32) + " · " + fit(CleanLine(o.Participant), 32)
}

// asked renders what a turn was asked, by whom, and why. Without the name of anybody it says
// how the turn began.
//
//	› planner asked: Is it safe?
//	  why: "a second opinion" (the reason of its call)
func (s Style) asked(input string, a *client.Asked) string {
	mark, said := s.paint(bold, "› "), truncate(CleanLine(input), 400)
	switch {
	case a != nil && a.By != "":
		by := fit(CleanLine(a.By), 32)
		out := s.hangAt(mark+s.paint(cyan, by)+" asked: ", cellWidth(by)+10, "", said)
		return out + s.why(a)
	case a != nil && a.StartUnseen:
		out := s.hangAt(mark, 2, italic, "The beginning of this reasoning was not seen.")
		if said != "" {
			out += s.hang("  ", "", said)
		}
		return out
	case said == "":
		return s.hangAt(mark, 2, italic, "It began by itself.")
	}
	return s.hangAt(mark, 2, "", said)
}

// began renders which turn a turn repeats, or who asked for it and why. It is empty for a turn
// of our own agent that repeats none.
func (s Style) began(t client.Turn) string {
	if t.Asked == nil {
		return s.replay(t.Workflow)
	}
	return s.asked(t.UserInput, t.Asked)
}

// why renders the reason of who asked, "" if there is none.
func (s Style) why(a *client.Asked) string {
	if a.Reason == "" {
		return ""
	}
	whose := "(the reason of its call)"
	if a.ReasonSource == "thought" {
		whose = "(the thought before it)"
	}
	return s.hang("  why: ", dim, `"`+CleanLine(a.Reason)+`" `+whose)
}

// noted says what the author of a note did, by its kind.
var noted = map[string]string{
	"chat": "said", "thought": "thought", "conclusion": "concluded", "cancel": "asked to stop", "reject": "refused",
	"shutdown": "asked to shut down",
}

// note renders something within a turn that is no part of its steps.
func (s Style) note(n client.Note) string {
	did := noted[n.Kind]
	label := "  ┄ " + fit(CleanLine(n.From), 32) + " " + cmp.Or(did, "sent")
	if n.To != "" {
		label += " to " + fit(CleanLine(n.To), 32)
	}
	if n.Late {
		label += " after the end"
	}
	return s.hang(label+": ", dim, truncate(CleanLine(n.Text), 400))
}

// notes renders the notes of a turn, those before its end or those after it.
func (s Style) notes(t client.Turn, late bool) (out string) {
	for _, n := range t.Notes {
		if n.Late == late {
			out += s.note(n)
		}
	}
	return out
}

// conclusion renders what an agent made of its reasoning, "" if it did not say.
func (s Style) conclusion(text string) string {
	if text == "" {
		return ""
	}
	return s.hang("  ┄ Conclusion: ", "", truncate(CleanLine(text), 2000))
}

// comesLate reports whether an event that ends turns came after the turn's end. Only the answer
// of an observed turn does.
func comesLate(t client.Turn, e client.Event) bool {
	return t.CompletedAt != nil && e.At.After(*t.CompletedAt)
}
