package inert

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxLayers is how many encodings around a text are undone.
const maxLayers = 3

// minText is the length from which a decoded value counts as text, in bytes. What is shorter
// is text by chance too often.
const minText = 6

// hidesText reports whether h, or a part of it between points or colons, is the encoding of
// a text that is not inert.
func hidesText(h string, layers int) bool {
	if layers == 0 {
		return true
	}
	for part := range strings.FieldsFuncSeq(h, func(r rune) bool { return r == '.' || r == ':' }) {
		for _, text := range decodings(part) {
			if isText(text) && !isPlain(text, layers-1) {
				return true
			}
		}
	}
	return false
}

// decodings returns what part decodes to, in each of the encodings it may have.
func decodings(part string) []string {
	bare := strings.TrimRight(part, "=")
	var all []string
	add := func(b []byte, err error) {
		if err == nil && len(b) >= minText {
			all = append(all, string(b))
		}
	}
	add(base64.RawStdEncoding.DecodeString(bare))
	add(base64.RawURLEncoding.DecodeString(bare))
	add(base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(bare)))
	add(hex.DecodeString(bare))
	return all
}

// isText reports whether a decoded value is something to read, not random bytes.
func isText(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7f {
			return false
		}
	}
	return true
}

// isPlain reports whether a decoded text does nothing wherever it goes: one word, such as
// user:password, or JSON without a sign of a shell, such as the parts of a JWT.
func isPlain(s string, layers int) bool {
	single := true
	for i := range len(s) {
		single = single && (signs[s[i]] || s[i] == '@')
	}
	if single {
		return !hidesText(s, layers)
	}
	return s[0] == '{' && json.Valid([]byte(s)) && !strings.ContainsAny(s, "`$;|&<>()\\'#!*\n\r")
}
