package inert

import (
	"strings"

	"candor/safety/internal/lex"
)

// checkBeside returns why the text around a hidden part gives it a meaning, or nil.
func checkBeside(s string, h lex.Span) error {
	if h.From > 0 && !mayPrecede(s, h) {
		return ErrBeside
	}
	if h.To < len(s) {
		switch s[h.To] {
		case '(', '{', '[':
			return ErrBeside // a call, a function, an index
		case '=':
			if rest := strings.TrimLeft(s[h.To:], "="); rest != "" && isWord(rest[0]) {
				return ErrBeside // the name of a variable
			}
		case ':':
			if strings.HasPrefix(s[h.To:], "://") {
				return ErrBeside
			}
		}
	}
	return checkAddress(s, h)
}

// mayPrecede reports whether the character in front of a hidden part leaves it data. What
// closes a tag of XML does if another tag follows, as in <password>…</password>.
func mayPrecede(s string, h lex.Span) bool {
	switch c := s[h.From-1]; c {
	case ' ', '\t', '\n', '"', '\'', '=', ':', '/', '(', ',', '[', ';', '-', '.', '+', '~':
		return true
	case '>':
		open := strings.LastIndexByte(s[:h.From], '<')
		return open >= 0 && isTag(s[open+1:h.From-1]) && strings.HasPrefix(s[h.To:], "</")
	default:
		return isWord(c)
	}
}

// isTag reports whether s is the name of a tag.
func isTag(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) && s[i] != '-' && s[i] != ':' && s[i] != '.' {
			return false
		}
	}
	return s != ""
}

// checkAddress returns ErrAddress if a hidden part is in the host of an address, or in front
// of it with a sign that may end the host's place. A part of the user's name or password is
// followed by an @.
func checkAddress(s string, h lex.Span) error {
	start := strings.LastIndexAny(s[:h.From], " \t\n\"'`<>(),;|&") + 1
	slashes := strings.LastIndex(s[start:h.From], "//")
	if slashes < 0 || strings.ContainsAny(s[start+slashes+2:h.From], "/?#\\") {
		return nil
	}
	rest := s[h.To:]
	if end := strings.IndexAny(rest, "/?#\\ \t\n\"'`<>(),;|&"); end >= 0 {
		rest = rest[:end]
	}
	if !strings.Contains(rest, "@") || strings.ContainsAny(s[h.From:h.To], "/=") {
		return ErrAddress
	}
	return nil
}
