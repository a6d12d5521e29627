package collect

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
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
	whole bool // tool and args are all that the payload says
}

// digest returns a hash of what is called, by which a proposal and its fulfilment are compared. It does not
// depend on the order of members.
func (a asks) digest() [32]byte {
	var args any
	dec := json.NewDecoder(bytes.NewReader(a.argsOrEmpty()))
	dec.UseNumber() // so that long numbers differ in each digit
	_ = dec.Decode(&args)
	plain, _ := json.Marshal([]any{a.tool, args})
	return sha256.Sum256(plain)
}

// readAsks reads the JSON-RPC of a payload: the tool of a tools/call, else the method.
func readAsks(payload json.RawMessage) asks {
	m := members(payload)
	a := asks{tool: textOf(m["method"]), args: m["params"]}
	a.whole = hasOnly(m, "jsonrpc", "id", "method", "params", "parallel_group")
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
	if a.args = params["arguments"]; a.args != nil {
		meta := string(params["_meta"])
		a.whole = a.whole && hasOnly(params, "name", "arguments", "_meta") && (meta == "" || meta == "{}")
	} else {
		a.whole = a.whole && len(params) > 0
		delete(params, "name")
		a.args, _ = json.Marshal(params) // some put the arguments beside the name
	}
	return a
}

// hasOnly reports whether an object has no members but these.
func hasOnly(m map[string]json.RawMessage, keys ...string) bool {
	for key := range m {
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

// maxGroup bounds the number of a parallel group.
const maxGroup = 10_000

// parseGroup reads the number of a parallel group; nil if none is named.
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

// inWord reports whether a character is part of the name of a tool.
func inWord(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
