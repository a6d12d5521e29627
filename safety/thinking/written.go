package thinking

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Call is a tool call that a model wrote into its text. Arguments are JSON, or the text as it stands where that is
// none. Name is empty if nobody can tell.
type Call struct{ Name, Arguments string }

// dialects are the marks between which models write calls. A call whose end is missing goes on to the end of the text.
var dialects = []struct{ open, close string }{
	{"<tool_call>", "</tool_call>"}, {"<tool_calls>", "</tool_calls>"}, // Hermes, Qwen, GLM, Jamba
	{"<function_call>", "</function_call>"}, {"<function_calls>", "</function_calls>"},
	{"<minimax:tool_call>", "</minimax:tool_call>"},
	{"<|tool_call|>", "<|/tool_call|>"}, // Phi, Granite
	{"<function=", "</function>"}, {"<invoke name=", "</invoke>"},
	{"<|python_tag|>", "<|e"}, // Llama: <|eom_id|> or <|eot_id|>
	{"[TOOL_CALLS]", "[/TOOL_CALLS]"},
	{"<|START_ACTION|>", "<|END_ACTION|>"},
	{"<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"}, // Kimi
	{"<|tool_call_begin|>", "<|tool_call_end|>"},
	{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"}, // DeepSeek
	{"<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"},
	{"<｜DSML｜function_calls>", "</｜DSML｜function_calls>"},
	{"<|channel|>commentary to=", "<|call|>"}, // Harmony
	{"[Called tool `", "]"},
}

// Calls finds the tool calls that a model wrote as text, in the dialects that models were trained on, and returns the
// text without them. Calls in Markdown code and in whole thoughts are none. A call of a tool that is not known is
// one only at the end of the text, where nothing is said about it, and a bare JSON object only if it is all
// of the text, in a block of code or not, and names a known tool. Run time is linear in the length of the text.
func Calls(text string, known func(name string) bool) (rest string, calls []Call) {
	if !strings.ContainsAny(text, "<[{") {
		return text, nil
	}
	spans := written(text)
	var out strings.Builder
	pos := 0
	for i, s := range spans {
		found := parseCalls(text[s.body:s.bodyEnd])
		last := i == len(spans)-1 && strings.TrimSpace(text[s.end:]) == ""
		if !last && !slices.ContainsFunc(found, func(c Call) bool { return known(c.Name) }) {
			continue
		}
		out.WriteString(text[pos:s.start])
		pos, calls = s.end, append(calls, found...)
	}
	out.WriteString(text[pos:])
	if calls != nil {
		return out.String(), calls
	}
	whole := Strip(text)
	if block := fenced.FindStringSubmatch(whole); block != nil {
		whole = block[1]
	}
	if found := objectCalls(json.RawMessage(whole)); len(found) > 0 && known(found[0].Name) {
		return "", found
	}
	return text, nil
}

// fenced matches a text that is one block of code.
var fenced = regexp.MustCompile("(?s)\\A```\\w*\n(.*)\n```\\z")

// writtenSpan is where a call stands in a text.
type writtenSpan struct{ start, body, bodyEnd, end int }

// written returns where calls stand in a text, outside of code and of thoughts that end.
func written(text string) (spans []writtenSpan) {
	tags := tagsOutsideCode(text)
	ends := slices.DeleteFunc(slices.Clone(tags), func(t tag) bool { return t.family != thought || !t.close })
	for i := 0; i < len(text); {
		switch text[i] {
		case '`', '~':
			i = skipCode(text, i)
			continue
		case '<', '[':
		default:
			i++
			continue
		}
		if t, ok := parseTag(text, i); ok && t.family == thought && !t.close {
			for len(ends) > 0 && ends[0].start < t.end {
				ends = ends[1:]
			}
			if i = t.end; len(ends) > 0 {
				i = ends[0].end
			}
			continue
		}
		s, ok := spanAt(text, i)
		if !ok {
			i++
			continue
		}
		spans, i = append(spans, s), s.end
	}
	return spans
}

// spanAt returns the call that begins at text[at:], if one does.
func spanAt(text string, at int) (s writtenSpan, ok bool) {
	for _, d := range dialects {
		if !strings.HasPrefix(text[at:], d.open) {
			continue
		}
		s = writtenSpan{at, at + len(d.open), len(text), len(text)}
		if n := strings.Index(text[s.body:], d.close); n >= 0 {
			s.bodyEnd = s.body + n
			s.end = s.bodyEnd + len(d.close)
		}
		if strings.HasSuffix(d.close, "<|e") && s.end < len(text) { // the rest of the mark
			_, after, _ := strings.Cut(text[s.end:], "|>")
			s.end = len(text) - len(after)
		}
		return s, true
	}
	return s, false
}

var (
	// functionTag matches a function with its parameters in tags, of which the first may have lost its beginning.
	functionTag = regexp.MustCompile(`(?s)(?:\A|function=|invoke name=)\s*["']?([\w.:/-]+)["']?\s*>?` +
		`(\s*<(?:[^<>]*parameter|arg_key).*?)(?:</[^<>]*(?:function|invoke)>|\z)`)
	// parameterTag matches a parameter in tags: its name and its value.
	parameterTag = regexp.MustCompile(`(?s)(?:parameter(?:=|\s+name=)["']?|<arg_key>)([^"'<>\s]+)[^>]*>` +
		`\s*(?:<arg_value>)?(.*?)(?:</[^<>]*(?:parameter|arg_value)>|\z)`)
	// besideName matches what may stand between the name of a tool and its arguments, apart from the name itself.
	besideName = regexp.MustCompile("<[^<>]{0,80}>|```|\\bjson\\b|\\[CALL_ID\\]\\w*|\\[[A-Z_]+\\]|\\bwith\\b")
	toolName   = regexp.MustCompile(`[\pL\pN_][\pL\pN_.:/-]{0,127}`)
)

// parseCalls reads what stands between the marks of a call: at least one call, which has no name if it cannot be read.
func parseCalls(body string) (calls []Call) {
	for _, f := range functionTag.FindAllStringSubmatch(body, -1) {
		args := map[string]json.RawMessage{}
		for _, p := range parameterTag.FindAllStringSubmatch(f[2], -1) {
			args[p[1]] = parameterValue(strings.TrimSpace(p[2]))
		}
		raw, _ := json.Marshal(args) // raw JSON that is valid always encodes
		calls = append(calls, Call{f[1], string(raw)})
	}
	if calls != nil {
		return calls
	}
	for rest := body; ; {
		at := strings.IndexAny(rest, "{[")
		for at >= 0 && rest[at] == '[' && besideName.MatchString(rest[at:min(len(rest), at+16)]) {
			next := strings.IndexAny(rest[at+1:], "{[")
			if next < 0 {
				at = -1
				break
			}
			at += 1 + next
		}
		if at < 0 {
			break
		}
		name := nameIn(rest[:at])
		dec := json.NewDecoder(strings.NewReader(rest[at:]))
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return append(calls, Call{nameOr(name, rest[at:]), rest[at:]})
		}
		found := objectCalls(value)
		if found == nil && name != "" {
			found = []Call{{name, string(value)}}
		}
		calls = append(calls, found...)
		rest = rest[at+int(dec.InputOffset()):]
	}
	if calls == nil {
		return []Call{{nameIn(firstLine(body)), strings.TrimSpace(body)}}
	}
	return calls
}

