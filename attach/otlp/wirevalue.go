package otlp

import (
	"math"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// attribute adds the attribute that a field is, if it has the number of one.
func (r *reader) attribute(f field, num protowire.Number, to Attributes) error {
	if f.num != num {
		return nil
	}
	key, value, err := r.keyValue(f.raw, 0)
	to[key] = value
	return err
}

// keyValue decodes a key with its value: 1 key, 2 value. Of a key that comes twice the last value holds.
func (r *reader) keyValue(b []byte, depth int) (key string, value any, err error) {
	err = r.fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			key = text(f.raw)
		case 2:
			value, err = r.value(f.raw, depth)
		}
		return err
	})
	return key, value, err
}

// value decodes a value, which is one of: 1 string, 2 bool, 3 int, 4 double, 5 list, 6 object, 7 bytes. A message with
// none of them is nil, and of several the last one holds, as everywhere in protobuf.
func (r *reader) value(b []byte, depth int) (v any, err error) {
	if depth > maxDepth {
		return nil, ErrBody
	}
	err = r.fields(b, func(f field) (err error) {
		switch f.num {
		case 1:
			v = text(f.raw)
		case 2:
			v = f.value != 0
		case 3:
			v = int64(f.value)
		case 4:
			v = math.Float64frombits(f.value)
		case 5:
			v, err = r.list(f.raw, depth+1)
		case 6:
			v, err = r.object(f.raw, depth+1)
		case 7:
			v = append([]byte{}, f.raw...)
		}
		return err
	})
	return v, err
}

// list decodes the values of a list.
func (r *reader) list(b []byte, depth int) (list []any, err error) {
	list = []any{}
	err = r.fields(b, func(f field) error {
		if f.num != 1 {
			return nil
		}
		v, err := r.value(f.raw, depth)
		list = append(list, v)
		return err
	})
	return list, err
}

// object decodes a list of keys with values.
func (r *reader) object(b []byte, depth int) (map[string]any, error) {
	all := map[string]any{}
	err := r.fields(b, func(f field) error {
		if f.num != 1 {
			return nil
		}
		key, value, err := r.keyValue(f.raw, depth)
		all[key] = value
		return err
	})
	return all, err
}

// text returns a string of a body. Protobuf allows only UTF-8 in it, but not everybody checks.
func text(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}
