package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// The lengths of values that may be recognised without their names, in bytes.
const (
	minMemorable = 8
	maxMemorable = 512
)

// Memorable reports whether a value that a name announced is still a secret where it
// stands alone, rather than a word that other texts need. It must be distinctive: names out
// of code, paths, hosts, versions, dates, numbers and ordinary phrases are not, although
// some people use them as passwords.
func Memorable(v string) bool {
	if len(v) < minMemorable || len(v) > maxMemorable || strings.Contains(v, "[REDACTED") {
		return false
	}
	v = strings.Trim(v, " \t\r\n.,;:!?()[]{}\"'`")
	if len(v) < minMemorable-1 || lex.Placeholder(v) || lex.Benign.Has(v) || strings.Contains(v, "://") {
		return false
	}
	if strings.ContainsAny(v, " \t\n") {
		return hasMemorableWord(v) || isPassphrase(v)
	}
	return isDistinctive(v)
}

// isDistinctive reports whether a value without spaces is neither a name, a place nor a number.
func isDistinctive(v string) bool {
	chars := lex.CountChars(v)
	switch {
	case chars.Distinct < 5: // a filler
		return false
	case isHost(v), isVersion(v), isEmail(v), isPlainPath(v), isCall(v):
		return false
	case chars.Hex:
		return len(v) >= 16 && chars.Digit >= 2
	case lex.Scrambled(v):
		return true
	case chars.Lower > 0 && chars.Digit > 0 && longestCapitals(v) >= 8: // no abbreviation in a name is as long
		return true
	}
	if words, _, slash := lex.WordsIn(v); words > 0 {
		return isNumberedWord(v, chars, slash)
	}
	return isUnlikeWords(v, chars)
}

// isCall reports whether a value is a call or an index of code: a name and then a bracket.
func isCall(v string) bool {
	k := identifierChars.Run(v, 0, len(v))
	return k > 0 && Called(v, k) && !lex.HasDigit(v[:k])
}

// isNumberedWord reports whether a value that consists of words is more distinctive than
// a name: it has no separators, and either three digits at its end, as in Summer2024, or
// digits in several places.
func isNumberedWord(v string, chars lex.CharStats, slash bool) bool {
	if slash || chars.Other > 0 {
		return false
	}
	trailing := len(v) - lex.Digits.Back(v, len(v), len(v))
	return trailing >= 3 || len(v) >= 10 && digitGroups(v) > 1
}

// isUnlikeWords reports whether a value that does not consist of words has enough kinds of
// characters to be a password or a token.
func isUnlikeWords(v string, chars lex.CharStats) bool {
	signs, letters, bothCases := hasPasswordSign(v), chars.Lower+chars.Upper, chars.Upper > 0 && chars.Lower > 0
	switch {
	case letters == 0: // a number or a date has no two of these
		return strings.Count(unsign.Replace(v), "!") > 1
	case signs:
		return chars.Digit > 0 || bothCases || len(v) >= 12 && !strings.ContainsAny(v, "=|<>")
	case chars.Digit == 0:
		return chars.Other == 0 && len(v) >= 16 // letters that nobody could read aloud
	}
	return letters >= 3 && !isCompoundName(v, chars) && (bothCases || len(v) >= 12 || digitGroups(v) > 1)
}

// unsign replaces the signs that passwords have and numbers seldom by one of them.
var unsign = strings.NewReplacer("#", "!", "$", "!", "^", "!", "&", "!", "*", "!", "~", "!", "@", "!")

