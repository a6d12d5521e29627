package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"candor/session"
)

// Facets are the names by which hits can be filtered. Only "redacted" has a value for every hit,
// "participant" for every hit in an observed thread, and "tokens" for every hit in a turn whose tokens
// are known; the others are those of calls. "rated" is what the user thinks of a decision.
var Facets = []string{
	"tool", "outcome", "source", "agent", "participant", "redacted", "approval", "duration", "tokens", "rated",
}

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
	case "approval":
		return string(h.approval)
	case "duration":
		return h.duration
	case "tokens":
		return h.tokens
	case "rated":
		return string(h.rated)
	}
	if h.Redacted {
		return FacetYes
	}
	return FacetNo
}

// Query says what to search for. The zero value finds everything but shows no hit.
type Query struct {
	Words []string            // of which a hit has as many as any other, in any case
	Want  map[string][]string // accepted values by facet; a facet without values accepts any
	Limit int                 // of the hits returned; all are counted

	// Offset is how many of the best hits are left out, because an earlier page has them.
	Offset int
}

// The values of the facets "duration" and "tokens" are words that a page can show as they are. Their
// bounds are those at which people speak of a quick, a slow and a very slow call, or of a small and a
// large turn; they do not change with what was found, so that a link to a search keeps its meaning.

// durationOf returns how long a call took, as a value of the facet "duration"; "" if nobody knows.
func durationOf(c session.Call) string {
	switch {
	case c.Outcome == session.Pending || c.Untimed:
		return ""
	case c.Took < 100*time.Millisecond:
		return "under 0.1 s"
	case c.Took < time.Second:
		return "0.1 to 1 s"
	case c.Took < 10*time.Second:
		return "1 to 10 s"
	}
	return "over 10 s"
}

// tokensOf returns the tokens of a turn, as a value of the facet "tokens"; "" if nobody knows.
func tokensOf(u session.Usage) string {
	switch n := u.Input + u.Output; {
	case n == 0:
		return ""
	case n < 5000:
		return "under 5,000"
	case n <= 20_000:
		return "5,000 to 20,000"
	}
	return "over 20,000"
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
