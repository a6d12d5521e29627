package codex

import (
	"bytes"
	"errors"
	"regexp"
)

// summaries is the line that WithSummaries adds.
const summaries = "model_reasoning_summary = \"auto\" # added by candor attach codex --thinking\n"

// summarySet finds the same setting, and what it says, among the keys before the first table.
var summarySet = regexp.MustCompile(`(?m)^[ \t]*["']?model_reasoning_summary["']?[ \t]*=[ \t]*["']?(\w*)`)

// firstTable finds where the first table of a TOML file begins.
var firstTable = regexp.MustCompile(`(?m)^[ \t]*\[`)

// WithSummaries returns a config.toml that asks the model for summaries of its reasoning, which Codex otherwise may not
// do: the line stands first, since a table would take it. A file that asks already is returned as it is. One that says
// "none" is a person's choice, and an error.
func WithSummaries(config []byte) ([]byte, error) {
	top := config
	if at := firstTable.FindIndex(config); at != nil {
		top = config[:at[0]]
	}
	switch set := summarySet.FindSubmatch(top); {
	case set == nil:
		return append([]byte(summaries), config...), nil
	case string(set[1]) == "none":
		return nil, errors.New(`model_reasoning_summary is "none": remove that line first`)
	}
	return config, nil
}

// WithoutSummaries returns a config.toml without what WithSummaries added, byte for byte as it was; nothing if nothing
// else is in it.
func WithoutSummaries(config []byte) []byte {
	before, after, found := bytes.Cut(config, []byte(summaries))
	if !found {
		return config
	}
	if len(before)+len(after) == 0 {
		return nil
	}
	return append(bytes.Clone(before), after...)
}
