package view

import (
	"encoding/hex"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"candor/session/journal"
)

// strongWeight is the least weight of the fields that tell what was done and why.
const strongWeight = 8

// The bounds of what an index has of a document. What is beyond them is found by other words of the document.
const (
	maxIndexedText  = 64 << 10 // bytes of a field
	maxIndexedWord  = 64       // bytes of a word
	maxIndexedWords = 8 << 10  // different words of a document
)

// Describe returns what an index has of a document: the words in which a search looks for those of a query.
func Describe(d Document) journal.IndexDoc {
	doc := journal.IndexDoc{}
	if d.Turn != nil {
		doc.Place, doc.Number = d.Turn.Thread, d.Turn.Number
	} else {
		doc.Place = d.Job.ID
	}
	chief, weak, facets := map[string]bool{}, map[string]bool{}, map[string]bool{}
	hitsOf(d, func(hit SearchHit, texts []field, _ *surroundings) {
		has := false
		for _, t := range texts {
			has = has || t.text != ""
			words := weak
			if weights[t.name] >= strongWeight {
				words = chief
			}
			for w := range wordsIn(t.text[:wholeRune(t.text, min(len(t.text), maxIndexedText))]) {
				if len(chief)+len(weak) < maxIndexedWords {
					words[w] = true
				}
			}
		}
		for _, name := range Facets {
			if v := hit.facetValue(name); v != "" {
				facets[facetWord(name, v)] = true
			}
		}
		switch {
		case hit.CallID != "":
			doc.Decisions++
		case has:
			doc.Texts++
		}
	})
	for w := range chief {
		delete(weak, w)
	}
	doc.Strong, doc.Weak, doc.Facets = sortedKeys(chief), sortedKeys(weak), sortedKeys(facets)
	return doc
}

// sortedKeys returns the words of a set in order.
func sortedKeys(set map[string]bool) (words []string) {
	for w := range set {
		words = append(words, w)
	}
	slices.Sort(words)
	return words
}

// wordsIn yields the words of a text in lower case, cut to what an index has of a word.
func wordsIn(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !isLetter(r) }) {
			if !yield(w[:wholeRune(w, min(len(w), maxIndexedWord))]) {
				return
			}
		}
	}
}

// facetWord returns the word that stands for a value of a facet in an index.
func facetWord(name, value string) string {
	h := fnv.New64a()
	h.Write([]byte(name + "\x00" + value))
	return "f" + hex.EncodeToString(h.Sum(nil))
}

// IndexQueries returns what to ask an index for: what the query accepts, and for each facet that it filters by, what it
// accepts apart from that facet, since the answer counts those as well.
func (q Query) IndexQueries() []journal.IndexQuery {
	var terms []journal.IndexTerm
	for _, t := range termsOf(q.Words) {
		if wanted := t.indexed(); !t.weak && len(wanted.Any) > 0 {
			terms = append(terms, wanted)
		}
	}
	queries := []journal.IndexQuery{{Terms: terms, Facets: q.facetGroups("")}}
	for _, name := range Facets {
		if len(q.Want[name]) > 0 {
			queries = append(queries, journal.IndexQuery{Terms: terms, Facets: q.facetGroups(name)})
		}
	}
	return queries
}

// facetGroups returns the accepted values of all facets but one.
func (q Query) facetGroups(but string) (all [][]string) {
	for _, name := range Facets {
		if name == but || len(q.Want[name]) == 0 {
			continue
		}
		var group []string
		for _, v := range q.Want[name] {
			group = append(group, facetWord(name, v))
		}
		all = append(all, group)
	}
	return all
}

// indexed returns the term for an index. It may find more than the term itself does, which is compared afterwards.
func (t term) indexed() journal.IndexTerm {
	var out journal.IndexTerm
	add := func(word, end string) {
		words := slices.Collect(wordsIn(word))
		if len(words) > 0 {
			words[len(words)-1] += end
			out.Any = append(out.Any, words)
		}
	}
	add(t.word, "*")
	if t.stem != "" {
		add(t.stem, "*")
	}
	for _, s := range t.others {
		if len(s) >= minStem {
			add(s, "*")
		} else {
			add(s, "")
		}
	}
	// Of a name with several words the longest is the one to be recognised.
	longest := ""
	for w := range wordsIn(t.word) {
		if len(w) > len(longest) {
			longest = w
		}
	}
	allowed := t.typos()
	out.Near = func(word string) bool {
		if utf8.RuneCountInString(longest) >= minStem && strings.Contains(word, longest) {
			return true
		}
		d := len(word) - len(longest)
		return allowed > 0 && d >= -allowed && d <= allowed && word[0] == longest[0] &&
			Distance(longest, word) <= allowed
	}
	return out
}
