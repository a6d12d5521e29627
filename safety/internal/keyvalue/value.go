package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// The longest values that are read, in bytes. The rest of a longer one stays.
const (
	maxQuoted   = 512
	maxUnquoted = 256
)

// Value is the part of a text that follows an operator, s[From:To], without quotes.
type Value struct {
	From, To int
	Quoted   bool
	Cut      bool // quoted, and the closing quote is missing
}

// ReadValue reads the value that starts at i: between quotes, with spaces and escapes
// in it, or without quotes up to the first byte that cannot belong to it. It never
// ends inside a rune.
func ReadValue(s string, i int) Value {
	if i < len(s) && s[i] == '\\' && i+1 < len(s) && lex.IsQuote(s[i+1]) {
		return escapedQuoted(s, i+2, s[i+1])
	}
	if i < len(s) && lex.IsQuote(s[i]) {
		return quotedValue(s, i+1, s[i])
	}
	return Value{From: i, To: lex.RuneStart(s, bareEnd(s, i))}
}

// quotedValue reads up to the closing quote q. Without one it reads to the end of the
// line: half a password must not stay because the other half is cut.
func quotedValue(s string, i int, q byte) Value {
	end := min(len(s), i+maxQuoted)
	for j := i; j < end; j++ {
		switch s[j] {
		case q:
			return Value{From: i, To: j, Quoted: true}
		case '\\':
			j++
		case '\n':
			return Value{From: i, To: j, Quoted: true, Cut: true}
		}
	}
	return Value{From: i, To: lex.RuneStart(s, end), Quoted: true, Cut: true}
}

// escapedQuoted reads a quoted value inside a JSON string, \"…\", up to \q.
func escapedQuoted(s string, i int, q byte) Value {
	end := min(len(s), i+maxQuoted)
	for j := i; j < end && s[j] != '\n'; j++ {
		if s[j] == '\\' && j+1 < end {
			if s[j+1] == q {
				return Value{From: i, To: j, Quoted: true}
			}
			j++
		}
	}
	return Value{From: i, To: lex.RuneStart(s, bareEnd(s, i)), Quoted: true, Cut: true}
}

// BareStops are the bytes that end a value without quotes.
var BareStops = lex.NewClass(" \t\n\r\"'`,;<>)]}|\\")

// bareChars are the bytes that always belong to a value without quotes. The & is not
// among them, since it may start the next parameter of a query; nor are the first bytes
// of characters of three bytes or more, such as CJK, which end a value as a space does.
var bareChars = func() (c lex.Class) {
	for b := range 0xe0 {
		c[b] = !BareStops[b] && b != '&'
	}
	return c
}()

// bareEnd returns where a value without quotes ends that starts at i. Letters of
// European scripts may appear in a password; CJK characters and the & of a query end
// it. A full stop, a colon or a question mark at the end belongs to the sentence.
func bareEnd(s string, i int) int {
	end := min(len(s), i+maxUnquoted)
	j := i
	for j < end && (bareChars[s[j]] || s[j] == '&' && !nextParam(s, j+1)) {
		j++
	}
	for j > i && strings.IndexByte(".:?", s[j-1]) >= 0 {
		j--
	}
	return j
}

// nextParam reports whether name= is at i, as in a query, or name;, as in an
// HTML entity.
func nextParam(s string, i int) bool {
	j := lex.WordChars.Run(s, i, 40)
	return j > i && j < len(s) && (s[j] == '=' || s[j] == ';')
}

// skipOpening returns where the value at i starts if its quote follows a bracket,
// ("…"), or the letters that say how to read it, r"…", or if it is a block of YAML. It
// returns i for every other value.
func skipOpening(s string, i int) int {
	if i >= len(s) {
		return i
	}
	switch b := s[i]; {
	case b == '[' && strings.HasPrefix(s[i:], "[]byte("):
		return i + len("[]byte(")
	case b == '(' || b == '[':
		return skipBracket(s, i)
	case b >= 0xc2:
		return skipQuotation(s, i)
	case b == '|' || b == '>':
		return skipBlockSign(s, i)
	case lex.IsLetter(b) || b == '$' || b == '@':
		return skipPrefix(s, i)
	}
	return i
}

// skipBracket returns where a quoted value starts in the bracket at i, else i.
func skipBracket(s string, i int) int {
	if j := lex.SkipBlank(s, i+1, 2); j < len(s) && lex.IsQuote(s[j]) && s[j] != '`' {
		return j
	}
	return i
}

// skipQuotation returns the position behind an opening quotation mark that is not ASCII at i,
// else i.
func skipQuotation(s string, i int) int {
	for _, mark := range [...]string{"\u300c", "\u300e", "\u3010", "\u201c", "\u201e", "\u2018", "\u00ab"} {
		if strings.HasPrefix(s[i:], mark) {
			return lex.SkipBlank(s, i+len(mark), 1)
		}
	}
	return i
}

// skipBlockSign returns where the block of YAML starts that |, |-, >+ or the like at
// i announces, else i.
func skipBlockSign(s string, i int) int {
	j := i + 1
	for j < len(s) && (s[j] == '-' || s[j] == '+') {
		j++
	}
	if j < len(s) && s[j] == '\n' {
		return lex.SkipSpace(s, j, 24)
	}
	return i
}

// skipPrefix returns the index of a quote that follows one or two letters at i, as in
// r"…" or rb'…', or follows $ or @ as in C#; else i.
func skipPrefix(s string, i int) int {
	j := i + 1
	if j < len(s) && lex.IsLetter(s[j]) {
		j++
	}
	if j < len(s) && lex.IsQuote(s[j]) && s[j] != '`' {
		return j
	}
	return i
}
