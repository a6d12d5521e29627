package wrapper

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"candor/attach"
)

// The bounds of a fact, in bytes. With its escapes it then fits into a batch.
const (
	maxText   = 128 << 10 // of an error, of parameters or a result
	maxName   = 1 << 10   // of the name of a tool, a version
	maxReason = 16 << 10
	maxBlob   = 256 // of text in base64, from where on only its size is kept
)

// line returns a sighting as a line of a batch, within bounds. It shares no memory with s.
func line(s attach.Sighting) []byte {
	// Copies are cut, since the caller's facts are the caller's.
	switch {
	case s.About != nil:
		about := *s.About
		about.Version, about.Title = cut(about.Version, maxName), cut(about.Title, maxName)
		s.About = &about
	case s.Called != nil:
		called := *s.Called
		called.Tool, called.Reason = cut(called.Tool, maxName), cut(called.Reason, maxReason)
		called.Params, _ = bounded(called.Params)
		s.Called = &called
	case s.Returned != nil:
		returned := *s.Returned
		returned.Error = cut(returned.Error, maxText)
		var part bool
		returned.Result, part = bounded(returned.Result)
		returned.Partial = returned.Partial || part
		s.Returned = &returned
	}
	out, err := json.Marshal(s)
	if err != nil {
		return nil // a value that is no JSON, which nobody gives us
	}
	return append(out, '\n')
}

// cut returns a text of at most limit bytes that is valid UTF-8.
func cut(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// bounded returns a value within maxText, without pictures and other bytes in base64, and whether something is missing.
// Long strings are cut first, since the shape of a value tells more than the end of one string in it. If that is not
// enough, only its beginning is left, as a string.
func bounded(raw json.RawMessage) (value json.RawMessage, partial bool) {
	value = shortened(raw, len(raw))
	for limit := maxText / 4; len(value) > maxText && limit >= 1<<10; limit /= 4 {
		value, partial = shortened(raw, limit), true
	}
	if len(value) > maxText {
		value, _ = json.Marshal(cut(string(raw[:maxText/4]), maxText/4)) // of a string
	}
	return value, partial
}

// shortened returns a value whose strings have at most limit bytes and a few, with the sizes of blobs instead of them.
func shortened(raw []byte, limit int) []byte {
	var out []byte
	at := 0
	// Only strings are looked at. What stands between them is short, or there are very many parts of it.
	for {
		quote := bytes.IndexByte(raw[at:], '"')
		end := -1
		if quote >= 0 {
			end = closing(raw, at+quote)
		}
		if end < 0 {
			return append(out, raw[at:]...)
		}
		from := at + quote
		out = append(out, raw[at:from]...)
		switch text := raw[from+1 : end]; {
		case isBlob(text):
			out = append(out, `"(`+strconv.Itoa(len(text))+` bytes in base64, left out)"`...)
		case len(text) > limit:
			short, _ := json.Marshal(cut(decoded(raw[from:end+1]), limit)) // of a string
			out = append(out, short...)
		default:
			out = append(out, raw[from:end+1]...)
		}
		at = end + 1
	}
}

// isBlob reports whether a text is so long, and so much in the letters of base64, that nobody would read it.
func isBlob(text []byte) bool {
	if len(text) < maxBlob {
		return false
	}
	// Both alphabets of base64 count. Words have spaces between them.
	for _, b := range text {
		letter := b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
		if !letter && b != '+' && b != '/' && b != '=' && b != '-' && b != '_' {
			return false
		}
	}
	return true
}
