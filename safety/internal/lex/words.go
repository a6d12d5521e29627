package lex

import (
	"strings"
)

// WordKind is a set of roles of a word, one bit each. Every package that has a
// vocabulary defines its own.
type WordKind uint8

// NewVocabulary returns a vocabulary from lists of words by role. A word in several lists has
// all their roles.
func NewVocabulary(words map[WordKind]string) *Vocabulary {
	all := map[string]WordKind{}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			all[word] |= kind
		}
	}
	return buildVocabulary(all)
}

// WordBreak reports whether a word starts at i of a camelCase name that ends at end, i
// above 0. A run of capitals is one word; its last letter belongs to the next, as in
// APIKey.
func WordBreak(name string, i, end int) bool {
	if i >= end {
		return false
	}
	here, prev := name[i], name[i-1]
	if IsUpper(here) && !IsUpper(prev) {
		return true
	}
	return IsUpper(here) && IsUpper(prev) && i+1 < end && !IsUpper(name[i+1])
}

// Vocabulary is a set of words with the roles of each, looked up in any case. The
// detector asks one about nearly every word beside a name, so it compares words as two
// numbers, never byte by byte. It is immutable.
type Vocabulary struct {
	slots  [1024]entry
	shapes [256]uint32 // the lengths that words have, by their first letter
}

type entry struct {
	head, tail uint64
	size       int // 0 where nothing stands
	kind       WordKind
}

// LongestWord is the length of the longest word that a vocabulary may hold: its first
// and its last eight bytes are all of it.
const LongestWord = 16

func buildVocabulary(words map[string]WordKind) *Vocabulary {
	v := &Vocabulary{}
	for word, kind := range words {
		if len(word) > LongestWord {
			panic(word + " is too long for a vocabulary")
		}
		head, tail := wordEnds(word)
		at := wordSlot(head, tail)
		for v.slots[at].size > 0 {
			at = (at + 1) % uint64(len(v.slots))
		}
		v.slots[at] = entry{head, tail, len(word), kind}
		v.shapes[word[0]] |= 1 << len(word)
	}
	return v
}

// wordEnds returns the first and the last eight bytes of a word, which may overlap,
// with the bit of the case set; of a word of less than eight bytes the first and the
// last four, and of one of less than four all its bytes.
func wordEnds(word string) (head, tail uint64) {
	const fold = 0x20 * Ones
	switch n := len(word); {
	case n >= 8:
		return Load8(word, 0) | fold, Load8(word, n-8) | fold
	case n >= 4:
		return uint64(Load4(word, 0)) | fold, uint64(Load4(word, n-4)) | fold
	default:
		return uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16 | fold, 0
	}
}

func wordSlot(head, tail uint64) uint64 {
	return (head ^ tail<<7) * 0x9e3779b97f4a7c15 >> 54
}

// Kind returns the roles of a word, whatever its case; 0 if it is not known.
func (v *Vocabulary) Kind(word string) WordKind {
	if len(word) == 0 || len(word) > LongestWord || v.shapes[ToLower(word[0])]>>len(word)&1 == 0 {
		return 0
	}
	head, tail := wordEnds(word)
	for at := wordSlot(head, tail); v.slots[at].size > 0; at = (at + 1) % uint64(len(v.slots)) {
		if e := &v.slots[at]; e.head == head && e.tail == tail && e.size == len(word) {
			return e.kind
		}
	}
	return 0
}

// Has reports whether word is in the vocabulary, in any case.
func (v *Vocabulary) Has(word string) bool { return v.Kind(word) != 0 }

// WordSet returns a vocabulary of the words that spaces separate, all with the same role.
func WordSet(words string) *Vocabulary {
	all := map[string]WordKind{}
	for _, word := range strings.Fields(words) {
		all[word] = 1
	}
	return buildVocabulary(all)
}

// PairSet is a set of the first two letters of words: a cheap test before a vocabulary.
type PairSet [32]uint32

// LeadingPairs returns the pairs that begin the words that spaces separate. After a word of one
// letter a space or a tab may stand.
func LeadingPairs(words string) (h PairSet) {
	for _, w := range strings.Fields(words) {
		h[w[0]&31] |= 1 << ((w + " ")[1] & 31)
		if len(w) == 1 {
			h[w[0]&31] |= 1 << ('\t' & 31)
		}
	}
	return h
}

// May reports whether one of the words may begin with a and b, in any case.
func (h *PairSet) May(a, b byte) bool { return h[a&31]>>(b&31)&1 != 0 }
