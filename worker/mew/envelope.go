package mew

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"candor/safety"

	"github.com/google/uuid"
)

// protocol is the version of the protocol that is spoken.
const protocol = "mew/v0.4"

// envelope is a message of a space, as far as a participant looks at it.
type envelope struct {
	Protocol    string          `json:"protocol,omitempty"`
	ID          string          `json:"id"`
	TS          string          `json:"ts,omitempty"`
	From        string          `json:"from"`
	To          []string        `json:"to,omitempty"`
	Kind        string          `json:"kind"`
	Correlation ids             `json:"correlation_id,omitempty"`
	Context     json.RawMessage `json:"context,omitempty"`
	Payload     json.RawMessage `json:"payload,omitempty"`
}

// ids is a list of ids. A single id is read as a list of one, as older participants send it.
type ids []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *ids) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*l = make(ids, 1)
		return json.Unmarshal(raw, &(*l)[0])
	}
	return json.Unmarshal(raw, (*[]string)(l))
}

// decode reads an envelope. ok is false for what is none.
func decode(raw []byte) (e envelope, ok bool) {
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, false
	}
	return e, e.Kind != ""
}

// read decodes the payload into v. Members of another type keep their zero value.
func (e envelope) read(v any) {
	if len(e.Payload) > 0 {
		_ = json.Unmarshal(e.Payload, v)
	}
}

// names reports whether the envelope refers to the message with this id.
func (e envelope) names(id string) bool { return id != "" && slices.Contains(e.Correlation, id) }

// contexts returns the ids of the contexts that the envelope belongs to, from the outermost on:
// the segments of a path, or the id of an object. It is empty for the main context.
func (e envelope) contexts() []string {
	raw := bytes.TrimSpace(e.Context)
	if len(raw) == 0 {
		return nil
	}
	var path string
	if raw[0] == '{' {
		var given struct {
			ID, Parent  string
			Correlation ids `json:"correlation_id"`
		}
		_ = json.Unmarshal(raw, &given)
		path = strings.Trim(given.Parent+"/"+given.ID, "/")
		if path == "" && len(given.Correlation) > 0 {
			path = given.Correlation[0]
		}
	} else {
		_ = json.Unmarshal(raw, &path)
	}
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// newEnvelope returns an envelope with an id of its own. Ids are random enough that nobody can
// guess them, since that of a start is the key to its reasoning, and sort by time.
func newEnvelope(kind string, payload any) (envelope, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return envelope{}, err
	}
	raw, err := safety.Marshal(payload)
	if err != nil {
		return envelope{}, err
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z07:00")
	return envelope{Protocol: protocol, ID: id.String(), TS: now, Kind: kind, Payload: raw}, nil
}

// inContext returns the envelope in a context, or in the main context if path is empty.
func (e envelope) inContext(path string) envelope {
	if path != "" {
		e.Context, _ = safety.Marshal(path)
	}
	return e
}

// about returns the envelope as one that refers to other messages. Empty ids are left out.
func (e envelope) about(others ...string) envelope {
	for _, id := range others {
		if id != "" {
			e.Correlation = append(e.Correlation, id)
		}
	}
	return e
}

// object is a JSON object that is written member by member.
type object map[string]any
