package web

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// SearchHit is a call, or what was said in a turn beside its calls.
type SearchHit struct {
	ThreadID   string          `json:"thread_id,omitempty"`
	JobID      string          `json:"job_id,omitempty"`
	TurnNumber int             `json:"turn_number,omitempty"`
	CallID     string          `json:"call_id,omitempty"`
	At         time.Time       `json:"at"`
	Tool       string          `json:"tool_name,omitempty"`
	Outcome    session.Outcome `json:"outcome,omitempty"`
	Source     session.Source  `json:"rationale_source,omitempty"`
	Agent      string          `json:"agent,omitempty"`
	Redacted   bool            `json:"redacted,omitempty"`
	Field      string          `json:"field"` // where the snippet is from
	Snippet    []SnippetPart   `json:"snippet"`
}

// facetNames are what hits can be chosen by.
var facetNames = []string{"tool", "outcome", "source", "agent", "redacted"}

// The values of the facet that is a yes or no.
const yes, no = "true", "false"

// facet is the hit's value in it; "" is none.
func (h SearchHit) facet(name string) string {
	switch name {
	case "tool":
		return h.Tool
	case "outcome":
		return string(h.Outcome)
	case "source":
		return string(h.Source)
	case "agent":
		return h.Agent
	}
	if h.Redacted {
		return yes
	}
	return no
}

// field is a text of a hit.
type field struct{ name, text string }

// searched is a turn or a job.
type searched struct {
	at     time.Time
	turn   *session.Turn
	job    *session.Job
	events []session.Event
}

// searchBudget is how much text a search reads, in bytes; the newest first.
const searchBudget = 64 << 20

// query is what a search asks for.
type query struct {
	words  []string            // in lower case
	marks  []*regexp.Regexp    // the same words, to be marked
	want   map[string][]string // values by facet; none means any
	limit  int
	budget int

	out    SearchResponse
	counts map[string]map[string]int
}

// run looks through all and answers.
func (q *query) run(all []searched) SearchResponse {
	q.out, q.counts = SearchResponse{Hits: []SearchHit{}, Facets: map[string][]FacetItem{}}, map[string]map[string]int{}
	for _, s := range all {
		if q.budget <= 0 {
			q.out.Truncated = true
			break
		}
		if s.turn != nil {
			q.turn(*s.turn)
		} else {
			q.job(*s.job, s.events)
		}
	}
	for _, name := range facetNames {
		q.out.Facets[name] = items(q.counts[name])
	}
	return q.out
}

func (q *query) turn(t session.Turn) {
	hit := SearchHit{ThreadID: t.Thread, TurnNumber: t.Number, At: t.CreatedAt, Redacted: len(t.Findings) > 0}
	said := []field{{"user_input", t.Input.String()}}
	for _, s := range t.Steps {
		said = append(said, field{"narrative", s.Narrative.String()})
	}
	q.consider(hit, append(said, field{"response", t.Response.String()}, field{"error", t.Error.String()}))
	for c := range t.Calls() {
		q.call(SearchHit{ThreadID: t.Thread, TurnNumber: t.Number}, c)
	}
}

func (q *query) call(hit SearchHit, c session.Call) {
	hit.CallID, hit.At, hit.Tool, hit.Outcome = c.ID, c.StartedAt, c.Tool.String(), c.Outcome
	hit.Source, hit.Agent, hit.Redacted = c.Rationale.Source, c.Agent, len(c.Findings) > 0
	q.consider(hit, []field{
		{"rationale", c.Rationale.Text.String()}, {"tool_name", c.Tool.String()}, {"parameters", textOf(c.Params)},
		{"result", textOf(c.Result)}, {"error", c.Error.String()},
	})
}

// textOf is JSON as it is searched; "" where there is none.
func textOf(j safety.JSON) string {
	if j.Null() {
		return ""
	}
	return string(j.Raw())
}

// job considers a job as a whole, its narratives and messages, and its calls.
func (q *query) job(j session.Job, events []session.Event) {
	q.consider(SearchHit{JobID: j.ID, At: j.CreatedAt, Redacted: len(j.Findings) > 0},
		[]field{{"title", j.Title.String()}, {"prompt", j.Prompt.String()}, {"message", j.Message.String()}})
	for _, e := range events {
		hit := SearchHit{JobID: j.ID, At: e.At}
		switch b := e.Body.(type) {
		case session.JobMessage:
			hit.Redacted = len(b.Findings) > 0
			q.consider(hit, []field{{"message", b.Text.String()}})
		case session.JobReasoned:
			hit.Redacted = len(b.Findings) > 0
			q.consider(hit, []field{{"narrative", b.Narrative.String()}})
		}
	}
	for _, c := range jobCalls(events) {
		q.call(SearchHit{JobID: j.ID}, c)
	}
}

// consider takes a hit in if its texts hold every word, and counts it. The facets it
// misses decide where: one that misses none is shown, one that misses a single one
// is counted there as what could be had instead.
func (q *query) consider(hit SearchHit, texts []field) {
	texts = slices.DeleteFunc(texts, func(f field) bool { return f.text == "" })
	missed := ""
	for _, name := range facetNames {
		if want := q.want[name]; len(want) > 0 && !slices.Contains(want, hit.facet(name)) {
			if missed != "" {
				return
			}
			missed = name
		}
	}
	at, ok := q.match(texts)
	if !ok {
		return
	}
	for _, name := range facetNames {
		if v := hit.facet(name); v != "" && (missed == "" || missed == name) {
			if q.counts[name] == nil {
				q.counts[name] = map[string]int{}
			}
			q.counts[name][v]++
		}
	}
	if missed != "" {
		return
	}
	if q.out.Total++; len(q.out.Hits) < q.limit {
		hit.Field, hit.Snippet = texts[at].name, snippet(texts[at].text, q.marks)
		q.out.Hits = append(q.out.Hits, hit)
	}
}

// match says whether every word stands in one of the texts, and which text has the
// first of them.
func (q *query) match(texts []field) (first int, ok bool) {
	q.budget-- // so that a search for everything ends, too
	lower := make([]string, len(texts))
	for i, f := range texts {
		lower[i] = strings.ToLower(f.text)
		q.budget -= len(f.text)
	}
	for i, w := range q.words {
		at := slices.IndexFunc(lower, func(text string) bool { return strings.Contains(text, w) })
		if at < 0 {
			return 0, false
		}
		if i == 0 {
			first = at
		}
	}
	return first, len(texts) > 0
}

// maxItems is how many values of a facet are told.
const maxItems = 50

// items are a facet's values, the most frequent first.
func items(counts map[string]int) []FacetItem {
	all := []FacetItem{}
	for value, n := range counts {
		all = append(all, FacetItem{value, n})
	}
	slices.SortFunc(all, func(a, b FacetItem) int { return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value)) })
	return all[:min(len(all), maxItems)]
}
