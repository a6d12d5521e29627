package web

import (
	"encoding/json"
	"unicode/utf8"

	"candor/safety"
)

// ResultSize says how much a tool returned, for who does not fetch it. What is not
// known of a result is left out.
type ResultSize struct {
	Bytes    int    `json:"bytes"`               // of its text where it is or has one, else of its JSON
	Chars    *int   `json:"chars,omitempty"`     // of its text
	Items    *int   `json:"items,omitempty"`     // of the list it is or has
	Of       string `json:"of,omitempty"`        // what the items are, such as documents
	Query    string `json:"query,omitempty"`     // what they were found by
	ExitCode *int   `json:"exit_code,omitempty"` // of the command it ran
}

// maxMeasured bounds the results that are looked into, in bytes; of longer ones
// only the length is told.
const maxMeasured = 256 << 10

// Members of a result that are its text, and those that are its list, by rank. A
// list by another name may be anything: a metric has values, it does not find them.
var (
	textMembers = []string{"stdout", "text", "content", "body", "output"}
	listMembers = []string{"documents", "results", "matches", "entries", "notes", "files", "hits", "rows", "lines", "items", "messages"}
)

// resultSize is nil for a call that returned nothing.
func resultSize(r safety.JSON) *ResultSize {
	if r.Null() {
		return nil
	}
	raw := r.Raw()
	size := &ResultSize{Bytes: len(raw)}
	if len(raw) > maxMeasured {
		return size
	}
	switch raw[0] {
	case '"':
		size.text(raw)
	case '[':
		size.list(raw)
	case '{':
		size.object(raw)
	}
	return size
}

func (s *ResultSize) object(raw json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return
	}
	if json.Unmarshal(members["exit_code"], &s.ExitCode) != nil {
		s.ExitCode = nil
	}
	for _, name := range listMembers {
		if s.list(members[name]) {
			s.Of = name
			if json.Unmarshal(members["query"], &s.Query) == nil {
				s.Query = cut(s.Query, maxTitle)
			}
			return
		}
	}
	for _, name := range textMembers {
		if s.text(members[name]) {
			return
		}
	}
}

func (s *ResultSize) text(raw json.RawMessage) bool {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return false
	}
	s.Bytes, s.Chars = len(text), new(utf8.RuneCountInString(text))
	return true
}

func (s *ResultSize) list(raw json.RawMessage) bool {
	var items []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return false
	}
	s.Items = new(len(items))
	return true
}
