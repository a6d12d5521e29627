package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// glue are words that may join a name to its value in a sentence without saying that the
// value is something else. Only behind such words a digest is taken for the value, since
// texts are full of digests that are no secret.
var glue = lex.WordSet(glueWords)

// glueHeads knows the first two letters of every such word.
var glueHeads = lex.LeadingPairs(glueWords)

var glueWords = phraseRoles[isLink] + " " + phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " +
	phraseRoles[holds] + " " + phraseRoles[reports] + " " +
	"a an are were being been become becomes got gets had have not no but any so our their his her my its it's " +
	"these those what as e.g i.e namely currently now still simply just only always actually probably again back " +
	"reads read shows show says looks like goes follows following below above begins starts started start ends " +
	"carries appears appear seems seem turned turns out left hard-coded hardcoded defaults default reset changed " +
	"updated rotated replaced created generated revoked leaked wanted asked use used uses using enter entered did do " +
	"does seen log type typed paste put try take pass send would could might may need needs new old next current " +
	"correct right actual real same one field header variable parameter setting env prod production staging dev test " +
	"today share please see code config file invalid working rejected wrong incorrect instead via then after before " +
	"wurde auf en em als con com sul et van het voor de la le el een una un uno die der das eine"

// identifying are words that say what a value behind them is: not a credential.
var identifying = lex.WordSet("id ids uuid guid commit commits hash hashed hashes sha sha256 digest checksum " +
	"fingerprint thumbprint etag trace request cursor version public nonce revision rev build cache md5 order ticket")

// introduces reports whether the line that ends at i introduces the next one: it ends in a
// colon or a question mark, says below, or is a heading.
func introduces(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	head = strings.TrimRight(head[strings.LastIndexByte(head, '\n')+1:], " \r*")
	return strings.HasPrefix(head, "#") || strings.HasSuffix(head, ":") || strings.HasSuffix(head, "?") ||
		strings.HasSuffix(head, "below.")
}

// wordEnd returns the position of the space behind the word at i.
func wordEnd(s string, i int) int {
	end := min(len(s), i+maxUnquoted)
	for i < end && s[i] > ' ' {
		i++
	}
	return i
}

// openingSigns may precede a value or a word: quotes, brackets, the marks of Markdown.
var openingSigns = lex.NewClass("\"'`([<*_>#=|~/.,;:?-")

// skipSigns returns the position behind the signs at i, before to. Arrows, dashes and
// quotation marks of other scripts are signs.
func skipSigns(s string, i, to int) int {
	for i < to {
		n := 1
		switch c := s[i]; {
		case c == '<':
			n = max(1, tagLength(s[i:min(to, i+12)]))
		case openingSigns[c]:
		case c == 0xc2 && i+1 < to: // « and the like
			n = 2
		case c == 0xe2 || c == 0xe3 && i+1 < to && s[i+1] == 0x80 || c == 0xef:
			n = 3
		default:
			return i
		}
		i = min(to, i+n)
	}
	return i
}

// tagLength returns the length of the tag of an element that text begins with, or 0.
func tagLength(text string) int {
	if len(text) < 3 || text[1] != '/' && !lex.IsLetter(text[1]) {
		return 0
	}
	return strings.IndexByte(text, '>') + 1
}

// isPlainProse reports whether a word is letters, with an apostrophe, a hyphen or a full stop
// inside at most.
func isPlainProse(word string) bool {
	for i := range len(word) {
		if c := word[i]; !lex.IsLetter(c) && c < 0x80 && (c != '\'' && c != '-' && c != '.' || i == 0) {
			return false
		}
	}
	return true
}
