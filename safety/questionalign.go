package safety

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"candor/safety/internal/inert"
	"candor/safety/internal/invisible"
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
)

// aligner walks a JSON value and its cleaned form side by side, and writes the value as it
// is, apart from what the cleaned form hides. It trusts the cleaned form in nothing but what
// it hides: each other difference is an error.
type aligner struct {
	raw, clean *walker
	out        []byte
	hidden     int
	texts      []inert.Text
	inner      bool // the value is in a string
	leaves     []leaf
}

// leaf is a string, a number, a boolean or null of a call's arguments.
type leaf struct {
	literal []byte // as it is in the arguments
	text    string // of a string
	hidden  []lex.Span
}

// value writes the next value. named says that its key is known to be of a value that is no
// program, and before are the strings in front of it in its list.
func (a *aligner) value(depth int, named bool, before ...string) error {
	a.space()
	a.clean.space()
	if depth > maxDepth {
		return errDeep
	}
	r, c := a.raw.in[a.raw.pos], a.clean.in[a.clean.pos]
	switch {
	case r == '"' && c == '"':
		start := a.raw.pos
		s, cleaned := a.raw.string(), a.clean.string()
		return a.text(s, cleaned, a.raw.in[start:a.raw.pos], named, before)
	case r == '{' && c == '{':
		return a.object(depth)
	case r == '[' && c == '[':
		return a.list(depth, named)
	case r == '{' || r == '[':
		return errDeep // the only reason to replace it
	}
	return a.scalar()
}

// space copies white space.
func (a *aligner) space() {
	start := a.raw.pos
	a.raw.space()
	a.out = append(a.out, a.raw.in[start:a.raw.pos]...)
}

// next moves past the bracket at the start of an object or list, or the comma in it, and
// reports whether another member follows. Otherwise it moves past its end.
func (a *aligner) next(first bool, end byte) bool {
	a.space()
	a.clean.space()
	step := func() {
		a.out = append(a.out, a.raw.in[a.raw.pos])
		a.raw.pos++
		a.clean.pos++
	}
	if first || a.raw.in[a.raw.pos] == ',' && a.clean.in[a.clean.pos] == ',' {
		step()
		a.space()
		a.clean.space()
	}
	if a.raw.in[a.raw.pos] != end {
		return true
	}
	step()
	return false
}

// object writes an object. Its keys are as they were, and distinct.
func (a *aligner) object(depth int) error {
	keys := map[string]bool{}
	for first := true; a.next(first, '}'); first = false {
		if a.clean.in[a.clean.pos] != '"' {
			return errUndefined
		}
		start := a.raw.pos
		key, cleaned := a.raw.string(), a.clean.string()
		switch {
		case key != cleaned || escapeUnseen(key) != key:
			return errKey
		case keys[key]:
			return errTwice
		}
		keys[key] = true
		a.out = append(a.out, a.raw.in[start:a.raw.pos]...)
		a.space()
		a.clean.space()
		a.out = append(a.out, ':')
		a.raw.pos++
		a.clean.pos++
		if err := a.value(depth+1, holdsValue(key)); err != nil {
			return err
		}
	}
	return nil
}

// holdsValue reports whether the member with this key is a value and no program.
func holdsValue(key string) bool {
	return judgeKey(key) != keyvalue.Plain || entryValues.Has(key) || lex.EqualFold(key, "authorization") ||
		lex.EqualFold(key, "cookie") || lex.EqualFold(key, "body")
}

// list writes a list.
func (a *aligner) list(depth int, named bool) error {
	var before []string
	for first := true; a.next(first, ']'); first = false {
		if c := a.clean.in[a.clean.pos]; c == ']' || c == ',' {
			return errUndefined
		}
		var s string
		if at := a.raw.pos; a.raw.in[at] == '"' {
			s = a.raw.string()
			a.raw.pos = at
		}
		if err := a.value(depth+1, named, before...); err != nil {
			return err
		}
		before = append(before, s)
	}
	return nil
}

// scalar writes a number, a boolean or null. A number that is masked is a value: its key
// says so.
func (a *aligner) scalar() error {
	lit := a.raw.literal()
	a.leaves = append(a.leaves, leaf{literal: lit})
	if a.clean.in[a.clean.pos] == '"' {
		marker := a.clean.string()
		a.hidden += len(lit)
		a.texts = append(a.texts, inert.Text{Raw: "0", Hidden: []lex.Span{{To: 1}}, Named: true})
		a.out = appendString(a.out, marker)
		return nil
	}
	if !bytes.Equal(lit, a.clean.literal()) {
		return errUndefined
	}
	if !a.inner && rounds(string(lit)) {
		lit = []byte(strconv.Quote(string(lit)))
	}
	a.out = append(a.out, lit...)
	return nil
}

// literal reads a number, a boolean or null.
func (w *walker) literal() []byte {
	start := w.pos
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.in[w.pos]) < 0 {
		w.pos++
	}
	return w.in[start:w.pos]
}

// rounds reports whether a reader that takes numbers as JavaScript does would show this one
// in another way.
func rounds(lit string) bool {
	if lit[0] != '-' && !lex.Digits[lit[0]] {
		return false
	}
	f, err := strconv.ParseFloat(lit, 64)
	return err != nil || len(lit) > 20 || strconv.FormatFloat(f, 'f', -1, 64) != lit || lit == "-0"
}

// text writes a string, whose cleaned form and whose literal are given.
func (a *aligner) text(s, cleaned string, literal []byte, named bool, before []string) error {
	shown := escapeUnseen(s)
	if s == cleaned || invisible.Strip(s) == cleaned {
		a.texts = append(a.texts, inert.Text{Raw: s, Before: before})
		a.leaves = append(a.leaves, leaf{literal: literal, text: s})
		if a.inner && shown == s {
			a.out = append(a.out, literal...)
		} else {
			a.out = appendString(a.out, shown)
		}
		return nil
	}
	if invisible.Strip(s) != s {
		return errUnseen
	}
	if scheme, token, two := strings.Cut(s, " "); two && isMarker(cleaned) && inert.IsScheme(scheme) {
		cleaned = scheme + s[len(scheme):len(s)-len(strings.TrimLeft(token, " "))] + cleaned // it is no secret
	} else if within, ok := a.nested(s, cleaned); ok {
		cleaned = string(within.out)
		a.texts = append(a.texts, within.texts...)
	}
	spans, shown, ok := align(s, cleaned)
	if !ok {
		return errChanged
	}
	for _, sp := range spans {
		a.hidden += sp.To - sp.From
	}
	a.texts = append(a.texts, inert.Text{Raw: s, Hidden: spans, Before: before, Named: named})
	a.leaves = append(a.leaves, leaf{literal, s, spans})
	a.out = appendString(a.out, shown)
	return nil
}

// nested aligns a string that contains JSON, and returns false if it contains none or its
// cleaned form differs in more than what it hides.
func (a *aligner) nested(s, cleaned string) (*aligner, bool) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' || a.inner ||
		!json.Valid([]byte(s)) || !json.Valid([]byte(cleaned)) {
		return nil, false
	}
	in := &aligner{raw: &walker{in: []byte(s)}, clean: &walker{in: []byte(cleaned)}, inner: true}
	if in.value(0, false) != nil {
		return nil, false
	}
	in.out = append(in.out, s[in.raw.pos:]...)
	return in, true
}

// mustEscape reports whether nobody sees r, or takes it for a space.
func mustEscape(r rune) bool { return r >= 0x7f && (!unicode.IsPrint(r) || invisible.Is(r)) }
