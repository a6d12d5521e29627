package keyvalue

import (
	"math/bits"
	"strings"

	"candor/safety/internal/lex"
)

// isPlausibleBeside judges a value right behind its name in a sentence, without a
// word between: log in with password …. It must look generated, or like a password
// with digits and signs.
func isPlausibleBeside(c *candidate) bool {
	if hasScatteredDigits(c.text, c.chars) || c.kind == keyed && isDigest(c.text) {
		return true
	}
	if c.kind == Secret && (isDigest(c.text) || c.value.Quoted && lex.Random(c.text)) {
		return true
	}
	if !namesPassword(c.name) || len(c.text) < 6 || c.chars.Digit == 0 {
		return false
	}
	return c.value.Quoted && keyChars.Run(c.text, 0, len(c.text)) == len(c.text) || isChosenPassword(c.text)
}

// isPlausibleFlagged judges a value that only a space, a bracket, an arrow or the bar
// of a table joins to its name: --token value. It must look generated.
func isPlausibleFlagged(c *candidate) bool {
	switch {
	case hasScatteredDigits(c.text, c.chars), c.kind != Weak && (isDigest(c.text) || isGrouped(c.text)):
		return true
	case c.kind == Secret && (isPartOfDigest(c.text, c.chars) || isPair(c.text)):
		return true
	case namesPassword(c.name) && isChosenPassword(c.text):
		return true
	case strings.ContainsAny(c.text, "/.:"):
		return false
	case lex.Random(c.text):
		return true
	}
	return c.kind == Secret && len(c.text) >= 8 && lex.HasDigit(c.text) && lex.MixedCase(c.text) && !isCodeName(c.text)
}

// isChosenPassword reports whether a value is a password as people make them up: at
// least eight bytes, two digits and a sign, or letters of both cases, a digit and a sign.
func isChosenPassword(text string) bool {
	if len(text) < 8 || !lex.HasDigit(text) {
		return false
	}
	chars := lex.CountChars(text)
	bothCases := chars.Upper > 0 && chars.Lower > 0
	if strings.ContainsAny(text, "!@#$%^&*+") {
		return chars.Digit > 1 || bothCases
	}
	if !bothCases || !strings.ContainsAny(text, "?=~_-") || isCompoundName(text, chars) {
		return false
	}
	words, _, _ := lex.WordsIn(text)
	return words == 0 && (chars.Digit > 1 || chars.Upper > 1)
}

// isGrouped reports whether a value is at least three groups of the same length, joined by
// hyphens, with letters and with digits in two groups or more: the key of a license, a code
// for recovery.
func isGrouped(text string) bool {
	size := strings.IndexByte(text, '-')
	if size < 4 || size > 8 || (len(text)+1)%(size+1) != 0 || len(text) < 3*size {
		return false
	}
	chars, numbered := lex.CountChars(text), 0
	for i := 0; i < len(text); i += size + 1 {
		if lex.Classes['a'].Run(text, i, size) != i+size || i+size < len(text) && text[i+size] != '-' {
			return false
		}
		if lex.HasDigit(text[i : i+size]) {
			numbered++
		}
	}
	return numbered >= 2 && chars.Lower+chars.Upper >= 2 && (chars.Lower == 0 || chars.Upper == 0)
}

// isDigest reports whether a value is at least 32 hex digits, with or without hyphens.
func isDigest(text string) bool {
	chars := lex.CountChars(text)
	return chars.Hex && len(text) >= 32 && chars.Digit > 0 && chars.Distinct >= 8
}

// isPartOfDigest reports whether a value is at least 20 hex digits in one case, some of them
// letters. The chars are those of text.
func isPartOfDigest(text string, chars lex.CharStats) bool {
	return chars.Hex && len(text) >= 20 && chars.Digit >= 4 && chars.Lower+chars.Upper >= 4 && chars.Distinct >= 8 &&
		chars.Other == 0
}

// isPair reports whether a value is two generated parts with a full stop or a colon between
// them, as the tokens of kubeadm and of some services are: an identifier and a secret.
func isPair(text string) bool {
	i := strings.IndexAny(text, ".:")
	if i < 6 || len(text)-i < 16 || !lex.HasDigit(text[i:]) {
		return false
	}
	if i == 6 && len(text) == 23 && lex.Classes['l'].Run(text, i+1, 16) == 23 && digitGroups(text) > 2 {
		return true // kubeadm's, whose parts are too short to tell from words
	}
	for _, part := range [...]string{text[:i], text[i+1:]} {
		if words, _, _ := lex.WordsIn(part); words > 0 || lex.WordChars.Run(part, 0, len(part)) < len(part) {
			return false
		}
	}
	chars := lex.CountChars(text[i+1:])
	return digitGroups(text[i+1:]) > 1 && chars.Distinct >= 8 || lex.LooksGeneratedInBothCases(text[i+1:])
}

// isLabelledDigest reports whether a value is a digest behind a label that says what
// it is of, as in a cache key: linux-x64-npm-3f2a….
func isLabelledDigest(text string) bool {
	i := strings.LastIndexAny(text, "-_/:.=")
	return i > 0 && len(text)-i > 32 && isDigest(text[i+1:])
}

// hasScatteredDigits reports whether digits appear in several places among the letters
// of a value, as in no word, version, path or digest. The chars are those of text.
func hasScatteredDigits(text string, chars lex.CharStats) bool {
	if chars.Digit < 2 || chars.Hex || chars.Other*4 > len(text) {
		return false
	}
	groups := digitGroups(text)
	bothCases := len(text) >= 8 && chars.Upper > 0 && chars.Lower > 0
	oneCase := len(text) >= 10 && groups > 2 && chars.Other == 0
	return groups > 1 && (bothCases || oneCase) && !isDotted(text) && !isPath(text)
}

// digitGroups counts the runs of digits in a value.
func digitGroups(text string) int {
	n := 0
	for i := range len(text) {
		if lex.Digits[text[i]] && (i == 0 || !lex.Digits[text[i-1]]) {
			n++
		}
	}
	return n
}

// maybeScattered reports whether the value at i may have scattered digits, or is in
// quotes: a cheap test before the value is read.
func maybeScattered(s string, i int) bool {
	if i+8 > len(s) {
		return false
	}
	if lex.IsQuote(s[i]) {
		return s[i] != '`' && i > 0 && s[i-1] == ' '
	}
	return startsGenerated(lex.Load8(s, i)) && lex.HasDigit(s[i:keyChars.Run(s, i, 40)])
}

// startsGenerated reports whether the first eight bytes of a value hold a digit, or
// change case more than twice, as those of words do not.
func startsGenerated(head uint64) bool {
	return lex.AnyDigit(head) || bits.OnesCount64((head^head>>8)&0x0020202020202020) > 2
}
