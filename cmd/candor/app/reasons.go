package app

import (
	"encoding/json"
	"errors"

	"candor/cmd/candor/terminal"
	"candor/safety"
	"candor/session"
	"candor/web/client"
	"candor/web/view"
)

// answerReasoning answers a message that is the command /reasoning with the reasons of a
// thread, as text. ok is false for every other message. It reads what the API would
// answer and words it as a conversation in the terminal does, so that all channels say the
// same. A thread that does not exist is an error; "" is a thread without turns.
func answerReasoning(own *session.Session, thread, message string) (text string, ok bool, err error) {
	if !terminal.IsReasoning(message) {
		return "", false, nil
	}
	var turns []client.Turn
	if thread != "" {
		h, err := own.History(thread, session.Page{})
		if err != nil {
			return "", true, err
		}
		if turns, err = clientTurns(h.Turns); err != nil {
			return "", true, err
		}
	}
	return terminal.Style{}.Reasons(message, turns), true, nil
}

// answerFrontEnd is answerReasoning for AG-UI, where a thread that does not exist yet is
// one without turns.
func answerFrontEnd(own *session.Session, thread, message string) (text string, ok bool, err error) {
	text, ok, err = answerReasoning(own, thread, message)
	if errors.Is(err, session.ErrNoThread) {
		return answerReasoning(own, "", message)
	}
	return text, ok, err
}

// clientTurns returns turns as a client of the API has them.
func clientTurns(turns []session.Turn) ([]client.Turn, error) {
	out := make([]client.Turn, len(turns))
	for i, t := range turns {
		raw, err := safety.Marshal(view.Turn(t))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
