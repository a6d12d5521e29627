package otlp

import (
	"encoding/json"

	"candor/session"
)

// part is a part of a message, as the conventions write it.
type part struct {
	Type      string          `json:"type"` // text, reasoning or tool_call
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// maxPart is how many bytes of its text a part has, so that a message of some parts is whole.
const maxPart = 2 << 10

// message returns a list of one message, as the conventions write it.
func message(role string, parts ...part) string {
	for i := range parts {
		parts[i].Content = cutTo(parts[i].Content, maxPart)
		if len(parts[i].Arguments) > maxPart {
			parts[i].Arguments = nil
		}
	}
	type said struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	raw, err := json.Marshal([]said{{role, parts}})
	if err != nil || len(raw) > maxText {
		return "" // half of it would not be JSON
	}
	return string(raw)
}

// saidIn returns what the model said in a step: a narrative and calls.
func saidIn(s session.Step) (parts []part) {
	if !s.Thought.Empty() {
		parts = append(parts, part{Type: "reasoning", Content: s.Thought.String()})
	}
	if !s.Narrative.Empty() {
		kind := "text"
		if s.NarrativeSource == session.FromSummary {
			kind = "reasoning"
		}
		parts = append(parts, part{Type: kind, Content: s.Narrative.String()})
	}
	for _, c := range s.Calls {
		parts = append(parts, part{Type: "tool_call", ID: c.ID, Name: c.Tool.String(), Arguments: c.Params.Raw()})
	}
	return parts
}
