package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"candor/safety"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Servers write what their languages make easy: an empty object as an empty array, a null for what is not there, a text
// where a list belongs, kinds of content that are newer than we are. The SDK refuses the whole answer then, of a call
// that took effect or of a list with a hundred good tools. So an answer is mended before the SDK sees it: the parts
// that are right stay as they came, and what cannot be read is named in its place.

// unread marks a part of content that could not be read, in its _meta, with its kind.
const unread = "candor/unread"

// maxKind bounds the name of a kind of content that could not be read, in bytes.
const maxKind = 64

// mend returns a message as the SDK reads it, or an array of them. One that needs nothing is returned as it is. It is
// nil for what answers nothing of ours, and would end the session.
func mend(message []byte) []byte {
	if text := bytes.TrimSpace(message); len(text) > 0 && text[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(text, &all) != nil {
			return message
		}
		for i := range all {
			all[i] = mend(all[i])
		}
		all = slices.DeleteFunc(all, func(one json.RawMessage) bool { return one == nil })
		if len(all) == 0 {
			return nil
		}
		return encoded(all)
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(message, &m) != nil || m["method"] != nil {
		return message // a request or a notification, or nothing that could be mended
	}
	if isNull(m["id"]) {
		return nil
	}
	changed := false
	set := func(key string, value json.RawMessage) {
		m[key] = value
		changed = true
	}
	// Our ids are numbers, which some servers return as texts.
	var id string
	if json.Unmarshal(m["id"], &id) == nil {
		if _, err := strconv.ParseInt(id, 10, 64); err == nil {
			set("id", json.RawMessage(id))
		}
	}
	outcome := m["result"]
	switch {
	case !isNull(m["error"]):
		if fixed := mendError(m["error"]); fixed != nil {
			set("error", fixed)
		}
	case outcome == nil:
		set("error", encoded(jsonrpc.Error{Code: jsonrpc.CodeInternalError,
			Message: "the answer has neither a result nor an error"}))
	case isNull(outcome), isEmptyArray(outcome):
		set("result", json.RawMessage("{}"))
	default:
		if fixed := mendResult(outcome); fixed != nil {
			set("result", fixed)
		}
	}
	if !changed {
		return message
	}
	return encoded(m)
}

// isNull reports whether a value is not there, or is null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// isEmptyArray reports whether a value is an array without elements, which PHP writes for an object without members.
func isEmptyArray(raw json.RawMessage) bool {
	var all []json.RawMessage
	return json.Unmarshal(raw, &all) == nil && len(all) == 0 && raw[0] == '['
}

// encoded returns a value as JSON. It is only for values that have a form in JSON.
func encoded(v any) json.RawMessage {
	raw, _ := safety.Marshal(v)
	return raw
}

// mendError returns an error of the protocol as the SDK reads it, or nil if it does.
func mendError(raw json.RawMessage) json.RawMessage {
	var whole jsonrpc.Error
	if json.Unmarshal(raw, &whole) == nil && raw[0] == '{' {
		return nil
	}
	fixed := jsonrpc.Error{Code: jsonrpc.CodeInternalError}
	var parts map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) == nil {
		fixed.Message = textOf(parts["message"])
		if n, err := strconv.ParseInt(textOf(parts["code"]), 10, 64); err == nil {
			fixed.Code = n
		}
	} else {
		fixed.Message = textOf(raw)
	}
	fixed.Message = cmp.Or(fixed.Message, "the server says that it failed, and not how")
	return encoded(fixed)
}

// textOf returns a text, or a value that is none as its JSON.
func textOf(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// mendResult returns a result as the SDK reads it, or nil if it does, or if it is neither of a first request, nor a
// list of tools, nor the result of a call.
func mendResult(raw json.RawMessage) json.RawMessage {
	var in map[string]json.RawMessage
	if json.Unmarshal(raw, &in) != nil {
		return nil
	}
	switch {
	case in["tools"] != nil:
		return mendList(raw, in)
	case in["capabilities"] != nil:
		return mendGreeting(in)
	}
	for _, key := range []string{"content", "structuredContent", "isError", "task"} {
		if _, ok := in[key]; ok {
			return mendAnswer(raw, in)
		}
	}
	if textOf(in["resultType"]) == "task" {
		return mendAnswer(raw, in)
	}
	return nil
}

// mendGreeting returns the answer to a first request with objects where PHP wrote empty arrays, or nil if there are
// none.
func mendGreeting(in map[string]json.RawMessage) json.RawMessage {
	changed := false
	objects := func(in map[string]json.RawMessage, keys ...string) {
		for _, key := range keys {
			if isEmptyArray(in[key]) {
				in[key], changed = json.RawMessage("{}"), true
			}
		}
	}
	objects(in, "capabilities", "_meta")
	var can map[string]json.RawMessage
	if json.Unmarshal(in["capabilities"], &can) == nil {
		objects(can, slices.Collect(maps.Keys(can))...)
		in["capabilities"] = encoded(can)
	}
	if !changed {
		return nil
	}
	return encoded(in)
}

// mendList returns a page of a list of tools as the SDK reads it, with what is used of each tool; nil if it needs no
// mending, or nothing of it can be read.
func mendList(raw json.RawMessage, in map[string]json.RawMessage) json.RawMessage {
	var whole sdk.ListToolsResult
	marked := markTasks(in)
	if json.Unmarshal(cmpRaw(marked, string(raw)), &whole) == nil && !slices.Contains(whole.Tools, nil) {
		return marked
	}
	all, ok := elements(in["tools"])
	if !ok {
		return nil
	}
	tools := make([]json.RawMessage, 0, len(all))
	for _, one := range all {
		tools = append(tools, mendTool(one))
	}
	out := map[string]json.RawMessage{"tools": encoded(tools)}
	if cursor := in["nextCursor"]; !isNull(cursor) && !isEmptyArray(cursor) && string(cursor) != "false" {
		out["nextCursor"] = encoded(textOf(cursor))
	}
	return encoded(out)
}

// elements returns the elements of an array, or the members of an object, in which PHP turns an array with gaps. A null
// has none.
func elements(raw json.RawMessage) (all []json.RawMessage, ok bool) {
	if json.Unmarshal(raw, &all) == nil {
		return all, true
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, false
	}
	for _, key := range slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}) {
		all = append(all, members[key])
	}
	return all, true
}

