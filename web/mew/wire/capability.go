package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
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
