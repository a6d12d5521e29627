package wire

import (
	"encoding/json"
	"strings"
)

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
