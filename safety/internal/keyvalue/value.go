package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

const (
	maxQuoted   = 512
	maxUnquoted = 256
)

// Value is what an assignment gives its name.
type Value struct {
	From, To int
	Quoted   bool
	Cut      bool // quoted, and the closing quote is missing
}

// ReadValue reads the value that starts at i: quoted, with spaces and escapes
// in it, or bare up to where its alphabet ends.
func ReadValue(s string, i int) Value {
	if i < len(s) && s[i] == '\\' && i+1 < len(s) && lex.IsQuote(s[i+1]) {
		return escapedQuoted(s, i+2, s[i+1])
	}
	if i < len(s) && lex.IsQuote(s[i]) {
		return quotedValue(s, i+1, s[i])
	}
	return Value{From: i, To: lex.RuneStart(s, bareEnd(s, i))}
}

// quotedValue ends at its closing quote. Without one on the line it goes to the
// end of the line: half a password must not stay because the other half is cut.
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

// escapedQuoted is a quoted value inside a JSON string: \"…\".
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

// bareChars always belong to an unquoted value: & may open the next parameter.
var bareChars = func() (c lex.Class) {
	for b := range 0xe0 {
		c[b] = !BareStops[b] && b != '&'
	}
	return c
}()

// bareEnd is the end of an unquoted value. Letters of European scripts may
// stand in a password; CJK and its punctuation end it, as does the & of a query.
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

// nextParam reports whether name= follows, as in a query string.
func nextParam(s string, i int) bool {
	j := lex.WordChars.Run(s, i, 40)
	return j > i && j < len(s) && (s[j] == '=' || s[j] == ';')
}
