package session

import (
	"encoding/json"
	"fmt"
	"math"
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

// Words says how sure the agent was, in percent: "62 %", or "less than 70 %" for what is below a
// threshold of 70 % and rounds to it. Only what is certain is 0 % or 100 %.
func (c Confidence) Words() string {
	words := percent(c.Stated)
	if c.Low() && words == percent(c.Threshold) {
		return "less than " + words
	}
	return words
}

// WhyAsked says why a person is asked about a call of which the agent is not sure enough.
func (c Confidence) WhyAsked() string {
	return fmt.Sprintf("The agent is %s sure of this; below %s a person decides.", c.Words(), percent(c.Threshold))
}

func percent(share float64) string {
	n := int(math.Round(share * 100))
	switch {
	case n == 0 && share > 0:
		n = 1
	case n == 100 && share < 1:
		n = 99
	}
	return fmt.Sprintf("%d %%", n)
}
