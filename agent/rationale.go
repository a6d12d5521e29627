package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// rationaleProperty is the property that is added to every tool's schema: most models
// give no reason for a call unless the call has a field for it.
const rationaleProperty = "rationale"

// withRationale returns a copy of the schema with the rationale as its first property,
// so that the model writes its reason before the arguments that follow from it.
func withRationale(s *jsonschema.Schema, required bool) *jsonschema.Schema {
	out := *s
	if required {
		out.Required = slices.Insert(slices.Clone(s.Required), 0, rationaleProperty)
	}
	out.Properties = maps.Clone(s.Properties)
	if out.Properties == nil {
		out.Properties = map[string]*jsonschema.Schema{}
	}
	out.Properties[rationaleProperty] = &jsonschema.Schema{
		Type:        "string",
		Description: "One sentence: why this call now, and what you expect it to show.",
	}
	order := s.PropertyOrder
	if len(order) == 0 {
		order = slices.Sorted(maps.Keys(s.Properties))
	}
	out.PropertyOrder = slices.Insert(slices.Clone(order), 0, rationaleProperty)
	return &out
}

// takeRationale splits arguments into the model's reason and the rest, whose members
// keep their order and spelling. If args is not a JSON object, takeRationale returns it
// unchanged with an error. Empty args count as an empty object.
func takeRationale(args json.RawMessage) (reason string, rest json.RawMessage, err error) {
	if len(bytes.TrimSpace(args)) == 0 {
		return "", json.RawMessage("{}"), nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", args, errors.New("arguments are not a JSON object")
	}
	out := []byte{'{'}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return "", args, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "", args, err
		}
		if key == rationaleProperty {
			// A value that is not a string is no reason, but is removed as well.
			_ = json.Unmarshal(value, &reason)
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(key)
		out = append(append(append(out, name...), ':'), value...)
	}
	if _, err := dec.Token(); err != nil {
		return "", args, err
	}
	return reason, append(out, '}'), nil
}

// rationale chooses the reason for a call: the rationale property, else the provider's own
// field, else the fallback. [session.CleanRationale] cleans and bounds it. The step's
// narrative is never used as one.
func rationale(l *safety.Layer, inArguments, fromProvider string) (session.Rationale, safety.Report) {
	for _, raw := range []string{inArguments, fromProvider} {
		raw = thinking.Strip(raw)
		if strings.TrimSpace(raw) == "" {
			continue
		}
		return session.CleanRationale(l, raw)
	}
	return session.Fallback(), safety.Report{}
}
