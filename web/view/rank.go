package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
)

// weights say how much a match in a field counts. What a call did and on what counts most, then why,
// then what was said about it. Fields without a weight count one.
var weights = map[string]int{
	"tool_name": 14, "object": 12, "decision": 12, "rationale": 8, "approval_value": 6, "feedback": 6,
	"edited_parameters": 6, "outcome_line": 5, "error": 5, "parameters": 5, "title": 4, "to": 3, "prompt": 3,
	"user_input": 2, "narrative": 2, "thought": 2, "conclusion": 2, "message": 2, "response": 1, "result": 2,
	// A result counts little although it belongs to a call: it is long, and has most words by chance.
}

// rank says how well a hit answers the query. Words is how many of its words the hit has; between hits with
// equally many, points decide.
type rank struct {
	// words is how many words of the query the hit has, but for weak ones; points is how well it has them.
	words, points int
	at            int      // the text in which the best match is
	near          []string // words that stand for some of the query
	isNear        bool     // a word of the query is there only as a near match
}

// rankOf returns the rank of texts for the terms; around are those terms that the texts around a
// call have, which count little and only beside a match of the call's own. ok is false if no
// term matches.
func (f *finder) rankOf(texts []field, around []bool) (r rank, ok bool) {
	if len(f.terms) == 0 {
		return r, len(texts) > 0
	}
	lower, best := lowered(texts), 0
	// A call that has only what is around it is no better hit than any other call of its turn.
	own := false
	for i, t := range f.terms {
		points, at, near := t.best(texts, lower)
		f.terms[i].seen = t.seen || points > 0 && near == ""
		own = own || points > 0 && !t.weak
		if points == 0 && around != nil && around[i] {
			points, at = 1, -1
		}
		if points == 0 {
			continue
		}
		if !t.weak {
			r.words++
		}
		r.points += points
		if near != "" {
			r.near, r.isNear = append(r.near, near), true
		}
		if points > best && at >= 0 {
			best, r.at = points, at
		}
	}
	return r, own
}

// best returns the points of the term's matches in texts, which text its best match is in, and the word that stands
// for the term if that is only near. Its other matches count a quarter.
func (t term) best(texts []field, lower []string) (points, at int, near string) {
	sum := 0
	for i, text := range texts {
		q, as := t.in(lower[i])
		if q == missed && typoFields[text.name] {
			if as = t.typoIn(lower[i]); as != "" {
				q = mistyped
			}
		}
		p := int(q) * max(1, weights[text.name])
		sum += p
		if p > points {
			points, at, near = p, i, as
		}
	}
	return points + (sum-points)/4, at, near
}

// around says which terms the texts around a call have.
func (f *finder) around(s *surroundings) []bool {
	switch {
	case s == nil:
		return nil
	case s.has != nil:
		return s.has
	}
	s.has = make([]bool, len(f.terms))
	for _, text := range s.texts {
		lower := strings.ToLower(text)
		for i, t := range f.terms {
			q, _ := t.in(lower)
			s.has[i] = s.has[i] || q >= related
		}
	}
	return s.has
}

// rankedHit is a hit that may be shown. Order is the place in which it was found.
type rankedHit struct {
	SearchHit
	rank
	when  time.Time // of equals the later one comes first
	order int
	texts []field
}

// compareRanks sorts the better hit first, of equals the newest, and of those at one time the one that was found first.
func compareRanks(a, b rankedHit) int {
	return cmp.Or(b.words-a.words, b.points-a.points, b.when.Compare(a.when), a.order-b.order)
}

// began returns when the turn or job began that is searched.
func (f *finder) began() time.Time {
	if f.document.Turn != nil {
		return f.document.Turn.Began()
	}
	return f.document.Job.CreatedAt
}

// keep adds a hit to those that may be shown, unless so many better ones are known.
func (f *finder) keep(hit SearchHit, r rank, texts []field) {
	f.order++
	// Twice as many hits as may be shown are held and then cut in half, which costs less than to
	// keep them sorted.
	room := f.Offset + f.Limit
	next := rankedHit{SearchHit: hit, rank: r, when: f.began(), order: f.order}
	if len(f.terms) == 0 { // of decisions that nobody asked a question about each has its own time
		next.when = hit.At
	}
	if room == 0 || len(f.best) >= room && f.sorted && compareRanks(next, f.best[room-1]) > 0 {
		return
	}
	next.texts = texts
	f.best, f.sorted = append(f.best, next), false
	if len(f.best) >= 2*room {
		slices.SortFunc(f.best, compareRanks)
		clear(f.best[room:])
		f.best, f.sorted = f.best[:room], true
	}
}

// page returns the hits of the page that was asked for, of those with at least so many words.
func (f *finder) page(least int) []SearchHit {
	slices.SortFunc(f.best, compareRanks)
	hits := []SearchHit{}
	for _, h := range f.best[min(f.Offset, len(f.best)):] {
		if h.words >= least && len(hits) < f.Limit {
			h.show(h.texts, f.marks)
			hits = append(hits, h.SearchHit)
			f.near = append(f.near, h.rank.near...)
		}
	}
	return hits
}

// show fills in the texts of the hit, with the matches marked.
func (h *rankedHit) show(texts []field, marks []*regexp.Regexp) {
	best := texts[h.at]
	h.Field, h.Snippet = best.name, snippet(best.text, marks)
	for _, t := range texts {
		switch {
		case h.CallID == "":
		case t.name == "tool_name":
			h.Name = snippet(t.text, marks)
		case t.name == "object":
			h.Object = snippet(t.text, marks)
		case t.name == "rationale":
			h.Reason = snippet(t.text, marks)
		}
	}
}
