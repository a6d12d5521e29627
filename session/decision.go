package session

import (
	"encoding/json"
	"strings"

	"candor/safety"
)

// Decision returns what a call that is a decision states, as text: its parameter
// "decision", or all of its parameters if it has none of that name. It returns "" for every
// other call.
func (c Call) Decision() string {
	if !c.Decides {
		return ""
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(c.Params.Raw(), &params) == nil && len(params["decision"]) > 0 {
		return asText(params["decision"])
	}
	return asText(c.Params.Raw())
}

// Said returns what the person said beside the answer, as text, and "" if nothing.
func (a *Approval) Said() string {
	if a == nil {
		return ""
	}
	return ValueText(a.Value)
}

// ValueText returns a value as text: a text as it is, "" for null, and anything else as JSON.
func ValueText(v safety.JSON) string {
	if v.Null() {
		return ""
	}
	return asText(v.Raw())
}

// asText returns the text that raw is, or raw itself if it is none.
func asText(raw json.RawMessage) string {
	var text string
	if raw[0] == '"' && json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}
