package secrets

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/invisible"
	"candor/safety/internal/rule"
)

// minKnown is the length of the shortest known value that is masked, in bytes.
const minKnown = 4

// Known returns the rule for a value that the user named as secret: it finds it
// unchanged, in hex, in base32 and base64 among other bytes, escaped for a URL, reversed,
// in rot13, letter by letter, and in pieces separated by joints such as "…" + "…". A value
// shorter than four bytes is not found, since it would mask ordinary words, and neither is
// a part of the marker itself, which would mask markers.
func Known(value string) rule.Rule {
	v := invisible.Strip(value)
	r := rule.Rule{ID: "known-secret", Specificity: rule.WholeBlock}
	r.Match = func(s string, at, end int) (int, int) {
		from, to, _ := knownAt(s, at, end, v)
		return from, to
	}
	r.Open = func(s string, at, end int) bool {
		_, _, open := knownAt(s, at, end, v)
		return open
	}
	if len(v) < minKnown || strings.Contains("[REDACTED:", v) || strings.Contains(v, "[REDACTED") {
		return r
	}
	r.Keywords = slices.Concat([]string{v}, Encodings(v), shortForms(v))
	if len(v) >= minKnownTorn {
		r.Keywords = append(r.Keywords, v[:tornHead])
	}
	return r
}

const (
	// minKnownTorn is the shortest known value that is looked for in pieces.
	minKnownTorn = 10
	// tornHead is the number of its bytes before the first joint.
	tornHead = 5
)

// knownAt returns the bounds of the known value v whose keyword is at..end: the keyword
// itself, or the value in pieces if the keyword is only its head. open reports whether more
// text may complete one.
func knownAt(s string, at, end int, v string) (from, to int, open bool) {
	if len(v) < minKnownTorn || s[at:end] != v[:tornHead] {
		return at, end, false
	}
	if to, open = inPieces(s, end, v[tornHead:]); to > 0 {
		return at, to, false
	}
	return 0, 0, open
}

// inPieces returns where v ends if it appears in pieces from i on, or 0. ended reports
// whether s ended before that was known. At most eight joints may separate the pieces.
func inPieces(s string, i int, v string) (to int, ended bool) {
	tears := 0
	for k := 0; k < len(v); {
		if i >= len(s) {
			return 0, true
		}
		if s[i] == v[k] {
			i, k = i+1, k+1
			continue
		}
		kind, next := decode.SkipJoint(s, i)
		if kind == decode.JointNone {
			return 0, next >= len(s)
		}
		if tears++; tears > 8 {
			return 0, false
		}
		i = next
	}
	return i, false
}

// minEncodable is the length of the shortest known value that is looked for in encoded
// form; the encoding of a shorter one would match by chance.
const minEncodable = 6

// Encodings returns v in hex of both cases, in both alphabets of base64 at each of the
// three offsets it may have among other bytes, as a URL's query escapes it, reversed,
// and in rot13.
func Encodings(v string) []string {
	if len(v) < minEncodable {
		return nil
	}
	inHex := hex.EncodeToString([]byte(v))
	out := []string{inHex, strings.ToUpper(inHex)}
	for before := range 3 {
		padded := make([]byte, before, before+len(v))
		// Characters that also carry bits of the text around are left out.
		from, to := (before*8+5)/6, (before+len(v))*8/6
		for _, enc := range [...]*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			out = append(out, enc.EncodeToString(append(padded, v...))[from:to])
		}
	}
	for _, form := range []string{url.QueryEscape(v), Reverse(v), Rotate(v)} {
		if form != v {
			out = append(out, form)
		}
	}
	return out
}

// shortForms returns v in base32 at each of the five offsets it may have among other bytes, and
// with a blank between its letters. Package decode reads both where they are long enough.
func shortForms(v string) (out []string) {
	if len(v) < minEncodable {
		return nil
	}
	for before := range 5 {
		enc := base32.StdEncoding.EncodeToString(append(make([]byte, before, before+len(v)), v...))
		out = append(out, enc[(before*8+4)/5:(before+len(v))*8/5])
	}
	return append(out, strings.Join(strings.Split(v, ""), " "))
}
