package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"candor/web/client"
)

// Live turns the events of a thread into lines as they happen. It keeps no state:
// the same event always gives the same lines, so a stream may begin anywhere.
type Live struct {
	Style
}

// Lines returns what an event of a thread adds to the screen: whole lines, or "" for
// an event that is not shown. Events that need the whole turn, such as
// reasoning_update, are left to whoever has it.
//
//	○ Thinking...
//	○ I look in the notes first.
//	○ notes_search
//	● notes_search
//	  ▸ Found 3 notes matching "login slow"
func (l Live) Lines(e client.Event) string {
	switch e.Type {
	case "thinking":
		return l.thinking(e)
	case "note":
		return l.note(client.Note{From: e.From, To: e.To, Kind: e.Kind, Text: e.Text, Late: e.Late})
	case "conclusion":
		return l.conclusion(e.Text)
	case "status":
		return l.status(e)
	case "tool_started":
		return l.started(e)
	case "tool_completed":
		return l.completed(e)
	case "tool_result":
		return l.hang("    ▸ ", dim, resultLine(e.Preview, e.Shape))
	case "approval_answered":
		return l.approvalAnswered(e)
	case "handoff":
		return l.handoff(e)
	case "response":
		return "\n" + l.text(e.Content) + l.stopped(e.Stopped)
	case "error":
		return "\n" + l.hangAt(l.paint(red, "  ✗ "), 4, "", CleanLine(e.Message))
	}
	return ""
}

// withheldNote remembers the turn whose withheld narrative was reported last:
// reasoning_update repeats it after each step, and a person is told once.
type withheldNote struct {
	thread string
	turn   int
}

// lines returns the line about a narrative that safety withheld, "" for any other event
// and for a turn that was reported.
func (n *withheldNote) lines(s Style, e client.Event) string {
	now := withheldNote{e.ThreadID, e.TurnNumber}
	if e.Type != "reasoning_update" || !e.NarrativeBlocked || *n == now {
		return ""
	}
	*n = now
	return s.hang("  ○ ", italic, "(its narrative was withheld: it could not be made safe)")
}

// text renders foreign text of several lines, broken at words.
func (s Style) text(foreign string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(Clean(foreign), " \n"), "\n") {
		out.WriteString(strings.Join(wrap(line, s.Width), "\n") + "\n")
	}
	return out.String()
}

// thinking renders the beginning of a turn, or the narrative of a step.
func (l Live) thinking(e client.Event) string {
	if e.Answer == client.BehindAnswer {
		return "" // /reasoning shows it
	}
	// The event that begins a turn names its message; those of steps have a narrative.
	if e.MessageID != "" || e.Step == 0 {
		out := l.opening(e)
		if e.Asked != nil && e.MessageID == "" {
			return out // the turn has begun before, and only now it is known who asked
		}
		return out + l.step("  ○ ", dim, dim, "Thinking...")
	}
	said := CleanLine(e.Message)
	if e.Beside {
		said += summaryNote
	}
	if e.Agent != "" {
		said = fit(CleanLine(e.Agent), 32) + ": " + said
	}
	return l.hang("  ○ ", dim, said)
}

// opening says who asked for the turn that begins, and which turn it repeats.
func (l Live) opening(e client.Event) string {
	out := ""
	if e.Asked != nil {
		out = l.asked(e.UserInput, e.Asked)
		if e.MessageID == "" {
			return out
		}
	}
	return out + l.replay(e.Workflow)
}

// status renders a turn that waits or was interrupted; other states show by
// themselves.
func (l Live) status(e client.Event) string {
	switch e.State {
	case "queued":
		return l.paint(dim, fmt.Sprintf("  ┄ Turn %d waits for the one before it.", e.TurnNumber)) + "\n"
	case "interrupted":
		return "\n" + l.interrupted(e.Interruption)
	case "completed": // of an observed turn; others end with their answer
		return l.paint(dim, "  ─ It ended; no answer was seen.") + "\n"
	}
	return ""
}

// started renders the beginning of a call, or what a decision would be.
func (l Live) started(e client.Event) string {
	if e.Decides {
		return l.hangAt(l.paint(dim, "  ○ ")+l.paint(cyan, "would decide: "), 18, "", inQuotes(e.Decided))
	}
	return l.step("  ○ ", dim, "", l.call(e))
}

// completed renders the end of a call, with the error of one that failed.
func (l Live) completed(e client.Event) string {
	if e.Outcome == "success" && e.Decides {
		return l.hangAt(l.paint(green, "  ● ")+l.paint(cyan, "decided: "), 13, "", inQuotes(cmp.Or(e.Said, e.Decided)))
	}
	if e.Outcome == "success" {
		return l.step("  ● ", green, "", l.call(e))
	}
	if e.Outcome == unknown {
		return l.step("  ● ", dim, "", l.call(e)) + l.hang("    ▸ ", dim, outcome(e.Decision, client.Call{}))
	}
	line := l.step("  ● ", red, "", l.call(e))
	words := outcome(e.Decision, client.Call{Error: e.Error})
	return line + l.hang("    ▸ ", red, words)
}

// approvalAnswered says how an approval was answered, by whomever.
func (l Live) approvalAnswered(e client.Event) string {
	words, known := map[client.Answer]string{
		"approve": "Approved.", "always": "Approved, also for the rest of the session.", "deny": "Denied.",
		"expired": "Nobody answered in time.", "withdrawn": "No answer is needed any more.",
	}[e.Answer]
	if e.Said != "" && e.Answer == "approve" {
		return l.hang("  ┄ Decided otherwise: ", dim, inQuotes(e.Said))
	}
	if !known {
		return ""
	}
	if e.Edited != nil {
		return l.hang("  ┄ "+strings.TrimSuffix(words, ".")+", with changes: ", dim, Params(e.Edited))
	}
	return l.paint(dim, "  ┄ "+words) + "\n"
}

// handoff renders a task that goes to a sub-agent, or its result that comes back.
func (l Live) handoff(e client.Event) string {
	who := "→ " + fit(CleanLine(e.To), 32)
	if e.To == "" {
		who = "← " + fit(CleanLine(e.From), 32)
	}
	return l.hang("  ┄ "+who+": ", dim, truncate(CleanLine(e.Text), maxParams))
}

// call is the name of the tool that an event is about.
func (l Live) call(e client.Event) string {
	// Stream events have the tool's name in a member of their own.
	d := e.Decision
	d.ToolName, d.To = e.Name, e.To
	return l.paint(cyan, l.shorten(toolName(d), 4))
}

// step is a line with a mark before a painted text.
func (l Live) step(mark, markPaint, paint, text string) string {
	return l.paint(markPaint, mark) + l.paint(paint, text) + "\n"
}
