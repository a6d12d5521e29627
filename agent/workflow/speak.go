package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"candor/agent"
	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// speak says the parts of a step's text one after the other, each of them cleaned. The step's
// narrative, which its agent records, is the whole of them. Nothing is said if the cleaned parts
// are not the cleaned whole: a part may then hold a piece of what only the whole shows to be a secret.
func (s *site) speak(step int, parts []string) {
	streamer, ok := s.rec.(agent.TextStreamer)
	if !ok {
		return
	}
	whole, report := s.layer.Clean(thinking.Strip(strings.Join(parts, "")))
	if report.Verdict == safety.Blocked {
		return
	}
	cleaned := make([]safety.Text, len(parts))
	said := ""
	for i, part := range parts {
		cleaned[i], _ = s.layer.Mask(part)
		said += cleaned[i].String()
	}
	if said != whole.String() {
		return
	}
	for i, part := range cleaned {
		streamer.StreamText(step, i, part)
	}
}

// reason records what an agent says in a step in which it calls nothing.
func (s *site) reason(step int, r *mockReasoning) error {
	if r == nil {
		return nil
	}
	text, report := s.layer.Clean(thinking.Strip(r.text()))
	err := s.rec.Record(session.Narrated{
		Step: step, Text: text, Source: session.FromModel, Findings: report.Findings,
		Blocked: report.Verdict == safety.Blocked,
	})
	if err != nil {
		return err
	}
	return s.rec.Record(session.StepEnded{Step: step, Usage: session.Usage(r.usage())})
}

const (
	maxMessages  = 1000
	maxMessageID = 256 // bytes
)

// Message is an entry of the list of messages that the agents of a run share.
type Message struct {
	ID      string          `json:"messageId"` // tells messages apart; equal in a replay
	From    string          `json:"from"`      // an agent's id, or "user"
	To      string          `json:"to,omitempty"`
	Group   string          `json:"groupId,omitempty"`
	Content json.RawMessage `json:"content,omitempty"` // any value
	TS      *int64          `json:"ts,omitempty"`      // milliseconds since 1970
}

// Apply returns the list with a message at its end. A message whose id the list already has
// changes nothing, and neither does one for which there is no room, so folding messages again
// never changes their list. Apply does not change what it is given.
func Apply(list []Message, m Message) []Message {
	if len(list) >= maxMessages {
		return list
	}
	for _, known := range list {
		if known.ID == m.ID {
			return list
		}
	}
	return append(list[:len(list):len(list)], m)
}

// check reports a message that nobody could tell apart or attribute.
func (m Message) check() error {
	switch {
	case m.ID == "":
		return errors.New("it has no messageId")
	case len(m.ID) > maxMessageID:
		return fmt.Errorf("its messageId has %d bytes; %d are the most", len(m.ID), maxMessageID)
	case m.From == "":
		return errors.New("it has no from")
	}
	return nil
}

// decodeMessages returns the messages of a JSON list. Its errors name the message that is wrong.
func decodeMessages(raw json.RawMessage) ([]Message, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, errors.New("messages have to be a list")
	}
	list := make([]Message, len(entries))
	for i := range entries {
		err := json.Unmarshal(entries[i], &list[i])
		if err != nil {
			err = errors.New("it is not an object with a messageId, from, to, groupId, content and ts of their types")
		} else {
			err = list[i].check()
		}
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
	}
	return list, nil
}
