package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"io"
	"iter"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// maxPage is how much is read of what is no answer, in bytes.
const maxPage = 64 << 10

// NoAnswerError is a body that is neither a stream nor JSON, although its status is a success: a web page, mostly of
// some proxy, or text. Body has the title of the page, or the text, and may contain the key.
type NoAnswerError struct {
	Page bool
	Body string
}

// Error implements error.
func (e *NoAnswerError) Error() string {
	what := "text"
	if e.Page {
		what = "a web page"
	}
	if e.Body != "" {
		what += " (" + e.Body + ")"
	}
	return "the provider sent " + what + " instead of an answer: check its base URL"
}

// fields are the fields with which a stream of events can begin.
var fields = []string{"data", "event", "id", "retry"}

// answer yields the events of an answer, whatever its form. The type that the server declares decides only where the
// body does not.
func answer(resp *http.Response) iter.Seq2[Event, error] {
	body := bufio.NewReader(resp.Body)
	begin, err := firstByte(body)
	isStream := strings.Contains(resp.Header.Get("Content-Type"), "event-stream")
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return func(yield func(Event, error) bool) { yield(Event{}, err) }
	case begin == '{' || begin == '[':
		return jsonEvents(body)
	case begin == '<', begin != 0 && begin != ':' && !isStream && !beginsWithField(body):
		return func(yield func(Event, error) bool) { yield(Event{}, noAnswer(body, begin == '<')) }
	}
	return Events(body)
}

// firstByte skips a byte order mark and white space, and returns the byte behind them without reading it.
func firstByte(body *bufio.Reader) (byte, error) {
	if mark, _ := body.Peek(1); len(mark) > 0 && mark[0] == byteOrderMark[0] {
		if mark, _ = body.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
			_, _ = body.Discard(len(byteOrderMark))
		}
	}
	for {
		next, err := body.Peek(1)
		if err != nil {
			return 0, err
		}
		if !strings.ContainsRune(" \t\r\n", rune(next[0])) {
			return next[0], nil
		}
		_, _ = body.Discard(1)
	}
}

// beginsWithField reports whether a body begins with a field of an event.
func beginsWithField(body *bufio.Reader) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		begin, _ := body.Peek(len(field))
		return string(begin) == field
	})
}

// jsonEvents yields the values of JSON that follow each other, and of a list its elements.
func jsonEvents(body io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for dec := json.NewDecoder(body); ; {
			var value json.RawMessage
			if err := dec.Decode(&value); err != nil {
				if !errors.Is(err, io.EOF) {
					yield(Event{}, err)
				}
				return
			}
			all := []json.RawMessage{value}
			if value[0] == '[' {
				all = nil
				_ = json.Unmarshal(value, &all) // it was decoded before
			}
			for _, one := range all {
				if !yield(Event{Data: one, Whole: true}, nil) {
					return
				}
			}
		}
	}
}

var title = regexp.MustCompile(`(?is)<title[^>]*>(.{0,200}?)</title>`)

// noAnswer reads what is no answer.
func noAnswer(body io.Reader, page bool) error {
	raw, _ := io.ReadAll(io.LimitReader(body, maxPage)) // a part may say enough
	text := strings.ToValidUTF8(string(raw), "\uFFFD")
	if page {
		said := title.FindStringSubmatch(text)
		text = ""
		if said != nil {
			text = html.UnescapeString(said[1])
		}
	}
	return &NoAnswerError{Page: page, Body: strings.Join(strings.Fields(text), " ")}
}
