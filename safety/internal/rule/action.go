package rule

import (
	"fmt"
	"strings"
)

// Action says what happens to a text that a rule matches. In JSON it is its name in
// lower case.
type Action uint8

const (
	// Redact masks the match. It is the zero value and thus the default.
	Redact Action = iota
	// Block withholds the whole text when it is cleaned, and masks the match when it is
	// only masked.
	Block
	// Warn leaves the text as it is and reports a finding.
	Warn
	// Review does what Warn does and asks for a review by a person.
	Review
	// Sanitize neutralises the match with a visible escape.
	Sanitize
)

var actionNames = [...]string{"redact", "block", "warn", "review", "sanitize"}

// MarshalText returns the action's name in lower case. It never returns an error.
func (a Action) MarshalText() ([]byte, error) { return []byte(actionNames[a]), nil }

// UnmarshalText sets a to the action with the given name, in any case. The error lists
// the valid names.
func (a *Action) UnmarshalText(name []byte) error {
	for i, n := range actionNames {
		if strings.EqualFold(n, string(name)) {
			*a = Action(i)
			return nil
		}
	}
	return fmt.Errorf("unknown action %q: use one of %s", name, strings.Join(actionNames[:], ", "))
}
