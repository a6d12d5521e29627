package safety

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// Text is cleaned text. Its zero value is the empty text. Only a [Layer], [Literal] and [Restore]
// make one, and others of it by parts, so its type proves that it was cleaned. Texts are comparable.
type Text struct{ s string }

// constant is unexported, so other packages cannot convert to it: only untyped constants
// do so implicitly.
type constant string

// Literal returns a Text for a constant of our own source, such as a fallback sentence.
// A value that is known only at run time does not compile.
func Literal(s constant) Text { return Text{string(s)} }

// JoinParagraphs returns texts with an empty line between each two. Each was cleaned by itself, and what one ends with
// is not looked at together with what the next begins with.
func JoinParagraphs(texts ...Text) Text {
	return joined("\n\n", texts)
}

// JoinLines returns texts with a line break between each two. Each was cleaned by itself, or is a part of such a text.
func JoinLines(texts ...Text) Text {
	return joined("\n", texts)
}

// JoinPieces returns pieces of a text as one. Each was cleaned together with those before it.
func JoinPieces(texts ...Text) Text {
	return joined("", texts)
}

// joined returns texts as one.
func joined(separator string, texts []Text) Text {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = t.s
	}
	return Text{strings.Join(parts, separator)}
}

// Lines returns the lines of the text, without their breaks.
func (t Text) Lines() iter.Seq[Text] {
	return func(yield func(Text) bool) {
		for line := range strings.SplitSeq(t.s, "\n") {
			if !yield(Text{line}) {
				return
			}
		}
	}
}

// Part returns the bytes of the text from one place up to another, which has no more in it than the whole. It panics
// for places that the text does not have.
func (t Text) Part(from, to int) Text { return Text{t.s[from:to]} }

// String returns the plain text, which is not escaped for any markup.
func (t Text) String() string { return t.s }

// Empty reports whether the text has no bytes.
func (t Text) Empty() bool { return t.s == "" }

// MarshalJSON encodes the plain text as a JSON string, without escaping it for HTML. An
// encoder that escapes HTML, the default of encoding/json, does so afterwards.
func (t Text) MarshalJSON() ([]byte, error) {
	return Marshal(t.s)
}

// Marshal returns v as JSON on one line, without the escapes that protect HTML: clients put text into text nodes, and
// escapes would only make it longer and harder to read.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// JSON is a cleaned JSON value. It is always valid; its zero value encodes as null.
type JSON struct{ raw json.RawMessage }

// Raw returns the encoded value, null for the zero value. The caller must not change the
// bytes, which the JSON keeps.
func (j JSON) Raw() json.RawMessage {
	if len(j.raw) == 0 {
		return json.RawMessage("null")
	}
	return j.raw
}

// Null reports whether the value is the zero value or JSON's null.
func (j JSON) Null() bool { return len(j.raw) == 0 || string(j.raw) == "null" }

// MarshalJSON returns the value as it is.
func (j JSON) MarshalJSON() ([]byte, error) { return j.Raw(), nil }

// Restore returns a text or a JSON value as it was kept after it had been cleaned. Besides a [Layer]
// and [Literal] it is the only way to make one, and it cleans nothing: only the decoder of the
// session log may call it, with bytes that its encoder wrote. A test holds that nothing else does.
func Restore[T Text | JSON](kept string) T {
	var restored T
	switch p := any(&restored).(type) {
	case *Text:
		p.s = kept
	case *JSON:
		p.raw = json.RawMessage(kept)
	}
	return restored
}
