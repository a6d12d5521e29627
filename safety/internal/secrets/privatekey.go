package secrets

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// privateKey finds PEM, OpenSSH and PGP private keys (RFC 7468; OpenSSH, PROTOCOL.key;
// RFC 9580): the whole block up to its END label, or as far as it looks like a key if the
// END is missing. A text of 64 bytes or more between two such labels counts even if it is
// not base64, since it may be encrypted or rewritten.
//
// It once matched certificates and public keys, and documentation that says how a key file
// begins.
func privateKey() rule.Rule {
	return rule.Rule{
		ID: "private-key", Specificity: rule.WholeBlock, Severity: rule.Critical,
		Keywords: []string{"-----begin"}, Fold: true, Match: matchPrivateKey, Open: openPrivateKey,
		Hits: []string{
			"-----BEGIN RSA PRIVATE {}KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE {}KEY-----",
			"-----BEGIN OPENSSH PRIVATE {}KEY-----\n{b64}\n{b30}",
			"-----BEGIN PRIVATE {}KEY-----\nMIIB\n-----END PRIVATE {}KEY-----", // cut short, as in a log
			"-----BEGIN PGP PRIVATE {}KEY BLOCK-----\n\n{b64}\n-----END PGP PRIVATE {}KEY BLOCK-----",
		},
		Misses: []string{
			"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
			"-----BEGIN PUBLIC KEY-----",
			"looks for -----BEGIN lines",
			"a file that begins with -----BEGIN RSA PRIVATE " +
				"KEY----- is read by internal/server/handler.go, I think",
			"-----BEGIN OPENSSH PRIVATE " + "KEY----------END OPENSSH PRIVATE KEY-----",
			"-----BEGIN RSA PRIVATE " + "KEY-----\nis how such a file begins",
		},
	}
}

// matchPrivateKey matches the block whose BEGIN is s[at:end].
func matchPrivateKey(s string, at, end int) (int, int) {
	body := keyBody(s, end)
	if body < 0 {
		return 0, 0
	}
	if near := s[body:min(len(s), body+keyLookahead)]; !holdsKeyBase64(near) && !keyLines(near) {
		return at, otherEnd(s, body)
	}
	to, _ := keyEnd(s, body)
	return at, to
}

// otherEnd returns the end of a block that is labelled a key and does not look like one:
// behind the dashes of the next label that names a key, or behind an END label of any kind that
// has a line of its own. It returns 0 if there is none.
func otherEnd(s string, body int) int {
	near := s[:min(len(s), body+keyLookahead)]
	for i := body + minKeyBody; ; i++ {
		k := strings.Index(near[min(i, len(near)):], "-----")
		if k < 0 {
			return 0
		}
		if i += k; lex.HasFold(s, i-3, "key") || lex.HasFold(s, i-9, "key block") {
			return i + 5
		}
		if lex.HasFold(s, i, "-----end ") && (s[i-1] == '\n' || s[i-1] == 'n' && s[i-2] == '\\') {
			if to := labelEnd(s, i+8); to > i+8 {
				return to
			}
		}
	}
}

// keyBody returns where the body of a private key starts, behind its label, or -1 if the
// label is not a private key's.
func keyBody(s string, end int) int {
	label := s[end:min(len(s), end+100)]
	dashes := strings.Index(label, "-----")
	if dashes < 0 || keyLabel.Run(label, 0, dashes) < dashes ||
		!lex.ContainsFold(label[:dashes], "private key") && !lex.ContainsFold(label[:dashes], "private+key") {
		return -1
	}
	return end + dashes + 5
}

// keyLabel has the bytes of a key's label. A regular expression that matches labels has
// others.
var keyLabel = lex.NewClass("A-Za-z0-9 _+-")

// minKeyBody is the least number of bytes between two labels of a key that always
// counts as a body, no matter which bytes they are.
const minKeyBody = 64

// keyLookahead is how many bytes of a body are examined to decide whether it is a key's:
// its headers and its first lines.
const keyLookahead = 1000

// holdsKeyBase64 reports whether a text holds a line of base64 as keys do: with capitals,
// digits and at least ten different characters. Prose about a key does not.
func holdsKeyBase64(s string) bool {
	if i := strings.Index(s, "-----"); i >= 0 {
		s = s[:i] // another label, of whichever kind
	}
	for from, to, apart := decode.NextRun(s, 0); to > 0; from, to, apart = decode.NextRun(s, to) {
		if apart {
			continue
		}
		line := s[from:to]
		if k := strings.IndexAny(line, "\r\n"); k > 0 {
			line = line[:k]
		}
		if l := lex.CountChars(line); l.Upper > 0 && l.Digit > 0 && l.Distinct >= 10 &&
			l.Other*8 < min(len(line), lex.StatsLimit) {
			return true
		}
	}
	return false
}

// keyLines reports whether a body starts on a line of its own with a line that a key could
// have, however short: a key that was cut still shows part of itself.
func keyLines(s string) bool {
	own := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == '\r' || (c == 'n' || c == 'r') && i > 0 && s[i-1] == '\\':
			own = true
		case c != ' ' && c != '\t' && c != '\\':
			to := keyLine.Run(s, i, 200)
			setting := strings.IndexByte(strings.TrimRight(s[i:to], "="), '=') >= 0
			return own && to-i >= 4 && !setting && (to == len(s) || strings.IndexByte("\r\n\\\"'", s[to]) >= 0)
		}
	}
	return false
}

// keyLine has the bytes of a line of a key.
var keyLine = lex.NewClass("A-Za-z0-9+/=")
