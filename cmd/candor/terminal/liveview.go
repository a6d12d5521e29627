package terminal

import (
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// lines returns what an event adds to the screen under the live view: whole lines, in which
// nothing is said twice. What the model writes is a draft until its step ends, and only in
// the region.
func (b *board) lines(l Live, e client.Event, now time.Time) string {
	if e.MessageID != "" {
		b.names = agentNames{} // a turn begins, whose agents are others
	}
	out := b.see(l.Style, e, now)
	if e.Type != "handoff" {
		e.Agent = b.names.of(e.Agent)
	}
	if b.draft.see(e) {
		return out
	}
	switch e.Type {
	case "thinking":
		return out + l.liveThinking(e)
	case "handoff":
		return out + l.liveHandoff(&b.names, e)
	case "sealed_reasoning":
		return out + l.sealed(e.Agent, &client.Sealed{Kind: e.Kind, Bytes: e.Bytes, Tokens: e.Tokens})
	case "response":
		return out + "\n" + l.markdown("  ", e.Content) + l.stopped(e.Stopped)
	case "tool_started", "tool_completed", "tool_result":
		return out
	case "approval_answered":
		if e.Said == "" && e.Edited == nil {
			return out // the call's lines say it when it has ended
		}
	}
	return out + l.Lines(e)
}

// liveThinking renders the beginning of a turn, or the plan of a step.
func (l Live) liveThinking(e client.Event) string {
	if e.Beside {
		e.Message += summaryNote
	}
	switch {
	case e.Answer == client.BehindAnswer:
		return ""
	case e.MessageID != "" || e.Step == 0:
		return l.opening(e)
	case e.Agent != "":
		return l.plan(fit(CleanLine(e.Agent), 32) + ": " + e.Message)
	}
	return l.plan(e.Message)
}

// draft is what the agent that the user speaks to writes in the step that runs.
type draft struct {
	text string
	next int // index of the next part
}

// maxDraft bounds a draft, in bytes. Only its end is shown.
const maxDraft = 64 << 10

// see takes in an event. It returns true for a part of a text, which is shown as a draft only.
func (d *draft) see(e client.Event) bool {
	switch {
	case e.Type == "step_text" && e.Agent == "":
		if e.Index == 0 {
			*d = draft{}
		}
		if e.Index == d.next { // else a part was lost, and the step's end has it
			d.text += e.Text
			d.text = strings.ToValidUTF8(d.text[max(0, len(d.text)-maxDraft):], "")
			d.next++
		}
	case e.Agent == "" && slices.Contains([]string{"thinking", "response", "error", "status"}, e.Type):
		*d = draft{}
	}
	return e.Type == "step_text"
}

// draftLines is how many lines of a draft are shown.
const draftLines = 6

// lines renders the end of a draft, "" if there is none.
func (d draft) lines(s Style) string {
	if d.text == "" {
		return ""
	}
	s.Width = s.room()
	lines := strings.SplitAfter(s.text(d.text), "\n")
	lines = lines[:len(lines)-1]
	return "\n" + strings.Join(lines[max(0, len(lines)-draftLines):], "")
}
