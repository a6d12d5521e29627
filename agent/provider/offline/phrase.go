package offline

import (
	"slices"
	"strings"
)

// found is what a clause holds for arguments: where, what, and the rest. used
// marks the words that are spoken for.
type found struct {
	clause
	used []bool
}

func newFound(c clause) *found { return &found{clause: c, used: make([]bool, len(c.words))} }

func (f *found) free(i int) bool { return i >= 0 && i < len(f.words) && !f.used[i] }

func (f *found) take(i int) string {
	f.used[i] = true
	return f.words[i].text
}

// where finds paths: what stands before a folder noun or after a preposition,
// and what looks like a path. Only a preposition or a noun tells a place from
// what is looked for, so with strict nothing else counts.
func (f *found) where(strict bool) []string {
	for i, w := range f.words {
		if w.quoted && f.marked(i) {
			return []string{f.take(i)}
		}
		if !w.pathLike() || strict && !f.marked(i) {
			continue
		}
		out := []string{f.take(i)}
		for j := i + 1; !strict && j < len(f.words); j++ {
			switch {
			case f.words[j].pathLike():
				out = append(out, f.take(j))
			case !f.words[j].is(",", "and", "&", "the", "file"):
				return out
			}
		}
		return out
	}
	for i := range f.words {
		if p, ok := f.besideNoun(i); ok {
			return []string{p}
		}
	}
	for i := range f.words {
		if p, ok := f.afterPreposition(i); ok {
			return []string{p}
		}
	}
	return nil
}

// marked reports whether a preposition or a noun says that a word is a place.
func (f *found) marked(i int) bool {
	for j := i - 1; j >= 0; j-- {
		w := f.words[j]
		switch {
		case w.is("in", "under", "inside", "within", "from", "through", "across", "of"), folderNouns[w.low], fileNouns[w.low]:
			return true
		case !articles[w.low]:
			return i+1 < len(f.words) && folderNouns[f.words[i+1].low]
		}
	}
	return i+1 < len(f.words) && folderNouns[f.words[i+1].low]
}

// besideNoun is X of “the X folder” and “folder X”.
func (f *found) besideNoun(i int) (string, bool) {
	w := f.words[i]
	if w.quoted || !folderNouns[w.low] && !fileNouns[w.low] {
		return "", false
	}
	for _, j := range []int{i + 1, i - 1} {
		if f.free(j) && f.nameable(j) && (j < i || folderNouns[w.low] || fileNouns[w.low]) {
			f.used[i] = true
			return f.take(j), true
		}
	}
	return "", false
}

// nameable reports whether a word can be a name: no empty word, no verb, and
// nothing general such as workspace.
func (f *found) nameable(j int) bool {
	w := f.words[j]
	return w.quoted || !w.mark && !empty[w.low] && !places[w.low] && !fileWords[w.low] && !prepositions[w.low] &&
		j != head(f.words) && !w.is("named", "called", "root", "top-level", "whole", "entire", "contain", "contains", "says")
}

// afterPreposition is X of “in the X” where X ends the phrase.
func (f *found) afterPreposition(i int) (string, bool) {
	if !f.words[i].is("in", "under", "inside", "within", "from", "through", "across", "of") {
		return "", false
	}
	j := i + 1
	for j < len(f.words) && (articles[f.words[j].low] || folderNouns[f.words[j].low] || fileNouns[f.words[j].low]) {
		j++
	}
	if !f.free(j) || !f.nameable(j) {
		return "", false
	}
	ends := j+1 == len(f.words) || f.words[j+1].mark || empty[f.words[j+1].low] || fileWords[f.words[j+1].low]
	if !ends {
		return "", false
	}
	f.used[i] = true
	return f.take(j), true
}

