package offline

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxInput  = 16 << 10 // bytes of a message that are planned from
	maxTokens = 3000     // of a message; the rest is not read
	maxQuote  = 2 << 10  // bytes of a quoted string
)

// token is a word, a quoted string or a punctuation mark of the user's message.
type token struct {
	text       string // without quotes
	low        string // in lower case, with plain apostrophes
	quoted     bool
	mark       bool // punctuation
	start, end int  // where it is in the message, quotes included
}

var closing = map[rune]rune{'"': '"', '“': '”', '„': '“', '`': '`', '\'': '\'', '‘': '’', '«': '»'}

const (
	stops = ".,;:!?"
	wraps = "()[]{}<>"
)

// tokenize splits a message; joined, the tokens' positions cover its words.
func tokenize(s string) []token {
	var out []token
	for at := 0; at < len(s) && len(out) < maxTokens; {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case r == '\n':
			out = append(out, token{text: ";", low: ";", mark: true, start: at, end: at + size})
		case unicode.IsSpace(r):
		default:
			if t, ok := quotation(s, at, r, size); ok {
				out = append(out, t)
				at = t.end
				continue
			}
			end := wordEnd(s, at)
			out = append(out, split(s, at, end)...)
			at = end
			continue
		}
		at += size
	}
	return out
}

// quotation is the quoted string that starts at a position, if one does and is
// closed. An apostrophe closes only where a word ends.
func quotation(s string, at int, open rune, size int) (token, bool) {
	end, ok := closing[open]
	if !ok {
		return token{}, false
	}
	inside := s[at+size : min(len(s), at+size+maxQuote)]
	for from := 0; from < len(inside); {
		i := strings.IndexRune(inside[from:], end)
		if i < 0 {
			return token{}, false
		}
		i += from
		after := i + utf8.RuneLen(end)
		next, _ := utf8.DecodeRuneInString(inside[after:])
		if (end == '\'' || end == '’') && (unicode.IsLetter(next) || unicode.IsNumber(next)) {
			from = after
			continue
		}
		text := strings.TrimSpace(inside[:i])
		if text == "" || strings.Contains(text, "\n") {
			return token{}, false
		}
		return token{text: text, low: strings.ToLower(text), quoted: true, start: at, end: at + size + after}, true
	}
	return token{}, false
}

func wordEnd(s string, at int) int {
	for i, r := range s[at:] {
		// A typographic quote may stand without a blank before it.
		if unicode.IsSpace(r) || (i > 0 && (r == '"' || r == '“' || r == '”' || r == '`')) {
			return at + i
		}
		// So may the next word, but a number keeps its comma and a URL all it has.
		if i > 0 && (r == ',' || r == ';') && letterAt(s, at+i+1) && !strings.Contains(s[at:at+i], "://") {
			return at + i + 1
		}
	}
	return len(s)
}

func letterAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r)
}

// split takes the punctuation off the ends of a word.
func split(s string, at, end int) (out []token) {
	word := s[at:end]
	left := strings.TrimLeft(word, wraps+"\"'’”`,;!?")
	start := at + len(word) - len(left)
	bare := strings.TrimRight(left, wraps+stops+"\"'’”`…")
	if bare != "" {
		low := strings.ReplaceAll(strings.ToLower(bare), "’", "'")
		out = append(out, token{text: bare, low: low, start: start, end: start + len(bare)})
	}
	tail := start + len(bare)
	for i, r := range s[tail:end] {
		if strings.ContainsRune(stops, r) {
			out = append(out, token{text: string(r), low: string(r), mark: true, start: tail + i, end: tail + i + 1})
		}
	}
	return out
}

func (t token) is(words ...string) bool {
	if t.quoted {
		return false
	}
	for _, w := range words {
		if t.low == w {
			return true
		}
	}
	return false
}

// pathLike reports whether a token looks like a file's or a folder's path:
// it has a slash, or an extension as in go.mod.
func (t token) pathLike() bool {
	s := t.text
	if t.mark || strings.ContainsAny(s, " :=") || s == "and/or" || s == "/" || t.zoneLike() {
		return false
	}
	if strings.Contains(s, "/") {
		return true
	}
	return t.fileLike()
}

// fileLike reports whether a token ends in a file's extension, or is the kind of
// name that files without one have.
func (t token) fileLike() bool {
	s := t.text
	if t.mark || strings.ContainsAny(s, " :=") {
		return false
	}
	switch t.low {
	case "makefile", "dockerfile", "readme", "license", "changelog":
		return true
	}
	dot := strings.LastIndexByte(s, '.')
	ext := s[dot+1:]
	if dot < 0 || ext == "" || len(ext) > 8 || strings.HasPrefix(s, "http") {
		return false
	}
	letter := false
	for _, r := range ext {
		letter = letter || unicode.IsLetter(r)
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	return letter && t.low != "e.g" && t.low != "i.e"
}
