package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// thought is the kind for which ADR-t8k's table of capabilities says "reasoning/step",
// which never became a kind.
const thought = "reasoning/thought"

// maxPattern bounds a capability's JSON, in bytes.
const maxPattern = 4096

// Capability is a pattern of the messages that a participant may send. The zero value
// allows nothing.
type Capability struct {
	id      string
	kinds   []string
	payload any    // nil: any payload
	raw     string // as it came
}

// ParseCapability reads {"kind": …, "payload": …}. A kind is a text or an array of them, of
// which one has to match: "chat" itself, "mcp/*" for everything below mcp/ at any depth,
// "*" for every kind, and "!chat" for every kind but chat. A payload is an object of which each
// member has to match: a text with "*" for any characters or a leading "!", a number, true,
// false or null for the same value, an array for one of its elements, an object for its
// members.
func ParseCapability(raw []byte) (Capability, error) {
	if len(raw) > maxPattern {
		return Capability{}, fmt.Errorf("a capability has more than %d bytes", maxPattern)
	}
	m, err := Members(raw)
	if err != nil {
		return Capability{}, fmt.Errorf("a capability has to be an object such as {\"kind\":\"chat\"}")
	}
	c := Capability{raw: string(raw), id: textOr(m["id"])}
	for name := range m {
		if !slices.Contains([]string{"id", "kind", "payload"}, name) {
			return Capability{}, fmt.Errorf("a capability has kind, payload and id, and no other member")
		}
	}
	if c.kinds, err = kindPatterns(m); err != nil {
		return Capability{}, err
	}
	if raw, ok := m["payload"]; ok {
		if raw[0] != '{' {
			return Capability{}, fmt.Errorf("a capability's payload has to be an object")
		}
		_ = json.Unmarshal(raw, &c.payload)
	}
	return c, checkPattern(c.payload)
}

// KindCapability returns the capability to send every message whose kind fits a pattern.
func KindCapability(pattern string) Capability {
	raw, _ := json.Marshal(map[string]string{"kind": pattern}) // a text always encodes
	return Capability{kinds: []string{pattern}, raw: string(raw)}
}

// kindPatterns reads a capability's kinds.
func kindPatterns(m map[string]json.RawMessage) ([]string, error) {
	kinds, err := list(m, "kind")
	if err != nil || len(kinds) == 0 {
		return nil, fmt.Errorf("a capability needs a kind such as \"chat\" or \"mcp/*\", or an array of them")
	}
	for i, kind := range kinds {
		bare := strings.TrimPrefix(kind, "!")
		star := strings.IndexByte(bare, '*')
		whole := bare == "*" || star == len(bare)-1 && strings.HasSuffix(bare, "/*") && len(bare) > 2
		if bare == "" || bare[0] == '/' || star >= 0 && !whole {
			return nil, fmt.Errorf("a capability's kind may have one *, alone or after a slash at its end: mcp/*")
		}
		kinds[i] = kind[:len(kind)-len(bare)] + slashed(bare)
	}
	return kinds, nil
}

// checkPattern refuses the parts of payload patterns that are not supported, which would
// otherwise be taken for the names of members.
func checkPattern(pattern any) error {
	switch p := pattern.(type) {
	case map[string]any:
		for name, value := range p {
			if name == "**" || strings.HasPrefix(name, "$") {
				return fmt.Errorf("a capability's payload names members plainly; ** and JSONPath are not supported")
			}
			if err := checkPattern(value); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range p {
			if err := checkPattern(value); err != nil {
				return err
			}
		}
	case string:
		if len(p) > 2 && p[0] == '/' && p[len(p)-1] == '/' {
			return fmt.Errorf("a capability's payload has no regular expressions; use * for any characters")
		}
	}
	return nil
}

// Len returns how many bytes the capability's JSON has.
func (c Capability) Len() int { return len(c.raw) }

// ID returns the capability's own id, or "".
func (c Capability) ID() string { return c.id }

// MarshalJSON returns the capability as it came.
func (c Capability) MarshalJSON() ([]byte, error) {
	if c.raw == "" {
		return []byte("null"), nil
	}
	return []byte(c.raw), nil
}

// UnmarshalJSON reads what [ParseCapability] reads.
func (c *Capability) UnmarshalJSON(raw []byte) (err error) {
	*c, err = ParseCapability(bytes.Clone(raw))
	return err
}

// Equal reports whether both are the same pattern, whatever their ids.
func (c Capability) Equal(other Capability) bool {
	return slices.Equal(c.kinds, other.kinds) && samePattern(c.payload, other.payload)
}

// Guest names a participant of a user's space among those for whom a safety layer cleans.
func Guest(owner, space, participant string) string {
	return owner + "\x00" + space + "\x00" + participant
}

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
