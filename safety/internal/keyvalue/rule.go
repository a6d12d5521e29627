package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// Rule returns the one rule of the package, named-password. It finds a credential
// beside the name that announces it: password=…, "apiKey": "…", token is …,
// <Token>…</Token>, setProperty("API_TOKEN", "…"). Only the value is masked.
func Rule() rule.Rule {
	return rule.Rule{
		ID:          "named-password",
		Specificity: rule.ByName,
		Fold:        true,
		Word:        &rule.Word{End: nameEnd, Match: matchName},
		Keywords: []string{
			"passw", "passphrase", "passcode", "pwd", "pass=", "pass:", "pass\"", "pass'", "pass =", "pass is",
			"secret", "token", "key", "auth", "cred", "jwt", "psk", "pw:", "pw=", "mnemonic",
			"senha", "motdepasse", "contrasena",
		},
		Match:     matchKeyword,
		Open:      mayGrow,
		Lookahead: 900, // the longest name, operator and value together
		Hits:      examples,
		Misses:    counterexamples,
	}
}

// matchKeyword is the rule's matcher: it judges the name that contains the keyword at
// index at.
func matchKeyword(s string, at, _ int) (int, int) { return matchName(s, 0, at, nameEnd(s, at)) }

// matchName returns the credential that the name around at announces. The name ends
// at right and starts at low or later; at is the start of a keyword inside it. A miss
// that has read the value is [rule.Costly], so that repeated text is judged once.
func matchName(s string, low, at, right int) (int, int) {
	from, to := matchJoined(s, low, at, right)
	if to > from || !maybeAcross(s, right) {
		return from, to
	}
	return matchAcross(s, max(low, nameStart(s, at)), right)
}

// matchJoined is matchName for a value that an operator joins to the name.
func matchJoined(s string, low, at, right int) (int, int) {
	if proseFollows(s, at, right) {
		return 0, 0
	}
	i, op := joined(s, low, at, right)
	if op == OpNone {
		return 0, 0
	}
	if op == opIs && shortWord(s, i) {
		return rule.Costly, rule.Costly
	}
	v := ReadValue(s, i)
	if (op == opIs || op == OpLoose) && !v.Quoted && isPlainWord(s[v.From:v.To]) {
		return rule.Costly, rule.Costly // prose or code, the commonest case
	}
	left := max(low, nameStart(s, at))
	kind := kindInText(s, left, right)
	if kind == Plain || belongsElsewhere(s, left, right) {
		return 0, 0
	}
	if v.To-v.From < 3 || quotesAssignment(s, left, right, i) {
		return rule.Costly, rule.Costly
	}
	c := candidate{s: s, name: s[left:right], kind: kind, op: op, value: v, text: s[v.From:v.To]}
	if !isPlausible(&c) {
		return rule.Costly, rule.Costly
	}
	return v.From, v.To
}

// kindInText returns what the name s[left:right] promises. In a sentence the word
// before a lone "key" counts as part of its name: the API key.
func kindInText(s string, left, right int) KeyKind {
	kind := KindOfKey(s[left:right])
	if kind != Weak {
		if kind == Secret && followsPage(s, left, right) {
			return Plain
		}
		return kind
	}
	switch {
	case followsWord(s, left, right, "public"):
		return Plain
	case followsOwner(s, left, right) || isOwnKey(s[left:right]):
		return keyed
	}
	return Weak
}

// followsOwner reports whether s[left:right] is the word "key" and the word before it
// makes that a credential, as in "the api key".
func followsOwner(s string, left, right int) bool {
	if left < 4 || s[left-1] != ' ' || !lex.EqualFold(s[left:right], "key") {
		return false
	}
	owner, _ := LastWord(s[lex.Classes['z'].Back(s, left-1, 16) : left-1])
	return KindOfWord(owner)&ownsKey != 0
}

// followsWord reports whether s[left:right] is the word "key" behind word.
func followsWord(s string, left, right int, word string) bool {
	from := left - 1 - len(word)
	return from >= 0 && s[left-1] == ' ' && lex.HasFold(s, from, word) && lex.EqualFold(s[left:right], "key")
}

// followsPage reports whether s[left:right] is the word "token" and the word before it makes
// that a place in a list, as in "the next page token".
func followsPage(s string, left, right int) bool {
	if left < 5 || s[left-1] != ' ' || !lex.EqualFold(s[left:right], "token") {
		return false
	}
	owner, _ := LastWord(s[lex.Classes['z'].Back(s, left-1, 16) : left-1])
	return pageWords.Has(owner)
}

// pageWords make a place in a list, or a check against forgery, of a token behind them.
var pageWords = lex.WordSet("page nextpage continuation pagination csrf xsrf cancellation sync cursor")

