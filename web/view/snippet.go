package view

import (
	"cmp"
	"regexp"
	"slices"
	"unicode/utf8"
)

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
