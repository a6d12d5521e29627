package wrapper

import (
	"encoding/json"
	"strings"

	"candor/attach"
)

// answer reads a message of the server. Only answers to requests that were noted matter, and what it says by itself of
// tasks: its own requests have a method, and ids of their own.
func (c *Conn) answer(raw []byte, at int, out *news) {
	if len(c.open) == 0 && len(c.tasks) == 0 {
		return
	}
	m, ok := find(raw, at, "id", "method", "result", "error", "params")
	if method := m["method"]; method.found() {
		switch decoded(method.of(raw)) {
		case "notifications/tasks", "notifications/tasks/status":
			if json.Valid(raw) {
				c.progressed(raw, m["params"], out)
			}
		}
		return
	}
	if !ok || !m["id"].found() {
		return
	}
	// An answer to anything else, or a second one, is not for us.
	r := c.answered(m["id"].of(raw))
	if r == nil {
		return
	}
	result, failure := m["result"], m["error"]
	c.introduce(raw, result, out)
	// Of the kinds of requests that are noted only lists are changed.
	switch {
	case r.method == "tools/list" && result.found():
		c.listed(raw, result, r.fresh, out)
	case r.method == "tools/call" && json.Valid(raw):
		c.ends(r, raw, result, failure, out)
	case r.method == "tasks/result" && json.Valid(raw) && c.tasks[r.task] != nil:
		c.finish(r.task, outcome(raw, result, failure), out)
	case r.task != "" && json.Valid(raw) && result.found():
		c.progressed(raw, result, out)
	}
}

// listed reads a page of a list of tools.
func (c *Conn) listed(raw []byte, result span, fresh bool, out *news) {
	list, ok := find(raw, result.from, "tools")
	if !ok || !list["tools"].found() {
		c.tools.forget() // whatever the client makes of it, it has no property of ours
		return
	}
	out.edits = append(out.edits, c.tools.listed(raw, list["tools"], fresh, c.Required)...)
}

// outcome reads how a call ended: with a result, with one that says that the tool failed, or with an error of the
// protocol.
func outcome(raw []byte, result, failure span) attach.Returned {
	if failure.found() {
		parts, _ := find(raw, failure.from, "message")
		text := "the server refused the call"
		if m := parts["message"]; m.found() && decoded(m.of(raw)) != "" {
			text = decoded(m.of(raw))
		}
		return attach.Returned{Error: text}
	}
	if !result.found() {
		return attach.Returned{Error: "the answer has neither a result nor an error"}
	}
	parts, _ := find(raw, result.from, "isError", "content")
	if failed := parts["isError"]; !failed.found() || string(failed.of(raw)) != "true" {
		return attach.Returned{Result: result.of(raw)}
	}
	// What the tool says of its failure stands among the content, as its result would.
	text := strings.TrimSpace(texts(raw, parts["content"]))
	if text == "" {
		text = "the tool failed and does not say why"
	}
	return attach.Returned{Error: text}
}

// texts returns the texts of a result's content.
func texts(raw []byte, content span) string {
	var all []string
	// Pictures and links have no text and are left out. Some servers have one part, or a text, for a list of them.
	one := func(v span) {
		if part, _ := find(raw, v.from, "text"); part["text"].found() {
			all = append(all, decoded(part["text"].of(raw)))
		} else if raw[v.from] == '"' {
			all = append(all, decoded(v.of(raw)))
		}
	}
	switch {
	case !content.found():
	case raw[content.from] == '[':
		elements(raw, content.from, one)
	default:
		one(content)
	}
	return strings.Join(all, "\n")
}

// The names under which the newer revisions have the client in each request, and the server in each result.
const (
	clientMeta = "io.modelcontextprotocol/clientInfo"
	serverMeta = "io.modelcontextprotocol/serverInfo"
)

// meet reads what the client calls itself.
func (c *Conn) meet(raw []byte, params span) {
	// A client that introduces itself again does not move what it did to another agent.
	if c.calls > 0 {
		return // the session has its name
	}
	if name, version := c.identity(raw, params, "clientInfo", clientMeta); name != "" {
		c.who.Agent, c.about.Version = attach.AgentName(name), version
	}
}

// introduce reads what the server calls itself, which is the best title there is for the session. It is told by itself
// if the session has begun without it.
func (c *Conn) introduce(raw []byte, result span, out *news) {
	if c.about.Title != "" {
		return
	}
	c.about.Title, _ = c.identity(raw, result, "serverInfo", serverMeta)
	if c.about.Title != "" && c.calls > 0 {
		s := c.who
		s.Turn, s.At, s.About = "", c.Now(), &attach.About{Title: c.about.Title}
		out.facts = append(out.facts, s)
	}
}

// identity returns the name and the version in a member of an object, or in one of its _meta.
func (c *Conn) identity(raw []byte, in span, key, meta string) (name, version string) {
	if !in.found() {
		return "", ""
	}
	parts, _ := find(raw, in.from, key)
	who := parts[key]
	if !who.found() {
		who = metaOf(raw, in, meta)
	}
	// A member that is there twice has the last value, which is good enough for a name.
	parts, _ = find(raw, who.from, "name", "version")
	if n := parts["name"]; n.found() {
		name = c.Clean(decoded(n.of(raw)))
	}
	if v := parts["version"]; v.found() {
		version = c.Clean(decoded(v.of(raw)))
	}
	return name, version
}
