package wire

import (
	"encoding/json"
	"slices"
	"strings"
)

// isDraft reports whether a protocol is an older draft of MEW.
func isDraft(protocol string) bool {
	return slices.Contains([]string{
		"mcp-x/v0", "mcpx/v0.1", "mcpp/v0.1", "mecp/v0.1", "meup/v0.1", "meup/v0.2", "mew/v0.3",
	}, protocol)
}

// namespaces are those of MEW, which drafts wrote with a dot.
func namespaces() []string {
	return []string{"reasoning", "mcp", "chat", "capability", "space", "participant", "stream", "system"}
}

// slashed returns a kind with slashes if it is one of MEW's namespaces written with dots.
// Other kinds may have dots, such as "example.org/note".
func slashed(kind string) string {
	if space, _, ok := strings.Cut(kind, "."); ok && slices.Contains(namespaces(), space) {
		return strings.ReplaceAll(kind, ".", "/")
	}
	return kind
}

// modern returns a draft's kind and payload in the words of v0.4.
func modern(kind string, payload json.RawMessage) (string, json.RawMessage, error) {
	kind, method, hasMethod := strings.Cut(slashed(kind), ":")
	switch kind {
	case "reflection", "reasoning/step":
		kind = thought
	case "conclusion":
		kind = "reasoning/conclusion"
	}
	if hasMethod && (kind == "mcp/request" || kind == "mcp/proposal") {
		quoted, _ := json.Marshal(method)
		return withMember(kind, payload, "method", quoted)
	}
	from, to := "", ""
	switch kind {
	case "chat":
		from, to = "message", "text"
	case thought:
		from, to = "thought", "message"
	case "reasoning/conclusion":
		from, to = "decision", "message"
	default:
		return kind, payload, nil
	}
	var m map[string]json.RawMessage
	if payload != nil {
		_ = json.Unmarshal(payload, &m)
	}
	return withMember(kind, payload, to, m[from])
}

// withMember returns the payload with one more member, unless it has it or value is empty.
func withMember(
	kind string, payload json.RawMessage, name string, value json.RawMessage,
) (string, json.RawMessage, error) {
	if payload == nil {
		payload = json.RawMessage("{}")
	}
	m, err := Members(payload)
	if err != nil {
		return kind, payload, err
	}
	if _, has := m[name]; has || len(value) == 0 {
		return kind, payload, nil
	}
	out := append(append([]byte(`{"`+name+`":`), value...), ',')
	if len(m) == 0 {
		out = out[:len(out)-1]
	}
	return kind, append(out, payload[1:]...), nil
}
