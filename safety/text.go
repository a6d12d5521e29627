package safety

import (
	"bytes"
	"encoding/json"
)

// Text is cleaned text. The zero value is the empty text. A Text can only come
// from a [Layer] or from [Literal], so holding one proves that it was cleaned.
type Text struct{ s string }

// constant can be named by no other package, so the only values that convert
// to it implicitly are untyped constants.
type constant string

// Literal is a Text from a constant in our own source, such as a fallback
// sentence. It accepts nothing that is known only at run time.
func Literal(s constant) Text { return Text{string(s)} }

// String is the plain text, not escaped for any markup.
func (t Text) String() string { return t.s }

// Empty reports whether there is no text at all.
func (t Text) Empty() bool { return t.s == "" }

// MarshalJSON encodes the plain text as a JSON string. Markup stays as it is; an
// encoder that wants it escaped does that itself.
func (t Text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t.s); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// JSON is a cleaned JSON value. It is always valid JSON; the zero value encodes
// as null.
type JSON struct{ raw json.RawMessage }

// Raw is the encoded value, null for the zero value. The caller must not change
// the bytes.
func (j JSON) Raw() json.RawMessage {
	if len(j.raw) == 0 {
		return json.RawMessage("null")
	}
	return j.raw
}

// Null reports whether there is no value: nothing was set, or it is JSON's null.
func (j JSON) Null() bool { return len(j.raw) == 0 || string(j.raw) == "null" }

// MarshalJSON is the value itself.
func (j JSON) MarshalJSON() ([]byte, error) { return j.Raw(), nil }
