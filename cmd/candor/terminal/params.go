package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"

	"candor/safety"
)

// maxParams bounds the parameters shown on a line, in characters.
const maxParams = 200

// Params renders JSON on one line, as { "query": "auth", "limit": 5 }, with its
// members in their order. Strings are cleaned. It is cut after 200 characters; JSON
// that breaks off is shown up to there.
func Params(raw json.RawMessage) string { return compact(raw, maxParams) }

// compact is Params with another bound, in characters.
func compact(raw []byte, characters int) string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}"
	}
	p := printer{dec: json.NewDecoder(bytes.NewReader(raw)), budget: 4*characters + 16}
	p.dec.UseNumber()      // 1.50 stays 1.50
	if p.value(0) != nil { // too long, too deep, or JSON that breaks off
		p.out.WriteString("…")
	}
	return truncate(p.out.String(), characters)
}

// maxExact bounds the parameters of a question, in bytes. It is more than a server sends.
const maxExact = 400_000

// exactParams renders JSON on one line like Params, but whole: what could harm a terminal is
// escaped instead of removed. It returns false if there is more: JSON that breaks off, is too deep
// or too long.
func exactParams(raw json.RawMessage) (params string, whole bool) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}", true
	}
	p := printer{dec: json.NewDecoder(bytes.NewReader(raw)), budget: maxExact, exact: true}
	p.dec.UseNumber()
	if p.value(0) != nil || p.cut {
		return p.out.String() + "…", false
	}
	return p.out.String(), true
}

// printer renders JSON token by token until its budget is spent, so that the cost of a
// value of any size depends only on the part that is shown.
type printer struct {
	dec    *json.Decoder
	out    strings.Builder
	budget int  // in bytes; what is longer is cut off anyway
	cut    bool // a string was
	exact  bool // escape what could harm a terminal, instead of removing it
}

// errFull ends the rendering of a value that is too long or too deep to be shown.
var errFull = errors.New("too long to be shown")

// value renders the next value.
func (p *printer) value(depth int) error {
	t, err := p.dec.Token()
	if err != nil {
		return err
	}
	if p.out.Len() > p.budget || depth > 64 {
		return errFull
	}
	switch t := t.(type) {
	case json.Delim:
		return p.group(t, depth)
	case string:
		p.quote(t)
	case json.Number:
		p.out.WriteString(t.String())
	case bool:
		p.out.WriteString(map[bool]string{true: "true", false: "false"}[t])
	case nil:
		p.out.WriteString("null")
	}
	return nil
}

// group renders the object or list that open began.
func (p *printer) group(open json.Delim, depth int) error {
	before, after, end := "{ ", " }", "}"
	if open == '[' {
		before, after, end = "[", "]", "]"
	}
	if !p.dec.More() {
		p.out.WriteString(open.String() + end)
		_, err := p.dec.Token()
		return err
	}
	p.out.WriteString(before)
	for n := 0; p.dec.More(); n++ {
		if n > 0 {
			p.out.WriteString(", ")
		}
		if open == '{' {
			key, err := p.dec.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			p.quote(name)
			p.out.WriteString(": ")
		}
		if err := p.value(depth + 1); err != nil {
			return err
		}
	}
	if _, err := p.dec.Token(); err != nil {
		return err
	}
	p.out.WriteString(after)
	return nil
}

// quote renders a string, cleaned, as JSON: line breaks stay escaped.
func (p *printer) quote(s string) {
	// Cleaning costs time by length, so what would be cut anyway goes first.
	if len(s) > p.budget {
		p.cut = true
		s = strings.ToValidUTF8(s[:p.budget], "")
	}
	if !p.exact {
		s = Clean(s)
	}
	quoted, _ := safety.Marshal(s) // a string always encodes
	if p.exact {
		quoted = []byte(SafeJSON(quoted))
	}
	p.out.Write(quoted)
}

// SafeJSON returns JSON on one line in which everything that could harm a terminal
// is escaped. Its meaning is unchanged, so programs can read it. It returns null for
// text that is not JSON.
func SafeJSON(raw json.RawMessage) string {
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil {
		return "null"
	}
	var out strings.Builder
	out.Grow(line.Len())
	marks := 0
	for _, r := range line.String() {
		if combines(r) || joins(r) {
			marks++
		} else {
			marks = 0
		}
		if marks <= maxMarks && (marks > 0 || printable(r)) {
			out.WriteRune(r)
			continue
		}
		// JSON escapes are UTF-16: a rune beyond the first plane takes two.
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
