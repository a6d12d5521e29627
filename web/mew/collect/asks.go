package collect

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/safety"
)

// asks is what a request or a proposal wants done.
type asks struct {
	tool  string
	args  json.RawMessage
	group *int
}

// readAsks reads the JSON-RPC of a payload: the tool of a tools/call, else the method.
func readAsks(payload json.RawMessage) asks {
	m := members(payload)
	a := asks{tool: textOf(m["method"]), args: m["params"]}
	if g, err := parseGroup(m["parallel_group"]); err == nil {
		a.group = g
	}
	if a.tool != "tools/call" {
		return a
	}
	params := members(m["params"])
	if name := textOf(params["name"]); name != "" {
		a.tool = name
	}
	if a.args = params["arguments"]; a.args == nil {
		delete(params, "name")
		a.args, _ = json.Marshal(params) // some put the arguments beside the name
	}
	return a
}

// maxGroup bounds the number of a parallel group.
const maxGroup = 10_000

func parseGroup(raw json.RawMessage) (*int, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var n int
	if err := json.Unmarshal(raw, &n); err != nil || n < 0 || n > maxGroup {
		return nil, fmt.Errorf("no group")
	}
	return &n, nil
}

// announced returns the tool that a thought says it is about to call, and its arguments.
func announced(payload map[string]json.RawMessage) (tool string, args json.RawMessage) {
	if textOf(payload["action"]) != "tool" {
		return "", nil
	}
	input := members(payload["actionInput"])
	return textOf(input["tool"]), input["arguments"]
}

// worthATurn reports whether a request outside of any reasoning is one that a reader wants to
// see: lists of tools are asked for by every client that joins.
func worthATurn(payload json.RawMessage) bool {
	switch textOf(members(payload)["method"]) {
	case "tools/call", "resources/read", "prompts/get":
		return true
	}
	return false
}

// textOfArguments returns what a request asks in words: its only text, or the one that is
// called as questions are, else all of its arguments.
func (c *Collector) textOfArguments(a asks) safety.Text {
	args := members(a.args)
	raw := said(args, "prompt", "query", "question", "task", "text", "message", "input", "content")
	if raw == "" {
		var only []string
		for _, v := range args {
			if s := textOf(v); s != "" {
				only = append(only, s)
			}
		}
		switch {
		case len(only) == 1:
			raw = only[0]
		case len(args) > 0:
			raw = a.tool + " " + string(a.args)
		default:
			raw = a.tool
		}
	}
	return c.short(raw, maxText)
}

// names reports whether a text has the name of a tool as a word of its own.
func names(text, tool string) bool {
	for at := 0; tool != "" && at < len(text); {
		i := strings.Index(text[at:], tool)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(tool):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += i + len(tool)
	}
	return false
}

func inWord(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
