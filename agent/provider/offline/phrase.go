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
	head int // see head
}

func newFound(c clause) *found {
	return &found{clause: c, used: make([]bool, len(c.words)), head: head(c.words)}
}

func (f *found) free(i int) bool { return i >= 0 && i < len(f.words) && !f.used[i] }

func (f *found) take(i int) string {
	f.used[i] = true
	return f.words[i].text
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
	values := f.quotes()
	for i, w := range f.words {
		if !w.quoted && valueNouns[w.low] && f.free(i) {
			values = append(values, f.announced(i)...)
		}
	}
	if len(values) > 0 {
		return values
	}
	for i, w := range f.words {
		if w.is("about", "regarding", "concerning", "for", "mentions", "mention") {
			if v := f.run(i + 1); v != "" {
				return []string{v}
			}
		}
	}
	for i := f.head; i < len(f.words); i++ {
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
		case w.mark, w.is("in", "is", "are"), fileWords[w.low], !phrase && (prepositions[w.low] || articles[w.low]) && !w.quoted:
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
		!vague[w.low] && !f.instructs(i)
}

// instructs reports whether a word is the clause's own verb.
func (f *found) instructs(i int) bool {
	concepts := asVerb[stem(f.words[i].low)]
	return len(concepts) > 0 && (i <= f.head || concepts[cFind])
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
	at := f.tells(f.head)
	if at < 0 {
		at = f.announcement()
	}
	for at < len(f.words) && (f.words[at].is(":", ",", "that", "to", "down", "the", "following", "this", "a", "note", "in", "mind", "about", "of", "memory") && !f.keepsArticle(at)) {
		at++
	}
	if at >= len(f.words) {
		return ""
	}
	for i := range f.used[at:] {
		f.used[at+i] = true
	}
	end := f.factEnd(at)
	if at == end-1 {
		if f.words[at].is("it", "this", "that", "them") {
			return ""
		}
		return f.words[at].text
	}
	return f.span(at, end)
}

// factEnd leaves out where to keep a fact: “to memory”, “in your notes”.
func (f *found) factEnd(at int) int {
	end := len(f.words) - 1
	if end <= at || !f.words[end].is("memory", "notes") {
		return len(f.words)
	}
	for end > at && f.words[end-1].is("my", "your", "the") {
		end--
	}
	if end > at+1 && f.words[end-1].is("to", "in", "into") {
		return end - 1
	}
	return len(f.words)
}

// announcement is where the text starts in “send a mail to Ann: …”; without a
// sign of it, after the verb.
func (f *found) announcement() int {
	after := min(f.head+1, len(f.words))
	for i := after; i < len(f.words); i++ {
		if f.words[i].is(":", "that", "saying") {
			return i + 1
		}
	}
	return after
}

// keepsArticle reports whether an article belongs to the fact: “the deploy”, not
// “the following”.
func (f *found) keepsArticle(at int) bool {
	return f.words[at].is("the", "a", "this") && !slices.ContainsFunc(f.words[at+1:min(at+2, len(f.words))],
		func(w token) bool { return w.is("following", "note", ":") })
}
