package brief

import (
	"slices"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"candor/safety"
)

// ResultShape says how much a tool returned, for clients that do not fetch the result
// itself. Members that cannot be determined from the result are absent.
type ResultShape struct {
	Bytes    int    `json:"bytes"`               // length of its text if it is or has one, else of its JSON
	Chars    *int   `json:"chars,omitempty"`     // length of its text in characters
	Items    *int   `json:"items,omitempty"`     // length of the list that it is or has
	Of       string `json:"of,omitempty"`        // what the items are, such as documents
	Query    string `json:"query,omitempty"`     // the query that found them
	ExitCode *int   `json:"exit_code,omitempty"` // of the command that ran
}

// The names of members that hold a result's text, and of those that hold its list,
// the best first. Lists with other names are not counted: the values of a metric, for
// instance, are not things that a tool found.
var (
	textMembers = []string{"stdout", "text", "content", "body", "output"}
	listMembers = []string{
		"documents", "results", "matches", "entries", "notes", "files", "hits", "rows", "lines", "items", "messages",
	}
)

// Shape measures a result, nil if r is null. It scans the JSON once without decoding
// it, because one page of history may hold thousands of results.
func Shape(r safety.JSON) *ResultShape {
	if r.Null() {
		return nil
	}
	raw := r.Raw()
	shape := &ResultShape{Bytes: len(raw)}
	if len(raw) > maxRead {
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

// object finds the best text or list member. A list wins over a text.
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
		s.Of, s.Query = listMembers[inList], queryOf(query.Str)
	case text.Exists():
		s.text(text)
	}
}

func (s *ResultShape) text(v gjson.Result) {
	s.Bytes, s.Chars = len(v.Str), new(utf8.RuneCountInString(v.Str))
}

func (s *ResultShape) list(v gjson.Result) { s.Items = new(length(v)) }

// maxShown is the length of the longest query that a shape repeats, in characters.
const maxShown = 80

// queryOf returns the start of a query.
func queryOf(s string) string {
	if start := firstRunes(s, maxShown); start != s {
		return start + "…"
	}
	return s
}
