package secrets

import (
	"encoding/base64"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// privateKey is a PEM, OpenSSH or PGP private key: the whole block up to its
// END, or as far as it looks like one where the END is missing.
func privateKey() rule.Rule {
	return rule.Rule{
		ID: "private-key", Specificity: rule.WholeBlock, Action: rule.Block, Keywords: []string{"-----begin"}, Fold: true, Match: findPrivateKey, Open: openPrivateKey,
		Hits: []string{
			"-----BEGIN RSA PRIVATE {}KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE {}KEY-----",
			"-----BEGIN OPENSSH PRIVATE {}KEY-----\n{b64}\n{b30}",
			"-----BEGIN PRIVATE {}KEY-----\nMIIB\n-----END PRIVATE {}KEY-----", // cut short, as in a log
			"-----BEGIN PGP PRIVATE {}KEY BLOCK-----\n\n{b64}\n-----END PGP PRIVATE {}KEY BLOCK-----",
		},
		Misses: []string{"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----", "looks for -----BEGIN lines",
			"a file that begins with -----BEGIN RSA PRIVATE " + "KEY----- is read by internal/server/handler.go, I think", "-----BEGIN OPENSSH PRIVATE " + "KEY----------END OPENSSH PRIVATE KEY-----",
			"-----BEGIN RSA PRIVATE " + "KEY-----\nis how such a file begins"},
	}
}

func findPrivateKey(s string, at, end int) (int, int) {
	body := keyBody(s, end)
	if body < 0 {
		return 0, 0
	}
	if near := s[body:min(len(s), body+keySight)]; !keyed64(near) && !keyLines(near) {
		return at, otherEnd(s, body)
	}
	to, _ := keyEnd(s, body)
	return at, to
}

// otherEnd is where something ends that is labelled a key, does not look like one,
// and is closed by what looks like the end of a label; 0 where there is none.
func otherEnd(s string, body int) int {
	near := s[:min(len(s), body+keySight)]
	for i := body + minKeyBody; ; i++ {
		k := strings.Index(near[min(i, len(near)):], "-----")
		if k < 0 {
			return 0
		}
		if i += k; lex.HasFold(s, i-3, "key") || lex.HasFold(s, i-9, "key block") {
			return i + 5
		}
	}
}

// keyBody is where the body of a private key starts, behind its label, or -1.
func keyBody(s string, end int) int {
	label := s[end:min(len(s), end+100)]
	close := strings.Index(label, "-----")
	if close < 0 || keyLabel.Run(label, 0, close) < close || !lex.ContainsFold(label[:close], "private key") && !lex.ContainsFold(label[:close], "private+key") {
		return -1
	}
	return end + close + 5
}

// keyLabel is what the label of a key is made of, an expression to match one not.
var keyLabel = lex.NewClass("A-Za-z0-9 _+-")

// minKeyBody is the least that stands between the labels of a key, whatever it is.
const minKeyBody = 64

// keySight is how much of a body is asked whether it is a key's: its headers and
// its first lines.
const keySight = 1000

// keyed64 reports whether a text holds base64 as a key does, which what is only
// said about one does not.
func keyed64(s string) bool {
	if i := strings.Index(s, "-----"); i >= 0 {
		s = s[:i] // another label, of whichever kind
	}
	for from, to := decode.NextRun(s, 0); to > 0; from, to = decode.NextRun(s, to) {
		line := s[from:to]
		if k := strings.IndexAny(line, "\r\n"); k > 0 {
			line = line[:k]
		}
		if l := lex.CountChars(line); l.Upper > 0 && l.Digit > 0 && l.Distinct >= 10 && l.Other*8 < min(len(line), lex.StatsLimit) {
			return true
		}
	}
	return false
}

// keyLines reports whether a body starts on a line of its own with a line that a key
// could have, however short: who cuts a key has still shown some of it.
func keyLines(s string) bool {
	own := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' || c == '\r' || (c == 'n' || c == 'r') && i > 0 && s[i-1] == '\\':
			own = true
		case c != ' ' && c != '\t' && c != '\\':
			to := keyLine.Run(s, i, 200)
			return own && to-i >= 4 && (to == len(s) || strings.IndexByte("\r\n\\\"'", s[to]) >= 0)
		}
	}
	return false
}

// keyLine is what a line of a key is made of.
var keyLine = lex.NewClass("A-Za-z0-9+/=")