// mendTool returns what is used of a tool. One that cannot be read has no name.
func mendTool(raw json.RawMessage) json.RawMessage {
	var in map[string]json.RawMessage
	_ = json.Unmarshal(raw, &in) // what is no object has no members
	out := map[string]json.RawMessage{"name": json.RawMessage(`""`), "inputSchema": json.RawMessage("null")}
	if given := in["_meta"]; given != nil && string(given) == string(encoded(map[string]bool{requiresTask: true})) {
		out["_meta"] = given
	}
	for _, key := range []string{"name", "description"} {
		var text string
		if json.Unmarshal(in[key], &text) == nil {
			out[key] = in[key]
		}
	}
	if schema := in["inputSchema"]; schema != nil {
		out["inputSchema"] = schema
	}
	var hints sdk.ToolAnnotations
	if given := in["annotations"]; given != nil && json.Unmarshal(given, &hints) == nil {
		out["annotations"] = given
	}
	return encoded(out)
}

// begunTask is what the model reads of a call that became a task which nobody awaits.
const begunTask = "the server began a task instead of answering, and Candor does not wait for it: " +
	"the call may still take effect"

// mendAnswer returns the result of a call as the SDK reads it, or nil if it does.
func mendAnswer(raw json.RawMessage, in map[string]json.RawMessage) json.RawMessage {
	if in["task"] != nil || textOf(in["resultType"]) == "task" {
		return encoded(map[string]any{"isError": true, "content": []part{{Type: "text", Text: begunTask}},
			"_meta": map[string]json.RawMessage{begun: cmpRaw(in["task"], string(raw))}})
	}
	var whole sdk.CallToolResult
	if json.Unmarshal(raw, &whole) == nil {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, key := range []string{"structuredContent", "inputRequests", "requestState"} {
		if v := in[key]; v != nil {
			out[key] = v
		}
	}
	if kind := in["resultType"]; !isNull(kind) {
		out["resultType"] = encoded(textOf(kind))
	}
	if failed := textOf(in["isError"]); failed == "true" || failed == "1" {
		out["isError"] = json.RawMessage("true")
	}
	var content []json.RawMessage
	switch given := in["content"]; {
	case isNull(given):
	case given[0] == '[':
		_ = json.Unmarshal(given, &content) // of JSON that is valid
	default:
		content = []json.RawMessage{given}
	}
	for i := range content {
		content[i] = mendPart(content[i])
	}
	out["content"] = encoded(content)
	if json.Unmarshal(encoded(out), &whole) != nil {
		out = map[string]json.RawMessage{"content": out["content"], "isError": cmpRaw(out["isError"], "false")}
	}
	return encoded(out)
}

// cmpRaw returns a value, or another one where it is not there.
func cmpRaw(raw json.RawMessage, other string) json.RawMessage {
	if raw == nil {
		return json.RawMessage(other)
	}
	return raw
}

// mendPart returns a part of content as the SDK reads it. What cannot be read is a text, which may be empty, with its
// kind beside it.
func mendPart(raw json.RawMessage) json.RawMessage {
	var whole sdk.CallToolResult
	if !isNull(raw) && json.Unmarshal(encoded(map[string]any{"content": []json.RawMessage{raw}}), &whole) == nil {
		return raw
	}
	var text string
	if !isNull(raw) && json.Unmarshal(raw, &text) == nil {
		return encoded(map[string]string{"type": "text", "text": text})
	}
	var in map[string]json.RawMessage
	_ = json.Unmarshal(raw, &in) // what is no object has no kind
	var kind string
	if json.Unmarshal(in["type"], &kind) != nil || kind == "" {
		kind = "unknown"
	}
	_ = json.Unmarshal(in["text"], &text) // of a kind that has none
	return encoded(map[string]any{
		"type": "text", "text": text, "_meta": map[string]string{unread: cut(valid(kind), maxKind)},
	})
}
