package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
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

// maxIdentifier is how long providers let the name of a tool and the id of a call be,
// in bytes.
const maxIdentifier = 64

var notInIdentifiers = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// Identifier returns name as providers accept the name of a tool or the id of a call:
// letters, digits, underscores and hyphens, 64 bytes at most. A model may have called
// a tool by a name that its own provider then refuses to read. An empty name becomes
// fallback.
func Identifier(name, fallback string) string {
	name = notInIdentifiers.ReplaceAllString(name, "_")
	if name == "" {
		return fallback
	}
	return name[:min(len(name), maxIdentifier)]
}

// Object returns the arguments of a call, or an empty object where the model wrote
// no JSON object: servers that parse them refuse the whole conversation otherwise.
// The model still learns what was wrong from the result of the call.
func Object(arguments json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil || members == nil {
		return json.RawMessage("{}")
	}
	return arguments
}

// Members encodes v and returns the members of that object. A JSON schema is split
// this way, so that its outermost members can be sent in the order a wire format has,
// while its properties keep theirs.
func Members(v any) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	return members, json.Unmarshal(raw, &members)
}

// Content is text as servers send it: a string, a part with a type, or a list of both. It has the text of the parts
// that are text. Thoughts are none: raw reasoning never becomes text. A value of any other kind becomes its JSON.
type Content string

// UnmarshalJSON implements json.Unmarshaler. It never fails on valid JSON; null leaves the content as it was.
func (c *Content) UnmarshalJSON(data []byte) error {
	switch data[0] {
	case '[', '{':
		*c = Content(partsOf(data))
		return nil
	}
	return (*Text)(c).UnmarshalJSON(data)
}

// partsOf returns the text of a part, or of a list of parts.
func partsOf(data json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		var out strings.Builder
		for _, one := range list {
			var text string
			if json.Unmarshal(one, &text) != nil {
				text = partsOf(one)
			}
			out.WriteString(text)
		}
		return out.String()
	}
	var part struct {
		Type    Text    `json:"type"`
		Text    Content `json:"text"`
		Content Content `json:"content"`
		Refusal Text    `json:"refusal"`
	}
	if Decode(data, &part) != nil || !IsText(string(part.Type)) {
		return ""
	}
	return string(part.Text) + string(part.Content) + string(part.Refusal)
}

// IsText reports whether parts of a type have text for people. A part without a type is text.
func IsText(kind string) bool {
	switch kind {
	case "", "text", "output_text", "refusal", "message":
		return true
	}
	return false
}
