package settings

import (
	"bytes"
	"encoding/json"
	"slices"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
	// Where its name begins and its value ends.
	from, to int
}

// members are those of an object, in its order, so that a file that people write keeps it.
type members []member

// membersOf decodes an object. It fails for anything else, and for an object that has a name twice.
func membersOf(raw []byte) (list members, err error) {
	if !json.Valid(raw) {
		return nil, ErrSettings
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return nil, ErrSettings
	}
	for d.More() {
		// Between members stand a comma and spaces only.
		at := int(d.InputOffset())
		from := at + bytes.IndexByte(raw[at:], '"')
		name, err := d.Token()
		if err != nil {
			return nil, ErrSettings
		}
		m := member{from: from}
		m.name, _ = name.(string) // the decoder gives nothing else here
		if d.Decode(&m.value) != nil || list.value(m.name) != nil {
			return nil, ErrSettings
		}
		m.to = int(d.InputOffset())
		list = append(list, m)
	}
	return list, nil
}

// value returns the value of a member, or nil if there is none.
func (l members) value(name string) json.RawMessage {
	for _, m := range l {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set gives a member a value, behind the others if it is new.
func (l *members) set(name string, value json.RawMessage) {
	for i := range *l {
		if (*l)[i].name == name {
			(*l)[i].value = value
			return
		}
	}
	*l = append(*l, member{name: name, value: value})
}

// object returns the members as JSON.
func (l members) object() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encoded(m.name))
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encoded returns a value of ours as JSON, with < and & as they are.
func encoded(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings, and values that were decoded
	return bytes.TrimSpace(b.Bytes())
}

// madeByUs begins a file that Attach made: no other gets such a first line from it.
const madeByUs = "{\n  "

// with returns an object, whose members l are, with a value for a member. All other bytes stay as they are.
func (l members) with(raw []byte, name string, value json.RawMessage) []byte {
	var b bytes.Buffer
	b.Write(encoded(name))
	b.WriteString(": ")
	_ = json.Indent(&b, value, "  ", "  ") // of valid parts
	i := slices.IndexFunc(l, func(m member) bool { return m.name == name })
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return slices.Concat([]byte(madeByUs), b.Bytes(), []byte("\n}\n"))
	case i >= 0:
		return slices.Concat(raw[:l[i].from], b.Bytes(), raw[l[i].to:])
	case len(l) > 0:
		end := l[len(l)-1].to
		return slices.Concat(raw[:end], []byte(",\n  "), b.Bytes(), raw[end:])
	}
	start := bytes.IndexByte(raw, '{') + 1
	return slices.Concat(raw[:start], b.Bytes(), raw[start:])
}

// without returns an object, whose members l are, without a member. All other bytes stay as they are; nothing is left
// of a file that Attach made.
func (l members) without(raw []byte, name string) []byte {
	i := slices.IndexFunc(l, func(m member) bool { return m.name == name })
	switch {
	case i < 0:
		return raw
	case i > 0:
		return slices.Concat(raw[:l[i-1].to], raw[l[i].to:])
	case len(l) > 1:
		return slices.Concat(raw[:l[i].from], raw[l[i+1].from:])
	case string(raw[:l[i].from]) == madeByUs:
		return nil
	}
	return slices.Concat(raw[:l[i].from], raw[l[i].to:])
}
