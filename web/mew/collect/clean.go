package collect

import (
	"encoding/json"
	"strings"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// mask cleans a text that a person would miss as a whole.
func (c *Collector) mask(raw string) (safety.Text, []safety.Finding) {
	text, report := c.layer.Mask(strings.TrimSpace(thinking.Strip(raw)))
	return text, report.Findings
}

// short cleans a text that is remembered or is a name.
func (c *Collector) short(raw string, bytes int) safety.Text {
	text, _ := c.layer.Limit(bytes).Mask(strings.TrimSpace(thinking.Strip(raw)))
	return text
}

// value cleans a JSON value; a missing one is null.
func (c *Collector) value(raw json.RawMessage) (safety.JSON, []safety.Finding) {
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	clean, report := c.layer.CleanJSON(raw)
	return clean, report.Findings
}

// reason cleans the reason for a call.
func (c *Collector) reason(raw string) (session.Rationale, []safety.Finding) {
	why, report := session.CleanRationale(c.layer, thinking.Strip(raw))
	if why.Text == session.Fallback().Text {
		// These are the words of a candor mew whose model gave no reason.
		why.Source = session.FromFallback
	}
	return why, report.Findings
}

// cut returns the beginning of a text, without keeping the rest in memory.
func cut(raw string) string { return strings.Clone(raw[:min(len(raw), maxText)]) }

// oneLine returns a text with its blanks and line breaks as single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// members reads the members of a payload. It is empty for one that is not an object.
func members(payload json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(payload, &m)
	return m
}

// said returns the first text among a payload's members of these keys. A number or a truth
// value counts as the text it is written as.
func said(m map[string]json.RawMessage, keys ...string) string {
	for _, key := range keys {
		if s := textOf(m[key]); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// textOf returns a JSON text, number or truth value as text, and "" for anything else.
func textOf(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
