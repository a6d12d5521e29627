package terminal

import (
	"fmt"
	"slices"
	"strings"

	"candor/web/client"
)

// pagePart is a part of a page: whole lines that stay together where only some are shown.
type pagePart struct {
	text   string
	failed bool // it is of calls that failed or were rejected
}

// textOf returns the text of all parts.
func textOf(parts []pagePart) string {
	var out strings.Builder
	for _, p := range parts {
		out.WriteString(p.text)
	}
	return out.String()
}

// whole renders a turn as it is read afterwards: the message, each plan with the calls it led to,
// each call with its own reason, the answer, and what the turn took. A step other than 0 is the
// only one that is rendered, with what sub-agents did in it.
//
//	› Find out why it fails, and fix it.
//
//	  I want to see the failure myself.
//
//	  ✗ run_tests     The request names one test, so I want its own words.
//	                  ./internal/invoice → FAIL, exit 1, 161 lines        12.4 s
//
//	  Lines were rounded before the sum.
//
//	  1 call · 1 failed · 58.0 s
//
// Each plan and each call is a part of its own, so that a reader can choose those that failed.
func (s Style) whole(t client.Turn, step int) (parts []pagePart) {
	add := func(text string, failed bool) {
		if text != "" {
			parts = append(parts, pagePart{text, failed})
		}
	}
	if step == 0 {
		add(s.message(t)+s.notes(t, false), false)
	}
	for i, st := range stepsOf(t) {
		if step != 0 && st.main != step {
			continue
		}
		if plan := s.stepPlan(st); plan != "" || step == 0 && i > 0 {
			add(plan, false)
		} else {
			add("\n", false)
		}
		b := board{calls: st.calls}
		for _, unit := range b.units() {
			for _, p := range s.whyUnit(unit) {
				add(p.text, p.failed)
			}
		}
	}
	if step != 0 {
		return parts
	}
	add(s.whyEnd(t), false)
	failed := outcomes(t) != ""
	if sums := s.sums(t) + s.redactions(t.Redactions) + s.notices(t.Notices); sums != "" {
		add("\n"+sums, failed)
	}
	return parts
}

// message renders what began a turn, as it was typed.
func (s Style) message(t client.Turn) string {
	if t.Asked != nil {
		return s.asked(t.UserInput, t.Asked)
	}
	return s.replay(t.Workflow) + s.hangAt(s.paint(bold, "› "), 2, bold, redacted(CleanLine(t.UserInput)))
}

// whyEnd renders how a turn ended: its answer, or why there is none.
func (s Style) whyEnd(t client.Turn) string {
	out := s.answerReasoning(t.Answer) + s.sealedAnswer(t)
	switch {
	case t.Conclusion != "":
		out += s.conclusion(t.Conclusion)
	case !t.Ended():
		out += s.paint(dim, "  ⋯ It has not ended.") + "\n"
	}
	if out != "" && t.Response != "" {
		out += "\n"
	}
	switch {
	case t.Response != "":
		out += s.markdown("  ", t.Response)
	case t.Error != "":
		out += s.hangAt(s.paint(red, "  ✗ "), 4, red, redacted(CleanLine(t.Error)))
	case t.State == "interrupted":
		out += s.interrupted(t.Interruption)
	}
	out += s.answerStop(t)
	if out += s.notes(t, true); out == "" {
		return ""
	}
	return "\n" + out
}

// turnStep is what an agent said in a step, and the calls that it made then.
type turnStep struct {
	agent    string
	who      string         // the agent's name
	profile  client.Profile // of an agent in its first step
	step     int
	main     int // the step of the agent that the user speaks to, in which it was
	said     string
	thought  string // the summary beside it
	withheld bool
	stop     client.Stopped
	sealed   *client.Sealed // what only the provider of its model can read; nil if nothing
	calls    []*boardCall
}

// stepsOf returns the steps of a turn that called tools, in their order.
func stepsOf(t client.Turn) (steps []*turnStep) {
	if t.Reasoning == nil {
		return nil
	}
	// Calls are in the order in which they began, so those of a sub-agent follow the call that
	// started it, and belong to the step of that call.
	main, names := 0, namesIn(t.Reasoning)
	for e := range entries(t) {
		if e.Agent == "" {
			main = e.Step
		}
		if last := len(steps) - 1; last < 0 || steps[last].agent != e.Agent || steps[last].step != e.Step {
			told := narrativeIn(t, e.Decision)
			steps = append(steps, &turnStep{agent: e.Agent, step: e.Step, main: main, said: told.Narrative,
				who: names.of(e.Agent), profile: profileIn(t, e.Decision), sealed: t.SealedOf(e.Agent, e.Step),
				stop: t.StopOf(e.Agent, e.Step), thought: told.Thought})
		}
		st := steps[len(steps)-1]
		key := callKey{agent: e.Agent, turn: t.Number, call: e.CallID}
		st.calls = append(st.calls, &boardCall{
			callKey: key, Decision: e.Decision, call: e.call, ended: t.Ended(), who: st.who})
	}
	// A turn with one narrative has it apart, without a step. It came before the first call.
	if r := t.Reasoning; len(steps) > 0 && len(r.Narratives) == 0 {
		steps[0].said, steps[0].withheld, steps[0].thought = r.Narrative, r.NarrativeBlocked, r.Thought
		if r.Narrative != "" && r.NarrativeSource == "summary" {
			steps[0].said += summaryNote
		}
	}
	return steps
}

