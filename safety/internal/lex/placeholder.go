package lex

import (
	"math/bits"
	"strings"
)

// Benign holds the words that often stand where a secret might: types, states, verbs,
// and the words of documentation.
var Benign = WordSet("true false null nil none undefined string str text number int integer boolean bool " +
	"object array bytes any required optional invalid valid missing expired empty unset unknown wrong " +
	"correct incorrect ok yes no on off enabled disabled default redacted hidden masked removed secret " +
	"password passwd token key apikey value example sample placeholder dummy changeme changeit foo bar baz " +
	"test todo tbd xxx your none given set stored provided needed used supplied generated returned bearer " +
	"basic digest oauth jwt pass pwd user username and or not the a an in from for is are was be must " +
	"should will can to of with hashed encrypted plaintext self this env file vault input output request " +
	"response config lambda func function async await new return private public protected static readonly " +
	"rejected accepted refreshed rotated revoked leaked exposed configured here below above available " +
	"unavailable present absent authentication authorization header cookie session login credential " +
	"credentials keyring keychain prompt manager interactive stdin mandatory forbidden deprecated expected " +
	"blank readonly internal include inherit omit same-origin replace-me replaceme deadbeef foobar " +
	"anonymous external rotation reset protected strength policy field column sensitive secure unchanged " +
	"automatic automatically managed")

// Placeholder reports whether v stands for a secret rather than being one: a variable,
// a template, a run of one filler, a word such as "example", or a marker.
func Placeholder(v string) bool {
	if v == "" || sameFiller(v) || variable(v) {
		return true
	}
	v = v[:min(len(v), 96)]
	for i := 0; i+16 <= len(v); i += 8 { // one byte all along, unless it is zeros in base64 or bech32
		if w := Load8(v, i); w == Load8(v, i+8) && w == bits.RotateLeft64(w, 8) && v[i] != 'A' && v[i] != 'Q' {
			return true
		}
	}
	for i := 0; i+1 < len(v); i += fillerStep {
		for maybe := fillerPairs[0][v[i]] & fillerPairs[1][v[i+1]]; maybe != 0; maybe &= maybe - 1 {
			k := bits.TrailingZeros64(maybe)
			if HasFold(v, i-k%fillerStep, fillers[k/fillerStep]) {
				return true
			}
		}
	}
	return false
}

// fillers are texts that only placeholders hold, at any place in them.
var fillers = [...]string{
	"example", "placeholder", "your-", "your_", "yourapi", "changeme", "xxxxxx", "******", "insert_",
	"insert-", "redacted", "......", "abcdefghijkl", "0123456789",
}

// fillerStep is the distance of the places at which Placeholder looks for a filler. Every
// filler is longer, so that it covers one of them and the byte behind it.
const fillerStep = 4

// fillerPairs holds for the byte at such a place, and for the byte behind it, a bit for
// each filler and each offset in it at which the byte stands.
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

// sameFiller reports whether v is a filler such as xxxx, **** or 0000, ends in twelve or
// more of them, as behind the prefix of a token, or is any one byte eight times or more.
func sameFiller(v string) bool {
	last := v[len(v)-1]
	n := 1
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	filler := strings.IndexByte("xX*.0-_#?", last) >= 0
	return n == len(v) && (filler || n >= 8) || n >= 12 && filler
}

// variable reports whether v is to be replaced by a value: $NAME, ${…}, $(…), {{…}}, %s,
// %NAME%, <name>, [name], @name@, or a YAML tag such as !vault.
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
		to := Classes['z'].Run(v, 1, len(v)) // a tag of YAML
		return to > 1 && (to == len(v) || v[to] == ' ')
	}
	return false
}
