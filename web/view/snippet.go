package view

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// SnippetPart is a piece of text. Match marks a word of the query.
type SnippetPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match,omitempty"`
}

// compile returns expressions that find words in any case, in time linear in the text.
func compile(words []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, w := range words {
		if re, err := regexp.Compile("(?i)" + regexp.QuoteMeta(w)); err == nil {
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

// snippet returns the part of text around the first match of the first word, with all
// matches marked. Where matches overlap, the first and then the longest wins.
func snippet(text string, words []*regexp.Regexp) []SnippetPart {
	start := 0
	if len(words) > 0 {
		if at := words[0].FindStringIndex(text); at != nil && at[0] > snippetLead {
			start = wholeRune(text, at[0]-snippetLead)
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

// SplitQuery splits what a user typed into the words of a [Query]. Words in double
// quotes stay together, with single spaces between them.
func SplitQuery(q string) []string {
	var words []string
	for i, part := range strings.Split(q, `"`) {
		fields := strings.Fields(part)
		if quoted := i%2 == 1; quoted && len(fields) > 0 {
			fields = []string{strings.Join(fields, " ")}
		}
		words = append(words, fields...)
	}
	return words
}
