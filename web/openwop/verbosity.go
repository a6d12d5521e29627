package openwop

import (
	"encoding/json"
	"unicode/utf8"

	"candor/safety"
)

// Verbosity is how much of an agent's reasoning a run shows.
type Verbosity string

// The verbosities, from the least on.
const (
	Off     Verbosity = "off"     // no reasoning, no rationales
	Summary Verbosity = "summary" // each text up to the token limit
	Full    Verbosity = "full"    // each text as it is
)

// DefaultTokenLimit is how many tokens of a text a summary has.
const DefaultTokenLimit = 512

// bytesPerToken is what a token counts, since a provider's tokens are not known here.
const bytesPerToken = 4

// ParseVerbosity returns the verbosity that a version has under this name. Version 2 says "none"
// where version 1 says "off".
func ParseVerbosity(v Version, name string) (Verbosity, bool) {
	none := string(Off)
	if v == V2 {
		none = "none"
	}
	switch name {
	case none:
		return Off, true
	case string(Summary), string(Full):
		return Verbosity(name), true
	}
	return "", false
}

// least returns the verbosity that shows less. The empty one is no limit.
func least(a, b Verbosity) Verbosity {
	switch {
	case a == Off || b == Off:
		return Off
	case a == Summary || b == Summary:
		return Summary
	}
	return Full
}

// excerpt is a cleaned text or the beginning of one.
type excerpt struct {
	text safety.Text
	cut  int // how many of its bytes, if that is less than all and not 0
	more bool
}

const ellipsis = "…"

// summaryOf returns the beginning of a text that fits into so many bytes, with an ellipsis if
// that is not all of it.
func summaryOf(t safety.Text, limit int) excerpt {
	if len(t.String()) <= limit {
		return excerpt{text: t}
	}
	e := startOf(t, limit-len(ellipsis))
	e.more = true
	return e
}

// startOf returns as many whole characters of a text as fit into so many bytes.
func startOf(t safety.Text, limit int) excerpt {
	s := t.String()
	if len(s) <= limit {
		return excerpt{text: t}
	}
	for limit = max(limit, 0); limit > 0 && !utf8.RuneStart(s[limit]); {
		limit--
	}
	if limit == 0 {
		return excerpt{}
	}
	return excerpt{text: t, cut: limit}
}

// String returns the text.
func (e excerpt) String() string {
	s := e.text.String()
	if e.cut > 0 {
		s = s[:e.cut]
	}
	if e.more {
		s += ellipsis
	}
	return s
}

// MarshalJSON encodes the text as a JSON string.
func (e excerpt) MarshalJSON() ([]byte, error) { return json.Marshal(e.String()) }
