package inert

import (
	"strings"

	"candor/safety/internal/lex"
)

// maxHidden bounds a hidden part, in bytes. Keys and tokens are shorter; programs in
// disguise need not be.
const maxHidden = 4096

// signs holds the bytes a hidden part may consist of. Each sign is allowed in some places
// only; see checkSigns.
var signs = func() (t [256]bool) {
	for _, c := range []byte("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+/=.~:-") {
		t[c] = true
	}
	return t
}()

// IsInert reports whether a hidden part may contain the byte c.
func IsInert(c byte) bool { return signs[c] }

// inner are pairs of signs that have a meaning: a path to the folder above, a comment of SQL, a
// host, a hidden file.
var inner = []string{"..", "./", "/.", "--", "//", ":/", "::", "/~", ":~", "=~"}

// checkSigns returns why the hidden part h is not inert by itself, or nil. Its first
// character is a letter or digit, since a sign there would make it an option, a path, a home
// directory or a number that is added.
func checkSigns(h string) error {
	if len(h) > maxHidden {
		return ErrLong
	}
	for i := range len(h) {
		if !signs[h[i]] {
			return ErrSigns
		}
	}
	body := strings.TrimRight(h, "=") // padding
	if len(h)-len(body) > 2 || body == "" || strings.Contains(body, "=") || !isWord(body[0]) ||
		body[len(body)-1] == ':' {
		return ErrSigns
	}
	for _, pair := range inner {
		if strings.Contains(h, pair) {
			return ErrSigns
		}
	}
	if hidesText(h, maxLayers) {
		return ErrEncoded
	}
	return nil
}

// isWord reports whether c is a letter, a digit or an underscore.
func isWord(c byte) bool { return c == '_' || lex.IsLetter(c) || c-'0' < 10 }
