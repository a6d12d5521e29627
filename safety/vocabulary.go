package safety

import "strings"

// vocabulary is a set of lower-case words with what each means, looked up in any
// case. It is asked about nearly every word beside a name, so it hashes five
// bytes of a word and not all of it.
type vocabulary struct {
	slots  [1024]entry
	shapes [256]uint32 // the lengths that words have, by their first letter
}

type entry struct {
	word string
	hash uint32
	kind wordKind
}

// longestWord is the longest word a vocabulary may hold.
const longestWord = 24

func newVocabulary(words map[string]wordKind) *vocabulary {
	v := &vocabulary{}
	for word, kind := range words {
		h := wordHash(word)
		at := h >> 22
		for v.slots[at].word != "" {
			at = (at + 1) % uint32(len(v.slots))
		}
		v.slots[at] = entry{word, h, kind}
		v.shapes[word[0]] |= 1 << len(word)
	}
	return v
}

// wordHash is the same for a word in any case.
func wordHash(word string) uint32 {
	n := len(word)
	x := uint32(word[0]) | uint32(word[n/2])<<8 | uint32(word[n-1])<<16 | uint32(word[n/4])<<24
	return (x|0x20202020)*hashMul ^ (uint32(word[n*3/4]|0x20)<<8|uint32(n))*0x85ebca6b
}

// kind is what a word means, 0 if it is not known.
func (v *vocabulary) kind(word string) wordKind {
	if len(word) == 0 || len(word) > longestWord || v.shapes[lower(word[0])]>>len(word)&1 == 0 {
		return 0
	}
	h := wordHash(word)
	for at := h >> 22; v.slots[at].word != ""; at = (at + 1) % uint32(len(v.slots)) {
		if e := &v.slots[at]; e.hash == h && equalFold(word, e.word) {
			return e.kind
		}
	}
	return 0
}

func (v *vocabulary) has(word string) bool { return v.kind(word) != 0 }

// set is a vocabulary whose words all mean the same.
func set(words string) *vocabulary {
	all := map[string]wordKind{}
	for _, word := range strings.Fields(words) {
		all[word] = 1
	}
	return newVocabulary(all)
}
