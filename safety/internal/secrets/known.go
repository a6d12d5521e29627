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

// Known returns the rule for values that the user named as secret: it finds them
// unchanged, in hex, in base32 and base64 among other bytes, escaped for a URL, reversed,
// in rot13, letter by letter, and in pieces separated by joints such as "…" + "…". Values
// shorter than four bytes are left out, since they would mask ordinary words, and so are
// parts of the marker itself, which would mask markers.
func Known(values []string) rule.Rule {
	var split []string // no value of these is as short as a head
	r := rule.Rule{ID: "known-secret", Specificity: rule.WholeBlock}
	r.Match = func(s string, at, end int) (int, int) {
		from, to, _ := knownAt(s, at, end, split)
		return from, to
	}
	r.Open = func(s string, at, end int) bool {
		_, _, open := knownAt(s, at, end, split)
		return open
	}
	for _, v := range values {
		if v = invisible.Strip(v); len(v) >= minKnown && !strings.Contains("[REDACTED:", v) &&
			!strings.Contains(v, "[REDACTED") {
			r.Keywords = slices.Concat(r.Keywords, []string{v}, Encodings(v), shortForms(v))
			if len(v) >= minKnownTorn {
				split = append(split, v)
				r.Keywords = append(r.Keywords, v[:tornHead])
			}
		}
	}
	return r
}

const (
	// minKnownTorn is the shortest known value that is looked for in pieces.
	minKnownTorn = 10
	// tornHead is the number of its bytes before the first joint.
	tornHead = 5
)

// knownAt returns the bounds of the known value whose keyword is at..end: the keyword
// itself, or a value in pieces if the keyword is only a head. open reports whether more
// text may complete one.
func knownAt(s string, at, end int, split []string) (from, to int, open bool) {
	head := false
	for _, v := range split {
		if end-at != tornHead || v[:tornHead] != s[at:end] {
			continue
		}
		head = true
		to, ended := inPieces(s, end, v[tornHead:])
		if to > 0 {
			return at, to, false
		}
		open = open || ended
	}
	if !head {
		return at, end, false
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
