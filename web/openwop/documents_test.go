package openwop_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// number returns a JSON number's value.
func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// valueAt returns what a document has at a JSON pointer.
func valueAt(document any, pointer string) (any, bool) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch d := document.(type) {
		case m:
			member, ok := d[token]
			if !ok {
				return nil, false
			}
			document = member
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			document = d[i]
		default:
			return nil, false
		}
	}
	return document, true
}

// decoded returns a JSON value as a T, which has to know all its members.
func decoded[T any](value any) (T, error) {
	var out T
	raw, err := json.Marshal(value)
	if err != nil {
		return out, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}
