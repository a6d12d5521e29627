package opencode

import (
	"encoding/json"
	"errors"
	"fmt"

	"candor/attach"
	"candor/attach/rows"
)

// asked is what the plugin adds to its payload about a call that waits: the arguments that it would run with, which
// another plugin may have changed. Without them they are too long to be shown.
type asked struct {
	Arguments json.RawMessage `json:"arguments"`
}

// Question returns the call that the plugin asks about, which is the last part of its payload, with all of its
// arguments. ok is false for every other payload.
func Question(raw []byte) (q attach.Question, ok bool) {
	var p payload
	if json.Unmarshal(raw, &p) != nil || p.Asked == nil || len(p.Parts) == 0 {
		return attach.Question{}, false
	}
	in, ok := decodePart(p.Parts[len(p.Parts)-1])
	if !ok || in.Type != "tool" || !rows.IsID(in.CallID) || in.Tool == "" {
		return attach.Question{}, false
	}
	return attach.Question{Call: in.CallID, Tool: in.Tool, Arguments: p.Asked.Arguments}, true
}

// reply is what the plugin reads as the answer. Empty, it lets the call go on.
type reply struct {
	Decision attach.Verdict `json:"decision,omitempty"`
	Words    string         `json:"reason,omitempty"`  // for the model
	Message  string         `json:"message,omitempty"` // for the person in front of the program
}

// Reply returns the answer to the plugin, which encodes as JSON. A plugin can deny a call and nothing else: after an
// approval, as without an answer, the call proceeds as if there were no plugin. Without an answer, the person at the
// program reads [attach.Unanswered].
func Reply(v attach.Verdict, words string) any {
	switch v {
	case attach.Deny:
		return reply{Decision: v, Words: words}
	case attach.Ask:
		return reply{Message: attach.Unanswered}
	}
	return reply{}
}

// The bounds of what the plugin posts: its bytes, and the parts of a message.
const (
	maxHook  = 16 << 20
	maxParts = 10_000
)

// errPayload is the error for what the plugin does not post.
var errPayload = errors.New("this is not what Candor's plugin for OpenCode posts: it needs session, root and " +
	"message, and members of the types that the program gives them")

// payload is what the plugin posts: a message with some of its parts, as the program itself has them.
type payload struct {
	Session session `json:"session"`
	// The session that the person speaks to, and its turn that the message belongs to; empty if that is not known.
	Root string `json:"root"`
	Turn string `json:"turn"`

	Message message `json:"message"`
	// The parts of the message, each in its place; null where one is not posted now.
	Parts []json.RawMessage `json:"parts"`
	// A text was longer than the plugin posts.
	Cut bool `json:"cut"`
	// Set where the last part is a call that waits for a person.
	Asked *asked `json:"asked"`
}

// Hook returns the sightings in the plugin's payload. It fails if raw is no such payload. A message that a fork copied
// has none.
func Hook(raw []byte) ([]attach.Sighting, error) {
	if len(raw) > maxHook {
		return nil, fmt.Errorf("the plugin's payload has %d bytes; the limit is %d", len(raw), maxHook)
	}
	var p payload
	if json.Unmarshal(raw, &p) != nil || !p.Session.valid() || !p.Message.valid() || !rows.IsID(p.Root) ||
		!rows.OptionalID(p.Turn) || len(p.Parts) > maxParts {
		return nil, errPayload
	}
	if created := p.Message.Time.Created; created > 0 && created < p.Session.Time.Created {
		return nil, nil
	}
	return p.sightings()
}

// sightings returns what the payload tells.
func (p *payload) sightings() ([]attach.Sighting, error) {
	at := place{channel: attach.Hooks, root: p.Root, turn: p.Turn}
	if p.Session.ID != p.Root {
		at.sub = p.Session.ID
	}
	// What is counted here nobody asks for: the database has it, too.
	t := &taking{place: at, message: &p.Message, report: &rows.Report{}}
	out := about(at, &p.Session, p.Message.Model)
	for i, raw := range p.Parts {
		if string(raw) == "null" {
			continue
		}
		in, ok := decodePart(raw)
		if !ok {
			return nil, errPayload
		}
		out = append(out, t.facts(&in, i)...)
	}
	for i := range out {
		if r := out[i].Returned; r != nil && p.Cut {
			r.Partial = true
		}
	}
	return append(out, t.close()...), nil
}
