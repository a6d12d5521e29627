package lex

import (
	"strings"
)

// WordKind is a set of flags that say what a word means to the package that defines
// the vocabulary. Zero means that the word is unknown.
type WordKind uint8

// NewVocabulary returns a vocabulary of the words listed for each kind, separated by
// spaces and in lower case. A word listed several times has all of those kinds. It
// panics if a word is longer than LongestWord.
func NewVocabulary(words map[WordKind]string) *Vocabulary {
	all := map[string]WordKind{}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			all[word] |= kind
		}
	}
	return buildVocabulary(all)
}

// WordBreak reports whether a word starts at i in the camelCase name that ends at end.
// A capital starts a word if the byte before it is none, or if it is the last of a run
// of capitals with more of the name after it: APIKey is API and Key. i is at least 1.
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

// Vocabulary maps words to their kinds, ignoring ASCII case. It is an open-addressing
// hash table built for speed, since nearly every word beside a name is looked up: a
// word is compared as two numbers, never byte by byte, and no look-up allocates.
type Vocabulary struct {
	slots   [1024]entry
	lengths [256]uint32 // by first letter: bit n is set if a word of length n begins so
}

// entry is a word in its slot: its two numbers from wordEnds, its length, which is 0
// in an empty slot, and its kinds.
type entry struct {
	head, tail uint64
	size       int
	kind       WordKind
}

// LongestWord is the greatest length of a word in a vocabulary. The first and the last
// eight bytes of such a word are all of it.
const LongestWord = 16

// buildVocabulary returns a vocabulary with the words and kinds of the map.
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
		v.lengths[word[0]] |= 1 << len(word)
	}
	return v
}

// wordEnds returns the first and the last eight bytes of word, which may overlap, with
// bit 0x20 of each set to fold case. For a word of four to seven bytes it returns the
// first and the last four, for a shorter one all of its bytes. The ends and the length
// together identify a word of up to LongestWord bytes.
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

// wordSlot returns the index of the slot where the search for a word starts.
func wordSlot(head, tail uint64) uint64 {
	return (head ^ tail<<7) * 0x9e3779b97f4a7c15 >> 54
}

// Kind returns the kinds of word, ignoring case, or 0 if it is not in the vocabulary.
func (v *Vocabulary) Kind(word string) WordKind {
	if len(word) == 0 || len(word) > LongestWord || v.lengths[ToLower(word[0])]>>len(word)&1 == 0 {
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

// Has reports whether word is in the vocabulary, ignoring case.
func (v *Vocabulary) Has(word string) bool { return v.Kind(word) != 0 }

// WordSet returns a vocabulary of the words listed in words, separated by spaces and in
// lower case. All of them have the same kind, 1. It panics if a word is longer than
// LongestWord.
func WordSet(words string) *Vocabulary {
	all := map[string]WordKind{}
	for _, word := range strings.Fields(words) {
		all[word] = 1
	}
	return buildVocabulary(all)
}

// PairSet is a set of pairs of letters, used to reject most words by their first or
// last two. Each letter is represented by its low five bits, which makes the set
// ignore case; a few other bytes look like a letter.
type PairSet [32]uint32

// LeadingPairs returns the set of the first two letters of words, which spaces
// separate. A word of one letter is paired with the space or tab that follows it.
func LeadingPairs(words string) (h PairSet) {
	for _, w := range strings.Fields(words) {
		h[w[0]&31] |= 1 << ((w + " ")[1] & 31)
		if len(w) == 1 {
			h[w[0]&31] |= 1 << ('\t' & 31)
		}
	}
	return h
}

// May reports whether the pair a, b may be in the set. It never returns false for a
// pair that is.
func (h *PairSet) May(a, b byte) bool { return h[a&31]>>(b&31)&1 != 0 }
