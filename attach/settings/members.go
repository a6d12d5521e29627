package settings

import (
	"bytes"
	"encoding/json"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
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
		name, err := d.Token()
		if err != nil {
			return nil, ErrSettings
		}
		var m member
		m.name, _ = name.(string) // the decoder gives nothing else here
		if d.Decode(&m.value) != nil || list.value(m.name) != nil {
			return nil, ErrSettings
		}
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
	*l = append(*l, member{name, value})
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

// indented returns an object as people write it.
func indented(l members) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, l.object(), "", "  ") // of valid parts
	b.WriteByte('\n')
	return b.Bytes()
}
