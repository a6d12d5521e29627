package view

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// SearchResponse is the answer to a search: the hits, newest turns first, and how
// many hits each facet has.
type SearchResponse struct {
	Hits      []SearchHit            `json:"hits"`
	Total     int                    `json:"total"` // of all hits, also of those beyond the limit
	Facets    map[string][]FacetItem `json:"facets"`
	Truncated bool                   `json:"truncated,omitempty"` // the oldest turns were not searched
}

// FacetItem is a value of a facet, and how many hits would have it if the facet
// were not filtered.
type FacetItem struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// SearchHit is a call, or what was said in a turn or job apart from its calls. A hit in a
// turn has ThreadID and TurnNumber, one in a job has JobID. CallID, Tool,
// Outcome, Source and Agent are those of a call and absent for other hits. Participant is
// whose turn it is, of an observed thread. At is when the call or the turn began, or when the
// event of the job was logged. Inferred says that a worker did not say which call the reason
// or the result is about.
type SearchHit struct {
	ThreadID    string          `json:"thread_id,omitempty"`
	JobID       string          `json:"job_id,omitempty"`
	TurnNumber  int             `json:"turn_number,omitempty"`
	CallID      string          `json:"call_id,omitempty"`
	At          time.Time       `json:"at"`
	Tool        string          `json:"tool_name,omitempty"`
	Outcome     session.Outcome `json:"outcome,omitempty"`
	Source      session.Source  `json:"rationale_source,omitempty"`
	Agent       string          `json:"agent,omitempty"`
	Participant string          `json:"participant,omitempty"`
	Redacted    bool            `json:"redacted,omitempty"` // something of it was masked or withheld
	Inferred    bool            `json:"inferred,omitempty"`
	Field       string          `json:"field"` // that the snippet is from
	Snippet     []SnippetPart   `json:"snippet"`
}

// Facets are the names by which hits can be filtered. Only "redacted" has a value for
// every hit, and "participant" for every hit in an observed thread; the others are those of
// calls.
var Facets = []string{"tool", "outcome", "source", "agent", "participant", "redacted"}

// The values of the facet "redacted".
const (
	FacetYes = "true"
	FacetNo  = "false"
)

// facetValue returns the hit's value in the facet; "" means that it has none.
func (h SearchHit) facetValue(name string) string {
	switch name {
	case "tool":
		return h.Tool
	case "outcome":
		return string(h.Outcome)
	case "source":
		return string(h.Source)
	case "agent":
		return h.Agent
	case "participant":
		return h.Participant
	}
	if h.Redacted {
		return FacetYes
	}
	return FacetNo
}

// Query says what to search for. The zero value finds everything but shows no hit.
type Query struct {
	Words []string            // all of which a hit must contain, in any case
	Want  map[string][]string // accepted values by facet; a facet without values accepts any
	Limit int                 // of the hits returned; all are counted
}

// Document is a turn or a job to be searched. Exactly one of Turn and Job is set.
type Document struct {
	At     time.Time // when it began
	Turn   *session.Turn
	Origin session.Origin // of the turn's thread
	Job    *session.Job
	Events []session.Event // the job's
}

// searchBudget is how much text one search reads, in bytes.
const searchBudget = 64 << 20

// Run searches documents in their order until its budget of text is used up, so the order
// decides which are left out; Truncated then says that some were. Within a turn, the hit
// for its own texts comes before those for its calls.
func (q Query) Run(documents iter.Seq[Document]) SearchResponse {
	return q.run(documents, searchBudget)
}

func (q Query) run(documents iter.Seq[Document], budget int) SearchResponse {
	f := finder{Query: q, marks: compile(q.Words), budget: budget, counts: map[string]map[string]int{}}
	for _, w := range q.Words {
		f.lower = append(f.lower, strings.ToLower(w))
	}
	f.out = SearchResponse{Hits: []SearchHit{}, Facets: map[string][]FacetItem{}}
	for d := range documents {
		if f.budget <= 0 {
			f.out.Truncated = true
			break
		}
		if d.Turn != nil {
			f.searchTurn(*d.Turn, d.Origin.Participant.String())
		} else {
			f.searchJob(*d.Job, d.Events)
		}
	}
	for _, name := range Facets {
		f.out.Facets[name] = facetItems(f.counts[name])
	}
	return f.out
}

// finder is the state of one search.
type finder struct {
	Query
	lower  []string         // the words in lower case
	marks  []*regexp.Regexp // finds the words in snippets
	budget int              // bytes of text that may still be read
	out    SearchResponse
	counts map[string]map[string]int // hits by facet and value
}

// field is one text of a possible hit.
type field struct{ name, text string }

