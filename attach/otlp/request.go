package otlp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Kind is the format of a request and of its answer.
type Kind string

// The kinds, by their media types.
const (
	Protobuf Kind = "application/x-protobuf"
	JSON     Kind = "application/json"
)

// Traces decodes a request to /v1/traces. It fails with ErrBody.
func Traces(body []byte, kind Kind) ([]Span, error) {
	if kind == JSON {
		return jsonSpans(body)
	}
	return wireTraces(body)
}

// Logs decodes a request to /v1/logs. It fails with ErrBody.
func Logs(body []byte, kind Kind) ([]Record, error) {
	if kind == JSON {
		return jsonRecords(body)
	}
	return wireLogs(body)
}

// Partial says what a server did not take of a request: the number of items, and why. The zero value says that it took
// all.
type Partial struct {
	Rejected int
	Message  string
}

// answer is the JSON of an answer. The member for what was rejected is named after the items.
type answer struct {
	PartialSuccess map[string]string `json:"partialSuccess,omitempty"`
}

// Answer returns the body of an answer. items names the items of the request: Spans or LogRecords.
func (p Partial) Answer(kind Kind, items string) []byte {
	if kind == JSON {
		var a answer
		if p != (Partial{}) {
			a.PartialSuccess = map[string]string{
				"rejected" + items: strconv.Itoa(p.Rejected), "errorMessage": p.Message,
			}
		}
		raw, _ := json.Marshal(a) // of strings
		return raw
	}
	if p == (Partial{}) {
		return nil // a message without fields
	}
	var partial []byte
	if p.Rejected > 0 {
		partial = protowire.AppendTag(partial, 1, protowire.VarintType)
		partial = protowire.AppendVarint(partial, uint64(p.Rejected))
	}
	partial = protowire.AppendTag(partial, 2, protowire.BytesType)
	partial = protowire.AppendString(partial, p.Message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// The bounds of a body, besides its bytes.
const (
	maxElements = 200_000 // messages in it, at all depths
	maxDepth    = 32      // of an attribute's value
)

// ErrBody is the error for a body that is damaged or of another format.
var ErrBody = errors.New("this is not an OTLP export request")

// errMany is the error for a body of more elements than are read.
var errMany = fmt.Errorf("%w with at most %d elements; let the exporter send smaller batches",
	ErrBody, maxElements)

// Attributes are the attributes of a span, an event, a record or a resource, by key. The methods treat a value of
// another type like a missing key. Callers must not change the map: spans of one resource share it.
type Attributes map[string]any

// Text returns the string attribute of a key, or "".
func (a Attributes) Text(key string) string {
	s, _ := a[key].(string)
	return s
}

// Int returns the number attribute of a key, or 0. Some exporters write numbers as floats.
func (a Attributes) Int(key string) int {
	switch v := a[key].(type) {
	case int64:
		return int(v)
	case float64:
		if v >= -1<<53 && v <= 1<<53 {
			return int(v)
		}
	}
	return 0
}

// Span is a decoded span. Its ids are lower-case hex.
type Span struct {
	// 32 and 16 digits, if the writer keeps to the format.
	Trace, ID string
	// The span around it, empty for a root. Remote says that the exporter knows it to be of another process.
	Parent string
	Remote bool
	// The span's name, and the instrumentation that made it.
	Name, Scope string
	// By the clock of the process.
	Start, End time.Time
	// Whether its status is an error, and the error's message.
	Failed  bool
	Message string
	// The span's own attributes, and those of all spans of its process.
	Attrs, Resource Attributes
	// Events within it, such as exceptions.
	Events []Event
}

// Event is something that happened within a span.
type Event struct {
	Name  string
	Attrs Attributes
}

// Record is a decoded log record.
type Record struct {
	// The span that it belongs to, in lower-case hex; empty if there is none.
	Trace, Span string
	// The event's name, which older writers put into the body, and the instrumentation that wrote it.
	Name, Scope string
	// By the clock of the process, or of the logging library if the record has no time of its own.
	At time.Time
	// A text, or a value of any other type of attributes.
	Body any
	// The record's own attributes, and those of all records of its process.
	Attrs, Resource Attributes
}

// The bits of a span's flags that say whether its parent is remote: the first that this is known.
const (
	hasRemote = 0x100
	isRemote  = 0x200
)

// errorCode is the code of a status that says that a span failed.
const errorCode = 2

// instant returns a time of nanoseconds since 1970. It is zero for none, and for one that no calendar has.
func instant(nanos uint64) time.Time {
	if nanos == 0 || nanos > 1<<63-1 {
		return time.Time{}
	}
	return time.Unix(0, int64(nanos)).UTC()
}
