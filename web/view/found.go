package view

import (
	"cmp"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"candor/session"
	"candor/session/brief"
)

// What a search answers with. The texts of a hit come in pieces, of which some are marked as matches, so that
// neither the page nor a terminal has to look for the words again, by rules that could differ from those here.
// A hit has enough of its call to be read without opening it: what was called, on what, why, and what came of it.

// SearchResponse is the answer to a search: the hits, the best match first and of equals the
// newest, and how many hits each facet has. Every hit has at least two thirds of the words that the best one
// has, apart from words that say little. Looked are the words that a text has, Near those that stand for others in
// the hits.
type SearchResponse struct {
	Hits      []SearchHit            `json:"hits"`
	Total     int                    `json:"total"` // of all hits, also of those beyond the limit
	Looked    []string               `json:"looked_for,omitempty"`
	Near      []string               `json:"near,omitempty"`
	Partial   bool                   `json:"partial,omitempty"` // no hit has all of the words
	Searched  Searched               `json:"searched"`
	Facets    map[string][]FacetItem `json:"facets"`
	Truncated bool                   `json:"truncated,omitempty"` // more was found than was counted and compared
	Behind    bool                   `json:"behind,omitempty"`    // the index is being made; older turns come
}

// Searched counts what a search read, whatever it found: calls, texts that are no call's, and the
// threads and jobs that they are in.
type Searched struct {
	Decisions int `json:"decisions"`
	Texts     int `json:"texts"`
	Places    int `json:"places"`
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

	// Title is that of the thread or the job. The others are those of a call: what it was about, why,
	// and what came of it, and whether a word of the query is there only as a near match.
	Title  string        `json:"title,omitempty"`
	Step   int           `json:"step,omitempty"`
	Name   []SnippetPart `json:"tool,omitempty"`
	Object []SnippetPart `json:"object,omitempty"`
	Reason []SnippetPart `json:"rationale,omitempty"`
	Line   brief.Line    `json:"outcome_line,omitzero"`
	IsNear bool          `json:"near,omitempty"`

	// These are values of facets. The answer does not repeat them with every hit, because clients have
	// them with the call.
	approval session.Answer
	rated    session.Rating
	duration string
	tokens   string
}

// Document is a turn or a job to be searched.
type Document = session.Document

// SnippetPart is a piece of text. Match marks a word of the query.
type SnippetPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// compile returns expressions that find the terms in any case, in time linear in the text.
func compile(terms []term) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, t := range terms {
		word := regexp.QuoteMeta(t.word)
		if isWord(t.word) && len(t.word) < minStem {
			word = `\b` + word
		}
		for _, near := range t.others {
			word += `|\b` + regexp.QuoteMeta(near) + `\b`
		}
		if t.stem != "" {
			word += `|\b` + regexp.QuoteMeta(t.stem) + `\pL*`
		}
		if re, err := regexp.Compile("(?i)" + word); err == nil {
			out = append(out, re)
		}
	}
	return out
}

// The length of a snippet in bytes: before its first match, and in total.
const (
	snippetLead = 60
	snippetSize = 240
)

// snippet returns the part of text around the first match, with all
// matches marked. Where matches overlap, the first and then the longest wins.
func snippet(text string, words []*regexp.Regexp) []SnippetPart {
	start := 0
	for _, w := range words {
		if at := w.FindStringIndex(text); at != nil {
			start = wholeRune(text, max(0, at[0]-snippetLead))
			break
		}
	}
	end := wholeRune(text, min(len(text), start+snippetSize))
	shown := text[start:end]
	var parts []SnippetPart
	add := func(s string, match bool) {
		if s != "" {
			parts = append(parts, SnippetPart{s, match})
		}
	}
	if start > 0 {
		add("…", false)
	}
	done := 0
	for _, m := range matches(shown, words) {
		if m[0] < done {
			continue
		}
		add(shown[done:m[0]], false)
		add(shown[m[0]:m[1]], true)
		done = m[1]
	}
	add(shown[done:], false)
	if end < len(text) {
		add("…", false)
	}
	return parts
}

// wholeRune moves an index back to the start of its character.
func wholeRune(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// matches returns the positions of words in text, by start, the longer first.
func matches(text string, words []*regexp.Regexp) [][]int {
	var all [][]int
	for _, w := range words {
		all = append(all, w.FindAllStringIndex(text, -1)...)
	}
	slices.SortFunc(all, func(a, b []int) int { return cmp.Or(a[0]-b[0], b[1]-a[1]) })
	return all
}
