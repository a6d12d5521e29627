package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
)

// maxParams is how many characters of parameters are shown.
const maxParams = 200

// Params writes JSON on one line, as { "query": "auth", "limit": 5 }, in the order it
// has, cut to maxParams characters. JSON that is cut off is shown up to there.
func Params(raw json.RawMessage) string { return compact(raw, maxParams) }

func compact(raw []byte, characters int) string {
	if len(bytes.TrimSpace(raw)) == 0 {
		return "{}"
	}
	p := printer{dec: json.NewDecoder(bytes.NewReader(raw)), budget: 4*characters + 16}
	p.dec.UseNumber()
	if p.value(0) != nil {
		p.out.WriteString("…")
	}
	return truncate(p.out.String(), characters)
}

// printer writes values until it has no room.
type printer struct {
	dec    *json.Decoder
	out    strings.Builder
	budget int // bytes after which it stops: more is cut off anyway
}

// errFull ends the printing of a value that is too long, or too deep, to be shown.
var errFull = errors.New("too long to be shown")

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

// quote writes clean text as a JSON string, whose escapes hold its line breaks.
func (p *printer) quote(s string) {
	if len(s) > p.budget {
		s = strings.ToValidUTF8(s[:p.budget], "")
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(Clean(s)) == nil {
		p.out.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	}
}

// SafeJSON is JSON on one line, in which what could harm a terminal is escaped. It
// means what it meant.
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
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	return out.String()
}
