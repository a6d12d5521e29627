package otlp

import (
	"encoding/json"
	"strconv"

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
