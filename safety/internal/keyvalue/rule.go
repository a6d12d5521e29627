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
		Word:        &rule.Word{End: nameEnd, Match: matchName, Before: maxBefore + maxName, Behind: maxAcross},
		Keywords: []string{
			"passw", "passphrase", "passcode", "pwd", "pass=", "pass:", "pass\"", "pass'", "pass =", "pass is",
			"secret", "token", "key", "auth", "cred", "jwt", "psk", "pw:", "pw=", "pw is", "pw (", "mnemonic",
			"senha", "motdepasse", "contrasena", "_pat", "pat=", "pat:", "pat\"", "pat'", "_pass", "_pw",
			"salt", "pepper", "cookie", "recovery", "backup code", "backup_code", "activation", "access code",
			"access_code",
			"verification code", "verification_code", "pin code", "pin_code", "pass word", "pass phrase",
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
func matchKeyword(s string, at, _ int) (int, int) {
	return matchName(s, 0, at, nameEnd(s, at), true)
}

// matchName returns the credential that the name around at announces. The name ends
// at right and starts at low or later; at is the start of a keyword inside it. A miss
// that has read the value is [rule.Costly], so that repeated text is judged once. Without digits
// around the name, only an operator joins a value to it.
func matchName(s string, low, at, right int, digits bool) (int, int) {
	from, to := matchJoined(s, low, at, right)
	if to > from || !digits {
		return from, to
	}
	left := max(low, nameStart(s, at))
	if maybeBefore(s, left, right) && lex.HasDigit(s[max(0, left-maxBefore):left]) {
		if from, to = matchBefore(s, low, left, right); to > from {
			return from, to
		}
	}
	if !maybeAcross(s, right) || !lex.HasDigit(s[right:min(len(s), right+maxAcross)]) {
		return from, to
	}
	if from, to = matchAcross(s, left, right); to > from && followsMarker(s, left, right) {
		return rule.Costly, rule.Costly // the name had its value
	}
	return from, to
}

// matchJoined is matchName for a value that an operator joins to the name.
func matchJoined(s string, low, at, right int) (int, int) {
	if proseFollows(s, at, right) {
		return 0, 0
	}
	i, op := joined(s, low, at, right)
	if op == OpNone || beginsMarker(s, i) {
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

// beginsMarker reports whether the value at i, in quotes or not, is a marker of ours, which stands in
// for a value.
func beginsMarker(s string, i int) bool {
	if i < len(s) && lex.IsQuote(s[i]) {
		i++
	}
	return i < len(s) && s[i] == '[' && strings.HasPrefix(s[i:], lex.MarkerPrefix)
}

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
	a, b, c := s[right+1], s[right+2], s[right+3]
	return (!phraseHeads.May(a, b) || lex.IsLetter(c) && !phraseThirds.May(b, c)) &&
		!startsGenerated(lex.Load8(s, right+1))
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
	if right == len(s) || mayBecomeCode(s, right) {
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

// mayBecomeCode reports whether the text ends within the word "code" behind the name that ends
// at right, or within the second word of a password, so that nameEnd may find another end once more of it has come.
func mayBecomeCode(s string, right int) bool {
	rest := s[right:]
	if right >= len("pass") && lex.EqualFold(s[right-len("pass"):right], "pass") {
		for _, second := range passSeconds {
			if len(rest) < len(second) && lex.EqualFold(rest, second[:len(rest)]) {
				return true
			}
		}
	}
	if len(rest) > len(" code") || !lex.EqualFold(rest, " code"[:len(rest)]) {
		return false
	}
	owner, _ := LastWord(s[nameStart(s, right):right])
	return codeOwners.Has(owner)
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
// In a sentence, "code" belongs to the word before it: recovery code. So does the rest of a password that is written
// as two words.
func nameEnd(s string, at int) int {
	i := lex.WordRun(s, at, maxName+8)
	if i == at+len("pass") && i < len(s) && s[i] == ' ' && lex.HasFold(s, at, "pass") {
		for _, second := range passSeconds {
			if lex.HasFold(s, i, second) {
				return i + len(second)
			}
		}
	}
	if i+5 <= len(s) && lex.Load4(s, i)|0x20202020 == spaceCod && ownsCode(s, at, i) {
		return i + len(" code")
	}
	return i
}

// passSeconds are second words that make a name of "pass".
var passSeconds = [...]string{" word", " phrase"}

// spaceCod is " cod" as [lex.Load4] reads it.
const spaceCod = ' ' | 'c'<<8 | 'o'<<16 | 'd'<<24

// ownsCode reports whether the word "code" follows the name s[at:i] and belongs to it.
func ownsCode(s string, at, i int) bool {
	end := i + len(" code")
	if !lex.HasFold(s, i, " code") || end < len(s) && lex.WordChars[s[end]] {
		return false
	}
	owner, _ := LastWord(s[at:i])
	return codeOwners.Has(owner)
}

// nameStart returns the start of the name that contains the keyword at index at.
func nameStart(s string, at int) int { return lex.WordChars.Back(s, at, maxName) }

// maxName bounds how many bytes of a name are read on either side of a keyword.
const maxName = 48
