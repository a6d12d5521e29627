package brief

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"candor/safety"
)

// Readable returns a whole value as people read it. A text stands as it is, with its lines, also if it comes in the
// envelope of an MCP server; what else the envelope holds follows it. An object has a line for each member,
//
//	path: internal/totals.go
//	patch:
//	    @@ -1 +1 @@
//	    -old
//	    +new
//
// and every other value is indented JSON. Nothing of the value is left out, but for the envelope's own words, and
// control characters are not repeated. The work grows with the value, whatever its size.
func Readable(v safety.JSON) string {
	if v.Null() {
		return ""
	}
	return readable(gjson.ParseBytes(v.Raw()))
}

// readable returns a value in words, after its envelope was taken off.
func readable(v gjson.Result) string {
	if parts, ok := enveloped(v); ok {
		return strings.Join(parts, "\n")
	}
	return memberLines(v)
}

// memberLines returns a value that has no envelope, an object's members a line each.
func memberLines(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return visible(v.Str)
	case !v.IsObject():
		return indented(v.Raw)
	}
	var lines []string
	v.ForEach(func(key, member gjson.Result) bool {
		lines = append(lines, memberLine(strings.ReplaceAll(visible(key.Str), "\n", " "), member))
		return true
	})
	return strings.Join(lines, "\n")
}

// memberLine returns a member of an object, its lines below its name if it has several.
func memberLine(name string, v gjson.Result) string {
	text := visible(v.Str)
	switch {
	case v.Type != gjson.String:
		text = v.Raw
		if len(text) > MaxLine {
			text = indented(text)
		}
	case gjson.Valid(text) || strings.TrimSpace(text) != text:
		// Without its quotes it would look like another value, or have blanks that nobody sees.
		if !strings.Contains(text, "\n") {
			text = v.Raw
		}
	}
	if !strings.Contains(text, "\n") {
		return name + ": " + text
	}
	text = strings.TrimSuffix(text, "\n") // a final line end begins no line
	return name + ":\n    " + strings.ReplaceAll(text, "\n", "\n    ")
}

// envelope lists the members that an answer of an MCP server may have. An object with any other is none.
var envelope = []string{"content", "isError", "structuredContent", "structured", "truncated", "_meta", "resultType"}

// enveloped returns the parts of an answer of an MCP server, and whether the value is one: the texts, what is
// no text as JSON, the structured content unless a text has said the same, and what the server left out.
func enveloped(v gjson.Result) (parts []string, ok bool) {
	if list := v.Get("content"); !v.IsObject() || list.Exists() && !list.IsArray() {
		return nil, false
	}
	answer, known := false, true
	v.ForEach(func(key, _ gjson.Result) bool {
		known = slices.Contains(envelope, key.Str)
		answer = answer || key.Str == "content" || key.Str == "structuredContent" || key.Str == "structured"
		return known
	})
	if !known || !answer {
		return nil, false
	}
	v.Get("content").ForEach(func(_, part gjson.Result) bool {
		parts = append(parts, partOf(part))
		return true
	})
	for _, name := range []string{"structuredContent", "structured"} {
		inner := v.Get(name)
		if inner.Exists() && !slices.ContainsFunc(parts, func(p string) bool { return sameJSON(p, inner.Raw) }) {
			parts = append(parts, memberLines(inner))
		}
	}
	if note := v.Get("truncated"); note.Str != "" {
		parts = append(parts, visible(note.Str))
	}
	return parts, true
}

// partOf returns a part of an envelope: its text, or all of it as JSON if it is more than that.
func partOf(part gjson.Result) string {
	if text := part.Get("text"); part.Get("type").Str == "text" && text.Type == gjson.String {
		return visible(strings.TrimSuffix(text.Str, "\n"))
	}
	return visible(part.Raw)
}

// sameJSON reports whether a text is the value that is given as JSON.
func sameJSON(text, raw string) bool {
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(text)) == nil && json.Compact(&b, []byte(raw)) == nil &&
		bytes.Equal(a.Bytes(), b.Bytes())
}

// indented returns JSON with a line for each member and item.
func indented(raw string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(raw), "", "  ") != nil {
		return visible(raw)
	}
	return visible(b.String())
}

// visible returns a text without control characters but for line breaks, of one kind, and tabs.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(lineBreaks.Replace(s), "\uFFFD"))
}

// lineBreaks makes all line breaks the same.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")
