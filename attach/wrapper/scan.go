package wrapper

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// span is the place of a value in a message; the zero span is none.
type span struct{ from, to int }

// found reports whether there is such a value.
func (s span) found() bool { return s.to > 0 }

// of returns the value.
func (s span) of(raw []byte) []byte { return raw[s.from:s.to] }

// member is a member of an object, by its place in the message.
type member struct {
	key  string // decoded
	from int    // where the key begins
	span        // the value
}

// walk visits the members of the object at from, in order, until visit returns false. It reports whether what it
// visited is the whole object. A message that ends within the object has the members that are complete by then. The
// walk does not look into values and does not check them.
func walk(raw []byte, from int, visit func(m member) bool) (whole bool) {
	at := blank(raw, from)
	if at >= len(raw) || raw[at] != '{' {
		return false
	}
	if at = blank(raw, at+1); at < len(raw) && raw[at] == '}' {
		return true
	}
	// Each round reads a key, a colon, a value, and what stands behind it.
	for at < len(raw) && raw[at] == '"' {
		m := member{from: at}
		end := skip(raw, at)
		if end < 0 {
			return false
		}
		m.key = decoded(raw[at:end])
		if at = blank(raw, end); at >= len(raw) || raw[at] != ':' {
			return false
		}
		m.span.from = blank(raw, at+1)
		if m.to = skip(raw, m.span.from); m.to < 0 || !visit(m) {
			return false
		}
		if at = blank(raw, m.to); at >= len(raw) || raw[at] != ',' {
			return at < len(raw) && raw[at] == '}'
		}
		at = blank(raw, at+1)
	}
	return false
}

// elements visits the values of the array at from, in order, and reports whether they are the whole array. Like walk it
// does not check what it visits.
func elements(raw []byte, from int, visit func(v span)) (whole bool) {
	at := blank(raw, from)
	if at >= len(raw) || raw[at] != '[' {
		return false
	}
	if at = blank(raw, at+1); at < len(raw) && raw[at] == ']' {
		return true
	}
	for at < len(raw) {
		end := skip(raw, at)
		if end < 0 {
			return false
		}
		visit(span{at, end})
		if at = blank(raw, end); at >= len(raw) || raw[at] != ',' {
			return at < len(raw) && raw[at] == ']'
		}
		at = blank(raw, at+1)
	}
	return false
}

// find returns the members of the object at from that have one of the names. ok is false if one of them is there
// twice, since readers differ in which of the two counts. An object that is cut short has what it has.
func find(raw []byte, from int, names ...string) (found map[string]span, ok bool) {
	found, ok = make(map[string]span, len(names)), true
	walk(raw, from, func(m member) bool {
		for _, name := range names {
			if m.key == name {
				ok = ok && !found[name].found()
				found[name] = m.span
			}
		}
		return true
	})
	return found, ok
}

// skip returns where the value at from ends, or -1 if the message ends before. It keeps nothing of the nesting, so deep
// values cost no more than flat ones. Of a value that is no JSON it returns some end.
func skip(raw []byte, from int) int {
	// A count of brackets is enough: whoever needs the value to be sound checks it with json.Valid.
	depth := 0
	for at := from; at < len(raw); at++ {
		switch raw[at] {
		case '"':
			if at = closing(raw, at); at < 0 {
				return -1
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			continue
		default:
			if at = scalar(raw, at); at == len(raw)-1 {
				return -1 // the rest of it may be missing
			}
		}
		if depth <= 0 {
			return at + 1
		}
	}
	return -1
}

// closing returns the place of the quote that ends the string at from, or -1.
func closing(raw []byte, from int) int {
	for at := from + 1; ; at++ {
		next := bytes.IndexByte(raw[at:], '"')
		if next < 0 {
			return -1
		}
		at += next
		// A quote behind an odd number of backslashes is part of the string.
		slashes := 0
		for raw[at-1-slashes] == '\\' {
			slashes++ // the opening quote ends the loop
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// scalar returns the last place of the number or word at from.
func scalar(raw []byte, from int) int {
	for at := from; at < len(raw); at++ {
		if bytes.IndexByte([]byte(",:{}[]\" \t\r\n"), raw[at]) >= 0 {
			return at - 1
		}
	}
	return len(raw) - 1
}

// blank returns the first place from at on that is no white space.
func blank(raw []byte, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\r' || raw[at] == '\n') {
		at++
	}
	return at
}

// decoded returns the text of a string as the other side reads it, and "" for any other value.
func decoded(raw []byte) (text string) {
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	_ = json.Unmarshal(raw, &text) // anything but a string is none
	return text
}

// edit replaces a place of a message by a text.
type edit struct {
	span
	with string
}

// edited returns a message with edits, which stand in order and do not overlap. Without edits it is the message itself.
func edited(raw []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return raw
	}
	// The message that came is left as it is: facts share its memory.
	size := len(raw)
	for _, e := range edits {
		size += len(e.with)
	}
	out, at := make([]byte, 0, size), 0
	for _, e := range edits {
		out = append(append(out, raw[at:e.from]...), e.with...)
		at = e.to
	}
	return append(out, raw[at:]...)
}

// takeOut returns the edits that take the members called name out of the object at from, and the text of the last of
// them, which is empty if it is no string. Members that stay keep their bytes. A member goes together with one comma:
// the one behind it and the white space up to the next member, or, if it is the last, all from the end of the member
// before it.
func takeOut(raw []byte, from int, name string) (edits []edit, text string) {
	kept := -1 // where the latest member ends that stays
	open := false
	walk(raw, from, func(m member) bool {
		if open { // the member before this one goes, and all up to here
			edits[len(edits)-1].to = m.from
			open = false
		}
		// Only keys of this very object count; walk does not look into values.
		if m.key != name {
			kept = m.to
			return true
		}
		// The last one counts, as it does for most readers.
		text = ""
		_ = json.Unmarshal(m.of(raw), &text)
		edits, open = append(edits, edit{span: span{m.from, m.to}}), true
		return true
	})
	if open {
		edits = closed(raw, edits, kept)
	}
	return edits, text
}

// closed ends the last edit, whose member no other follows that is complete. kept is where the last member ends that
// stays, or -1.
func closed(raw []byte, edits []edit, kept int) []edit {
	last := edits[len(edits)-1]
	next := blank(raw, last.to)
	switch {
	case next == len(raw): // cut short: nobody knows yet which comma has to go
		return edits[:len(edits)-1]
	case raw[next] == ',': // cut short within the next member
		edits[len(edits)-1].to = blank(raw, next+1)
		return edits
	case kept < 0:
		return edits
	}
	// It is the last member. Edits behind the one that stays become one with it.
	for len(edits) > 0 && edits[len(edits)-1].from > kept {
		edits = edits[:len(edits)-1]
	}
	last.from = kept
	return append(edits, last)
}
