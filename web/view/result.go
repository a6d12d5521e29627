package view

import (
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"

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

// Shape measures a result, nil if r is null. It scans the JSON once without decoding
// it, because one page of history may hold thousands of results.
func Shape(r safety.JSON) *ResultShape {
	if r.Null() {
		return nil
	}
	raw := r.Raw()
	shape := &ResultShape{Bytes: len(raw)}
	if len(raw) > maxMeasured {
		return shape
	}
	switch v := gjson.ParseBytes(raw); {
	case v.Type == gjson.String:
		shape.text(v)
	case v.IsArray():
		shape.list(v)
	case v.IsObject():
		shape.object(v)
	}
	return shape
}

func (s *ResultShape) object(v gjson.Result) {
	var list, text, query gjson.Result
	inList, inText := len(listMembers), len(textMembers)
	v.ForEach(func(key, value gjson.Result) bool {
		if i := slices.Index(listMembers, key.Str); i >= 0 && i < inList && value.IsArray() {
			list, inList = value, i
		}
		if i := slices.Index(textMembers, key.Str); i >= 0 && i < inText && value.Type == gjson.String {
			text, inText = value, i
		}
		switch {
		case key.Str == "query" && value.Type == gjson.String:
			query = value
		case key.Str == "exit_code" && value.Type == gjson.Number:
			s.ExitCode = new(int(value.Int()))
		}
		return true
	})
	switch {
	case list.Exists():
		s.list(list)
		s.Of, s.Query = listMembers[inList], truncate(query.Str, maxTitle)
	case text.Exists():
		s.text(text)
	}
}

func (s *ResultShape) text(v gjson.Result) {
	s.Bytes, s.Chars = len(v.Str), new(utf8.RuneCountInString(v.Str))
}

func (s *ResultShape) list(v gjson.Result) {
	n := 0
	v.ForEach(func(_, _ gjson.Result) bool { n++; return true })
	s.Items = &n
}
