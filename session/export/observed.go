package export

import (
	"bufio"
	"fmt"
	"strings"

	"candor/safety"
	"candor/session"
)

// observedView is what only the turns of others have, in words. It is empty for every other
// turn.
type observedView struct {
	By         safety.Text // who asked; empty if nobody is known to have
	Place      string      // where in their own turns they asked, such as " in turn 2 of thread t-1"
	Reason     safety.Text
	Source     string // whose words the reason is
	Began      string // how a turn began for which nobody is known to have asked
	Notes      []noteView
	Conclusion safety.Text
	LateNotes  []noteView
}

// noteView is a note in words.
type noteView struct {
	From safety.Text
	Did  string // such as "said"
	To   safety.Text
	When moment
	Text safety.Text
}

// observed returns the view of what a turn has if it is of an observed thread. The reason of
// who asked, the notes and the conclusion are part of the reasoning.
func (d Document) observed(t session.Turn) (v observedView) {
	v.By, v.Place = t.Asked.By, askedPlace(t.Asked)
	switch {
	case t.Asked.Unseen:
		v.Began = "The beginning of this reasoning was not seen."
	case d.Origin.Attached() && !t.Input.Empty(): // a person typed it
	case d.Origin.Observed() && v.By.Empty() && len(t.Steps) == 0 && t.Conclusion.Empty():
		v.Began = "A message that answers nobody."
	case d.Origin.Observed() && v.By.Empty():
		v.Began = "It began by itself."
	}
	if d.Omit.Reasoning {
		return v
	}
	v.Conclusion = t.Conclusion
	if v.Reason = t.Asked.Reason; !v.Reason.Empty() {
		v.Source = "the reason of the call"
		if t.Asked.Source == session.FromThought {
			v.Source = "the thought before the question"
		}
	}
	for _, n := range t.Notes {
		note := noteView{n.From, noted(n.Kind), n.To, moment{n.At}, n.Text}
		if n.Late {
			v.LateNotes = append(v.LateNotes, note)
		} else {
			v.Notes = append(v.Notes, note)
		}
	}
	return v
}

// askedPlace says where in its own turns a participant asked. It is empty if that is unknown.
func askedPlace(a session.Asked) string {
	switch {
	case a.Thread == "":
		return ""
	case a.Turn == 0:
		return fmt.Sprintf(" in thread %s", a.Thread)
	}
	return fmt.Sprintf(" in turn %d of thread %s", a.Turn, a.Thread)
}

// noted says what the author of a note did.
func noted(k session.NoteKind) string {
	switch k {
	case session.NoteChat:
		return "said"
	case session.NoteThought:
		return "thought"
	case session.NoteConclusion:
		return "concluded"
	case session.NoteCancel:
		return "asked to stop"
	case session.NoteReject:
		return "refused"
	case session.NoteShutdown:
		return "asked to shut down"
	}
	return "sent"
}

// began writes who asked for the turn and why, or how it began, and the message.
func (t turnView) began(b *bufio.Writer) {
	o := t.Observed
	switch {
	case o.Began != "":
		b.WriteString(o.Began + "\n\n")
		if t.Input.Empty() {
			return
		}
		b.WriteString("**Message**\n")
	case !o.By.Empty():
		fmt.Fprintf(b, "**Asked** by %s%s\n", codeSpan(o.By.String()), o.Place)
	default:
		b.WriteString("**User**\n")
	}
	fmt.Fprintf(b, "\n%s\n", blockQuote(t.Input.String()))
	if !o.Reason.Empty() {
		fmt.Fprintf(b, "**Why it asked**\n\n%s\n*%s*\n\n", blockQuote(o.Reason.String()), o.Source)
	}
}

// markdown writes a note.
func (n noteView) markdown(b *bufio.Writer) {
	to := ""
	if !n.To.Empty() {
		to = " to " + codeSpan(n.To.String())
	}
	fmt.Fprintf(b, "**Note:** %s %s%s, %s\n\n%s\n", codeSpan(n.From.String()), n.Did, to, n.When,
		blockQuote(n.Text.String()))
}

// afterTheEnd writes the notes that came after the turn's end.
func (t turnView) afterTheEnd(b *bufio.Writer) {
	if len(t.Observed.LateNotes) > 0 {
		b.WriteString("\n*After the end*\n\n")
	}
	for _, n := range t.Observed.LateNotes {
		n.markdown(b)
	}
}

// sealed says how much of a step's reasoning only the provider of its model can read, "" if there was none.
func sealed(s session.Sealed) string {
	if !s.Known() {
		return ""
	}
	what, size := "encrypted", plural(s.Bytes, "byte")
	if s.Kind == session.SealSignature {
		what, size = "left out and signed", fmt.Sprintf("a signature of %s", size)
	}
	parts := []string{what}
	if s.Bytes > 0 {
		parts = append(parts, size)
	}
	if s.Tokens > 0 {
		parts = append(parts, plural(s.Tokens, "token"))
	}
	return "Sealed reasoning (" + strings.Join(parts, ", ") + "): only the model's provider can read it."
}