// firstLine returns what stands before the arguments of a call that is written like one of a program.
func firstLine(body string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	line, _, _ = strings.Cut(line, "(")
	return strings.TrimSuffix(line, ".call")
}

// parameterValue returns a parameter in tags as JSON.
func parameterValue(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	raw, _ := json.Marshal(text) // a string always encodes
	return raw
}

// nameIn returns the name of a tool in what stands before its arguments, "" if there is none.
func nameIn(before string) string {
	names := toolName.FindAllString(besideName.ReplaceAllString(before, " "), -1)
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// namedInside matches the name in a call that is no JSON.
var namedInside = regexp.MustCompile(`"(?:name|tool_name)"\s*:\s*"([\pL\pN_.:/-]{1,128})"`)

// nameOr returns the name, or the one in a call that is no JSON.
func nameOr(name, damaged string) string {
	if m := namedInside.FindStringSubmatch(damaged); m != nil && name == "" {
		return m[1]
	}
	return name
}

// objectCalls returns the calls of an object, or a list of objects, that name a tool. It returns nil for other JSON.
func objectCalls(raw json.RawMessage) (calls []Call) {
	raw = bytes.TrimSpace(raw)
	var list []json.RawMessage
	if bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &list) == nil {
		for _, one := range list {
			if !bytes.HasPrefix(one, []byte("{")) {
				return nil
			}
			calls = append(calls, objectCalls(one)...)
		}
		return calls
	}
	var members map[string]json.RawMessage
	if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &members) != nil {
		return nil
	}
	if inner := members["tool_calls"]; inner != nil {
		return objectCalls(inner)
	}
	c := Call{Arguments: "{}"}
	for _, key := range []string{"name", "tool_name", "recipient_name", "tool", "function"} {
		if json.Unmarshal(members[key], &c.Name) == nil && c.Name != "" {
			break
		}
	}
	if c.Name == "" {
		if bytes.HasPrefix(members["function"], []byte("{")) && len(members["function"]) < len(raw) {
			return objectCalls(members["function"])
		}
		return nil
	}
	for _, key := range []string{"arguments", "parameters", "args", "input", "tool_input", "params"} {
		if args := members[key]; args != nil {
			c.Arguments = string(args)
			break
		}
	}
	return []Call{c}
}
