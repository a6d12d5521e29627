package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// part is one element of a message's content.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// read validates a message by its role and sets Text and Skipped from its content.
func (m *InputMessage) read() error {
	if m.ID == "" {
		return errors.New("id is missing")
	}
	optional := false
	switch m.Role {
	case "activity":
		return nil // belongs to the front end; its content may be anything
	case "assistant":
		optional = true
	case "tool":
		if m.ToolCallID == "" {
			return errors.New("toolCallId is missing")
		}
	case "user", "system", "developer", "reasoning":
	default:
		return errors.New("role has to be one of developer, system, assistant, user, tool, activity, reasoning")
	}
	if len(m.Content) == 0 || string(m.Content) == "null" {
		if optional {
			return nil
		}
		return errors.New("content is missing")
	}
	return m.readContent()
}

// readContent accepts a string and, from users and tools, a list of parts.
func (m *InputMessage) readContent() error {
	if json.Unmarshal(m.Content, &m.Text) == nil {
		return nil
	}
	var parts []part
	if m.Role != "user" && m.Role != "tool" || json.Unmarshal(m.Content, &parts) != nil {
		return errors.New("content has to be text, or for the roles user and tool a list of parts")
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image", "audio", "video", "document", "binary":
			if m.Skipped == nil {
				m.Skipped = map[string]int{}
			}
			m.Skipped[p.Type]++
		default:
			return errors.New("content has a part of an unknown type")
		}
	}
	m.Text = strings.Join(texts, "\n")
	return nil
}

// words returns the user's text with a note about the parts that the model cannot be
// shown. Without it the model would take a message about a picture for one without.
func (m *InputMessage) words() string {
	if len(m.Skipped) == 0 {
		return m.Text
	}
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(m.Skipped)) {
		kinds = append(kinds, fmt.Sprintf("%d %s", m.Skipped[kind], kind))
	}
	note := "(Attached, and not readable here: " + strings.Join(kinds, ", ") + ".)"
	return strings.TrimSpace(m.Text + "\n" + note)
}

// result returns the output of a front end's tool as JSON. Text that is not JSON
// becomes a string.
func (m *InputMessage) result() json.RawMessage {
	if json.Valid([]byte(m.Text)) {
		return json.RawMessage(m.Text)
	}
	raw, err := json.Marshal(m.Text)
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// contextLines returns what the model sees before the user's message: the front end's
// instructions, context and state and, if the thread is fresh, the conversation that the
// client had before.
func (in *Input) contextLines(fresh bool) []ContextLine {
	var out []ContextLine
	for _, m := range in.Messages[:max(0, len(in.Messages)-1)] {
		switch {
		case strings.TrimSpace(m.Text) == "":
		case m.Role == "system" || m.Role == "developer":
			out = append(out, ContextLine{"system", m.Text})
		case fresh && (m.Role == "user" || m.Role == "assistant"):
			out = append(out, ContextLine{m.Role, m.words()})
		}
	}
	if text := in.contextText(); text != "" {
		out = append(out, ContextLine{"system", text})
	}
	return out
}

// contextText returns the front end's context and state as text for the model, "" if it
// sent none.
func (in *Input) contextText() string {
	var b strings.Builder
	for _, c := range in.Context {
		fmt.Fprintf(&b, "- %s: %s\n", c.Description, c.Value)
	}
	text := b.String()
	if text != "" {
		text = "The user's front end says of itself:\n" + text
	}
	if state := nonEmpty(in.State); state != "" {
		text += "Its state is: " + state + "\n"
	}
	return text
}

// nonEmpty returns a state as text, "" if it says nothing.
func nonEmpty(state json.RawMessage) string {
	switch s := strings.TrimSpace(string(state)); s {
	case "", "null", "{}", `""`, "[]":
		return ""
	default:
		return s
	}
}
