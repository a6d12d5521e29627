package rule

import (
	"fmt"
	"strings"
)

// Action says what happens to a text that a rule matches. In JSON it is its name in
// lower case. The zero value is no action: the severity decides.
type Action uint8

const (
	_ Action = iota
	// Redact masks the match.
	Redact
	// Block withholds the whole text when it is cleaned, and masks the match when it is
	// only masked.
	Block
	// Warn leaves the text as it is and reports a finding.
	Warn
	// Review does what Warn does; in a tool call, a person is asked before it runs.
	Review
	// Sanitize neutralises the match with a visible escape.
	Sanitize
)

var actionNames = [...]string{"", "redact", "block", "warn", "review", "sanitize"}

// MarshalText returns the action's name in lower case. It never returns an error.
func (a Action) MarshalText() ([]byte, error) { return []byte(actionNames[a]), nil }

// UnmarshalText sets a to the action with the given name, in any case. The error lists
// the valid names.
func (a *Action) UnmarshalText(name []byte) error {
	for i, n := range actionNames {
		if i > 0 && strings.EqualFold(n, string(name)) {
			*a = Action(i)
			return nil
		}
	}
	return fmt.Errorf("unknown action %q: use one of %s", name, strings.Join(actionNames[1:], ", "))
}