// jwtLook is a token of three dotted parts that has the look of a JWT but a
// header that is cut or rewritten: two parts start as encoded JSON does.
func jwtLook() rule.Rule {
	f := rule.MustFormat("{k17-2000}<.ey>{j15+}")
	return rule.Rule{
		ID: "jwt-like", Specificity: rule.ByShape, Keywords: []string{".ey"},
		Hits:   []string{"ey{a20}.ey{a30}.{a20}"},
		Misses: []string{"ey.ey", "money.eyes and more", "eye_of_the_tiger_2x.eyes_of_the_tiger_cub.txt", "the.eyewitness-account-of-the-thing"},
		Match: func(s string, at, _ int) (int, int) {
			from, to, ok := f.Match(s, at)
			if ok {
				to = lex.Classes['j'].Run(s, to, rule.MaxTail)
				for from+2 < at && !lex.IsLetter(s[from]) { // signs of markup
					from++
				}
			}
			if !ok || s[from:from+2] != "ey" || to >= len(s) || s[to] != '.' || !drawnPart(s[from:at]) || !drawnPart(s[at+1:to]) {
				return 0, 0
			}
			to = lex.Classes['j'].Run(s, to+1, rule.MaxTail)
			return from, lex.Classes['e'].Run(s, to, 2)
		},
	}
}

// drawnPart reports whether a part of a token is no word: its case is mixed, or it
// looks drawn by a machine.
func drawnPart(s string) bool { return lex.MixedCase(s) || lex.Random(s) }

// jwt is a JSON Web Token, told by decoding its header; the signature may be
// missing, cut or empty.
func jwt() rule.Rule {
	return rule.Rule{
		ID: "jwt", Specificity: rule.ByShape, Keywords: []string{"eyJ", "ewog", "eyAi"}, Match: findJWT,
		Hits:   []string{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{k40}.{k43}", "eyJhbGciOiJub25lIn0.eyJ{k40}."},
		Misses: []string{"eyJhbGciOiJIUzI1NiJ9", "eyJust.words.here", "eyJ0aXRsZSI6IngifQ.notatoken.atall"},
	}
}

const maxJWTHeader = 2048

func findJWT(s string, at, end int) (int, int) {
	if at > 0 && lex.WordChars[s[at-1]] && (!lex.CanStartToken(s, at) || s[at-1] == '-' || s[at-1] == '_') && !glued(s, at) {
		return 0, 0
	}
	dot := lex.WordChars.Run(s, at, maxJWTHeader)
	if dot-at < 12 || dot >= len(s) || s[dot] != '.' {
		return 0, 0
	}
	body := lex.WordChars.Run(s, dot+1, rule.MaxTail)
	if body-dot-1 < 4 || !joseHeader(s[at:dot]) {
		return 0, 0
	}
	to := body
	for n := 0; n < 3 && to < len(s) && s[to] == '.'; n++ {
		to = lex.WordChars.Run(s, to+1, rule.MaxTail)
	}
	for to > body && s[to-1] == '.' {
		to--
	}
	return at, to
}

// glued reports whether a header starts at i in the middle of a word: only where
// it opens with one of its own names, and ends soon.
func glued(s string, i int) bool {
	head := s[i:min(len(s), i+512)]
	if len(head) < 10 || strings.IndexByte(head, '.') < 0 {
		return false
	}
	for _, name := range headerNames {
		if head[3:9] == name {
			return true
		}
	}
	return false
}

// headerNames are alg":, typ":, kid":, enc":, zip":, cty":, jku":, jwk":, x5t":
// and x5c": as they look behind eyJ.
var headerNames = [...]string{"hbGciO", "0eXAiO", "raWQiO", "lbmMiO", "6aXAiO", "jdHkiO", "qa3UiO", "qd2siO", "4NXQiO", "4NWMiO"}

// joseHeader reports whether a segment decodes to a JSON object that names an
// algorithm. It decodes on the stack.
func joseHeader(seg string) bool {
	var src [maxJWTHeader]byte
	var dst [maxJWTHeader]byte
	n := copy(src[:], seg)
	n, _ = base64.RawURLEncoding.Decode(dst[:], src[:n-(n%4)%4%2])
	head := dst[:n]
	return n > 2 && head[0] == '{' && (hasKey(head, "alg") || hasKey(head, "enc") || hasKey(head, "kid") || hasKey(head, "typ"))
}

func hasKey(head []byte, key string) bool {
	for i := 1; i+len(key)+1 < len(head); i++ {
		if head[i-1] == '"' && string(head[i:i+len(key)]) == key && head[i+len(key)] == '"' {
			return true
		}
	}
	return false
}
