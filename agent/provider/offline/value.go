package offline

import (
	"bytes"
	"encoding/json"
	"strings"
)

type shape int

const (
	isNull shape = iota
	isScalar
	isString
	isList
	isObject
)

// value is a JSON value whose members keep their order, which a map loses.
type value struct {
	kind    shape
	text    string // a scalar as it is written, a string as it reads
	items   []value
	keys    []string
	members []value
}

// maxDepth bounds nesting; a result deeper than this is shown as plain text.
const maxDepth = 50

// parse reads a tool's result. Anything but JSON, such as an error, is not ok.
func parse(s string) (v value, ok bool) {
	if !json.Valid([]byte(s)) {
		return value{}, false
	}
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	return next(dec, 0)
}

func next(dec *json.Decoder, depth int) (v value, ok bool) {
	t, err := dec.Token()
	if err != nil || depth > maxDepth {
		return value{}, false
	}
	switch t := t.(type) {
	case string:
		return value{kind: isString, text: t}, true
	case json.Number:
		return value{kind: isScalar, text: t.String()}, true
	case bool:
		if t {
			return value{kind: isScalar, text: "yes"}, true
		}
		return value{kind: isScalar, text: "no"}, true
	case json.Delim:
		return nested(dec, t, depth)
	}
	return value{}, true
}

func nested(dec *json.Decoder, open json.Delim, depth int) (v value, ok bool) {
	v.kind = isList
	if open == '{' {
		v.kind = isObject
	}
	for dec.More() {
		if v.kind == isObject {
			key, err := dec.Token()
			if err != nil {
				return value{}, false
			}
			name, _ := key.(string)
			v.keys = append(v.keys, name)
		}
		m, ok := next(dec, depth+1)
		if !ok {
			return value{}, false
		}
		if v.kind == isObject {
			v.members = append(v.members, m)
		} else {
			v.items = append(v.items, m)
		}
	}
	_, err := dec.Token()
	return v, err == nil
}

// encode is JSON without HTML escapes. It is given strings, numbers, booleans
// and lists of them only, so it cannot fail.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(buf.Bytes())
}
