package agent

import (
	"fmt"

	"candor/session"
)

// Conversation returns the messages that show a thread's earlier turns to the model.
// They are built from the log, so their text is cleaned. Turns that have not ended are
// left out, and so are the steps of sub-agents. opaque returns the opaque reasoning of
// a step by the id of its first call; it may be nil.
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
		if text := finalText(t); text != "" {
			out = append(out, Message{Role: RoleAssistant, Text: text})
		}
	}
	return out
}

// stepMessages returns a step's text and calls, then each call's result. Call ids are
// made unique in the whole conversation, since some providers insist on that.
func stepMessages(turn int, s session.Step) []Message {
	out := []Message{{Role: RoleAssistant, Text: s.Narrative.String()}}
	for _, c := range s.Calls {
		id := fmt.Sprintf("turn_%d_%s", turn, c.ID)
		out[0].Calls = append(out[0].Calls, Call{
			ID: id, Name: c.Tool.String(), Arguments: c.Params.Raw(),
		})
		text := string(c.Result.Raw())
		if !c.Error.Empty() {
			text = fmt.Sprintf("Tool '%s' failed: %s", c.Tool, c.Error)
		}
		out = append(out, Message{Role: RoleTool, CallID: id, Text: text})
	}
	return out
}

// finalText returns the assistant's last message of a turn: its response, or a note
// that it failed or was stopped.
func finalText(t session.Turn) string {
	switch t.State {
	case session.Failed:
		return "(This turn failed: " + t.Error.String() + ")"
	case session.Interrupted:
		return "(The user stopped this turn.)"
	default:
		return t.Response.String()
	}
}
