package agent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"candor/session"
)

// Conversation returns the messages that show a thread's earlier turns to the model.
// They are built from the log, so their text is cleaned. Turns that have not ended are
// left out, and so are the steps of sub-agents. opaque returns the opaque reasoning of
// a step by the id of its first call, which is empty for the step that answered; it may
// be nil.
func Conversation(turns []session.Turn, opaque func(thread string, turn int, call string) []Opaque) []Message {
	if opaque == nil {
		opaque = func(string, int, string) []Opaque { return nil }
	}
	var out []Message
	for _, t := range turns {
		if !t.State.Ended() {
			continue
		}
		out = append(out, Message{Role: RoleUser, Text: t.Input.String()})
		for _, s := range t.Steps {
			if s.Agent == "" && paused(s) {
				out = append(out, Message{Role: RoleAssistant, Text: s.Narrative.String()})
			}
			if s.Agent != "" || len(s.Calls) == 0 {
				continue
			}
			step := stepMessages(t.Number, s)
			step[0].Opaque = opaque(t.Thread, t.Number, s.Calls[0].ID)
			out = append(out, step...)
		}
		if text := finalText(t); text != "" {
			last := Message{Role: RoleAssistant, Text: text}
			if t.State == session.Completed {
				last.Opaque = opaque(t.Thread, t.Number, "")
			}
			out = append(out, last)
		}
	}
	return out
}

// stepMessages returns a step's text and calls, then each call's result. A summary by the
// provider is left out: the model did not say it, and opaque reasoning has to stay where
// it stood, which is next to the calls. Call ids are made unique in the whole
// conversation, since some providers insist on that.
func stepMessages(turn int, s session.Step) []Message {
	out := []Message{{Role: RoleAssistant}}
	if s.NarrativeSource != session.FromSummary {
		out[0].Text = s.Narrative.String()
	}
	for _, c := range s.Calls {
		id := fmt.Sprintf("turn_%d_%s", turn, c.ID)
		out[0].Calls = append(out[0].Calls, Call{
			ID: id, Name: c.Tool.String(), Arguments: c.Params.Raw(),
		})
		text := string(c.Result.Raw())
		if !c.Error.Empty() {
			text = fmt.Sprintf("Tool '%s' failed: %s", c.Tool, c.Error)
		}
		edited, _ := c.Edited()
		out = append(out, Message{Role: RoleTool, CallID: id, Text: told(edited, text)})
	}
	return out
}

// paused reports whether a step is the beginning of an answer that went on.
func paused(s session.Step) bool {
	return s.Stop == session.StopPaused && len(s.Calls) == 0 && s.NarrativeSource == session.FromModel
}

// unfinished returns what the lead agent was saying when its turn was stopped or failed.
func unfinished(t session.Turn) string {
	for _, s := range slices.Backward(t.Steps) {
		if s.Agent == "" && len(s.Calls) == 0 && s.NarrativeSource == session.FromModel && !paused(s) {
			return s.Narrative.String()
		}
	}
	return ""
}

// finalText returns the assistant's last message of a turn: its response, or a note
// that it failed or was stopped, after what it had said.
func finalText(t session.Turn) string {
	switch t.State {
	case session.Failed:
		return strings.TrimLeft(unfinished(t)+"\n\n(This turn failed: "+t.Error.String()+")", "\n")
	case session.Interrupted:
		if t.Restarted {
			return strings.TrimLeft(unfinished(t)+"\n\n(The server restarted during this turn.)", "\n")
		}
		return strings.TrimLeft(unfinished(t)+"\n\n(The user stopped this turn.)", "\n")
	default:
		return t.Response.String()
	}
}

// The bounds of what a turn shows the model of the turns before it. The newest turns that fit are shown, and the
// latest in any case. More than this fits into the context of no model, and a thread may have any number of turns.
const (
	maxEarlierTurns = 1000
	maxEarlierBytes = 4 << 20 // of texts, parameters and results
)

// earlier returns the conversation so far, oldest message first, as far as it fits. It reads turns a page at a time
// from the newest on, and none beyond the bounds. A turn that cannot be read is left out, and is the error.
func (c *Chat) earlier(s *session.Session, thread string) ([]Message, error) {
	var turns [][]Message
	var failed error
	left := maxEarlierBytes
	for t, err := range s.Turns(thread, math.MaxInt, 1) {
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		messages := Conversation([]session.Turn{t}, c.opaque.get)
		if left -= textSize(messages); len(turns) > 0 && left < 0 {
			break
		}
		if len(messages) > 0 {
			turns = append(turns, messages)
		}
		if len(turns) == maxEarlierTurns {
			break
		}
	}
	slices.Reverse(turns)
	return slices.Concat(turns...), failed
}

// textSize returns how many bytes of text messages have.
func textSize(messages []Message) (n int) {
	for _, m := range messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Name) + len(call.Arguments)
		}
	}
	return n
}
