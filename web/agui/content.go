package agui

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// part is one part of a message's content.
type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// read checks a message by its role and takes the text out of its content.
func (m *InputMessage) read() error {
	if m.ID == "" {
		return errors.New("id is missing")
	}
	optional := false
	switch m.Role {
	case "activity":
		return nil // a front end's own
	case "assistant":
		optional = true
	case "tool":
		if m.ToolCallID == "" {
			return errors.New("toolCallId is missing")
		}
	case "user", "system", "developer", "reasoning":
	default:
		return errors.New("role is none of developer, system, assistant, user, tool, activity, reasoning")
	}
	if len(m.Content) == 0 || string(m.Content) == "null" {
		if optional {
			return nil
		}
		return errors.New("content is missing")
	}
	return m.readContent()
}

// readContent accepts a string, and parts from those who may send them.
func (m *InputMessage) readContent() error {
	if json.Unmarshal(m.Content, &m.Text) == nil {
		return nil
	}
	var parts []part
	if m.Role != "user" && m.Role != "tool" || json.Unmarshal(m.Content, &parts) != nil {
		return errors.New("content is of no form that its role may have")
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
			return errors.New("content has a part of no known type")
		}
	}
	m.Text = strings.Join(texts, "\n")
	return nil
}

// words is what the user said, with a note of what cannot be shown to the model, so
// that it does not take a message about a picture for one without.
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

// result is what a front end's tool gave, as JSON: as it is if it is JSON, else as
// a string.
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

// before is what the model is shown ahead of the user's words: what the front end
// says of itself and, where we have nothing of the thread, the conversation so far.
func (in *Input) before(fresh bool) []Said {
	var out []Said
	for _, m := range in.Messages[:max(0, len(in.Messages)-1)] {
		switch {
		case strings.TrimSpace(m.Text) == "":
		case m.Role == "system" || m.Role == "developer":
			out = append(out, Said{"system", m.Text})
		case fresh && (m.Role == "user" || m.Role == "assistant"):
			out = append(out, Said{m.Role, m.words()})
		}
	}
	if about := in.about(); about != "" {
		out = append(out, Said{"system", about})
	}
	return out
}

// about is the front end's context and state, in words.
func (in *Input) about() string {
	var b strings.Builder
	for _, c := range in.Context {
		fmt.Fprintf(&b, "- %s: %s\n", c.Description, c.Value)
	}
	about := b.String()
	if about != "" {
		about = "The user's front end says of itself:\n" + about
	}
	if state := bytesOf(in.State); state != "" {
		about += "Its state is: " + state + "\n"
	}
	return about
}

// bytesOf is a state worth telling, "" for none.
func bytesOf(state json.RawMessage) string {
	switch s := strings.TrimSpace(string(state)); s {
	case "", "null", "{}", `""`, "[]":
		return ""
	default:
		return s
	}
}
