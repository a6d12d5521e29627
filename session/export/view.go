package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// turnView is a turn in the words that both formats use. Texts in it are not escaped:
// each format escapes them as it writes them.
type turnView struct {
	session.Turn
	Heading  string // such as "Turn 2: completed, 4.1 s"
	When     string // creation time in RFC 3339, UTC
	Summary  string // such as "Reasoning: 3 tools"; empty if there is no reasoning to show
	Steps    []stepView
	Handoffs []session.HandoffAt
	Redacted []string // what was masked or withheld, by rule
	Noticed  []string // what was seen and left, by rule
	NoAnswer string   // why there is no answer; empty if there is one
	Replay   string   // which turn this one repeats; empty if it repeats none
	Observed observedView
}

// stepView is one iteration of an agent's loop in words.
type stepView struct {
	Heading     string // empty for the lead agent's only step
	Narrative   safety.Text
	Attribution string // who wrote the narrative
	Withheld    string // which narrative safety withheld, or empty
	Decisions   []decisionView
}

// decisionView is a tool call in words.
type decisionView struct {
	Number      int // from 1 in the turn
	Tool        safety.Text
	To          safety.Text // who ran the tool, in an observed turn; empty if nobody was named
	Rationale   safety.Text
	Attribution string   // who wrote the rationale
	Facts       []string // outcome, duration, parallel group, approval, confidence
	Decided     []decidedView
	Feedback    []decidedView // what the user thinks of it; at most one
	Error       safety.Text
	Params      string // indented JSON; empty if omitted
	Result      string // indented JSON; empty if omitted or absent
	Redacted    []string
	Noticed     []string
}

// turns yields the views of all turns, each made when its turn comes.
func (d Document) turns() iter.Seq[turnView] {
	return func(yield func(turnView) bool) {
		for _, t := range d.Turns {
			if !yield(d.turn(t)) {
				return
			}
		}
	}
}

// turn returns the view of one turn. Decisions are numbered through its steps.
func (d Document) turn(t session.Turn) turnView {
	v := turnView{
		Turn: t, Heading: fmt.Sprintf("Turn %d: %s", t.Number, t.State), When: t.CreatedAt.UTC().Format(time.RFC3339),
		NoAnswer: noAnswer(t), Redacted: redactions(t.Findings), Noticed: notices(t.Findings),
		Observed: d.observed(t), Replay: replay(t.Workflow),
	}
	if t.State.Ended() && !t.StartedAt.IsZero() {
		v.Heading += ", " + duration(t.EndedAt.Sub(t.StartedAt))
	}
	if t.Spent.Known() {
		v.Heading += ", " + t.Spent.Words()
	}
	if d.Omit.Reasoning || len(t.Steps) == 0 {
		return v
	}
	v.Summary, v.Handoffs = reasoningSummary(t), t.Handoffs
	number := 0
	for _, s := range t.Steps {
		w := stepView{
			Heading: stepHeading(t, s), Narrative: s.Narrative,
			Attribution: attribution(s.NarrativeSource), Withheld: withheld(s),
		}
		for _, c := range s.Calls {
			number++
			w.Decisions = append(w.Decisions, d.decision(number, c))
		}
		v.Steps = append(v.Steps, w)
	}
	return v
}

// withheld says which narrative of the step safety withheld. It is empty if none was.
func withheld(s session.Step) string {
	switch {
	case !s.NarrativeBlocked:
		return ""
	case s.Answer:
		return "the summary of the reasoning behind the answer"
	}
	return "what the model said before these calls"
}

// stepHeading names a step. The lead agent's only step needs no name.
func stepHeading(t session.Turn, s session.Step) string {
	switch {
	case s.Late:
		return fmt.Sprintf("Step %d, after the end", s.Number)
	case s.Agent != "":
		return fmt.Sprintf("Step %d of the agent %s", s.Number, s.Agent)
	case s.Answer:
		return "Before the answer"
	case len(t.Steps) > 1:
		return fmt.Sprintf("Step %d", s.Number)
	}
	return ""
}

