package wire

import (
	"encoding/json"
	"reflect"
	"strings"
)

// Allows reports whether the capability admits the envelope.
func (c Capability) Allows(e Envelope) bool {
	if !c.allowsKind(e.Kind) {
		return false
	}
	if c.payload == nil {
		return true
	}
	var payload any
	if e.Payload == nil || json.Unmarshal(e.Payload, &payload) != nil {
		return false
	}
	return matches(c.payload, payload)
}

// Allowed reports whether any of the capabilities admits the envelope.
func Allowed(all []Capability, e Envelope) bool {
	for _, c := range all {
		if c.Allows(e) {
			return true
		}
	}
	return false
}

func (c Capability) allowsKind(kind string) bool {
	for _, pattern := range c.kinds {
		if bare, negated := strings.CutPrefix(pattern, "!"); matchesKind(bare, kind) != negated {
			return true
		}
	}
	return false
}

// matchesKind reports whether a pattern without negation includes a kind, or another such
// pattern.
func matchesKind(pattern, kind string) bool {
	if pattern == "reasoning/step" {
		pattern = thought
	}
	if kind == "reasoning/step" {
		kind = thought
	}
	if pattern == "*" || pattern == kind {
		return true
	}
	below, ok := strings.CutSuffix(pattern, "*")
	return ok && len(kind) > len(below) && strings.HasPrefix(kind, below)
}

// matches reports whether a value fits a pattern. Each is decoded JSON.
func matches(pattern, value any) bool {
	switch p := pattern.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return false
		}
		for name, part := range p {
			if member, has := object[name]; !has || !matches(part, member) {
				return false
			}
		}
		return true
	case []any:
		for _, one := range p {
			if matches(one, value) {
				return true
			}
		}
		return false
	case string:
		s, ok := value.(string)
		bare, negated := strings.CutPrefix(p, "!")
		return ok && glob(bare, s) != negated
	}
	return pattern == value
}

// glob reports whether s fits a pattern in which each * stands for any characters. It takes
// time in proportion to the product of the lengths at most.
func glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		if _, s, ok = strings.Cut(s, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(s, parts[last])
}

// Covers reports whether everything that a capability allows is allowed by those held, so
// that their holder may grant it. It errs on the side of no: each kind of the capability has
// to be included in one held whose payload is unlimited or the same.
func Covers(held []Capability, c Capability) bool {
	for _, kind := range c.kinds {
		if !coversKind(held, kind, c.payload) {
			return false
		}
	}
	return len(c.kinds) > 0
}

func coversKind(held []Capability, kind string, payload any) bool {
	for _, h := range held {
		if h.payload != nil && !samePattern(h.payload, payload) {
			continue
		}
		for _, pattern := range h.kinds {
			if includesKind(pattern, kind) {
				return true
			}
		}
	}
	return false
}

// includesKind reports whether one pattern of kinds includes another. A negated one is
// included in itself and in "*" only, and includes only itself.
func includesKind(pattern, kind string) bool {
	if strings.HasPrefix(pattern, "!") || strings.HasPrefix(kind, "!") {
		return pattern == kind || pattern == "*"
	}
	return matchesKind(pattern, kind)
}

func samePattern(a, b any) bool { return reflect.DeepEqual(a, b) }
