package dialect

import (
	"encoding/json"
	"slices"
	"strings"

	"candor/attach/otlp"
)

// maxNesting bounds how deeply a prompt is looked for in the input of a run.
const maxNesting = 8

// isUser reports whether a role is that of a person.
func isUser(role string) bool { return role == "user" || role == "human" || role == "HumanMessage" }

// promptIn returns what a person said in the input of a run: a text, or in JSON the last message of a user.
func promptIn(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[{") || strings.HasPrefix(text, "[[") {
			return "" // a value that was cut, or is another language's
		}
		return text
	}
	switch v.(type) {
	case map[string]any, []any, string, nil:
		return saidIn(v, maxNesting)
	}
	return text // a number is a text, too
}

// saidIn looks for the last message of a user in a value.
func saidIn(v any, depth int) string {
	if depth == 0 {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case []any:
		// LangGraph takes pairs of a role and a text for messages.
		if len(v) == 2 {
			if role, ok := v[0].(string); ok {
				text, _ := v[1].(string)
				if isUser(role) {
					return text
				}
				return ""
			}
		}
		for _, one := range slices.Backward(v) {
			if _, bare := one.(string); bare && len(v) > 1 {
				continue
			}
			if text := saidIn(one, depth-1); text != "" {
				return text
			}
		}
	case map[string]any:
		role, _ := v["role"].(string)
		if kind, _ := v["type"].(string); role == "" {
			role = kind
		}
		if content, ok := v["content"]; ok {
			if isUser(role) {
				return contentOf(content)
			}
			return ""
		}
		for _, key := range []string{"inputs", "input", "messages", "kwargs", "question", "query", "prompt", "args"} {
			if text := saidIn(v[key], depth-1); text != "" {
				return text
			}
		}
	}
	return ""
}

// contentOf returns the texts of a message's content, which is a text or parts.
func contentOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		var texts []string
		for _, one := range v {
			members, _ := one.(map[string]any)
			if text, _ := members["text"].(string); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// contentText returns the texts of content that may be parts, as JSON in a string.
func contentText(text string) string {
	if !strings.HasPrefix(text, "[{") {
		return text
	}
	var v []any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return contentOf(v)
}

// plainText returns a text that is no JSON, or the text in JSON that has nothing else to say.
func plainText(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	if object, ok := v.(map[string]any); ok {
		v = object["output"]
	}
	said, _ := v.(string)
	return said
}

// pythonWords are values that Python writes otherwise than JSON.
var pythonWords = map[string]string{"True": "true", "False": "false", "None": "null"}

// jsonOf returns a value that Python wrote as the JSON that it stands for, or nil if it is none.
func jsonOf(text string) json.RawMessage {
	var b strings.Builder
	for at := 0; at < len(text); at++ {
		switch c := text[at]; c {
		case '\'', '"':
			end := at + 1
			for ; end < len(text) && text[end] != c; end++ {
				if text[end] == '\\' {
					end++
				}
			}
			if end >= len(text) {
				return nil
			}
			inner := strings.NewReplacer(`\'`, `'`, `\"`, `\"`, `\\`, `\\`, `"`, `\"`).Replace(text[at+1 : end])
			b.WriteString(`"` + inner + `"`)
			at = end
		default:
			word := len(text[at:]) - len(strings.TrimLeft(text[at:], "TrueFalsNo"))
			if value := pythonWords[text[at:at+word]]; value != "" {
				b.WriteString(value)
				at += word - 1
			} else {
				b.WriteByte(c)
			}
		}
	}
	if raw := []byte(b.String()); json.Valid(raw) {
		return raw
	}
	return nil
}

// withEvents returns the attributes of a span with those of its events: some writers have messages there.
func withEvents(s *otlp.Span) otlp.Attributes {
	all := otlp.Attributes{}
	var sent, said []json.RawMessage
	for _, e := range s.Events {
		if !strings.HasPrefix(e.Name, "gen_ai.") {
			continue
		}
		for key, v := range e.Attrs {
			all[key] = v
		}
		content := valueOf(first(e.Attrs, "gen_ai.event.content", "event_body"))
		switch {
		case len(content) == 0:
		case e.Name == "gen_ai.choice":
			var choice struct {
				Message json.RawMessage `json:"message"`
				Finish  string          `json:"finish_reason"`
			}
			if json.Unmarshal(content, &choice) == nil && len(choice.Message) > 0 {
				said = append(said, choice.Message)
				all["gen_ai.response.finish_reasons"] = choice.Finish
			}
		case e.Name == "gen_ai.user.message":
			sent = append(sent, content)
		}
	}
	if len(all) == 0 {
		return s.Attrs
	}
	for key, list := range map[string][]json.RawMessage{"gen_ai.prompt": sent, "gen_ai.completion": said} {
		if raw, err := json.Marshal(list); err == nil && len(list) > 0 {
			all[key] = string(raw)
		}
	}
	for key, v := range s.Attrs {
		all[key] = v
	}
	return all
}
