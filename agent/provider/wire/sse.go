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

// errLineTooLong is the error for a line of more than MaxLine bytes.
var errLineTooLong = errors.New("a line of the provider's event stream is longer than 32 MiB")

// byteOrderMark is the UTF-8 byte order mark, with which a stream may start.
var byteOrderMark = []byte("\xEF\xBB\xBF")

// Event is one server-sent event.
type Event struct {
	// Name is the event field, or empty where the event has none.
	Name string
	// Data holds the data fields, each with the newline that ended it. It is valid
	// until the next event is read.
	Data []byte
	// Whole says that the server sent JSON where a stream was requested.
	Whole bool
}

// Done reports whether the event is the "[DONE]" with which OpenAI's formats end a
// stream.
func (e Event) Done() bool { return bytes.HasPrefix(e.Data, []byte("[DONE]")) }

// Events yields the events of a stream in their order. Lines end with LF, CRLF or CR.
// Events without data, comments, ids and retry times are skipped, and so is an event
// that the end of the stream cuts off, unless its data is a whole object. An error, of r or for a line longer than
// MaxLine, is yielded last; the end of the stream is none. A line that is a JSON object, which no field
// is, is an event of its own: some servers send the errors of a stream so.
func Events(r io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, MaxLine)
		lines.Split(splitLines())
		var event Event
		for first := true; lines.Scan(); first = false {
			line := lines.Bytes()
			if first {
				line = bytes.TrimPrefix(line, byteOrderMark)
			}
			if bare := len(line) > 0 && line[0] == '{' && json.Valid(line); bare {
				if !yield(Event{Data: append(line, '\n')}, nil) {
					return
				}
				continue
			}
			if len(line) > 0 {
				event.addLine(line)
				continue
			}
			if len(event.Data) > 0 && !yield(event, nil) {
				return
			}
			event = Event{Data: event.Data[:0]}
		}
		// What is whole although its end is missing is no part of an event. Some servers forget the last line.
		if bytes.HasPrefix(event.Data, []byte("{")) && json.Valid(event.Data) && lines.Err() == nil {
			yield(event, nil)
			return
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(Event{}, errLineTooLong)
		case err != nil:
			yield(Event{}, err)
		}
	}
}

// splitLines returns a function that splits a stream at the line ends of the specification:
// LF, CRLF and CR. A line that CR ends is complete before the next byte has arrived.
func splitLines() bufio.SplitFunc {
	afterCR := false
	return func(stream []byte, atEnd bool) (advance int, line []byte, err error) {
		if afterCR && len(stream) > 0 {
			afterCR = false
			if stream[0] == '\n' {
				advance, stream = 1, stream[1:]
			}
		}
		end := bytes.IndexByte(stream, '\n')
		if end < 0 {
			end = len(stream)
		}
		if cr := bytes.IndexByte(stream[:end], '\r'); cr >= 0 {
			end, afterCR = cr, true
		}
		if end == len(stream) {
			if atEnd && end > 0 {
				return advance + end, stream, nil
			}
			return advance, nil, nil
		}
		return advance + end + 1, stream[:end:end], nil
	}
}

// addLine adds a field. A line that starts with a colon is a comment: its field has
// no name.
func (e *Event) addLine(line []byte) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		e.Name = string(value)
	case "data":
		e.Data = append(append(e.Data, value...), '\n')
	}
}

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
