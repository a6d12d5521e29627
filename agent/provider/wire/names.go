package wire

import (
	"encoding/json"
	"regexp"
)

// maxIdentifier is how long providers let the name of a tool and the id of a call be,
// in bytes.
const maxIdentifier = 64

var notInIdentifiers = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// Identifier returns name as providers accept the name of a tool or the id of a call:
// letters, digits, underscores and hyphens, 64 bytes at most. A model may have called
// a tool by a name that its own provider then refuses to read. An empty name becomes
// fallback.
func Identifier(name, fallback string) string {
	name = notInIdentifiers.ReplaceAllString(name, "_")
	if name == "" {
		return fallback
	}
	return name[:min(len(name), maxIdentifier)]
}

// Object returns the arguments of a call, or an empty object where the model wrote
// no JSON object: servers that parse them refuse the whole conversation otherwise.
// The model still learns what was wrong from the result of the call.
func Object(arguments json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil || members == nil {
		return json.RawMessage("{}")
	}
	return arguments
}

// Members encodes v and returns the members of that object. A JSON schema is split
// this way, so that its outermost members can be sent in the order a wire format has,
// while its properties keep theirs.
func Members(v any) (map[string]json.RawMessage, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	return members, json.Unmarshal(raw, &members)
}
