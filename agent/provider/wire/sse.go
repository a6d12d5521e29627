package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
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
