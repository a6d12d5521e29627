package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"candor/web/client"
)

// The notes beside a rationale that is not the model's own. Their spaces do not break.
const (
	fallbackNote = "(no\u00a0reason\u00a0given)"
	blockedNote  = "(its\u00a0reason\u00a0was\u00a0withheld)"
	thoughtNote  = "(the\u00a0thought\u00a0before\u00a0it)"              // of an observed call that said no reason
	changedNote  = "(approved,\u00a0changed\u00a0by\u00a0a\u00a0person)" // the reason is of what it was before
	inferredNote = "(matched\u00a0by\u00a0tool\u00a0and\u00a0order)"     // of a job whose worker named no call
)

// Block renders the reasoning of a turn as it follows the turn's answer: the
// narrative, then for each call its reason, parameters and outcome, and what was
// redacted. It is empty for a turn that called no tools.
//
//	┄ Reasoning (turn 2)
//	Narrative: "I look in the notes first."
//	┄ notes_search  "somebody may have met this before"
//	  params: { "query": "login slow" }
//	  → 3 notes found
func (s Style) Block(t client.Turn) string {
	if t.Reasoning == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString(s.paint(dim, fmt.Sprintf("  ┄ Reasoning (turn %d)", t.Number)) + "\n")
	out.WriteString(s.replay(t.Workflow))
	out.WriteString(s.narrative(t.Reasoning))
	for e := range entries(t) {
		out.WriteString(s.batchLine(e) + s.blockEntry(e))
	}
	out.WriteString(s.stops(t) + s.redactions(t.Redactions))
	return out.String()
}

// batchLine is the line above the first of the calls that ran in parallel, empty
// above any other call.
func (s Style) batchLine(e entry) string {
	if !e.opens {
		return ""
	}
	return s.paint(dim, fmt.Sprintf("  ┄ [parallel batch %d]", *e.Group)) + "\n"
}

// blockEntry renders one call: its name and reason, and its parameters and outcome
// below. In a batch the items of a result are counted without "found", as in the
// specification's section 10.2.
func (s Style) blockEntry(e entry) string {
	found := " found"
	if e.Group != nil {
		found = ""
	}
	return s.nameLine(e, true) + s.did(e, "params: ") + s.edited(e, "changed: ") +
		s.hang(e.margin()+"→ ", dim, outcomeWith(e.Decision, e.call, found))
}

// nameLine is the line with the name of the tool and, if wanted, the reason behind
// it. On a narrow screen the reason has lines of its own.
func (s Style) nameLine(e entry, withReason bool) string {
	lead := "  ┄ "
	if e.Group != nil {
		lead = "  ┄   ↳ "
	}
	name := s.shorten(toolName(e.Decision), cellWidth(lead))
	line := s.paint(dim, lead) + s.paint(cyan, name)
	if !withReason {
		return line + "\n"
	}
	// Behind a long name on a narrow screen, a reason would be a column of single words.
	cells := cellWidth(lead+name) + 2
	if s.Width > 0 && cells > s.Width*2/5 {
		return line + "\n" + s.hang(e.margin(), reasonRendition(e.Decision), quotedReason(e.Decision))
	}
	return s.hangAt(line+"  ", cells, reasonRendition(e.Decision), quotedReason(e.Decision))
}

// Detail renders the reasoning of a turn in full, as a person asks for it: with the
// narrative of every step and a labeled line for each part of a call, then the reasoning
// behind the answer, what was redacted, and what safety noticed and left. place, such as
// "thread 7c9e6679", is named in the title unless it is empty. For a turn without
// reasoning it says why there is none.
//
//	┄ Reasoning — turn 2
//	Narrative: "I look in the notes first."
//
//	┄ notes_search
//	  rationale: "somebody may have met this before"
//	  params:    { "query": "login slow" }
//	  outcome:   3 notes found
func (s Style) Detail(t client.Turn, place string) string {
	title := fmt.Sprintf("turn %d", t.Number)
	if place != "" {
		title = CleanLine(place) + ", " + title
	}
	if t.Run > 1 {
		title += fmt.Sprintf(", run %d", t.Run)
	}
	var out strings.Builder
	switch {
	case t.Reasoning != nil:
		out.WriteString(s.paint(dim, "  ┄ Reasoning — "+title) + "\n" + s.began(t) + s.narratives(t))
		for e := range entries(t) {
			out.WriteString("\n" + s.batchLine(e) + s.detailEntry(e))
		}
	case len(t.Calls) == 0:
		out.WriteString(s.paint(dim, fmt.Sprintf("  ─ Turn %d had no tool calls.", t.Number)) + "\n" + s.began(t))
	default:
		out.WriteString(s.paint(dim, fmt.Sprintf("  ─ No reasoning recorded for turn %d.", t.Number)) + "\n" +
			s.began(t))
	}
	for _, part := range []string{
		s.notes(t, false) + s.conclusion(t.Conclusion), s.notes(t, true),
		s.answerReasoning(t.Answer) + s.stops(t) + s.answerStop(t),
		s.redactions(t.Redactions) + s.notices(t.Notices),
	} {
		if part != "" {
			out.WriteString("\n" + part)
		}
	}
	return out.String()
}

// detailEntry renders one call with a labeled line for each of its parts.
func (s Style) detailEntry(e entry) string {
	before := ""
	if e.Before != "" {
		before = s.hang(e.margin()+"before it: ", dim, `"`+CleanLine(e.Before)+`"`)
	}
	return s.nameLine(e, false) + before +
		s.hang(e.margin()+"rationale: ", reasonRendition(e.Decision), quotedReason(e.Decision)) +
		s.did(e, "params:    ") + s.edited(e, "changed:   ") +
		s.hang(e.margin()+"outcome:   ", dim, outcome(e.Decision, e.call)) + s.feedback(e)
}

