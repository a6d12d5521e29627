package dialect

import (
	"encoding/json"
	"strings"
	"time"
)

// maxMessages bounds the messages that are read of one attribute: the last ones.
const maxMessages = 4096

// message is a message of the GenAI conventions.
type message struct {
	Role    string          `json:"role"`
	Parts   []messagePart   `json:"parts,omitempty"`
	Content json.RawMessage `json:"content,omitempty"` // of older writers: a text
	Finish  string          `json:"finish_reason,omitempty"`
}

// messagePart is a part of a message.
type messagePart struct {
	// text, reasoning, tool_call, tool_call_response and others. A text stands in content, or with some writers in
	// text; a response in result, or as the conventions have it since in response.
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content,omitempty"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Response  json.RawMessage `json:"response,omitempty"`
}

// messages decodes an attribute with messages, JSON in a string or structured. It is nil for anything else.
func messages(v any) []message {
	var list []message
	if v == nil || json.Unmarshal(valueOf(v), &list) != nil {
		return nil
	}
	return list[max(0, len(list)-maxMessages):]
}

// oldMessages decodes the events of Pydantic AI's first version, as messages.
func oldMessages(v any) (list []message) {
	var events []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		ID      string          `json:"id"`
		Finish  string          `json:"finish_reason"`
		Calls   []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if v == nil || json.Unmarshal(valueOf(v), &events) != nil {
		return nil
	}
	for _, e := range events[max(0, len(events)-maxMessages):] {
		m := message{Role: e.Role, Finish: e.Finish}
		switch {
		case e.Role == "tool":
			m.Parts = append(m.Parts, messagePart{Type: "tool_call_response", ID: e.ID, Result: e.Content})
		case len(e.Content) > 0:
			m.Parts = append(m.Parts, messagePart{Type: "text", Content: e.Content})
		}
		for _, c := range e.Calls {
			m.Parts = append(m.Parts, messagePart{
				Type: "tool_call", ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments,
			})
		}
		list = append(list, m)
	}
	return list
}

// parts returns what a message of the model says. Parts of kinds that have no text, such as images, are left out.
func (m *message) parts() (list []part) {
	if len(m.Parts) == 0 {
		if text := textOf(m.Content); text != "" {
			list = append(list, part{text: text})
		}
	}
	for _, p := range m.Parts {
		// The place of a part is kept by those who read it. Parts of other kinds are images, files and the like.
		switch p.Type {
		case "text":
			list = append(list, part{text: p.text()})
		case "reasoning", "thinking":
			list = append(list, part{text: p.text(), summary: true})
		case "tool_call", "server_tool_call":
			list = append(list, part{call: p.ID, name: p.Name, params: argumentsOf(p.Arguments)})
		}
	}
	return list
}

// prompt returns the text of a message.
func (m *message) prompt() string {
	texts := []string{textOf(m.Content)}
	for _, p := range m.Parts {
		if p.Type == "text" {
			texts = append(texts, p.text())
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// text returns the text of a part.
func (p *messagePart) text() string {
	if text := textOf(p.Content); text != "" {
		return text
	}
	return p.Text
}

// lastPrompt returns the text of the last message of a user. Results of tools are messages of users for some models,
// and have no text.
func lastPrompt(list []message) string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == "user" {
			if text := list[i].prompt(); text != "" {
				return text
			}
		}
	}
	return ""
}

// textOf returns a JSON string, or "".
func textOf(raw json.RawMessage) (text string) {
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// argumentsOf returns the arguments of a call, which some write as JSON within a string.
func argumentsOf(raw json.RawMessage) json.RawMessage {
	if text := strings.TrimSpace(textOf(raw)); text != "" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return raw
}

// timeOfPlace returns a time that stands for the place of a message among others: they have none, and are
// shown in their order.
func timeOfPlace(i int) time.Duration { return time.Duration(i) * time.Microsecond }
