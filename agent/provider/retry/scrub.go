package retry

import (
	"strings"
	"unicode/utf8"
)

const (
	maxText  = 2000 // of a provider's message, in bytes
	maxPiece = 8    // of a key, in bytes, that may be part of a text by chance
	keyMark  = "[key]"
)

// scrub removes the key from a text: the whole key, and every piece of it that is longer
// than chance explains, since a server may cut or escape what it repeats. The result
// is valid UTF-8 and at most maxText bytes long, plus an ellipsis if it was cut.
func scrub(text, key string) string {
	// Cut it roughly before the search, whose cost grows with the text.
	text = strings.ToValidUTF8(text[:min(len(text), 4*maxText)], "\uFFFD")
	if key != "" {
		text = strings.ReplaceAll(text, key, keyMark)
		text = withoutPieces(text, key)
	}
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// withoutPieces replaces every part of text that consists of pieces of the key, each
// longer than maxPiece, by one keyMark.
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
