package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// Decode reads a JSON object into v, a pointer to a struct. It is lenient: a member of
// another type than v has keeps its zero value, and unknown members are ignored, since
// servers add to their formats. It fails if data is not JSON or not an object; null
// leaves v as it was.
func Decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil
	}
	return err
}

// Encode returns v as JSON on one line, without the escapes that protect HTML: they
// would change what a provider signed, and cost tokens where a server counts bytes.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Text is a string member as servers send it. A number, boolean, array or object
// becomes its JSON: some send an error's code as a number and a call's arguments as
// an object.
type Text string

// UnmarshalJSON implements json.Unmarshaler. It never fails on valid JSON; null
// leaves the text as it was.
func (t *Text) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		return nil
	case data[0] != '"':
		*t = Text(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}

// Present reports whether a member is there and says something: some servers send an error with every answer, which is
// null, empty or false.
func Present(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]", `""`, "false":
		return false
	}
	return true
}

// Int is an integer member as servers send it: a number, with a fraction or not,
// or a string that holds one.
type Int int

// UnmarshalJSON implements json.Unmarshaler. It never fails on valid JSON; a value that is not a
// number leaves the integer as it was.
func (i *Int) UnmarshalJSON(data []byte) error {
	digits := string(bytes.Trim(data, `"`))
	if n, err := strconv.ParseInt(digits, 10, 0); err == nil {
		*i = Int(n)
	} else if f, err := strconv.ParseFloat(digits, 64); err == nil {
		*i = Int(f)
	}
	return nil
}