// searchTurn considers a turn, whose thread has the turns of a participant if there is one.
func (f *finder) searchTurn(t session.Turn, participant string) {
	place := SearchHit{ThreadID: t.Thread, TurnNumber: t.Number, Participant: participant}
	hit := place
	hit.At, hit.Redacted = t.CreatedAt, redacted(t.Findings)
	texts := []field{{"user_input", t.Input.String()}}
	for _, s := range t.Steps {
		texts = append(texts, field{"narrative", s.Narrative.String()})
	}
	texts = append(texts, field{"response", t.Response.String()}, field{"error", t.Error.String()})
	f.consider(hit, append(texts, observedTexts(t)...))
	for c := range t.Calls() {
		f.searchCall(place, c)
	}
}

func (f *finder) searchCall(hit SearchHit, c session.Call) {
	hit.CallID, hit.At, hit.Tool, hit.Outcome = c.ID, c.StartedAt, c.Tool.String(), c.Outcome
	hit.Source, hit.Agent, hit.Redacted = c.Rationale.Source, c.Agent, redacted(c.Findings)
	hit.Inferred = c.ReasonInferred || c.ResultInferred
	f.consider(hit, []field{
		{"decision", c.Decision()}, {"rationale", c.Rationale.Text.String()}, {"tool_name", c.Tool.String()},
		{"parameters", jsonText(c.Params)},
		{"result", jsonText(c.Result)}, {"error", c.Error.String()}, {"to", c.To.String()},
		{"approval_value", c.Approval.Said()},
	})
}

// jsonText returns JSON as the text that is searched, "" for null.
func jsonText(j safety.JSON) string {
	if j.Null() {
		return ""
	}
	return string(j.Raw())
}

// searchJob considers the job itself, each of its messages and narratives, and
// each of its calls as possible hits.
func (f *finder) searchJob(j session.Job, events []session.Event) {
	f.consider(SearchHit{JobID: j.ID, At: j.CreatedAt, Redacted: redacted(j.Findings)}, []field{
		{"title", j.Title.String()}, {"prompt", j.Prompt.String()}, {"message", j.Message.String()},
		{"error", j.Failure.String()},
	})
	for _, e := range events {
		hit := SearchHit{JobID: j.ID, At: e.At}
		switch b := e.Body.(type) {
		case session.JobMessage:
			hit.Redacted = redacted(b.Findings)
			f.consider(hit, []field{{"message", b.Text.String()}})
		case session.JobReasoned:
			hit.Redacted = redacted(b.Findings)
			f.consider(hit, []field{{"narrative", b.Narrative.String()}})
		}
	}
	for _, t := range session.JobTurns(events) {
		for c := range t.Calls() {
			if c.StartedAt.IsZero() {
				c.StartedAt = t.CreatedAt
			}
			f.searchCall(SearchHit{JobID: j.ID}, c)
		}
	}
}

// consider counts the hit, and adds it to the answer, if its texts hold every word.
// A hit that all facets accept counts in each of them. One that a single facet
// rejects counts there only, as what that facet could show instead. One that two
// reject counts nowhere.
func (f *finder) consider(hit SearchHit, texts []field) {
	texts = slices.DeleteFunc(texts, func(t field) bool { return t.text == "" })
	rejecting := ""
	for _, name := range Facets {
		if want := f.Want[name]; len(want) > 0 && !slices.Contains(want, hit.facetValue(name)) {
			if rejecting != "" {
				return
			}
			rejecting = name
		}
	}
	at, ok := f.match(texts)
	if !ok {
		return
	}
	for _, name := range Facets {
		if v := hit.facetValue(name); v != "" && (rejecting == "" || rejecting == name) {
			if f.counts[name] == nil {
				f.counts[name] = map[string]int{}
			}
			f.counts[name][v]++
		}
	}
	if rejecting != "" {
		return
	}
	if f.out.Total++; len(f.out.Hits) < f.Limit {
		hit.Field, hit.Snippet = texts[at].name, snippet(texts[at].text, f.marks)
		f.out.Hits = append(f.out.Hits, hit)
	}
}

// match reports whether each word occurs in one of the texts, and in which text the
// first word does.
func (f *finder) match(texts []field) (first int, ok bool) {
	f.budget-- // so that a search over empty documents ends, too
	lower := make([]string, len(texts))
	for i, t := range texts {
		lower[i] = strings.ToLower(t.text)
		f.budget -= len(t.text)
	}
	for i, w := range f.lower {
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

// maxFacetItems bounds the values listed for one facet.
const maxFacetItems = 50

// facetItems lists a facet's values, most frequent first, then in the order of
// their text.
func facetItems(counts map[string]int) []FacetItem {
	all := []FacetItem{}
	for value, n := range counts {
		all = append(all, FacetItem{value, n})
	}
	slices.SortFunc(all, func(a, b FacetItem) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Value, b.Value))
	})
	return all[:min(len(all), maxFacetItems)]
}
