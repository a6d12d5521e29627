package brief

import (
	"strings"

	"github.com/tidwall/gjson"
)

// opened is a result without its envelope. Failed says that the envelope told of an error.
type opened struct {
	value  gjson.Result
	failed bool
}

// Servers differ in where they put what a tool returned: as structured content, as one text or several,
// as JSON in a text, or as all of these at once. The structured form wins, as it has names.

// open takes a result out of the envelope of an MCP server, and JSON out of a text.
func open(v gjson.Result) opened {
	o := opened{value: v}
	if v.IsObject() {
		o.failed = v.Get("isError").Bool()
		for _, name := range []string{"structured", "structuredContent"} {
			if inner := v.Get(name); inner.IsObject() || inner.IsArray() {
				o.value = inner
				return o
			}
		}
		if parts := v.Get("content"); parts.IsArray() {
			o.value = joined(parts)
		}
	}
	if v.IsArray() && v.Get("0.type").Str == "text" {
		o.value = joined(v)
	}
	// Many servers send JSON as a text, since the protocol knew no structured content at first.
	// What only looks like JSON stays a text.
	if text := strings.TrimSpace(o.value.Str); o.value.Type == gjson.String && text != "" &&
		(text[0] == '{' || text[0] == '[') && gjson.Valid(text) {
		o.value = gjson.Parse(text)
	}
	return o
}

// joined returns the texts among parts of content as one text, a line each. Without a text it
// returns the first part, such as an image.
func joined(parts gjson.Result) gjson.Result {
	var texts []string
	parts.ForEach(func(_, part gjson.Result) bool {
		if text := part.Get("text"); text.Type == gjson.String {
			texts = append(texts, strings.TrimSuffix(text.Str, "\n"))
		}
		return len(texts) < maxMembers
	})
	if first := parts.Get("0"); len(texts) == 0 && first.Exists() {
		return first
	}
	return gjson.Result{Type: gjson.String, Str: strings.Join(texts, "\n")}
}