// narrativeIn returns the narrative of the step of a decision.
func narrativeIn(t client.Turn, d client.Decision) (n client.StepNarrative) {
	i := slices.IndexFunc(t.Reasoning.Narratives, func(n client.StepNarrative) bool {
		return n.Agent == d.Agent && n.Step == d.Step
	})
	if i < 0 {
		return n
	}
	return t.Reasoning.Narratives[i]
}

// profileIn returns who the agent of a decision is, if it is that of the agent's first step.
func profileIn(t client.Turn, d client.Decision) (p client.Profile) {
	if d.Step > 1 || d.Agent == "" {
		return p
	}
	for _, h := range t.Reasoning.Handoffs {
		if h.To == d.Agent && h.Model+h.Effort != "" {
			p = h.Profile
		}
	}
	return p
}

// stepPlan renders what an agent said in a step, and what was sealed of it, "" for nothing.
func (s Style) stepPlan(st *turnStep) string {
	said, sealed := s.taken(st.who, st.profile)+s.stepSaid(st), s.sealed(st.who, st.sealed)
	if st.thought != "" {
		said = s.plan(st.thought+summaryNote) + strings.TrimPrefix(said, "\n")
	}
	if stop := s.stopped(st.stop); stop != "" {
		sealed += "\n" + stop + "\n"
	}
	if said != "" && sealed != "" {
		sealed = strings.TrimPrefix(sealed, "\n")
	}
	return said + sealed
}

// stepSaid renders what an agent said in a step, "" for nothing.
func (s Style) stepSaid(st *turnStep) string {
	said := st.said
	if said != "" && st.agent != "" {
		said = fit(CleanLine(st.who), 36) + ": " + said
	}
	if plan := s.plan(said); plan != "" {
		return plan
	}
	if st.withheld {
		return "\n" + s.hang("  ", dim, "(its narrative was withheld: it could not be made safe)") + "\n"
	}
	return ""
}

// whyUnit renders calls that stand together: one call, or those of one tool that ran side by
// side. Those that did not go well come first, each by itself.
func (s Style) whyUnit(unit []*boardCall) (parts []pagePart) {
	// A failure is never one of many, as in the live view. Two calls are not worth a heading.
	var usual []*boardCall
	for _, c := range unit {
		if c.view().sign == "✓" && len(unit) >= foldFrom {
			usual = append(usual, c)
			continue
		}
		v := c.view()
		parts = append(parts, pagePart{s.callLines(v), v.ink == red})
	}
	if len(usual) >= foldFrom {
		return append(parts, pagePart{s.unfolded(usual), false})
	}
	for _, c := range usual {
		parts = append(parts, pagePart{s.callLines(c.view()), false})
	}
	return parts
}

// unfolded renders calls of one tool that ran side by side, each with its own reason.
//
//	✓ read_file ×9  1,412 lines                                             276 ms
//	  totals.go     The sum is made here; if lines are rounded, this is where.
//	  line.go       A line knows its rate, so it may round what it is asked for.
func (s Style) unfolded(calls []*boardCall) string {
	views, took := make([]callView, len(calls)), int64(0)
	for i, c := range calls {
		views[i] = c.view()
		if c.call.DurationMS != nil {
			took = max(took, *c.call.DurationMS)
		}
	}
	// Calls side by side take as long as the longest of them. On a narrow screen the sum goes
	// first, then the time: each reason below matters more.
	head := folded(views, tookMS(took))
	name := s.shorten(head.tool, 12) + fmt.Sprintf(" ×%d", len(calls))
	line, cells := "  "+s.paint(head.ink, head.sign)+" "+s.paint(bold, name), 4+cellWidth(name)
	if sum := sumOf(views); s.Width == 0 || cells+2+cellWidth(sum)+2+cellWidth(head.took) <= s.room() {
		line, cells = line+"  "+s.paint(dim, sum), cells+2+cellWidth(sum)
	}
	if s.Width == 0 || cells+2+cellWidth(head.took) <= s.room() {
		line += s.atRight(head.took, s.room()-cells)
	}
	out := line + "\n"
	for _, v := range views {
		out += s.unfoldedCall(v)
	}
	return out
}

// unfoldedCall renders one of several calls of a tool: what it is about, and why. What it is
// about stands before the reason if it is short, and above it if it is long or the screen is
// narrow:
//
//	a/long/path/tax.go
//	              The tax depends on the country.
func (s Style) unfoldedCall(v callView) string {
	column, object := s.column(), v.object
	if column < reasonColumn {
		column = 6
	}
	why := s.inkLines(strings.Repeat(" ", column), column, column, v.whyInk, v.why)
	switch {
	case object == "":
		return why
	case column == reasonColumn && cellWidth(object) <= reasonColumn-6:
		label := "    " + s.redact(dim, pad(object, reasonColumn-4))
		return s.inkLines(label, reasonColumn, reasonColumn, v.whyInk, v.why)
	}
	return s.inkLines("    ", 4, 4, dim, object) + why
}
