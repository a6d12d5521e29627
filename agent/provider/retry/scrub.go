package retry

import (
	"strings"
	"unicode/utf8"
)

const (
	maxWords = 2000 // of a provider's message, in bytes
	maxPiece = 8    // of a key, in bytes, that may stand in a text by chance
	keyMark  = "[key]"
)

// scrub takes the key out of a text: the whole, and every piece of it that is
// longer than chance explains, since a message may be cut or escaped.
func scrub(text, key string) string {
	// First roughly, to search no more than is shown.
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxWords)], "\uFFFD")
	if key != "" {
		text = strings.ReplaceAll(text, key, keyMark)
		text = withoutPieces(text, key)
	}
	if len(text) <= maxWords {
		return text
	}
	cut := maxWords
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

func withoutPieces(text, key string) string {
	hit := make([]bool, len(text))
	for i := 0; i+maxPiece < len(text); i++ {
		if !strings.Contains(key, text[i:i+maxPiece+1]) {
			continue
		}
		for j := range maxPiece + 1 {
			hit[i+j] = true
		}
	}
	var out strings.Builder
	for i := range len(text) {
		switch {
		case !hit[i]:
			out.WriteByte(text[i])
		case i == 0 || !hit[i-1]:
			out.WriteString(keyMark)
		}
	}
	return out.String()
}
