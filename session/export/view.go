package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // for the template and the style sheet
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"iter"
	"sync"

	"candor/safety"
	"candor/safety/render"
	"candor/session"
)

// turnView is a turn in the words that both formats use. Texts in it are not escaped:
// each format escapes them as it writes them.
type turnView struct {
	session.Turn
	Heading  string // such as "Turn 2", which is also its anchor, turn-2
	About    string // such as "completed, 4.1 s"
	Kind     string // failed or usual, which is how its reasoning is coloured
	When     moment // it began
	Summary  string // such as "Reasoning: 3 tools"; empty if there is no reasoning to show
	Steps    []stepView
	Handoffs []session.HandoffAt
	Redacted []string // what was masked or withheld, by rule
	Noticed  []string // what was seen and left, by rule
	NoAnswer string   // why there is no answer; empty if there is one
	Cut      string   // why the model stopped, if it was not done
	Replay   string   // which turn this one repeats; empty if it repeats none
	Observed observedView
}

// stepView is one iteration of an agent's loop in words.
type stepView struct {
	Heading   string // empty for the lead agent's only step
	Narrative safety.Text
	Source    string // whose words the narrative is, unless they are the model's own
	Thought   safety.Text
	Of        string // whose words the thought is
	Withheld  string // which narrative safety withheld, or empty
	Sealed    string // how much reasoning only the provider can read, or empty
	Stop      string // why the model stopped, if it was neither done nor called tools
	Decisions []decisionView
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
		Turn: t, Heading: fmt.Sprintf("Turn %d", t.Number), About: about(t), When: moment{t.Began()}, Kind: "usual",
		NoAnswer: noAnswer(t), Redacted: redactions(t.Findings), Noticed: notices(t.Findings),
		Observed: d.observed(t), Replay: replay(t.Workflow),
	}
	if v.NoAnswer == "" {
		v.Cut = stopped(t.Stop)
	}
	if t.State == session.Failed {
		v.Kind = "failed"
	}
	if d.Omit.Reasoning || len(t.Steps) == 0 {
		return v
	}
	v.Summary, v.Handoffs = "Reasoning: "+reasoningSummary(t), t.Handoffs
	number := 0
	for _, s := range t.Steps {
		w := stepView{
			Heading: stepHeading(t, s), Narrative: s.Narrative,
			Source: attribution(s.NarrativeSource), Withheld: withheld(s), Sealed: sealed(s.Sealed),
			Thought: s.Thought, Of: attribution(session.FromSummary), Stop: stopped(s.Stop),
		}
		groups := beside(s.Calls, number+1)
		for _, c := range s.Calls {
			number++
			decision := d.decision(number, c)
			decision.Beside = groups[number]
			w.Decisions = append(w.Decisions, decision)
		}
		v.Steps = append(v.Steps, w)
	}
	return v
}

// about says how the turn ended, how long it took and what it cost.
func about(t session.Turn) string {
	words := string(t.State)
	if t.State.Ended() && !t.StartedAt.IsZero() {
		words += ", " + duration(t.EndedAt.Sub(t.StartedAt))
	}
	if t.Spent.Known() {
		words += ", " + t.Spent.Words()
	}
	return words
}

// stopped says in a sentence why the model stopped, "" if it was done or called tools.
func stopped(s session.Stop) string {
	if s == "" {
		return ""
	}
	return "Why it stopped: " + s.Words() + "."
}

// withheld says which narrative of the step safety withheld. It is empty if none was.
func withheld(s session.Step) string {
	switch {
	case s.ThoughtBlocked && !s.NarrativeBlocked:
		return "the summary of the reasoning before these calls"
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

// noAnswer says why a turn has no answer. It returns "" for a turn that has one. An
// export may be made while turns run or wait, so these are states like any other.
func noAnswer(t session.Turn) string {
	switch {
	case !t.Response.Empty():
		return ""
	case t.State == session.Completed && !t.Conclusion.Empty():
		return "No answer was seen, only the conclusion."
	case t.Restarted:
		return "The server restarted before there was an answer."
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

//go:embed page.html
var pageSource string

//go:embed page.css
var styleSheet string

// parsePage parses page.html on first use. The template escapes what it inserts, except
// the result of text, which safety has escaped already.
var parsePage = sync.OnceValues(func() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"text":  func(t safety.Text) template.HTML { return template.HTML(render.HTML(t)) },
		"title": func(s string) string { return oneLine(s, maxTitle) },
		"agent": agentName, "whois": whoIs,
	}).Parse(pageSource)
})

// HTML writes the document as a self-contained page. The page's content security
// policy forbids it to load or run anything; its style sheet is allowed by hash.
func HTML(w io.Writer, d Document) error {
	page, err := parsePage()
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(styleSheet))
	b := bufio.NewWriterSize(w, maxBuffered)
	err = page.Execute(b, map[string]any{
		"Title": d.heading(), "Origin": d.origin() + " " + d.Thread + d.Job,
		"Of": d.Origin, "Where": d.where(), "Turns": d.turns(), "Count": plural(len(d.Turns), "turn"),
		"Contents": d.contents(), "Several": len(d.Turns) > 1, "Span": d.span(),
		"Style": template.CSS(styleSheet), "Hash": template.HTMLAttr(base64.StdEncoding.EncodeToString(hash[:])),
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
