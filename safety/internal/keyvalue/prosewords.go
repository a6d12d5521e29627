package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// glue are words that may join a name to its value in a sentence without saying that the
// value is something else. Only behind such words a digest is taken for the value, since
// texts are full of digests that are no secret.
var glue = lex.WordSet(glueWords)

// glueHeads knows the first two letters of every such word, and of those that often say what was
// done with a value: the token printed in the log is ….
var glueHeads = lex.LeadingPairs(glueWords + " printed listed matches mentioned provided posted committed stored " +
	"issued hasn't received obtained exposed extracted copied given passed visible equal valid works")

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
	"such down somewhere safe secret private literally probably apparently obviously maybe perhaps exactly really " +
	"basically string text cannot can't stays remains stay comes came went course either represented rn pls gave " +
	"given sent told shared provided out them us me one " +
	"wurde auf en em als con com sul et van het voor de la le el een una un uno die der das eine"

// identifying are words that say what a value behind them is: not a credential.
var identifying = lex.WordSet("id ids uuid guid commit commits hash hashed hashes sha sha256 digest checksum " +
	"fingerprint thumbprint etag trace request cursor version public nonce revision rev build cache md5 order ticket " +
	"kid jti name called path file url uri endpoint username issuer audience subject scope arn " +
	"prefix suffix serial")

// measures are what a text counts of its name, as in "the token count".
var measures = lex.WordSet("count counts limit limits budget size length bytes bits position index")

// joiners are the words that join a value to a longer description of its name: the token listed
// in the wiki is ….
var joiners = lex.WordSet(phraseRoles[isVerb] + " " + phraseRoles[holds] + " " + phraseRoles[isToBe] +
	" reads shows says became becomes matches equal isn't wasn't")

// introduces reports whether the line that ends at i introduces the next one: it ends in a
// colon or a question mark, says below, or is a heading.
func introduces(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	head = strings.TrimRight(head[strings.LastIndexByte(head, '\n')+1:], " \r*")
	return strings.HasPrefix(head, "#") || strings.HasSuffix(head, ":") || strings.HasSuffix(head, "?") ||
		strings.HasSuffix(head, "below.")
}

// isParticiple reports whether a word behind a name says what was done with it, rather than
// making the name describe another word: the token printed, the key hasn't changed.
func isParticiple(word string) bool {
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "n't") || word == "shown" || joiners.Has(word)
}

// isTitle reports whether the line that ends at i is a title of at most six words: markup
// aside, they are letters and digits and nothing else.
func isTitle(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	line := strings.Trim(head[strings.LastIndexByte(head, '\n')+1:], " \r*_#=-")
	words := 1
	for k := range len(line) {
		if line[k] == ' ' {
			words++
		} else if !lex.WordChars[line[k]] && line[k] < 0x80 {
			return false
		}
	}
	return line != "" && len(line) < 48 && words <= 6
}

// isCommand reports whether the line that ends at i is a command behind a prompt, whose output
// follows.
func isCommand(s string, i int) bool {
	head := s[max(0, i-maxProse):i]
	return strings.HasPrefix(head[strings.LastIndexByte(head, '\n')+1:], "$ ")
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
