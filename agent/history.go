package agent

import (
	"fmt"

	"candor/session"
)

// Conversation is what a model is shown of a thread's earlier turns. It is built
// from what was kept, so it is cleaned; turns that have not ended are left out, and
// so is what sub-agents did. opaque gives what the provider wants back with a step,
// by the step's first call; it may be nil.
func Conversation(turns []session.Turn, opaque func(thread string, turn int, call string) []Opaque) []Message {
	var out []Message
	for _, t := range turns {
		if !t.State.Ended() {
			continue
		}
		out = append(out, Message{Role: RoleUser, Text: t.Input.String()})
		for _, s := range t.Steps {
			if s.Agent != "" || len(s.Calls) == 0 {
				continue
			}
			step := stepMessages(t.Number, s)
			if opaque != nil {
				step[0].Opaque = opaque(t.Thread, t.Number, s.Calls[0].ID)
			}
			out = append(out, step...)
		}
		if end := ending(t); end != "" {
			out = append(out, Message{Role: RoleAssistant, Text: end})
		}
	}
	return out
}

// stepMessages gives calls ids of their own in the whole conversation, which
// some providers insist on.
func stepMessages(turn int, s session.Step) []Message {
	out := []Message{{Role: RoleAssistant, Text: s.Narrative.String()}}
	for _, c := range s.Calls {
		id := fmt.Sprintf("turn_%d_%s", turn, c.ID)
		out[0].Calls = append(out[0].Calls, Call{
			ID: id, Name: c.Tool.String(), Arguments: c.Params.Raw(),
		})
		answer := string(c.Result.Raw())
		if !c.Error.Empty() {
			answer = fmt.Sprintf("Tool '%s' failed: %s", c.Tool, c.Error)
		}
		out = append(out, Message{Role: RoleTool, CallID: id, Text: answer})
	}
	return out
}

// ending is how the turn's last word reads to the model.
func ending(t session.Turn) string {
	switch t.State {
	case session.Failed:
		return "(This turn failed: " + t.Error.String() + ")"
	case session.Interrupted:
		return "(The user stopped this turn.)"
	default:
		return t.Response.String()
	}
}
