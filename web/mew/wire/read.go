package wire

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Members splits a JSON object into its members. Unlike encoding/json it does not take
// "From" for "from", and refuses a member that stands twice.
func Members(raw []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(raw) {
		return nil, invalid("The message is not valid UTF-8.")
	}
	if !json.Valid(raw) {
		return nil, invalid("The message is not valid JSON. Send one JSON object.")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, _ := dec.Token(); open != json.Delim('{') {
		return nil, invalid("The message is no JSON object. Send one envelope, which is an object.")
	}
	m := map[string]json.RawMessage{}
	for dec.More() {
		key, _ := dec.Token() // the text is valid JSON
		name, _ := key.(string)
		if _, twice := m[name]; twice {
			return nil, invalid("A member of the message stands twice. Send each once.")
		}
		var value json.RawMessage
		_ = dec.Decode(&value)
		m[name] = value
	}
	return m, nil
}

// namesTwice reports whether an object at any depth of a JSON value has a member twice. Of those, a
// gateway may check one and a receiver obey the other.
func namesTwice(raw json.RawMessage) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	var open []map[string]bool // nil for an array
	isName := false            // the next token is a name, or ends its object
	for {
		token, err := dec.Token()
		if err != nil {
			return false // the end, as the text is valid JSON
		}
		switch in := len(open) - 1; {
		case token == json.Delim('{'):
			open = append(open, map[string]bool{})
		case token == json.Delim('['):
			open = append(open, nil)
		case token == json.Delim('}') || token == json.Delim(']'):
			open = open[:in]
		case isName:
			name, _ := token.(string)
			if open[in][name] {
				return true
			}
			open[in][name], isName = true, false
			continue
		}
		isName = len(open) > 0 && open[len(open)-1] != nil
	}
}

// text reads a member that is a text of 1 to MaxName bytes, or absent.
func text(m map[string]json.RawMessage, name string, into *string) error {
	raw, ok := m[name]
	if !ok {
		return nil
	}
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, into) != nil || *into == "" {
		return invalid(name + " has to be a text that is not empty.")
	}
	if len(*into) > MaxName {
		return invalid(name + " is longer than 255 bytes.")
	}
	return nil
}

// list reads a member that is an array of texts, or absent. orText also admits a single text.
func list(m map[string]json.RawMessage, name string) ([]string, error) {
	raw, ok := m[name]
	if !ok || isNull(raw) {
		return nil, nil
	}
	switch {
	case string(raw) == `""`:
		return nil, nil
	case raw[0] == '"':
		var one string
		err := text(m, name, &one)
		return []string{one}, err
	}
	var all []string
	if json.Unmarshal(raw, &all) != nil || bytes.Contains(raw, []byte("null")) && hasNull(raw) {
		return nil, invalid(name + " has to be an array of texts.")
	}
	if len(all) > MaxListed {
		return nil, invalid(name + " has more than 256 entries.")
	}
	for _, one := range all {
		if one == "" || len(one) > MaxName {
			return nil, invalid(name + " has an entry that is empty or longer than 255 bytes.")
		}
	}
	return all, nil
}

// hasNull reports whether an array has null for an element, which encoding/json takes for "".
func hasNull(raw json.RawMessage) bool {
	var all []*string
	_ = json.Unmarshal(raw, &all)
	for _, one := range all {
		if one == nil {
			return true
		}
	}
	return false
}

// objectOf reads a member that is an object, or absent.
func objectOf(m map[string]json.RawMessage, name string) (json.RawMessage, error) {
	raw, ok := m[name]
	switch {
	case !ok || isNull(raw):
		return nil, nil
	case raw[0] != '{':
		return nil, invalid(name + " has to be an object.")
	}
	return raw, nil
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// checkPayload refuses what no receiver could use: a chat without a text and a request
// without a method. Everything else about payloads is for the receivers to judge.
func checkPayload(kind string, payload json.RawMessage) error {
	need := map[string]string{"chat": "text", "mcp/request": "method"}[kind]
	if need == "" {
		return nil
	}
	var m map[string]json.RawMessage
	if payload != nil {
		_ = json.Unmarshal(payload, &m)
	}
	if value := m[need]; len(value) == 0 || value[0] != '"' {
		return invalid("A message of kind " + kind + " needs payload." + need + ", which is a text.")
	}
	return nil
}

// Code says why a message was not passed on. It is stable; clients may compare it.
type Code string

// The codes of a gateway and a collector.
const (
	CodeInvalid    Code = "validation_error"
	CodeCapability Code = "capability_violation"
	CodeDuplicate  Code = "duplicate_id"
	CodeRate       Code = "rate_limited"
	CodeTooLarge   Code = "too_large"
	CodeSpaceFull  Code = "space_full"
	CodeStorage    Code = "storage_failed"

	CodeTooDeep         Code = "context_too_deep"
	CodeTooLong         Code = "context_too_long"
	CodeTooManyContexts Code = "too_many_contexts"
	CodeContextFull     Code = "context_full"
	CodeUnknownContext  Code = "unknown_context"
)

// Refusal is why the gateway does not pass a message on. It becomes a system/error.
type Refusal struct {
	Code    Code
	Message string // what was wrong and what to do; repeats nothing of the message
}

// Error implements error.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

func invalid(message string) error { return &Refusal{CodeInvalid, message} }
