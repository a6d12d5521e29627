package wire

import (
	"encoding/json"
	"strings"
)

// Context is the context of a message before it is resolved against those of the space.
type Context struct {
	Given  json.RawMessage // as it came, whatever its type; nil if absent
	Path   string          // a text's path, or an object's id; "" for the main context
	Parent string          // the id of the parent context, of ADR-k9j's object
	Type   string          // reasoning, workflow and so on, of ADR-k9j's object

	Metadata json.RawMessage // what else the object says of the context; nil if nothing

	// InPayload says that the context stood in the payload. It is then the context of the
	// reasoning itself, also in the message that starts it.
	InPayload bool
}

// contextOf reads a context of any shape. A shape that names no context is kept as Given
// and belongs to the main context.
func contextOf(raw json.RawMessage) Context {
	if len(raw) == 0 || isNull(raw) {
		return Context{}
	}
	c := Context{Given: raw}
	switch raw[0] {
	case '"':
		_ = json.Unmarshal(raw, &c.Path)
	case '{':
		c.readObject(raw)
	}
	return c
}

// readObject reads ADR-k9j's object {id, type, parent}, and the object of shipped agents
// {operation, topic, correlation_id}, which names the context by what it correlates to.
func (c *Context) readObject(raw json.RawMessage) {
	m, err := Members(raw)
	if err != nil {
		return // a member stands twice: which one counts is anybody's guess
	}
	// A member of another type is as good as absent: contexts are not validated.
	c.Metadata, _ = objectOf(m, "metadata")
	if c.Path = textOr(m["id"]); c.Path != "" {
		c.Parent, c.Type = textOr(m["parent"]), textOr(m["type"])
		return
	}
	switch textOr(m["operation"]) {
	case "push", "pop", "resume":
		if ids, err := list(m, "correlation_id"); err == nil && len(ids) > 0 {
			c.Path = ids[0]
			return
		}
		c.Path = textOr(m["topic"])
	}
}

// textOr returns a JSON text's value, and "" for anything else.
func textOr(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// payloadContext reads the context that some agents put into the payload of their
// reasoning. Payloads of other kinds may have a context that means something else.
func payloadContext(kind string, payload json.RawMessage) Context {
	if payload == nil || !strings.HasPrefix(kind, "reasoning/") {
		return Context{}
	}
	m, err := Members(payload)
	if err != nil {
		return Context{}
	}
	c := contextOf(m["context"])
	c.InPayload = c.Given != nil
	return c
}

// Within reports whether path is the context ancestor or lies below it: "a/b" is within
// "a", "ab" is not. Every path is within the main context, "".
func Within(path, ancestor string) bool {
	rest, ok := strings.CutPrefix(path, ancestor)
	return ok && (ancestor == "" || rest == "" || rest[0] == '/')
}
