package mcp

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxDefinition bounds a tool's description and schema together, in bytes:
// every request to the model carries them.
const maxDefinition = 128 << 10

// schemaOf turns a schema as a server gives it into one for a model, with all
// its keywords. It fails where arguments could not be checked against it, such
// as for a reference to somewhere else, which is never fetched.
func schemaOf(given any) (*jsonschema.Schema, error) {
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxDefinition {
		return nil, fmt.Errorf("its schema has %d bytes, more than %d", len(raw), maxDefinition)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, errors.New("its schema cannot be read")
	}
	if s.Type == "" && s.Types == nil {
		s.Type = "object" // some servers leave it out for a tool without arguments
	}
	if s.Type != "object" {
		return nil, errors.New("its schema is not of type object")
	}
	if _, err := s.CloneSchemas().Resolve(nil); err != nil {
		return nil, errors.New("its schema cannot be resolved")
	}
	return &s, nil
}
