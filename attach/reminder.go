package attach

import (
	"encoding/json"
	"regexp"
	"slices"
)

// reasonRequest asks a model for the reason of each call, in the form that package session recognizes in the text
// before the call.
const reasonRequest = "Before every tool call, write one line of plain text that says why you make this call now: " +
	"\"Reason for <tool name>: <one sentence>\". When you call several tools at once, write one such line for each, " +
	"in the order of the calls. Say what you want to learn or change by it, not what the tool does."

// reasonLine matches lines of that form, with the marks that models write around them, but not quoted ones.
var reasonLine = regexp.MustCompile("(?im)^[ \\t*_+\u2022-]*(?:\\(?\\d{1,3}[.)]+)?[ \\t*_]*reason for " +
	"[*_`\"']*[\\w./-]+" +
	"[*_`\"']*(?:\\s?[(\\[].{0,200}?[)\\]][*_`]*)?(?:\\s*:|\\s+[-\u2013\u2014]{1,2}\\s)[*_\\s]*[^\\s*_]")

// CountReasons returns how many lines of the model's text give the reason of a call.
func CountReasons(text string) int { return len(reasonLine.FindAllStringIndex(text, -1)) }

// Reminder returns a function that makes the reply to a hook's payload, which encodes as JSON. For the given events the
// reply asks the model for the reasons of its calls; for all others it is empty. Claude Code, Codex and Gemini CLI read
// the same form, in which a hook may add to the model's input beside the prompt.
func Reminder(events ...string) func(payload []byte) any {
	type added struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	type reply struct {
		Specific *added `json:"hookSpecificOutput,omitempty"`
	}
	return func(payload []byte) any {
		var p struct {
			Event string `json:"hook_event_name"`
		}
		if json.Unmarshal(payload, &p) != nil || !slices.Contains(events, p.Event) {
			return reply{}
		}
		return reply{&added{p.Event, reasonRequest}}
	}
}
