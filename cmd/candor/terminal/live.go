package terminal

import (
	"fmt"
	"strings"

	"candor/web/client"
)

// Live turns the events of a thread into lines as they happen. It remembers nothing
// but what the last one was.
type Live struct {
	Style
}

// Lines is what an event of a thread adds to the screen: nothing, or whole lines.
func (l Live) Lines(e client.Event) string {
	switch e.Type {
	case "thinking":
		return l.thinking(e)
	case "status":
		return l.status(e)
	case "tool_started":
		return l.step("  ○ ", dim, "", l.call(e))
	case "tool_completed":
		return l.completed(e)
	case "tool_result":
		return l.hang("    ▸ ", dim, resultLine(e.Preview, e.Shape))
	case "approval_answered":
		return l.approvalAnswered(e)
	case "handoff":
		return l.handoff(e)
	case "response":
		return "\n" + l.text(e.Content)
	case "error":
		return "\n" + l.hangAt(l.paint(red, "  ✗ "), 4, "", CleanLine(e.Message))
	}
	return ""
}

// text is foreign text of several lines, broken at words.
func (s Style) text(foreign string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(Clean(foreign), " \n"), "\n") {
		out.WriteString(strings.Join(wrap(line, s.Width), "\n") + "\n")
	}
	return out.String()
}

func (l Live) thinking(e client.Event) string {
	if e.MessageID != "" || e.Step == 0 {
		return l.step("  ○ ", dim, dim, "Thinking...")
	}
	said := CleanLine(e.Message)
	if e.Agent != "" {
		said = fit(CleanLine(e.Agent), 32) + ": " + said
	}
	return l.hang("  ○ ", dim, said)
}

func (l Live) status(e client.Event) string {
	switch e.State {
	case "queued":
		return l.paint(dim, fmt.Sprintf("  ┄ Turn %d waits for the one before it.", e.TurnNumber)) + "\n"
	case "interrupted":
		return "\n" + l.paint(yellow, "  ─ ") + "Interrupted.\n"
	}
	return ""
}

func (l Live) completed(e client.Event) string {
	if e.Outcome == "success" {
		return l.step("  ● ", green, "", l.call(e))
	}
	line := l.step("  ● ", red, "", l.call(e))
	words := outcome(e.Decision, client.Call{Error: e.Error})
	return line + l.hang("    ▸ ", red, words)
}

func (l Live) approvalAnswered(e client.Event) string {
	words, known := map[string]string{
		"approve": "Approved.", "always": "Approved, also for the rest of the session.", "deny": "Denied.",
		"expired": "Nobody answered in time; the call is rejected.", "withdrawn": "No answer is needed any more.",
	}[e.Answer]
	if !known {
		return ""
	}
	return l.paint(dim, "  ┄ "+words) + "\n"
}

func (l Live) handoff(e client.Event) string {
	who := "→ " + fit(CleanLine(e.To), 32)
	if e.To == "" {
		who = "← " + fit(CleanLine(e.From), 32)
	}
	return l.hang("  ┄ "+who+": ", dim, truncate(CleanLine(e.Text), maxParams))
}

// call is the tool an event is about.
func (l Live) call(e client.Event) string {
	d := e.Decision
	d.ToolName = e.Name
	return l.paint(cyan, l.shorten(toolName(d), 4))
}

func (l Live) step(mark, markPaint, paint, text string) string {
	return l.paint(markPaint, mark) + l.paint(paint, text) + "\n"
}

// maxAsked is how many characters of parameters a person is asked about: what is to be
// approved has to be seen.
const maxApprovalParams = 4000

// Question shows a call that waits for its user, and how to answer. number tells it
// from others that wait; 0 is for the only one.
func (s Style) Question(a client.Approval, number int) string {
	d := client.Decision{ToolName: a.ToolName, Rationale: a.Rationale, Source: a.Source}
	lead, which := "  ? ", ""
	if number > 0 {
		lead, which = fmt.Sprintf("  ? %d ", number), fmt.Sprintf(" %d", number)
	}
	name := s.shorten(toolName(d), cellWidth(lead))
	why := "" // what is to be decided on is not dim
	if d.Source == "fallback" {
		why = italic
	}
	out := "\n" + s.hangAt(s.paint(yellow, lead)+s.paint(cyan, name)+"  ", cellWidth(lead+name)+2, why, quotedReason(d))
	if text := CleanLine(a.Description); text != "" {
		out += s.hang("    ", dim, truncate(text, 400))
	}
	params := compact(a.Parameters, maxApprovalParams)
	out += s.hang("    params: ", "", params)
	if strings.HasSuffix(params, "…") {
		out += s.hangAt(s.paint(yellow, "    ! "), 6, "", "There is more that is not shown. Deny it unless you know what it is.")
	}
	answers := "/approve" + which
	if a.AllowAlways {
		answers += ", /approve" + which + " always"
	}
	return out + s.hang("    ", bold, "May it run? "+answers+" or /deny"+which) + "\n"
}
