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
	case hasScatteredDigits(c.text, c.chars), c.kind != Weak && isDigest(c.text):
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
// least eight bytes, two digits and a sign.
func isChosenPassword(text string) bool {
	return len(text) >= 8 && lex.CountChars(text).Digit > 1 && strings.ContainsAny(text, "!@#$%^&*+")
}

// isDigest reports whether a value is at least 32 hex digits, with or without hyphens.
func isDigest(text string) bool {
	chars := lex.CountChars(text)
	return chars.Hex && len(text) >= 32 && chars.Digit > 0 && chars.Distinct >= 8
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
