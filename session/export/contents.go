package export

import (
	"fmt"
	"iter"
	"strings"

	"candor/session"
)

// entry is a line of the contents.
type entry struct {
	Number int
	Title  string // what was asked, on one line; may be empty
	About  string // such as "3 tools, 1 failed"
	Failed bool   // the turn, or one of its calls
}

// contents yields a line for each turn of a document that has several, each made when its turn comes.
func (d Document) contents() iter.Seq[entry] {
	return func(yield func(entry) bool) {
		if len(d.Turns) < 2 {
			return
		}
		for _, t := range d.Turns {
			if !yield(d.entry(t)) {
				return
			}
		}
	}
}

// entry returns the line of a turn.
func (d Document) entry(t session.Turn) entry {
	e := entry{Number: t.Number, Title: oneLine(t.Input.String(), maxTitle), Failed: t.State == session.Failed}
	var words []string
	if t.State != session.Completed {
		words = append(words, string(t.State))
	}
	if !d.Omit.Reasoning && len(t.Steps) > 0 {
		words = append(words, reasoningSummary(t))
		if failed := failures(t); failed > 0 {
			words, e.Failed = append(words, fmt.Sprintf("%d failed", failed)), true
		}
	}
	e.About = strings.Join(words, ", ")
	return e
}

// failures counts the calls of a turn that failed or were not run.
func failures(t session.Turn) (n int) {
	for c := range t.Calls() {
		if kindOf(c) == "failed" {
			n++
		}
	}
	return n
}

// reasoningSummary counts a turn's calls, as in "3 tools, 2 side by side".
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
	var words []string
	if calls > 0 {
		words = append(words, plural(calls, "tool"))
	}
	if decisions > 0 {
		words = append(words, plural(decisions, "decision"))
	}
	if len(words) == 0 {
		return "no tools"
	}
	if parallel > 1 {
		words = append(words, fmt.Sprintf("%d in parallel", parallel))
	}
	return strings.Join(words, ", ")
}

// span says when the turns were asked for, "" if there are none.
func (d Document) span() string {
	if len(d.Turns) == 0 {
		return ""
	}
	from, to := moment{d.Turns[0].Began()}, moment{d.Turns[len(d.Turns)-1].Began()}
	switch day := "2 January 2006"; {
	case from.String() == to.String():
		return from.String()
	case from.UTC().Format(day) == to.UTC().Format(day):
		return from.UTC().Format(day+", 15:04:05") + " to " + to.UTC().Format("15:04:05 UTC")
	}
	return from.String() + " to " + to.String()
}
