package otlp

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// The JSON of a request, whose members are those of the messages in wire.go with names in camel case. Lists have
// pointers, so that a null in them costs a word. What is not read has no member here: the decoder skips it.
type (
	// The request to /v1/traces: resources with scopes with spans.
	jsonTraces struct {
		Resources []*struct {
			Resource jsonResource `json:"resource"`
			Scopes   []*struct {
				Scope jsonScope   `json:"scope"`
				Items []*jsonSpan `json:"spans"`
			} `json:"scopeSpans"`
		} `json:"resourceSpans"`
	}
	// The request to /v1/logs: resources with scopes with records.
	jsonLogs struct {
		Resources []*struct {
			Resource jsonResource `json:"resource"`
			Scopes   []*struct {
				Scope jsonScope     `json:"scope"`
				Items []*jsonRecord `json:"logRecords"`
			} `json:"scopeLogs"`
		} `json:"resourceLogs"`
	}
	// Either of them, once its members are no longer told by their names.
	jsonRequest[I any] struct {
		Resources []*struct {
			Resource jsonResource
			Scopes   []*struct {
				Scope jsonScope
				Items []*I
			}
		}
	}
	// What produced the telemetry, and the library that wrote it.
	jsonResource struct {
		Attributes []*jsonPair `json:"attributes"`
	}
	jsonScope struct {
		Name string `json:"name"`
	}
	jsonSpan struct {
		Trace      hexID       `json:"traceId"`
		ID         hexID       `json:"spanId"`
		Parent     hexID       `json:"parentSpanId"`
		Name       string      `json:"name"`
		Start      whole       `json:"startTimeUnixNano"`
		End        whole       `json:"endTimeUnixNano"`
		Flags      whole       `json:"flags"`
		Attributes []*jsonPair `json:"attributes"`
		Events     []*struct {
			Name       string      `json:"name"`
			Attributes []*jsonPair `json:"attributes"`
		} `json:"events"`
		Status struct {
			Message string     `json:"message"`
			Code    statusCode `json:"code"`
		} `json:"status"`
	}
	jsonRecord struct {
		Trace      looseID     `json:"traceId"`
		Span       looseID     `json:"spanId"`
		At         whole       `json:"timeUnixNano"`
		Seen       whole       `json:"observedTimeUnixNano"`
		Name       string      `json:"eventName"`
		Body       *jsonValue  `json:"body"`
		Attributes []*jsonPair `json:"attributes"`
	}
	// An attribute.
	jsonPair struct {
		Key   string     `json:"key"`
		Value *jsonValue `json:"value"`
	}
	// A value has one member; the mapping of protobuf to JSON has no name for a value without any.
	jsonValue struct {
		String *string  `json:"stringValue"`
		Bool   *bool    `json:"boolValue"`
		Int    *integer `json:"intValue"`
		Double *double  `json:"doubleValue"`
		Bytes  []byte   `json:"bytesValue"`
		List   *struct {
			Values []*jsonValue `json:"values"`
		} `json:"arrayValue"`
		Object *struct {
			Values []*jsonPair `json:"values"`
		} `json:"kvlistValue"`
	}
)

// hexID is an id, hex in whatever case. Anything else in its place is damage.
type hexID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *hexID) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ErrBody
	}
	if _, err := hex.DecodeString(s); err != nil {
		return ErrBody
	}
	*id = hexID(strings.ToLower(s))
	return nil
}

// looseID is the id of a span that a record names, which not every record does well. What is none is empty.
type looseID string

// UnmarshalJSON implements json.Unmarshaler.
func (id *looseID) UnmarshalJSON(raw []byte) error {
	var strict hexID
	if strict.UnmarshalJSON(raw) == nil {
		*id = looseID(strict)
	}
	return nil
}

// statusCode is the code of a status, a number or a name.
type statusCode int

// UnmarshalJSON implements json.Unmarshaler.
func (c *statusCode) UnmarshalJSON(raw []byte) error {
	switch strings.Trim(string(raw), `"`) {
	case "2", "STATUS_CODE_ERROR":
		*c = errorCode
	case "0", "1", "STATUS_CODE_UNSET", "STATUS_CODE_OK", "null":
	default:
		return ErrBody
	}
	return nil
}

// Numbers as protobuf's mapping to JSON has them: each may stand in a string, an integer may have an exponent or zeros
// as its fraction, and a float may be none. A null is 0, or no value of an attribute.
type (
	whole   uint64
	integer int64
	double  float64
)

// UnmarshalJSON implements json.Unmarshaler.
func (n *whole) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	v, err := strconv.ParseUint(digits(literal(raw)), 10, 64)
	if err != nil {
		return ErrBody
	}
	*n = whole(v)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *integer) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseInt(digits(literal(raw)), 10, 64)
	if err != nil {
		return ErrBody
	}
	*n = integer(v)
	return nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *double) UnmarshalJSON(raw []byte) error {
	number := literal(raw)
	named := number == "NaN" || number == "Infinity" || number == "-Infinity"
	v, err := strconv.ParseFloat(number, 64)
	// ParseFloat knows further spellings, such as 0x1p3 and inf.
	if err != nil || !named && !json.Valid([]byte(number)) {
		return ErrBody
	}
	*n = double(v)
	return nil
}

// literal returns a string of JSON without its quotes, and any other value as it stands.
func literal(raw []byte) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// The bounds of an exponent: how many digits it may have, and how many zeros it may add, more than 64 bits ever need.
const (
	exponentDigits = 4
	exponentZeros  = 20
)

// digits returns an integer of JSON without exponent and fraction: 1000 for 1e3 and 7 for 7.0. Any other text is
// returned as it is, which ParseInt refuses.
func digits(number string) string {
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(number), "e")
	before, after, broken := strings.Cut(mantissa, ".")
	if !scaled && !broken || len(exponent) > exponentDigits || !json.Valid([]byte(number)) {
		return number
	}
	all := before + after
	shift, _ := strconv.Atoi(exponent) // 0 without one
	shift -= len(after)
	switch {
	case strings.Trim(all, "-0") == "":
		return "0"
	case shift >= 0 && shift <= exponentZeros:
		return all + strings.Repeat("0", shift)
	case shift < 0 && -shift < len(all) && strings.Trim(all[len(all)+shift:], "0") == "":
		return all[:len(all)+shift]
	}
	return number
}
