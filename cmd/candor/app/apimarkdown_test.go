package app_test

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
)

// apiHead begins docs/api.md.
const apiHead = `# The API

Made from the OpenAPI 3.1 document at ` + "`GET /api/openapi.json`" + `, which needs no token, by
` + "`make api`" + `; do not edit. Each answer that a server gives in a test is checked against that document.

- **Who may call.** Users send ` + "`Authorization: Bearer TOKEN`" + `; browsers may log in instead. Workers send their
  job's token, participants of a space theirs.
- **Bodies** are JSON, of at most 1 MiB, with ` + "`Content-Type: application/json`" + `.
- **Errors** of every route are a [Problem](#problem): a stable code, a sentence, details. 401 says that the token is
  wrong, 429, 503 and 507 come with ` + "`Retry-After`" + `, 405 with ` + "`Allow`" + `.
- **` + "`?pretty`" + `** indents an answer.
- **Streams** are server-sent events, whose names and data are [below](#events).
`

// apiGroups are the sections of docs/api.md: a heading, and how the paths begin that it has.
var apiGroups = []struct{ heading, prefix string }{
	{"Conversations", "/api/chat/"}, {"Jobs", "/api/jobs"}, {"Workers", "/worker/"},
	{"Logins and sessions", "/api/log"}, {"Sessions for a check", "/api/session/"},
	{"The server", "/api/gateway/"}, {"Health", "/api/health"},
	{"Metrics", "/metrics"}, {"AG-UI", "/agui"}, {"Spaces", "/api/mew/"}, {"MEW", "/mew/"}, {"The API itself", "/api"},
	{"The page", "/ui/"},
	{"OpenWOP", "/"},
}

// apiWriter writes docs/api.md.
type apiWriter struct {
	strings.Builder
	comments map[string]comment // of Go types, by the name of their component
}

// comment is what the source says of a type and of its fields, by the names of their members.
type comment struct {
	text   string
	fields map[string]string
}

// apiMarkdown returns the text of docs/api.md.
func apiMarkdown(t *testing.T, document apptest.M) string {
	w := &apiWriter{comments: commentsOf(t, "web", "web/view", "web/jobs", "web/agui", "web/mew", "web/problem",
		"session/brief", "session")}
	w.WriteString(apiHead)
	paths := document["paths"].(apptest.M)
	left := slices.Sorted(maps.Keys(paths))
	for _, g := range apiGroups {
		var rest []string
		w.WriteString("\n## " + g.heading + "\n")
		for _, p := range left {
			if !strings.HasPrefix(p, g.prefix) {
				rest = append(rest, p)
				continue
			}
			for _, method := range slices.Sorted(maps.Keys(paths[p].(apptest.M))) {
				w.route(strings.ToUpper(method), p, paths[p].(apptest.M)[method].(apptest.M))
			}
		}
		left = rest
	}
	w.events(paths["/api/chat/events"].(apptest.M)["get"].(apptest.M))
	w.types(document["components"].(apptest.M)["schemas"].(apptest.M))
	return w.String()
}

// route writes what a route takes and answers.
func (w *apiWriter) route(method, path string, op apptest.M) {
	fmt.Fprintf(w, "\n### %s %s\n\n%s.", method, path, op["summary"])
	if text, ok := op["description"].(string); ok {
		w.WriteString(" " + text)
	}
	w.WriteString(" " + whoMay(op["security"].([]any)) + "\n\n")
	for _, p := range op["parameters"].([]any) {
		p := p.(apptest.M)
		if p["in"] == "path" {
			continue
		}
		text, _ := p["description"].(string)
		fmt.Fprintf(w, "- %s `%s`%s: %s\n", p["in"], p["name"], valuesOf(p["schema"].(apptest.M)),
			cmp.Or(text, "text."))
	}
	if body, ok := op["requestBody"].(apptest.M); ok {
		schema := body["content"].(apptest.M)["application/json"].(apptest.M)["schema"].(apptest.M)
		fmt.Fprintf(w, "- body: %s\n", bodyOf(schema))
	}
	responses := op["responses"].(apptest.M)
	for _, status := range slices.Sorted(maps.Keys(responses)) {
		if status == "default" {
			continue
		}
		w.answer(status, responses[status].(apptest.M))
	}
}

