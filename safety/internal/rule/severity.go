package rule

import (
	"fmt"
	"strings"
)

// Severity says how serious a match is, and thereby what happens to it. In JSON it is one
// of the names below.
type Severity string

// The severities, from the least serious on.
const (
	// Low reports the match and leaves the text.
	Low Severity = "low"
	// Medium does what Low does. In the parameters of a tool call or in the reason for it,
	// a person is asked before the call runs.
	Medium Severity = "medium"
	// High masks the match.
	High Severity = "high"
	// Critical withholds the whole text.
	Critical Severity = "critical"
)

// UnmarshalText sets s to the severity with the given name, in any case. The error lists
// the valid names.
func (s *Severity) UnmarshalText(name []byte) error {
	all := [...]Severity{Low, Medium, High, Critical}
	for _, known := range all {
		if strings.EqualFold(string(known), string(name)) {
			*s = known
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q: use one of low, medium, high, critical", name)
}

// leaves reports whether matches of the severity stay in the text.
func (s Severity) leaves() bool { return s == Low || s == Medium }

// severityOf returns the severity whose action is a. No severity has the action Sanitize;
// for it severityOf returns Low, so that an action given alone asks nobody.
func severityOf(a Action) Severity {
	switch a {
	case Redact:
		return High
	case Block:
		return Critical
	case Review:
		return Medium
	}
	return Low
}

// Action returns what happens to a match. It follows from the severity and Neutralise.
func (r *Rule) Action() Action {
	switch {
	case r.Severity == Critical:
		return Block
	case r.Severity == High || r.Severity == "":
		return Redact
	case r.Neutralise:
		return Sanitize
	case r.Severity == Medium:
		return Review
	}
	return Warn
}

// With returns the rule with another severity, another action, or both; "" and 0 leave out
// one of them. An action alone implies its severity, a severity alone its action. A rule
// that neutralises goes on to do so at Low and Medium, and one that is told to Sanitize
// keeps a severity of these two. A pair that contradicts itself is an error.
func (r Rule) With(s Severity, a Action) (Rule, error) {
	switch {
	case s == "" && a == 0:
		return r, nil
	case a == 0:
		r.Neutralise = r.Neutralise && s.leaves()
	case a == Sanitize:
		if s == "" && r.Severity.leaves() {
			s = r.Severity
		}
		if r.Neutralise = true; s != "" && !s.leaves() {
			return r, fmt.Errorf("severity %s removes a match, and action sanitize leaves it; leave out one", s)
		}
	default:
		if r.Neutralise = false; s != "" && s != severityOf(a) {
			return r, fmt.Errorf("severity %s and action %s contradict each other; leave out one", s, actionNames[a])
		}
	}
	if s == "" {
		s = severityOf(a)
	}
	r.Severity = s
	return r, nil
}

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
