package web

import (
	"encoding/json"
	"unicode/utf8"

	"candor/safety"
)

// ResultShape says how much a tool returned, for who does not fetch it. What is not
// known of a result is left out.
type ResultShape struct {
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

// resultShape is nil for a call that returned nothing.
func resultShape(r safety.JSON) *ResultShape {
	if r.Null() {
		return nil
	}
	raw := r.Raw()
	shape := &ResultShape{Bytes: len(raw)}
	if len(raw) > maxMeasured {
		return shape
	}
	switch raw[0] {
	case '"':
		shape.text(raw)
	case '[':
		shape.list(raw)
	case '{':
		shape.object(raw)
	}
	return shape
}

func (s *ResultShape) object(raw json.RawMessage) {
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

func (s *ResultShape) text(raw json.RawMessage) bool {
	var text string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return false
	}
	s.Bytes, s.Chars = len(text), new(utf8.RuneCountInString(text))
	return true
}

func (s *ResultShape) list(raw json.RawMessage) bool {
	var items []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return false
	}
	s.Items = new(len(items))
	return true
}