// answer writes an answer.
func (w *apiWriter) answer(status string, response apptest.M) {
	var forms []string
	content, _ := response["content"].(apptest.M)
	for _, kind := range slices.Sorted(maps.Keys(content)) {
		form := kind
		if kind == "application/json" {
			form = typeOf(content[kind].(apptest.M)["schema"])
		}
		forms = append(forms, form)
	}
	text := strings.Join(forms, ", or ")
	if d := response["description"].(string); d != "Success" {
		text = strings.TrimSuffix(d+": "+text, ": ")
	}
	fmt.Fprintf(w, "- **%s** %s\n", status, text)
}

// whoMay says who may call a route.
func whoMay(security []any) string {
	for _, one := range security {
		switch {
		case one.(apptest.M)["job"] != nil:
			return "For the job's worker."
		case one.(apptest.M)["participant"] != nil:
			return "For participants and the owner of the space."
		}
	}
	if len(security) == 0 {
		return "For everybody."
	}
	return "For users."
}

// valuesOf says which values a parameter has.
func valuesOf(schema apptest.M) string {
	note := ""
	if items, ok := schema["items"].(apptest.M); ok {
		schema, note = items, " (may be repeated)"
	}
	values, ok := schema["enum"].([]any)
	if !ok {
		return note
	}
	return note + " (" + strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]") + ")"
}

// bodyOf lists the members of a request's body.
func bodyOf(schema apptest.M) string {
	properties, ok := schema["properties"].(apptest.M)
	if !ok {
		return "JSON"
	}
	required, _ := schema["required"].([]any)
	var members []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		member := "`" + name + "` (" + typeOf(properties[name]) + ")"
		if slices.Contains(required, any(name)) {
			member += ", which it has to have"
		}
		members = append(members, member)
	}
	return strings.Join(members, "; ")
}

// typeOf returns a schema in words.
func typeOf(schema any) string {
	s := schema.(apptest.M)
	if ref, ok := s["$ref"].(string); ok {
		name := path.Base(ref)
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	}
	if forms, ok := s["anyOf"].([]any); ok {
		var words []string
		for _, f := range forms {
			words = append(words, typeOf(f))
		}
		return strings.Join(words, " or ")
	}
	switch s["type"] {
	case "array":
		return "array of " + typeOf(s["items"])
	case "object":
		if of, ok := s["additionalProperties"]; ok {
			return "object of " + typeOf(of)
		}
		return "object"
	case "string":
		if s["format"] == "date-time" {
			return "time"
		}
		return "text"
	case nil:
		return "JSON"
	}
	return s["type"].(string)
}

// events writes which data the events of streams have.
func (w *apiWriter) events(stream apptest.M) {
	w.WriteString("\n## Events\n\nThe `data` of each is one line of JSON.\n\n| event | data |\n|---|---|\n")
	ok := stream["responses"].(apptest.M)["200"].(apptest.M)["content"].(apptest.M)
	events := ok["text/event-stream"].(apptest.M)["x-events"].(apptest.M)
	for _, name := range slices.Sorted(maps.Keys(events)) {
		fmt.Fprintf(w, "| `%s` | %s |\n", name, typeOf(events[name]))
	}
}

// types writes the components.
func (w *apiWriter) types(schemas apptest.M) {
	w.WriteString("\n## Types\n\nA member marked with * may be left out.\n")
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema, about := schemas[name].(apptest.M), w.comments[name]
		fmt.Fprintf(w, "\n### %s\n\n", name)
		if about.text != "" {
			w.WriteString(about.text + "\n\n")
		}
		if schema["enum"] != nil {
			w.WriteString("One of" + valuesOf(schema) + ".\n")
			continue
		}
		w.members(schema, about)
	}
}

// members writes the members of a type.
func (w *apiWriter) members(schema apptest.M, about comment) {
	properties, _ := schema["properties"].(apptest.M)
	required, _ := schema["required"].([]any)
	if len(properties) == 0 {
		w.WriteString("JSON of any form.\n")
		return
	}
	w.WriteString("| member | type | |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		mark := "*"
		if slices.Contains(required, any(name)) {
			mark = ""
		}
		fmt.Fprintf(w, "| `%s`%s | %s | %s |\n", name, mark, typeOf(properties[name]),
			strings.ReplaceAll(about.fields[name], "|", `\|`))
	}
}
