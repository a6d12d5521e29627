package view

import (
	"iter"
	"regexp"
	"slices"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// searchBudget is how much text one search compares, in bytes.
const searchBudget = 64 << 20

// Run searches documents in their order until its budget of text is used up, so the order
// decides which are left out; Truncated then says that some were. Of equal hits those of the newest turn or job come
// first, and within a turn the hit for its own texts before those for its calls. Without words it is simply the
// newest first.
func (q Query) Run(documents iter.Seq[Document]) SearchResponse {
	return q.run(documents, searchBudget)
}

func (q Query) run(documents iter.Seq[Document], budget int) SearchResponse {
	f := finder{Query: q, terms: termsOf(q.Words), budget: budget, counts: map[int]facetCounts{}}
	f.marks = compile(f.terms)
	f.out, f.places = SearchResponse{Facets: map[string][]FacetItem{}}, map[string]bool{}
	for d := range documents {
		if f.budget <= 0 {
			f.out.Truncated = true
			break
		}
		f.document = d
		hitsOf(d, f.consider)
	}
	return f.answer()
}

// answer returns the hits with the most words, those that lack up to a third of these, and the facets of both. If
// facets are chosen, the most is that of the hits that they accept, unless they accept none.
func (f *finder) answer() SearchResponse {
	words, any := 0, 0
	for n, c := range f.counts {
		any = max(any, n)
		if c.total > 0 {
			words = max(words, n)
		}
	}
	if f.counts[words].total == 0 {
		words = any
	}
	least := words - words/3
	shown := f.countsFrom(least)
	f.out.Hits, f.out.Total = f.page(least), shown.total
	f.out.Partial = f.out.Total > 0 && words < strong(f.terms)
	for _, t := range f.terms {
		if t.seen { // in cleaned text; what else was typed may be a secret and is not repeated
			f.out.Looked = append(f.out.Looked, t.word)
		}
	}
	slices.Sort(f.near)
	f.out.Near = slices.Compact(f.near)
	for _, name := range Facets {
		f.out.Facets[name] = facetItems(shown.facets[name])
	}
	return f.out
}

// countsFrom returns the counts of hits with at least so many words.
func (f *finder) countsFrom(least int) facetCounts {
	all := facetCounts{facets: map[string]map[string]int{}}
	for words, c := range f.counts {
		if words < least {
			continue
		}
		all.total += c.total
		for name, values := range c.facets {
			if all.facets[name] == nil {
				all.facets[name] = map[string]int{}
			}
			for value, n := range values {
				all.facets[name][value] += n
			}
		}
	}
	return all
}

// finder is the state of one search.
type finder struct {
	Query
	terms  []term
	marks  []*regexp.Regexp // finds the terms in snippets
	budget int              // bytes of text that may still be read
	out    SearchResponse
	counts map[int]facetCounts // of hits, by how many words they have
	best   []rankedHit         // that may be shown
	sorted bool                // best is sorted, and as long as may be shown

	document Document        // that is searched
	order    int             // hits so far
	near     []string        // words that stand for those of the query in the hits shown
	places   map[string]bool // the threads and jobs that were read
}

// facetCounts counts hits in all, and by facet and value.
type facetCounts struct {
	total  int
	facets map[string]map[string]int
}

// field is one text of a possible hit.
type field struct{ name, text string }

// surroundings are the texts around the calls of a step, and which terms they have, once that was asked.
type surroundings struct {
	texts []string
	has   []bool
}

// hitsOf passes on each possible hit of a document, with its texts and, of a call of a turn, those around it.
func hitsOf(d Document, yield func(SearchHit, []field, *surroundings)) {
	if d.Turn == nil {
		hitsOfJob(*d.Job, d.Events, yield)
		return
	}
	t := *d.Turn
	place := SearchHit{ThreadID: t.Thread, TurnNumber: t.Number, Participant: d.Origin.Participant.String(),
		Title: truncate(d.Title.String(), maxTitle), tokens: tokensOf(t.Usage)}
	hit := place
	hit.At, hit.Redacted = t.Began(), redacted(t.Findings)
	texts := []field{{"user_input", t.Input.String()}}
	for _, s := range t.Steps {
		texts = append(texts, field{"narrative", s.Narrative.String()}, field{"thought", s.Thought.String()})
		if s.Stop != "" {
			texts = append(texts, field{"stop", s.Stop.Words()})
		}
	}
	texts = append(texts, field{"response", t.Response.String()}, field{"error", t.Error.String()})
	yield(hit, append(texts, observedTexts(t)...), nil)
	for _, s := range t.Steps {
		around := &surroundings{texts: []string{
			t.Input.String(), s.Narrative.String(), s.Thought.String(), t.Response.String(),
		}}
		for _, c := range s.Calls {
			hit, texts := hitOf(place, c)
			yield(hit, texts, around)
		}
	}
}

// hitOf returns a call as a possible hit, with its texts.
func hitOf(hit SearchHit, c session.Call) (SearchHit, []field) {
	hit.CallID, hit.At, hit.Tool, hit.Outcome, hit.Step = c.ID, c.StartedAt, c.Tool.String(), c.Outcome, c.Step
	hit.Source, hit.Agent, hit.Redacted = c.Rationale.Source, c.Agent, redacted(c.Findings)
	hit.Inferred, hit.duration = c.ReasonInferred || c.ResultInferred, durationOf(c)
	hit.Line = brief.Outcome(c)
	if c.Approval != nil {
		hit.approval = c.Approval.Answer
	}
	hit.rated = c.Feedback.Verdict()
	// The fallback sentence is ours. Nobody asks for it, and it would match every question about tools.
	why := c.Rationale.Text.String()
	if c.Rationale.Source == session.FromFallback {
		why = ""
	}
	// How the call ended is looked for by its name, too, so that "what failed" finds errors.
	ended := hit.Line.String()
	if c.Outcome != session.Success && c.Outcome != session.Pending {
		ended = string(c.Outcome) + ": " + ended
	}
	return hit, []field{
		{"decision", c.Decision()}, {"rationale", why}, {"tool_name", c.Tool.String()},
		{"object", brief.Object(c.Arguments()).String()}, {"parameters", jsonText(c.Params)},
		{"edited_parameters", editedText(c)},
		{"result", jsonText(c.Result)}, {"error", c.Error.String()}, {"to", c.To.String()},
		{"approval_value", c.Approval.Said()}, {"outcome_line", ended}, {"feedback", c.Feedback.Why()},
	}
}

// jsonText returns JSON as the text that is searched, "" for null.
func jsonText(j safety.JSON) string {
	if j.Null() {
		return ""
	}
	return string(j.Raw())
}

// hitsOfJob passes on the job itself, each of its messages and narratives, and each of its calls.
func hitsOfJob(j session.Job, events []session.Event, yield func(SearchHit, []field, *surroundings)) {
	title := truncate(j.Title.String(), maxTitle)
	yield(SearchHit{JobID: j.ID, Title: title, At: j.CreatedAt, Redacted: redacted(j.Findings)}, []field{
		{"title", j.Title.String()}, {"prompt", j.Prompt.String()}, {"message", j.Message.String()},
		{"error", j.Failure.String()},
	}, nil)
	for _, e := range events {
		hit := SearchHit{JobID: j.ID, Title: title, At: e.At}
		switch b := e.Body.(type) {
		case session.JobMessage:
			hit.Redacted = redacted(b.Findings)
			yield(hit, []field{{"message", b.Text.String()}}, nil)
		case session.JobReasoned:
			hit.Redacted = redacted(b.Findings)
			yield(hit, []field{{"narrative", b.Narrative.String()}, {"thought", b.Thought.String()}}, nil)
		}
	}
	for _, t := range session.JobTurns(events) {
		for c := range t.Calls() {
			if c.StartedAt.IsZero() {
				c.StartedAt = t.CreatedAt
			}
			hit, texts := hitOf(SearchHit{JobID: j.ID, Title: title}, c)
			yield(hit, texts, nil)
		}
	}
}

// consider counts the hit, and keeps it for the answer, if its texts have words of the query.
// A hit that all facets accept counts in each of them. One that a single facet
// rejects counts there only, as what that facet could show instead. One that two
// reject counts nowhere.
func (f *finder) consider(hit SearchHit, texts []field, around *surroundings) {
	texts = slices.DeleteFunc(texts, func(t field) bool { return t.text == "" })
	f.read(hit, len(texts) > 0)
	rejecting := ""
	for _, name := range Facets {
		if want := f.Want[name]; len(want) > 0 && !slices.Contains(want, hit.facetValue(name)) {
			if rejecting != "" {
				return
			}
			rejecting = name
		}
	}
	f.budget-- // so that a search over empty documents ends, too
	for _, t := range texts {
		f.budget -= len(t.text)
	}
	r, ok := f.rankOf(texts, f.around(around))
	if !ok {
		return
	}
	f.count(hit, r.words, rejecting)
	if rejecting == "" {
		hit.IsNear = r.isNear
		f.keep(hit, r, texts)
	}
}

// read counts a possible hit among what was searched, if it has texts, and the place that it is in.
func (f *finder) read(hit SearchHit, hasTexts bool) {
	if f.document.Counted {
		return
	}
	f.places[hit.ThreadID+hit.JobID] = true
	f.out.Searched.Places = len(f.places)
	switch {
	case hit.CallID != "":
		f.out.Searched.Decisions++
	case hasTexts:
		f.out.Searched.Texts++
	}
}

// count counts a hit in its facets, or in the one that rejects it.
func (f *finder) count(hit SearchHit, words int, rejecting string) {
	c, ok := f.counts[words]
	if !ok {
		c.facets = map[string]map[string]int{}
	}
	for _, name := range Facets {
		if v := hit.facetValue(name); v != "" && (rejecting == "" || rejecting == name) {
			if c.facets[name] == nil {
				c.facets[name] = map[string]int{}
			}
			c.facets[name][v]++
		}
	}
	if rejecting == "" {
		c.total++
	}
	f.counts[words] = c
}