// isCompoundName reports whether a value is a name of several parts with at most two digits
// or one number or version, and one of whose parts is a long word: utf8mb4_general_ci, OAuth2Client,
// go-1.26-linux.
func isCompoundName(v string, chars lex.CharStats) bool {
	parts, longest := 1, 0
	for i := 0; i < len(v); {
		end := lex.Classes['z'].Run(v, i, len(v))
		to := i + 1
		for to < end && !lex.WordBreak(v, to, end) {
			to++
		}
		if i > 0 && (lex.IsUpper(v[i]) && lex.Digits[v[i-1]] || strings.IndexByte("_-.", v[i]) >= 0) {
			parts++
		}
		if end > i && lex.Pronounceable(v[i:to]) {
			longest = max(longest, to-i)
		}
		i = to
	}
	numbers := digitGroups(v) - strings.Count(v, ".") // a version counts once
	return (chars.Digit <= 2 || numbers <= 1 && chars.Upper == 0) && parts > 1 && longest >= 5 && longest*3 >= len(v)
}

// longestCapitals returns the length of the longest run of capital letters and digits that has four such letters.
func longestCapitals(v string) (longest int) {
	run, capitals := 0, 0
	for i := range len(v) {
		switch {
		case lex.IsUpper(v[i]):
			run, capitals = run+1, capitals+1
		case lex.Digits[v[i]]:
			run++
		default:
			run, capitals = 0, 0
		}
		if capitals >= 4 {
			longest = max(longest, run)
		}
	}
	return longest
}

// hasPasswordSign reports whether a sign that neither names nor paths have appears inside a
// value.
func hasPasswordSign(v string) bool { return strings.ContainsAny(v, "!#$%^&*+=~?|<>\\@;,") }

// isHost reports whether a value is the name of a host, perhaps with a port: labels of
// small letters, digits and hyphens, the last of letters, or one word with a port.
func isHost(v string) bool {
	host, port, ok := strings.Cut(v, ":")
	if ok && lex.Classes['z'].Run(host, 0, len(host)) == len(host) && lex.Digits.Run(port, 0, 6) == len(port) {
		return true
	}
	if ok && lex.Digits.Run(port, 0, 6) < len(port) || hostChars.Run(host, 0, len(host)) < len(host) {
		return false
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return len(last) < len(host) && len(last) >= 2 && len(last) <= 12 &&
		lex.Classes['z'].Run(last, 0, len(last)) == len(last)
}

var hostChars = lex.NewClass("a-z0-9.-")

// isEmail reports whether a value is an address of mail or of a shell: user@host.
func isEmail(v string) bool {
	user, host, ok := strings.Cut(v, "@")
	return ok && hostChars.Run(strings.ToLower(user), 0, len(user)) == len(user) && isHost(host)
}

// isPlainPath reports whether a value is a path rather than base64 with slashes in it.
func isPlainPath(v string) bool {
	if words, _, slash := lex.WordsIn(strings.TrimLeft(v, "./~")); slash && words > 0 {
		return true
	}
	return (isPath(v) || len(v) > 2 && v[1] == ':' && v[2] == '\\') && !lex.LooksGeneratedInBothCases(v)
}

// hasMemorableWord reports whether one of the words of a value is memorable on its own.
func hasMemorableWord(v string) bool {
	for word := range strings.FieldsSeq(v) {
		if Memorable(word) {
			return true
		}
	}
	return false
}

// isPassphrase reports whether a value is words drawn at random: at least four of small
// letters, none of which sentences are made of, or fewer with a number in one of them.
func isPassphrase(v string) bool {
	n, plain, numbered := 0, true, false
	for word := range strings.FieldsSeq(v) {
		n++
		chars := lex.CountChars(word)
		numbered = numbered || chars.Digit > 0 && chars.Lower+chars.Upper > 0
		plain = plain && len(word) >= 3 && chars.Lower == len(word) && !lex.Benign.Has(word) && !connectives.Has(word)
	}
	return plain && n >= 4 || numbered && n <= 6 && len(v) >= 2*minMemorable && !isSentence(v)
}

// connectives are words that sentences have and lists of random words seldom.
var connectives = lex.WordSet("all also but does has have had her his how its let may nor now our out see she they " +
	"this that than then there these those what when where which while who why with within without you were been " +
	"being some such into onto over under about after before between each every more most only same very because " +
	"could would make makes made sure please enter check again just like than got get gets set")
