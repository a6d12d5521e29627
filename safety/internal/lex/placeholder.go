package lex

import (
	"math/bits"
	"strings"
)

// Benign contains words that often appear in place of a secret: constants, types,
// states, keywords of programming languages.
var Benign = WordSet(`
	true false null nil none undefined string str text number int integer boolean bool object array
	bytes any required optional invalid valid missing expired empty unset unknown wrong correct
	incorrect ok yes no on off enabled disabled default redacted hidden masked removed secret password
	passwd token key apikey value example sample placeholder dummy changeme changeit foo bar baz test
	todo tbd xxx your none given set stored provided needed used supplied generated returned bearer
	basic digest oauth jwt pass pwd user username and or not the a an in from for is are was be must
	should will can to of with hashed encrypted plaintext self this env file vault input output request
	response config lambda func function async await new return private public protected static readonly
	rejected accepted refreshed rotated revoked leaked exposed configured here below above available
	unavailable present absent authentication authorization header cookie session login credential
	credentials keyring keychain prompt manager interactive stdin mandatory forbidden deprecated
	expected blank readonly internal include inherit omit same-origin replace-me replaceme deadbeef
	foobar anonymous external rotation reset protected strength policy field column sensitive secure
	unchanged automatic automatically managed replace_me`)

// Placeholder reports whether v cannot be a secret because it only fills the place of
// one: it is empty, a variable or template, nothing but filler characters, or an ellipsis
// behind a few characters, or its first 96 bytes contain a filler such as "your-" or the
// word "example". A leading "Bearer " is ignored. Letters in the order of the alphabet and
// repeated ones do not make a placeholder: people who try a redactor type such keys, and
// expect them to be masked.
func Placeholder(v string) bool {
	if HasFold(v, 0, "bearer ") {
		v = v[len("bearer "):]
	}
	if v == "" || isFilling(v) || isElided(v) || variable(v) {
		return true
	}
	v = v[:min(len(v), 96)]
	for i := 0; i+1 < len(v); i += fillerStep {
		for maybe := fillerPairs[0][v[i]] & fillerPairs[1][v[i+1]]; maybe != 0; maybe &= maybe - 1 {
			k := bits.TrailingZeros64(maybe)
			from, filler := i-k%fillerStep, fillers[k/fillerStep]
			if HasFold(v, from, filler) &&
				(filler != wordFiller || isSeparateWord(v, from, from+len(filler))) {
				return true
			}
		}
	}
	return false
}

// wordFiller is a filler that counts as a word of its own only: keys from manuals, such
// as AWS's, may end in it.
const wordFiller = "example"

// fillers are strings that only a placeholder contains.
var fillers = [...]string{
	wordFiller, "placeholder", "your-", "your_", "yourapi", "changeme", "xxxxxx", "xxxx-", "-xxxx", "xxxx_",
	"_xxxx", "******", "insert_", "insert-", "redacted", "......",
}

// fillerStep is the distance between the positions that Placeholder examines. Every
// filler is longer than fillerStep, so it covers at least one such position and the
// byte after it.
const fillerStep = 4

// fillerPairs selects candidates among the fillers by two adjacent bytes: bit
// k*fillerStep+p is set in fillerPairs[0][b] if fillers[k] has b at offset p, and in
// fillerPairs[1][b] if it has b at offset p+1.
var fillerPairs = func() (t [2][256]uint64) {
	for k, w := range fillers {
		for p := range 2 * fillerStep {
			c, bit := w[p/2+p%2], uint64(1)<<(k*fillerStep+p/2)
			t[p%2][c] |= bit
			t[p%2][ToUpper(c)] |= bit
		}
	}
	return t
}()

// isSeparateWord reports whether no letter or digit touches v[from:to], except where a
// change of case starts a new word, as in myExampleKey.
func isSeparateWord(v string, from, to int) bool {
	starts := from == 0 || !Alnum[v[from-1]] || IsUpper(v[from]) && v[from-1]-'a' < 26
	return starts && (to == len(v) || !Alnum[v[to]] || IsUpper(v[to]) && v[to-1]-'a' < 26)
}

// fillerChars may fill the place of a value: xxxx, 0000, ****, bullets, an ellipsis.
const fillerChars = "xX*.0-_#?\u2022\u25cf\u2026"

// isFilling reports whether v is filler characters and nothing else, such as xxxx-xxxx, or
// ends in at least 12 equal ones, as sk-xxxxxxxxxxxx does. Zeros at the end do not count,
// since a key may be made up of them.
func isFilling(v string) bool {
	last := v[len(v)-1]
	if strings.IndexByte(fillerChars, last) < 0 {
		return false
	}
	n := 1
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	return n >= 12 && last != '0' || strings.Trim(v, fillerChars) == ""
}

// isElided reports whether an ellipsis stands for nearly all of v: sk-ant-..., ghp_….
func isElided(v string) bool {
	shown := strings.TrimSuffix(v, "\u2026")
	if len(shown) == len(v) {
		if shown = strings.TrimSuffix(v, "..."); len(shown) == len(v) {
			return false
		}
	}
	return len(shown) <= 6 || shown[len(shown)-1] == '-' || shown[len(shown)-1] == '_'
}

// tagChars are the bytes of a YAML tag.
var tagChars = NewClass("A-Za-z_")

// variable reports whether v is a reference or a template: $NAME, ${…}, $(…), {{…}},
// %s, %NAME%, <name>, [name], @name@ or a YAML tag such as !vault.
func variable(v string) bool {
	switch v[0] {
	case '$':
		return len(v) == 1 || v[1] == '{' || v[1] == '(' || Classes['w'].Run(v, 1, len(v)) == len(v)
	case '{', '<', '[':
		return true
	case '%':
		return len(v) <= 3 || v[len(v)-1] == '%'
	case '@':
		return v[len(v)-1] == '@'
	case '!':
		to := tagChars.Run(v, 1, len(v))
		return to > 1 && (to == len(v) || v[to] == ' ')
	}
	return false
}
