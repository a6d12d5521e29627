package rule

import (
	"fmt"
	"strings"
)

// Action is what is done about a text that a rule matched.
type Action uint8

const (
	// Redact masks the match. It is the action of every leak rule that names no
	// other.
	Redact Action = iota
	// Block withholds the whole text in Clean, and masks the match in Mask.
	Block
	// Warn leaves the text and reports a finding.
	Warn
	// Review is a Warn that asks for a person's look.
	Review
	// Sanitize neutralises the match with a visible escape.
	Sanitize
)

var actionNames = [...]string{"redact", "block", "warn", "review", "sanitize"}

// MarshalText is the action's name in lower case.
func (a Action) MarshalText() ([]byte, error) { return []byte(actionNames[a]), nil }

// UnmarshalText reads an action's name, in any case.
func (a *Action) UnmarshalText(name []byte) error {
	for i, n := range actionNames {
		if strings.EqualFold(n, string(name)) {
			*a = Action(i)
			return nil
		}
	}
	return fmt.Errorf("unknown action %q: use one of %s", name, strings.Join(actionNames[:], ", "))
}