// only is the one word left that can be a name, for “read LICENSE”.
func (f *found) only() []string {
	at := -1
	for i := head(f.words) + 1; i < len(f.words); i++ {
		switch {
		case !f.free(i) || !f.nameable(i):
		case at >= 0:
			return nil
		default:
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	return []string{f.take(at)}
}

// quotes are the quoted strings that nothing has used yet.
func (f *found) quotes() (out []string) {
	for i, w := range f.words {
		if w.quoted && f.free(i) {
			out = append(out, f.take(i))
		}
	}
	return out
}

// what finds what is looked for or talked about: quoted, announced by a noun as
// in “the word X”, or else the words that carry the clause.
func (f *found) what() []string {
	if q := f.quotes(); len(q) > 0 {
		return q
	}
	for i, w := range f.words {
		if !w.quoted && valueNouns[w.low] {
			if v := f.announced(i); len(v) > 0 {
				return v
			}
		}
	}
	for i, w := range f.words {
		if w.is("about", "regarding", "concerning", "for", "mentions", "mention") {
			if v := f.run(i + 1); v != "" {
				return []string{v}
			}
		}
	}
	for i := head(f.words); i < len(f.words); i++ {
		if v := f.run(i); v != "" {
			return []string{v}
		}
	}
	return nil
}

// announced are the values after a noun: one word, or several joined by and.
func (f *found) announced(i int) (out []string) {
	many, phrase := f.words[i].is("words", "terms"), f.words[i].is("phrase", "text", "string")
	for j := i + 1; j < len(f.words) && f.free(j); j++ {
		w := f.words[j]
		switch {
		case w.is(":"), many && w.is("and", ",", "or"):
			continue
		case w.mark, w.is("in", "is", "are"), !phrase && (prepositions[w.low] || articles[w.low]) && !w.quoted:
			return out
		}
		if out = append(out, f.take(j)); !many {
			if phrase {
				out[0] = strings.TrimSpace(out[0] + " " + f.rest(j+1))
			}
			return out
		}
	}
	return out
}

// rest is the text from a word on up to a preposition or a word in use.
func (f *found) rest(i int) string {
	end := i
	for end < len(f.words) && f.free(end) && !f.words[end].mark && !f.words[end].is("in", "inside", "within", "under") {
		f.used[end] = true
		end++
	}
	return f.span(i, end)
}

// run is the words from i on that belong together and carry meaning, without
// empty ones at the ends. It starts at i or after empty words.
func (f *found) run(i int) string {
	for i < len(f.words) && (!f.free(i) || !f.telling(i)) {
		if f.words[i].mark {
			return ""
		}
		i++
	}
	end, last := i, i
	for end < len(f.words) && f.free(end) && !f.words[end].mark &&
		!f.words[end].is("in", "inside", "within", "under", "is", "are", "was", "were") {
		if end++; f.telling(end - 1) {
			last = end
		}
	}
	for j := i; j < last; j++ {
		f.used[j] = true
	}
	return f.span(i, last)
}

// telling reports whether a word says what a clause is about rather than what to
// do with it.
func (f *found) telling(i int) bool {
	w := f.words[i]
	if w.quoted {
		return true
	}
	return !w.mark && !empty[w.low] && !fileWords[w.low] && !valueNouns[w.low] && !questions[w.low] &&
		!w.is("workspace", "memory", "notes", "note", "remember", "recall", "remembered", "told") && !f.instructs(i)
}

// instructs reports whether a word is the clause's own verb.
func (f *found) instructs(i int) bool {
	concepts := asVerb[stem(f.words[i].low)]
	return len(concepts) > 0 && (i <= head(f.words) || concepts[cFind])
}

func (f *found) span(from, to int) string {
	if from >= to || to > len(f.words) {
		return ""
	}
	start := f.words[0].start
	return f.clause.text[f.words[from].start-start : f.words[to-1].end-start]
}

// fact is the text that is to be kept or sent: all after “that” or a colon, or
// after the verb.
func (f *found) fact() string {
	at := f.tells(head(f.words))
	if at < 0 {
		at = min(head(f.words)+1, len(f.words))
	}
	for at < len(f.words) && (f.words[at].is(":", ",", "that", "to", "down", "the", "following", "this", "a", "note", "in", "mind", "about", "memory") && !f.keepsArticle(at)) {
		at++
	}
	if at >= len(f.words) {
		return ""
	}
	for i := range f.used[at:] {
		f.used[at+i] = true
	}
	if at == len(f.words)-1 {
		return f.words[at].text
	}
	return f.span(at, len(f.words))
}

// keepsArticle reports whether an article belongs to the fact: “the deploy”, not
// “the following”.
func (f *found) keepsArticle(at int) bool {
	return f.words[at].is("the", "a", "this") && !slices.ContainsFunc(f.words[at+1:min(at+2, len(f.words))],
		func(w token) bool { return w.is("following", "note", ":") })
}
