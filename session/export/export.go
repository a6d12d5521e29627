// Package export writes turns, with all that is known of why they went as they did,
// into files that are read without Candor.
//
// [Markdown] is for people and code reviews, [HTML] is one page that needs no
// network. Both are pure functions of turns. What a model, a tool or a person wrote
// stays text in both: it cannot end the block it stands in, become a link, load an
// image or run.
package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// Document is what is exported: turns of one thread, oldest first.
type Document struct {
	Title  safety.Text // of the thread; may be empty
	Thread string
	Turns  []session.Turn
	Omit   Omit
}

// Omit says what to leave out.
type Omit struct{ Reasoning, Parameters, Results bool }

// decision is a call in words.
type decision struct {
	Number   int
	Tool     safety.Text
	Why      safety.Text
	Whose    string // whose sentence Why is
	Facts    []string
	Error    safety.Text
	Params   string // indented JSON; "" when it is left out
	Result   string
	Redacted []string
}

// step is a pass of an agent's loop in words.
type step struct {
	Heading   string // of the step, where a turn has several
	Said      safety.Text
	Whose     string
	Withheld  bool
	Decisions []decision
}

// turn is a turn in words.
type turn struct {
	session.Turn
	Heading  string
	When     string
	Summary  string // of its reasoning; "" when there is none
	Steps    []step
	Handoffs []session.HandoffAt
	Redacted []string
	Answer   safety.Text
	Missing  string // why there is no answer
}

func (d Document) turns() []turn {
	out := make([]turn, 0, len(d.Turns))
	for _, t := range d.Turns {
		out = append(out, d.turn(t))
	}
	return out
}

func (d Document) turn(t session.Turn) turn {
	v := turn{
		Turn: t, Heading: fmt.Sprintf("Turn %d: %s", t.Number, t.State), When: t.CreatedAt.UTC().Format(time.RFC3339),
		Answer: t.Response, Missing: missing(t), Redacted: redactions(t.Findings),
	}
	if took := t.EndedAt.Sub(t.StartedAt); t.State.Ended() && !t.StartedAt.IsZero() {
		v.Heading += ", " + duration(took)
	}
	if d.Omit.Reasoning || len(t.Steps) == 0 {
		return v
	}
	v.Summary, v.Handoffs = summary(t), t.Handoffs
	number := 0
	for _, s := range t.Steps {
		w := step{Said: s.Narrative, Whose: whose(s.NarrativeSource), Withheld: s.NarrativeBlocked}
		if len(t.Steps) > 1 {
			w.Heading = fmt.Sprintf("Step %d", s.Number)
		}
		if s.Agent != "" {
			w.Heading = fmt.Sprintf("Step %d of the agent %s", s.Number, s.Agent)
		}
		for _, c := range s.Calls {
			number++
			w.Decisions = append(w.Decisions, d.decision(number, c))
		}
		v.Steps = append(v.Steps, w)
	}
	return v
}

func (d Document) decision(number int, c session.Call) decision {
	v := decision{
		Number: number, Tool: c.Tool, Why: c.Rationale.Text, Whose: whose(c.Rationale.Source),
		Facts: facts(c), Error: c.Error, Redacted: redactions(c.Findings),
	}
	if c.Rationale.Blocked {
		v.Whose = "ours: safety withheld the model's reason"
	}
	if !d.Omit.Parameters {
		v.Params = indent(c.Params)
	}
	if !d.Omit.Results && !c.Result.Null() {
		v.Result = indent(c.Result)
	}
	return v
}

// facts are what happened to a call, in a few words each.
func facts(c session.Call) []string {
	all := []string{string(c.Outcome)}
	if c.Outcome != session.Pending {
		all = append(all, duration(c.Took))
	}
	if c.Group != nil {
		all = append(all, fmt.Sprintf("parallel group %d", *c.Group))
	}
	if c.Approval != nil {
		all = append(all, "approval: "+approval(c.Approval.Answer))
	}
	return all
}

func approval(a session.Answer) string {
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

// whose says whose sentence something is.
func whose(s session.Source) string {
	switch s {
	case session.FromModel:
		return "the model's own words"
	case session.FromSummary:
		return "its provider's summary"
	case session.FromFallback:
		return "ours: the model gave no reason"
	}
	return ""
}

// missing says why a turn has no answer.
func missing(t session.Turn) string {
	switch {
	case !t.Response.Empty():
		return ""
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

// summary is a turn's reasoning in a line: 3 tools, 2 in parallel.
func summary(t session.Turn) string {
	calls, parallel := 0, 0
	for c := range t.Calls() {
		calls++
		if c.Group != nil {
			parallel++
		}
	}
	line := "Reasoning: " + plural(calls, "tool")
	if parallel > 0 {
		line += fmt.Sprintf(", %d in parallel", parallel)
	}
	return line
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration is a time as people read it: 40 ms, 4.1 s, 2 m 5 s.
func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d m %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// redactions are what was masked: aws-key ×2.
func redactions(found []safety.Finding) []string {
	var out []string
	for _, f := range found {
		if f.Count > 1 {
			out = append(out, fmt.Sprintf("%s ×%d", f.Rule, f.Count))
			continue
		}
		out = append(out, f.Rule)
	}
	return slices.Clip(out)
}

// indent is JSON as people read it.
func indent(j safety.JSON) string {
	var b bytes.Buffer
	if err := json.Indent(&b, j.Raw(), "", "  "); err != nil {
		return string(j.Raw())
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
