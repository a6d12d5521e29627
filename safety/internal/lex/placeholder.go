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
	unchanged automatic automatically managed`)

// Placeholder reports whether v is a placeholder for a secret rather than a secret: it is
// empty, a variable or template, a run of one filler character, a redaction marker,
// or its first 96 bytes contain a word such as "example" or 16 equal bytes in a row.
func Placeholder(v string) bool {
	if v == "" || sameFiller(v) || variable(v) {
		return true
	}
	v = v[:min(len(v), 96)]
	// Find runs of one byte. A and Q are excepted: they encode zeros in base64 and bech32.
	for i := 0; i+16 <= len(v); i += 8 {
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

// fillers are strings that only a placeholder contains.
var fillers = [...]string{
	"example", "placeholder", "your-", "your_", "yourapi", "changeme", "xxxxxx", "******",
	"insert_", "insert-", "redacted", "......", "abcdefghijkl", "0123456789",
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

// sameFiller reports whether v is one byte repeated, such as xxxx or 0000, or ends in
// at least 12 equal filler characters, as sk-xxxxxxxxxxxx does. Repeated bytes that
// are no filler character count from a length of eight.
func sameFiller(v string) bool {
	last := v[len(v)-1]
	n := 1
	for n < len(v) && v[len(v)-1-n] == last {
		n++
	}
	filler := strings.IndexByte("xX*.0-_#?", last) >= 0
	return n == len(v) && (filler || n >= 8) || n >= 12 && filler
}

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
		to := Classes['z'].Run(v, 1, len(v))
		return to > 1 && (to == len(v) || v[to] == ' ')
	}
	return false
}
