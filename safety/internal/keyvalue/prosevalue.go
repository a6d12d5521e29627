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
	case isOtherKind(c.text), w.line && !w.isAnnounced(c):
		return false
	case namesPassword(c.name) && isChosenPassword(c.text):
		return w.isBeside() || w.glued || w.tied && !w.names
	case w.isBeside():
		return admitsBeside(c)
	}
	return w.admitsBehind(c)
}

// admitsBehind reports whether a value that words or signs separate from its name proves enough.
func (w *walk) admitsBehind(c *candidate) bool {
	switch {
	case isDigest(c.text):
		return w.leads() && (w.titles || !isSnakeName(c.name))
	case isGrouped(c.text), isPrefixed(c.text), isShortDigest(c) && !isOtherSubject(c):
		return w.leads() && !w.things && !w.clause && !isSnakeName(c.name)
	}
	return (w.glued || len(c.text) >= 16 && !isCompoundName(c.text, c.chars)) && isWordless(c)
}

// admitsBeside reports whether a value right behind its name proves enough.
func admitsBeside(c *candidate) bool {
	switch {
	case isDigest(c.text):
		return !isSnakeName(c.name)
	case isPartOfDigest(c.text, c.chars):
		return hasOwner(c)
	}
	return len(c.text) >= 12 && isWordless(c) && !isCompoundName(c.text, c.chars)
}

// isShortDigest reports whether a value behind the name of a credential is a digest of at least
// 20 digits.
func isShortDigest(c *candidate) bool { return c.kind == Secret && isPartOfDigest(c.text, c.chars) }

// hasOwner reports whether a name, or the word before it, says whose credential it is: the
// Pusher secret.
func hasOwner(c *candidate) bool {
	if word, rest := LastWord(c.name); rest != "" && len(word) < len(c.name) {
		return true
	}
	left := strings.LastIndex(c.s[:c.value.From], c.name)
	owner := ownerBefore(c.s, left)
	return len(owner) > 2 && c.s[left-1] == ' ' && !backGlue.Has(owner) && !glue.Has(owner)
}

// leads reports whether the words so far lead to a value of the name and of nothing else, even
// if it looks like the many digests that are no secrets.
func (w *walk) leads() bool { return w.glued || w.tied && !w.clause && !w.names }

// isBeside reports whether a value is right behind its name, where more has to be proven.
func (w *walk) isBeside() bool {
	return w.words == 0 && !w.signs && w.from == w.at && w.s[w.from-1] == ' '
}

// isAnnounced reports whether the line of the name announces a value that fills a line below.
func (w *walk) isAnnounced(c *candidate) bool {
	return (w.opens || w.titles) && endsLine(c.s, c.value.To) && (w.glued || isWordless(c) || isDigest(c.text))
}

// isOtherKind reports whether a text with a digit is code, an address, a host, a setting or
// an identifier.
func isOtherKind(text string) bool {
	return strings.ContainsAny(text, "()[]{} ") || isURL(text) || isEmail(text) || isHost(text) || isSetting(text) ||
		isTypedID(text) || isVersionRef(text)
}

// isVersionRef reports whether a text is a path and what of it, behind an @: actions/checkout@….
func isVersionRef(text string) bool {
	at := strings.LastIndexByte(text, '@')
	return at > 0 && strings.IndexByte(text[:at], '/') > 0 && lex.Pronounceable(text[:strings.IndexByte(text, '/')])
}

// isWordless reports whether a value has no words in it, and digits in several places or
// letters of both cases in any order.
func isWordless(c *candidate) bool {
	words, _, _ := lex.WordsIn(c.text)
	return words == 0 && (hasScatteredDigits(c.text, c.chars) || isOneCase(c) && c.chars.Digit >= 2 ||
		lex.LooksGeneratedInBothCases(c.text) && lex.Interleaved(c.text, 5)) || isPair(c.text)
}

// isOneCase reports whether a value is at least 16 letters of one case and digits, without signs.
func isOneCase(c *candidate) bool {
	return len(c.text) >= 16 && c.chars.Other == 0 && !c.chars.Hex && (c.chars.Lower == 0 || c.chars.Upper == 0)
}

// isSnakeName reports whether a name is one of code, in small letters with an underscore.
func isSnakeName(name string) bool {
	return strings.IndexByte(name, '_') > 0 && lex.CountChars(name).Lower > 0
}

// isTypedID reports whether a text is an identifier that begins with its type, as in
// msg_… or call-…. Tokens that begin so have rules of their own.
func isTypedID(text string) bool {
	k := prefixEnd(text)
	return k >= 2 && k+12 <= len(text) && (idTypes.Has(text[:k]) || !isPrefixed(text))
}

// isPrefixed reports whether a value is a prefix of small letters that names no type of
// identifiers, and something generated behind it: acme_…, live-….
func isPrefixed(text string) bool {
	k := prefixEnd(text)
	if k < 2 || k+17 > len(text) || idTypes.Has(text[:k]) {
		return false
	}
	rest := text[k+1:]
	return isDigest(rest) || lex.LooksGeneratedInBothCases(rest) && lex.Interleaved(rest, 5) &&
		lex.Alnum.Run(rest, 0, len(rest)) == len(rest)
}

// prefixEnd returns the end of the small letters that text begins with if an underscore or a
// hyphen follows them, else 0.
func prefixEnd(text string) int {
	k := 0
	for k < len(text) && k < 10 && text[k]-'a' < 26 {
		k++
	}
	if k == len(text) || text[k] != '_' && text[k] != '-' {
		return 0
	}
	return k
}

// idTypes begin identifiers that are no secrets.
var idTypes = lex.WordSet("msg call toolu req request run thread file cus sub pi ch evt event user usr org proj asst " +
	"chatcmpl session sess job task acct price prod in inv pm src card txn tr ba seti si cs prd il step item cache " +
	"img image node pod app svc build deploy dpl commit sha trace span id uid uuid team conv chat resp batch vs vol " +
	"snap subnet vpc sg ami eni rtb igw nat arn pvc " +
	"key token secret cursor page order ticket doc db tbl row col wf exec")

// isSetting reports whether a text is a name and its value: DEBUG=1.
func isSetting(text string) bool {
	k := lex.WordChars.Run(text, 0, maxName)
	return k > 0 && k+1 < len(text) && !isPair(text) && (text[k] == '=' && text[len(text)-1] != '=' || text[k] == ':')
}

// endsLine reports whether nothing but signs and blanks follows i on its line.
func endsLine(s string, i int) bool {
	for n := 0; n < 8 && i < len(s) && strings.IndexByte("\"'`*_|. \t)>", s[i]) >= 0; n++ {
		i++
	}
	return i == len(s) || s[i] == '\n' || s[i] == '\r'
}