// answerReasoning is the line with the reasoning behind an answer, which only its provider
// tells, "" if there is none.
func (s Style) answerReasoning(n *client.Narration) string {
	switch {
	case n == nil:
		return ""
	case n.Blocked || n.Narrative == "":
		return s.hang("  Before the answer: ", italic, "(withheld: it could not be made safe)")
	}
	return s.hang("  Before the answer: ", dim, `"`+CleanLine(n.Narrative)+`"`+summaryNote)
}

// NoTurn says that a thread has no turn of that number. The number has to be clean.
func (s Style) NoTurn(number string) string {
	return s.paint(red, "  ✗ No reasoning data for turn "+number+" in this thread.") + "\n"
}

// narrative is the line with the narrative of a turn, empty if there is none. It
// says whose words it is where that is not the model.
func (s Style) narrative(r *client.Reasoning) string {
	out := s.thought(r.Thought)
	switch {
	case r.Narrative != "" && r.NarrativeSource == "summary":
		return out + s.hang("  Narrative: ", dim, `"`+CleanLine(r.Narrative)+`"`+summaryNote)
	case r.Narrative != "":
		return out + s.hang("  Narrative: ", dim, `"`+CleanLine(r.Narrative)+`"`)
	case r.NarrativeBlocked:
		return out + s.hang("  Narrative: ", italic, "(withheld: it could not be made safe)")
	}
	return out
}

// narratives renders the narrative of the turn and those of the other steps and
// sub-agents.
func (s Style) narratives(t client.Turn) string {
	r := t.Reasoning
	out := s.narrative(r)
	for _, n := range r.Narratives {
		if n.Narrative == r.Narrative && n.Agent == "" { // the turn's, which is already above
			continue
		}
		label := fmt.Sprintf("  Step %d: ", n.Step)
		if n.Agent != "" {
			label = fmt.Sprintf("  %s, step %d: ", fit(CleanLine(n.Agent), 30), n.Step)
		} else if slices.Contains(t.LateSteps, n.Step) {
			label = fmt.Sprintf("  Step %d, after the end: ", n.Step)
		}
		out += s.thought(n.Thought)
		if n.Narrative != "" {
			out += s.hang(label, dim, `"`+CleanLine(n.Narrative)+`"`)
		}
	}
	return out
}

// redactions says how much was masked in a turn, by rule.
func (s Style) redactions(list []client.Redaction) string {
	if len(list) == 0 {
		return ""
	}
	total, rules := 0, []string{}
	for _, r := range list {
		total += r.Count
		rules = append(rules, fmt.Sprintf("%s ×%d", fit(CleanLine(r.Rule), 40), r.Count))
	}
	return s.hang("  ┄ ", dim, plural(total, "redaction")+": "+strings.Join(rules, ", "))
}

// notices says what safety noticed in a turn and left readable, by rule.
func (s Style) notices(list []client.Notice) string {
	if len(list) == 0 {
		return ""
	}
	total, rules := 0, []string{}
	for _, n := range list {
		total += n.Count
		rules = append(rules, fmt.Sprintf("%s ×%d (%s)", fit(CleanLine(n.Rule), 40), n.Count,
			fit(CleanLine(n.Severity), 16)))
	}
	return s.hang("  ┄ ", dim, plural(total, "notice")+", left readable: "+strings.Join(rules, ", "))
}

// entry is a decision with the call it led to. opens reports that a parallel batch
// begins with it.
type entry struct {
	client.Decision
	call  client.Call
	opens bool
}

// entries yields the decisions of a turn in their order. Consecutive decisions of
// the same group are one batch.
func entries(t client.Turn) func(func(entry) bool) {
	// A decision knows its call by id only. One without a call has the zero Call, which
	// renders as nothing known.
	calls := map[string]client.Call{}
	for _, c := range t.Calls {
		calls[c.ID] = c
	}
	return func(yield func(entry) bool) {
		group := -1
		for _, d := range t.Reasoning.Decisions {
			e := entry{Decision: d, call: calls[d.CallID]}
			if d.Group == nil {
				group = -1
			} else if *d.Group != group {
				group, e.opens = *d.Group, true
			}
			if !yield(e) {
				return
			}
		}
	}
}

// margin is the indentation of the lines under a call.
func (e entry) margin() string {
	if e.Group != nil {
		return "       "
	}
	return "    "
}

// toolName returns the name of the tool, after the name of the sub-agent that called
// it, if one did, and before the name of the participant that runs it, if one does.
func toolName(d client.Decision) string {
	name := fit(cmp.Or(CleanLine(d.ToolName), "(no name)"), 64)
	if d.Decides {
		name = "decision"
	}
	if d.Agent != "" {
		name = fit(CleanLine(d.Agent), 32) + "/" + name
	}
	if d.To != "" {
		name += " → " + fit(CleanLine(d.To), 32)
	}
	return name
}

// quotedReason returns the rationale in quotes. A rationale that is not the model's
// own has a note that says why.
func quotedReason(d client.Decision) string {
	quoted := `"` + CleanLine(d.Rationale) + `"`
	if d.Inferred {
		quoted += "  " + inferredNote
	}
	switch {
	case d.Blocked:
		return quoted + "  " + blockedNote
	case d.Source == "fallback":
		return quoted + "  " + fallbackNote
	case d.Source == "thought":
		return quoted + "  " + thoughtNote
	}
	return quoted
}

// reasonRendition sets a fallback in italics, so that nobody takes it for the
// model's words.
func reasonRendition(d client.Decision) string {
	if d.Source == "fallback" {
		return italic
	}
	return dim
}
