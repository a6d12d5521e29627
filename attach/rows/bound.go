package rows

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// MaxText bounds a text, an argument or a result of a sighting, in bytes. With its escapes the sighting then fits into
// a batch of a mebibyte.
const MaxText = 128 << 10

// Shorten returns the beginning of s as valid UTF-8, cut to MaxText bytes, and whether it had to be cut. A cut text
// keeps no memory of s alive.
func Shorten(s string) (text string, cut bool) {
	if cut = len(s) > MaxText; cut {
		end := MaxText
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = strings.Clone(s[:end])
	}
	return strings.ToValidUTF8(s, "\uFFFD"), cut
}

// BoundJSON returns a value of at most MaxText bytes, without the member drop, and whether it was cut. It cuts long
// strings in the value first. If that is not enough, it returns only the value's beginning, as a string.
func BoundJSON(raw json.RawMessage, drop string) (value json.RawMessage, cut bool) {
	raw = bytes.TrimSpace(raw)
	if drop != "" && bytes.Contains(raw, []byte(`"`+drop+`"`)) {
		raw = without(raw, drop)
	}
	if len(raw) <= MaxText {
		return bytes.Clone(raw), false
	}
	// The shape of a value tells more than the end of one long string in it, so the strings go first.
	for limit := MaxText / 4; limit >= 1<<10; limit /= 4 {
		if value = cutStrings(raw, limit); len(value) <= MaxText {
			return value, true
		}
	}
	text, _ := Shorten(string(raw[:MaxText/4]))
	value, _ = json.Marshal(text) // of a string
	return value, true
}

// without returns an object without a member, and any other value as it is.
func without(raw json.RawMessage, name string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object[name] == nil {
		return raw
	}
	delete(object, name)
	less, err := json.Marshal(object)
	if err != nil {
		return raw
	}
	return less
}

// cutStrings returns a value whose strings have at most limit bytes.
func cutStrings(raw json.RawMessage, limit int) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return raw
	}
	short, err := json.Marshal(withShortStrings(value, limit))
	if err != nil {
		return raw
	}
	return short
}

// withShortStrings cuts the strings in a decoded value. The decoder bounds how deep the value is.
func withShortStrings(value any, limit int) any {
	switch v := value.(type) {
	case string:
		if len(v) > limit {
			return strings.ToValidUTF8(v[:limit], "") + "…"
		}
	case []any:
		for i := range v {
			v[i] = withShortStrings(v[i], limit)
		}
	case map[string]any:
		for name := range v {
			v[name] = withShortStrings(v[name], limit)
		}
	}
	return value
}