// isOwnKey reports whether a name says whose key it is, as SPEECH_KEY and serpApiKey do: a
// digest behind it may be the key.
func isOwnKey(name string) bool {
	word, rest := LastWord(name)
	owner, _ := LastWord(rest)
	return lex.EqualFold(word, "key") && owner != "" && !dataWords.Has(owner)
}

// dataWords name the keys of data: they look like digests and are none of a service.
var dataWords = lex.WordSet("idempotency dedup dedupe deduplication request correlation trace event message state " +
	"registry routing record item user query search translation theme node entry asset file blob public dpublic " +
	"content etag image layer build task job step this that my your our its host known")

// belongsElsewhere reports whether the text after the name is better left to another
// rule or is no value: the header rule splits an Authorization header into scheme and
// token, /etc/passwd is a file, what follows </password> is another element, and a token
// that begins like a name, such as secret-test-…, is a value itself.
func belongsElsewhere(s string, left, right int) bool {
	if right-left >= 24 && lex.LooksGeneratedInBothCases(s[left:right]) {
		if words, _, _ := lex.WordsIn(s[left:right]); words == 0 {
			return true
		}
	}
	return strings.HasSuffix(s[:left], "/etc/") || strings.HasSuffix(s[:left], "</") ||
		right >= 13 && lex.HasFold(s, right-13, "authorization")
}

// quotesAssignment reports whether the quote at i, one sign behind the name, closes a
// string that holds the name and the sign and nothing else: "PWD=", with the code
// that follows the string taken for the value.
func quotesAssignment(s string, left, right, i int) bool {
	return i == right+1 && left > 0 && i < len(s) && lex.IsQuote(s[left-1]) && s[left-1] == s[i]
}

// proseFollows reports whether the word behind a name cannot join a value to it. This
// is by far the commonest case, so it is decided from the first eight bytes alone.
func proseFollows(s string, at, right int) bool {
	if right+9 > len(s) || s[right] != ' ' || !lex.IsLetter(s[right+1]) || at > 0 && lex.WordChars[s[at-1]] {
		return false
	}
	return !phraseHeads.May(s[right+1], s[right+2]) && !startsGenerated(lex.Load8(s, right+1))
}

// shortWord reports whether a word of less than eight letters is at i and ends
// there: "the password is wrong". A word that short is not a credential.
func shortWord(s string, i int) bool {
	if i+8 > len(s) {
		return false
	}
	n := lex.LeadingLetters(lex.Load8(s, i))
	return n > 0 && n < 8 && strings.IndexByte(" ,;)\n", s[i+n]) >= 0
}

// joined returns the operator behind the name around at, which ends at right, and
// where the value starts. Behind a command-line flag a space is enough: --token value.
func joined(s string, low, at, right int) (int, Op) {
	i, op := ReadOperator(s, right)
	if (op == OpNone || op == opBeside) && right+1 < len(s) && at > 0 && lex.WordChars[s[at-1]] {
		left := max(low, nameStart(s, at))
		if s[right] == ' ' && s[left] == '-' && right-left > 4 {
			return right + 1, opFlag
		}
		if from := besideVariable(s, left, right); op == OpNone && from > 0 {
			return from, opFlag
		}
	}
	return i, op
}

// mayGrow reports whether text that has not arrived yet could bring the name at index at a
// value, or make its value longer. A stream holds the text back until then.
func mayGrow(s string, at, _ int) bool {
	right := nameEnd(s, at)
	if right == len(s) {
		return true
	}
	if KindOfKey(s[nameStart(s, at):right]) == Plain {
		return false
	}
	if mayReachAcross(s, nameStart(s, at), right) {
		return true
	}
	i, op := joined(s, 0, at, right)
	if op == OpNone {
		return Undecided(s, right)
	}
	return ReadValue(s, i).To+64 > len(s)
}

// Undecided reports whether an operator may still follow at i once more text has
// arrived, because there are only words, quotes and signs between i and the end of s.
func Undecided(s string, i int) bool {
	stop := min(len(s), i+200)
	for j := i; j < stop; j++ {
		if !betweenChars[s[j]] {
			return len(s)-j < 8
		}
	}
	return stop == len(s)
}

// betweenChars are the bytes that may appear between a name and its value.
var betweenChars = lex.NewClass(" \t\n\"'`\\]:=?|>+,A-Za-z0-9_-")

// nameEnd returns the end of the name that contains the keyword at index at. A keyword
// such as "pass=" may extend past the name.
func nameEnd(s string, at int) int { return lex.WordRun(s, at, maxName+8) }

// nameStart returns the start of the name that contains the keyword at index at.
func nameStart(s string, at int) int { return lex.WordChars.Back(s, at, maxName) }

// maxName bounds how many bytes of a name are read on either side of a keyword.
const maxName = 48
