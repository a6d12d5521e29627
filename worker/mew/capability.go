package mew

import (
	"encoding/json"
	"slices"
	"strings"
)

// capability is a pattern of the messages that a participant may send.
type capability struct {
	Kind    ids            `json:"kind"`
	Payload map[string]any `json:"payload"`
}

// capabilities are all that a participant may send. They only spare messages that the gateway
// would refuse: where a pattern is unclear they allow, and the gateway decides.
type capabilities []capability

// allow reports whether a message may be sent.
func (all capabilities) allow(kind string, payload json.RawMessage) bool {
	if kind == "mcp/response" {
		return true // every gateway lets every participant answer
	}
	for _, c := range all {
		if !slices.ContainsFunc(c.Kind, func(pattern string) bool { return kindFits(pattern, kind) }) {
			continue
		}
		var content map[string]any
		if c.Payload == nil || json.Unmarshal(payload, &content) != nil || objectFits(c.Payload, content) {
			return true
		}
	}
	return false
}

// kindFits reports whether a kind fits a pattern: itself, * for all, x/* for all below x, and
// !x for all but x.
func kindFits(pattern, kind string) bool {
	if but, negated := strings.CutPrefix(pattern, "!"); negated {
		return !kindFits(but, kind)
	}
	below, open := strings.CutSuffix(strings.Replace(pattern, "**", "*", 1), "*")
	switch {
	case pattern == "reasoning/step":
		return kind == "reasoning/thought" // as ADR-t8k calls it in its table
	case open:
		return strings.HasPrefix(kind, below)
	case strings.HasPrefix(pattern, "/"):
		return true // a regular expression of the gateway's dialect
	}
	return pattern == kind
}

// objectFits reports whether a payload may fit a pattern: each text of the pattern is equal to
// its member or, up to a *, the beginning of it. What is neither text nor object fits.
func objectFits(pattern, content map[string]any) bool {
	for name, want := range pattern {
		if strings.ContainsAny(name, "*$") {
			continue // a path in the gateway's dialect
		}
		got := content[name]
		switch want := want.(type) {
		case map[string]any:
			inner, ok := got.(map[string]any)
			if !ok || !objectFits(want, inner) {
				return false
			}
		case string:
			if text, ok := got.(string); !ok || !textFits(want, text) {
				return false
			}
		}
	}
	return true
}

func textFits(pattern, text string) bool {
	if but, negated := strings.CutPrefix(pattern, "!"); negated {
		return pattern != "!" && !textFits(but, text)
	}
	if strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") && len(pattern) > 1 {
		return true
	}
	before, _, open := strings.Cut(pattern, "*")
	return pattern == text || open && strings.HasPrefix(text, before)
}
