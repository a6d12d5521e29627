package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// admits reports whether a value may follow what was read so far: nothing says that it is
// something else, and it looks generated, all the more behind words that are not glue.
func (w *walk) admits(c *candidate) bool {
	c.chars = lex.CountChars(c.text)
	switch {
	case isOtherKind(c.text), w.isBeside(), w.line && !w.isAnnounced(c):
		return false
	case namesPassword(c.name) && isChosenPassword(c.text):
		return true
	case w.glued && isDigest(c.text):
		return !isSnakeName(c.name)
	}
	return (w.glued || len(c.text) >= 16 && !isCompoundName(c.text, c.chars)) && isWordless(c)
}

// isBeside reports whether a value is right behind its name, where more has to be proven.
func (w *walk) isBeside() bool {
	return w.words == 0 && !w.signs && w.from == w.at && w.s[w.from-1] == ' '
}

// isAnnounced reports whether the line of the name announces a value that fills a line below.
func (w *walk) isAnnounced(c *candidate) bool { return w.opens && w.glued && endsLine(c.s, c.value.To) }

// isOtherKind reports whether a text with a digit is code, an address, a host, a setting or
// an identifier.
func isOtherKind(text string) bool {
	return strings.ContainsAny(text, "()[]{} ") || isURL(text) || isEmail(text) || isHost(text) || isSetting(text) ||
		isTypedID(text)
}

// isWordless reports whether a value has no words in it, and digits in several places or
// letters of both cases in any order.
func isWordless(c *candidate) bool {
	words, _, _ := lex.WordsIn(c.text)
	return words == 0 && (hasScatteredDigits(c.text, c.chars) ||
		lex.LooksGeneratedInBothCases(c.text) && lex.Interleaved(c.text, 5))
}

// isSnakeName reports whether a name is one of code, in small letters with an underscore.
func isSnakeName(name string) bool {
	return strings.IndexByte(name, '_') > 0 && lex.CountChars(name).Lower > 0
}

// isTypedID reports whether a text is an identifier that begins with its type, as in
// msg_… or call-…. Tokens that begin so have rules of their own.
func isTypedID(text string) bool {
	k := 0
	for k < len(text) && k < 10 && text[k]-'a' < 26 {
		k++
	}
	return k >= 2 && k+12 <= len(text) && (text[k] == '_' || text[k] == '-')
}

// isSetting reports whether a text is a name and its value: DEBUG=1.
func isSetting(text string) bool {
	k := lex.WordChars.Run(text, 0, maxName)
	return k > 0 && k+1 < len(text) && (text[k] == '=' && text[len(text)-1] != '=' || text[k] == ':')
}

// endsLine reports whether nothing but signs and blanks follows i on its line.
func endsLine(s string, i int) bool {
	for n := 0; n < 8 && i < len(s) && strings.IndexByte("\"'`*_|. \t)>", s[i]) >= 0; n++ {
		i++
	}
	return i == len(s) || s[i] == '\n' || s[i] == '\r'
}
