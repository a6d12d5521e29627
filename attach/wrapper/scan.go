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
