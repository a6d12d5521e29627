package workflow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"candor/safety"
)

const (
	maxInputs     = 64 << 10 // bytes
	maxInputDepth = 32       // of objects and lists in each other
)

// Inputs checks and cleans what a client gives to a run: one JSON object, or nothing, of which
// null is returned. The error says what is wrong, without a word of the inputs.
func Inputs(layer *safety.Layer, raw json.RawMessage) (safety.JSON, []safety.Finding, error) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return safety.JSON{}, nil, nil
	case len(raw) > maxInputs:
		return safety.JSON{}, nil, fmt.Errorf("inputs have %d bytes; a run takes at most %d", len(raw), maxInputs)
	case depth(raw) > maxInputDepth:
		return safety.JSON{}, nil, fmt.Errorf("inputs have more than %d objects and lists in each other", maxInputDepth)
	case raw[0] != '{' || !json.Valid(raw):
		return safety.JSON{}, nil, errors.New("inputs have to be a JSON object")
	}
	cleaned, report := layer.CleanJSON(raw)
	return cleaned, report.Findings, nil
}

// depth returns how many brackets are open at most. Those within strings do not count.
func depth(raw []byte) (deepest int) {
	open, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}' || c == ']':
			open--
		}
	}
	return deepest
}