// decision returns the view of one call.
func (d Document) decision(number int, c session.Call) decisionView {
	v := decisionView{
		Number: number, Tool: c.Tool, To: c.To, Rationale: c.Rationale.Text,
		Attribution: attribution(c.Rationale.Source), Facts: facts(c), Error: c.Error, Feedback: feedback(c),
		Redacted: redactions(c.Findings), Noticed: notices(c.Findings),
	}
	if c.Rationale.Blocked {
		v.Attribution = "ours: safety withheld the model's reason"
	}
	if !d.Omit.Parameters {
		v.Params, v.Decided = indentJSON(c.Params), decidedIn(c)
	}
	if !d.Omit.Results && !c.Result.Null() {
		v.Result = indentJSON(c.Result)
	}
	return v
}

// facts lists what happened to a call, a few words each. A call that is pending, or that
// nobody timed or saw end, has no duration.
func facts(c session.Call) []string {
	list := []string{string(c.Outcome)}
	if c.Outcome == session.Unknown {
		list = []string{"no result seen"}
	} else if c.Outcome != session.Pending && !c.Untimed {
		list = append(list, duration(c.Took))
	}
	if c.Group != nil {
		list = append(list, fmt.Sprintf("parallel group %d", *c.Group))
	}
	if c.Approval != nil {
		list = append(list, "approval: "+approvalStatus(c.Approval.Answer))
	}
	list = append(list, confidence(c)...)
	if c.ReasonInferred {
		list = append(list, "reason matched by the tool's name and order")
	}
	if c.ResultInferred {
		list = append(list, "result matched by the tool's name and order")
	}
	return list
}

// approvalStatus puts the answer to an approval request into words.
func approvalStatus(a session.Answer) string {
	switch a {
	case "":
		return "awaited"
	case session.Approve:
		return "given"
	case session.Always:
		return "given for the session"
	case session.Deny:
		return "denied"
	}
	return string(a)
}

// attribution says who wrote a narrative or a rationale, so that a reader never takes
// our fallback for the model's own reason.
func attribution(s session.Source) string {
	switch s {
	case session.FromModel:
		return "the model's own words"
	case session.FromSummary:
		return "its provider's summary"
	case session.FromFallback:
		return "ours: the model gave no reason"
	case session.FromThought:
		return "its agent's thought before the call, which does not name it"
	}
	return ""
}

// noAnswer says why a turn has no answer. It returns "" for a turn that has one. An
// export may be made while turns run or wait, so these are states like any other.
func noAnswer(t session.Turn) string {
	switch {
	case !t.Response.Empty():
		return ""
	case t.State == session.Completed && !t.Conclusion.Empty():
		return "No answer was seen, only the conclusion."
	case t.State == session.Interrupted:
		return "The turn was interrupted before there was an answer."
	case t.State == session.Failed:
		return "The turn failed before there was an answer."
	case t.State.Ended():
		return "The answer was empty."
	case t.State == session.Queued:
		return "The turn had not begun when this was written."
	}
	return "The turn was still running when this was written."
}

// reasoningSummary counts a turn's calls, as in "Reasoning: 3 tools, 2 in parallel".
func reasoningSummary(t session.Turn) string {
	calls, parallel, decisions := 0, 0, 0
	for c := range t.Calls() {
		if c.Decides {
			decisions++
		} else {
			calls++
		}
		if c.Group != nil {
			parallel++
		}
	}
	text := "Reasoning: no tools"
	switch {
	case calls > 0 && decisions > 0:
		text = "Reasoning: " + plural(calls, "tool") + ", " + plural(decisions, "decision")
	case calls > 0:
		text = "Reasoning: " + plural(calls, "tool")
	case decisions > 0:
		text = "Reasoning: " + plural(decisions, "decision")
	}
	if parallel > 0 {
		text += fmt.Sprintf(", %d in parallel", parallel)
	}
	return text
}

// plural returns a count with its noun, as in "1 tool" and "2 tools".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// duration formats d for people, as in "40 ms", "4.1 s" and "2 m 5 s".
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d m %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// agentName returns the name to show for an agent id. The lead agent's id is empty.
func agentName(id string) string {
	if id == "" {
		return "lead"
	}
	return id
}

// indentJSON formats a value for people. Bytes that are not UTF-8 are replaced, since
// JSON may hold them inside of strings.
func indentJSON(j safety.JSON) string {
	var b bytes.Buffer
	if err := json.Indent(&b, j.Raw(), "", "  "); err != nil {
		return string(j.Raw())
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
