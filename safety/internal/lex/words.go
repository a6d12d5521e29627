package lex

import (
	"strings"
)

// WordKind is what a word does in a name; a word may do several things.
type WordKind uint8

// NewVocabulary are the senses of words in names, several where a word has several.
func NewVocabulary(words map[WordKind]string) *Vocabulary {
	all := map[string]WordKind{}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			all[word] |= kind
		}
	}
	return buildVocabulary(all)
}

// WordBreak reports whether a word starts at i of a camelCase name. A run of
// capitals is one word, its last letter belongs to the next: APIKey.
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

// Vocabulary is a set of lower-case words with what each means, looked up in any
// case. It is asked about nearly every word beside a name, so a word is two
// numbers: no byte of it is looked at alone.
type Vocabulary struct {
	slots  [1024]entry
	shapes [256]uint32 // the lengths that words have, by their first letter
}

type entry struct {
	head, tail uint64
	size       int // 0 where nothing stands
	kind       WordKind
}

// LongestWord is the longest word a vocabulary may hold: its ends of eight bytes
// are all of it.
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

// wordEnds are the first eight bytes of a word and the last, which may be in
// both, the same in any case; of a shorter word the first four and the last four,
// or as many as it has.
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

// Kind is what a word means, 0 if it is not known.
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

// WordSet is a vocabulary whose words all mean the same.
func WordSet(words string) *Vocabulary {
	all := map[string]WordKind{}
	for _, word := range strings.Fields(words) {
		all[word] = 1
	}
	return buildVocabulary(all)
}

// PairSet tell by two letters the words that may begin with them.
type PairSet [32]uint32

// LeadingPairs are the heads of words that spaces separate.
func LeadingPairs(words string) (h PairSet) {
	for _, w := range strings.Fields(words) {
		h[w[0]&31] |= 1 << ((w + " ")[1] & 31)
		if len(w) == 1 {
			h[w[0]&31] |= 1 << ('\t' & 31)
		}
	}
	return h
}

// May reports whether a word may begin with a and b, in any case.
func (h *PairSet) May(a, b byte) bool { return h[a&31]>>(b&31)&1 != 0 }
