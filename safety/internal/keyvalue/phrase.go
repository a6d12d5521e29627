package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// The roles of a word between a name and its value, as in "the password for the
// staging database is …".
const (
	isLink  lex.WordKind = 1 << iota // may appear before the verb
	isVerb                           // joins the name and the value
	isToBe                           // joins them if the value cannot be a word
	isType                           // appears before an equals sign: token string = "…"
	holds                            // joins them if the value looks generated: TOKEN holds …
	reports                          // joins them with a colon: the token provided: …
)

var phraseRoles = map[lex.WordKind]string{
	isLink: "for of to in on at from by with we you i he she they it that which who used set here there now and or " +
		"should will must can be has your my our the user admin root account then itself value",
	isVerb:  "is was ist war lautet es est",
	isToBe:  "to be",
	isType:  "string",
	holds:   "holds as equals contains",
	reports: "provided found detected value",
}

var phraseWords = lex.NewVocabulary(phraseRoles)

// phraseHeads knows the first two letters of every word that may follow a name, phraseThirds
// the second and the third, joinHeads the first two of the words that may join it to a value.
var (
	phraseHeads  = lex.LeadingPairs(phraseRoles[isLink] + " " + joiningWords)
	phraseThirds = lex.LeadingPairs(withoutFirst(phraseRoles[isLink] + " " + joiningWords))
	joinHeads    = lex.LeadingPairs(joiningWords)

	joiningWords = phraseRoles[isVerb] + " " + phraseRoles[isToBe] + " " + phraseRoles[isType] + " " +
		phraseRoles[holds] + " " + phraseRoles[reports]
)

// withoutFirst returns words without their first letters.
func withoutFirst(words string) string {
	var rest []string
	for _, w := range strings.Fields(words) {
		rest = append(rest, w[1:])
	}
	return strings.Join(rest, " ")
}

// maxPhrase is how many words may appear between a name and its value.
const maxPhrase = 6

// readPhrase reads words that join a name to its value. The name ends at start, the
// words begin at i. A value that looks generated needs no words: with password … I
// log in.
func readPhrase(s string, i, start int, quoted bool) (int, Op) {
	if lex.ToLower(s[i]) == 'v' && lex.HasFold(s, i, "value=") {
		return i + 6, OpLoose // the attribute of XML beside the name's
	}
	if !quoted && i+8 <= len(s) && (lex.IsQuote(s[i]) || startsGenerated(lex.Load8(s, i))) &&
		maybeScattered(s, i) { // half of it is inlined here, since it nearly always decides
		return i, opBeside
	}
	if from := readSetting(s, i, start); from > 0 {
		return from, opFlag
	}
	if quoted && s[start] != '`' || i+1 >= len(s) || !phraseHeads.May(s[i], s[i+1]) {
		return 0, OpNone
	}
	return readVerb(s, i, start)
}

// readSetting returns where the value starts behind a name in quotes that ends at start if the
// words at i set it: "NAME" set to …, `NAME` to `…`; else 0.
func readSetting(s string, i, start int) int {
	switch {
	case !closers[s[start]]:
	case strings.HasPrefix(s[i:], "set to "):
		return skipOpening(s, i+len("set to "))
	case s[start] == '`' && strings.HasPrefix(s[i:], "to `"):
		return i + len("to ")
	}
	return 0
}

// readVerb reads up to six words from i on until one of them joins the name to its
// value: " is ", " was ", " string =", or " to be " before a generated value.
func readVerb(s string, i, start int) (int, Op) {
	for n, heads := 0, &phraseHeads; n < maxPhrase; n, heads = n+1, &joinHeads {
		j := lex.WordRun(s, i, 20)
		k := lex.SkipBlank(s, j, 3)
		if k >= len(s) || k == j {
			return endPhrase(s, i, j)
		}
		if heads.May(s[i], s[i+1]) {
			role := phraseWords.Kind(s[i:j])
			if from, op := afterWord(s, k, start, s[i:j], role); op != OpNone {
				return from, op
			}
			// Most names in prose promise nothing: stop early, the rest of the sentence is long.
			if n == 0 && (role == 0 || !sentenceMayTell(s[lex.WordChars.Back(s, start, 2*maxName):start])) {
				return 0, OpNone
			}
		}
		i = k
	}
	return 0, OpNone
}

// afterWord reads what follows a word of the given roles that may join a name, which ends at
// start, to the value at k.
func afterWord(s string, k, start int, word string, role lex.WordKind) (int, Op) {
	switch {
	case role&isVerb != 0:
		return skipAdverbs(s, k), opIs
	case role&isToBe != 0 && maybeScattered(s, k):
		return k, opBeside
	case role&isType != 0 && s[k] == '=':
		return readSign(s, k, false)
	case role&holds != 0 && (word != "as" || isVariableName(s, start)):
		return skipOpening(s, k), opFlag
	}
	return 0, OpNone
}

// isVariableName reports whether the name that ends at end is without lower-case letters.
func isVariableName(s string, end int) bool {
	return lex.CountChars(s[lex.WordChars.Back(s, end, maxName):end]).Lower == 0
}

// endPhrase reads what follows the word s[i:j] without a blank: the colon behind a report,
// token provided: …, or the end of the sentence and another one that tells the value.
func endPhrase(s string, i, j int) (int, Op) {
	switch {
	case j >= len(s):
	case s[j] == '.':
		return nextSentence(s, j)
	case s[j] == ':' && j > i && phraseWords.Kind(s[i:j])&reports != 0:
		return skipOpening(s, lex.SkipBlank(s, j+1, 3)), opFlag
	}
	return 0, OpNone
}

// nextSentence reads the beginning of a sentence behind the full stop at i that tells the
// value of a name in the sentence before: … a token. It's …
func nextSentence(s string, i int) (int, Op) {
	if i+2 >= len(s) || s[i+1] != ' ' || s[i+2] != 'I' {
		return 0, OpNone
	}
	for _, head := range [...]string{". It's ", ". It is ", ". I have ", ". It was "} {
		if strings.HasPrefix(s[i:], head) {
			return skipOpening(s, i+len(head)), opFlag
		}
	}
	return 0, OpNone
}

// sentenceMayTell reports whether a sentence about a name may end with its value:
// about a credential, or a key.
func sentenceMayTell(name string) bool {
	kind := KindOfKey(name)
	return kind == Secret ||
		kind == Weak && (lex.HasFold(name, len(name)-3, "key") || lex.HasFold(name, len(name)-4, "keys"))
}

// adverbs may follow the verb: is now …, was set to ….
var adverbs = lex.WordSet("set to now currently still just changed")

// skipAdverbs returns where the value starts behind a verb and at most three adverbs.
func skipAdverbs(s string, i int) int {
	for range 3 {
		j := lex.WordRun(s, i, 10)
		k := lex.SkipBlank(s, j, 3)
		if k == j || !adverbs.Has(s[i:j]) {
			break
		}
		i = k
	}
	return skipOpening(s, i)
}
