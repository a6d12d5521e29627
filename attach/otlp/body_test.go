package otlp_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	logs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	logdata "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracedata "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"candor/attach/otlp"
)

const traceID, spanID, parentID = "0102030405060708090a0b0c0d0e0f10", "a1a2a3a4a5a6a7a8", "b1b2b3b4b5b6b7b8"

// jsonBody is a request with one span, as it stands in JSON.
const jsonBody = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},
 "scopeSpans":[{"scope":{"name":"gen_ai","version":"1"},"spans":[{"traceId":"0102030405060708090A0B0C0D0E0F10",
 "spanId":"a1a2a3a4a5a6a7a8","parentSpanId":"b1b2b3b4b5b6b7b8","name":"chat","kind":"SPAN_KIND_CLIENT",
 "startTimeUnixNano":"1000000000","endTimeUnixNano":2000000000,"flags":769,"attributes":[
 {"key":"text","value":{"stringValue":"héllo"}},{"key":"on","value":{"boolValue":true}},
 {"key":"n","value":{"intValue":"-7"}},{"key":"m","value":{"intValue":8}},{"key":"f","value":{"doubleValue":0.5}},
 {"key":"raw","value":{"bytesValue":"AQI="}},{"key":"none","value":{}},
 {"key":"list","value":{"arrayValue":{"values":[{"stringValue":"a"},{"intValue":1}]}}},
 {"key":"map","value":{"kvlistValue":{"values":[{"key":"k","value":{"boolValue":false}}]}}}],
 "events":[{"name":"exception","timeUnixNano":"5","attributes":[{"key":"exception.message",
 "value":{"stringValue":"no"}}]}],
 "links":[{"traceId":"00","spanId":"00"}],"status":{"code":"STATUS_CODE_ERROR","message":"it broke"}}]}]}]}`

// text, number and truth return values, and pair an attribute.
func text(s string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: s}}
}

func pair(key string, value *common.AnyValue) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: value}
}

func number(n int64) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: n}}
}

func truth(b bool) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: b}}
}

// id returns the bytes of an id.
func id(t testing.TB, s string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(s)
	require.NoError(t, err)
	return raw
}

// wireBody returns the request of jsonBody in protobuf, written by OpenTelemetry's own messages. It has no link, which
// is not read.
func wireBody(t testing.TB) []byte {
	t.Helper()
	raw, err := proto.Marshal(&trace.ExportTraceServiceRequest{ResourceSpans: []*tracedata.ResourceSpans{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{pair("service.name", text("shop"))}},
		ScopeSpans: []*tracedata.ScopeSpans{{
			Scope: &common.InstrumentationScope{Name: "gen_ai", Version: "1"},
			Spans: []*tracedata.Span{{
				TraceId: id(t, traceID), SpanId: id(t, spanID), ParentSpanId: id(t, parentID), Name: "chat",
				Kind: tracedata.Span_SPAN_KIND_CLIENT, StartTimeUnixNano: 1e9, EndTimeUnixNano: 2e9, Flags: 769,
				Attributes: []*common.KeyValue{
					pair("text", text("héllo")), pair("on", truth(true)), pair("n", number(-7)), pair("m", number(8)),
					pair("f", &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: 0.5}}),
					pair("raw", &common.AnyValue{Value: &common.AnyValue_BytesValue{BytesValue: []byte{1, 2}}}),
					pair("none", &common.AnyValue{}),
					pair("list", &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{
						Values: []*common.AnyValue{text("a"), number(1)}}}}),
					pair("map", &common.AnyValue{Value: &common.AnyValue_KvlistValue{KvlistValue: &common.KeyValueList{
						Values: []*common.KeyValue{pair("k", truth(false))}}}}),
				},
				Events: []*tracedata.Span_Event{{Name: "exception", TimeUnixNano: 5,
					Attributes: []*common.KeyValue{pair("exception.message", text("no"))}}},
				Status: &tracedata.Status{Code: tracedata.Status_STATUS_CODE_ERROR, Message: "it broke"},
			}},
		}},
	}}})
	require.NoError(t, err)
	return raw
}

// want is the span of both bodies.
var want = otlp.Span{
	Trace: traceID, ID: spanID, Parent: parentID, Remote: true, Name: "chat", Scope: "gen_ai",
	Start: time.Unix(1, 0).UTC(), End: time.Unix(2, 0).UTC(), Failed: true, Message: "it broke",
	Attrs: otlp.Attributes{
		"text": "héllo", "on": true, "n": int64(-7), "m": int64(8), "f": 0.5, "raw": []byte{1, 2}, "none": nil,
		"list": []any{"a", int64(1)}, "map": map[string]any{"k": false},
	},
	Resource: otlp.Attributes{"service.name": "shop"},
	Events:   []otlp.Event{{Name: "exception", Attrs: otlp.Attributes{"exception.message": "no"}}},
}

// TestBothKindsOfATraceAreReadAlike holds that JSON and protobuf of one span give the same, with each
// kind of value, ids in hex of small letters, a status by name, numbers as strings and as numbers, and
// members that are not read.
func TestBothKindsOfATraceAreReadAlike(t *testing.T) {
	for kind, body := range map[otlp.Kind][]byte{otlp.JSON: []byte(jsonBody), otlp.Protobuf: wireBody(t)} {
		t.Run(string(kind), func(t *testing.T) {
			spans, err := otlp.Traces(body, kind)
			require.NoError(t, err)
			assert.Equal(t, []otlp.Span{want}, spans)
		})
	}
}

// TestBothKindsOfALogAreReadAlike holds the same of log records, of which one has only the time at
// which it was seen.
func TestBothKindsOfALogAreReadAlike(t *testing.T) {
	wire, err := proto.Marshal(&logs.ExportLogsServiceRequest{ResourceLogs: []*logdata.ResourceLogs{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{pair("service.name", text("claude-code"))}},
		ScopeLogs: []*logdata.ScopeLogs{{Scope: &common.InstrumentationScope{Name: "events"},
			LogRecords: []*logdata.LogRecord{
				{TimeUnixNano: 1e9, EventName: "e", Body: text("b"), TraceId: []byte{0xab, 1}, SpanId: []byte{0xcd},
					Attributes: []*common.KeyValue{pair("k", number(3))}},
				{ObservedTimeUnixNano: 2e9, Body: number(4)},
			}}},
	}}})
	require.NoError(t, err)
	const json = `{"resourceLogs":[{"resource":{"attributes":[
	 {"key":"service.name","value":{"stringValue":"claude-code"}}]},
	 "scopeLogs":[{"scope":{"name":"events"},"logRecords":[{"timeUnixNano":"1000000000","eventName":"e",
	 "traceId":"AB01","spanId":"cd","body":{"stringValue":"b"},"attributes":[{"key":"k","value":{"intValue":"3"}}]},
	 {"traceId":"no id","spanId":7,"observedTimeUnixNano":"2000000000","body":{"intValue":4}}]}]}]}`
	res := otlp.Attributes{"service.name": "claude-code"}
	all := []otlp.Record{
		{Trace: "ab01", Span: "cd", Name: "e", Scope: "events", At: time.Unix(1, 0).UTC(), Body: "b",
			Attrs: otlp.Attributes{"k": int64(3)}, Resource: res},
		{Scope: "events", At: time.Unix(2, 0).UTC(), Body: int64(4), Attrs: otlp.Attributes{}, Resource: res},
	}
	for kind, body := range map[otlp.Kind][]byte{otlp.JSON: []byte(json), otlp.Protobuf: wire} {
		records, err := otlp.Logs(body, kind)
		require.NoError(t, err)
		assert.Equal(t, all, records, kind)
	}
}

// inSpan returns a request with one span that has these members.
func inSpan(members string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{` + members + `}]}]}]}`
}

// TestDamagedBodiesAreRefused holds that JSON that is damaged, has members of wrong types, or asks for
// more memory than it has bytes, is refused as a whole.
func TestDamagedBodiesAreRefused(t *testing.T) {
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 40) + strings.Repeat(`]}}`, 40)
	for name, body := range map[string]string{
		"no JSON":                `{"resourceSpans":[`,
		"a list":                 `[]`,
		"an id in base64":        inSpan(`"traceId":"W47/95gDgQPSaYt/4p7Hgg=="`),
		"an id that is a number": `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}`,
		"a status of no kind":    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"status":{"code":"BAD"}}]}]}]}`,
		"a time that is none":    `{"resourceSpans":[{"scopeSpans":[{"spans":[{"endTimeUnixNano":"-1"}]}]}]}`,
		"a number that is none":  inSpan(`"attributes":[{"key":"k","value":{"intValue":"x"}}]`),
		"a null resource":        `{"resourceSpans":[null]}`,
		"a null scope":           `{"resourceSpans":[{"scopeSpans":[null]}]}`,
		"a null span":            `{"resourceSpans":[{"scopeSpans":[{"spans":[null]}]}]}`,
		"a null event":           `{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[null]}]}]}]}`,
		"a null attribute":       `{"resourceSpans":[{"resource":{"attributes":[null]}}]}`,
		"a value too deep":       `{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":` + deep + `}]}}]}`,
		"too many elements":      `{"resourceSpans":[` + strings.Repeat("{},", 200_000) + `{}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := otlp.Traces([]byte(body), otlp.JSON)
			require.ErrorIs(t, err, otlp.ErrBody)
			_, err = otlp.Logs([]byte(strings.NewReplacer("resourceSpans", "resourceLogs", "scopeSpans", "scopeLogs",
				`"spans"`, `"logRecords"`, "endTime", "time").Replace(body)), otlp.JSON)
			if !strings.Contains(body, "traceId") && !strings.Contains(body,
				"status") && !strings.Contains(body, "events") {
				require.ErrorIs(t, err, otlp.ErrBody)
			}
		})
	}
}

// TestDamagedProtobufIsRefused holds the same of protobuf. A group is a part of the format that OTLP
// does not use.
func TestDamagedProtobufIsRefused(t *testing.T) {
	list := text("x")
	for range 40 {
		around := &common.ArrayValue{Values: []*common.AnyValue{list}}
		list = &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: around}}
	}
	deepWire, err := proto.Marshal(&trace.ExportTraceServiceRequest{ResourceSpans: []*tracedata.ResourceSpans{{
		Resource: &resource.Resource{Attributes: []*common.KeyValue{pair("k", list)}}}}})
	require.NoError(t, err)
	body := wireBody(t)
	for name, raw := range map[string][]byte{
		"text": []byte("hello"), "a group": {0x0b}, "a value too deep": deepWire,
		"a body cut short":  body[:len(body)-3],
		"too many elements": []byte(strings.Repeat("\x0a\x00", 100_001)),
	} {
		t.Run("protobuf: "+name, func(t *testing.T) {
			_, err := otlp.Traces(raw, otlp.Protobuf)
			require.ErrorIs(t, err, otlp.ErrBody)
			_, err = otlp.Logs(raw, otlp.Protobuf)
			require.ErrorIs(t, err, otlp.ErrBody)
		})
	}
}

// TestAnswersAreOfTheKindOfTheRequest holds that OpenTelemetry's own messages understand an answer in
// protobuf, and that one without losses is as empty as the specification asks.
func TestAnswersAreOfTheKindOfTheRequest(t *testing.T) {
	some := otlp.Partial{Rejected: 3, Message: "not read: 3"}
	assert.JSONEq(t, `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"not read: 3"}}`,
		string(some.Answer(otlp.JSON, "Spans")))
	assert.JSONEq(t, `{}`, string(otlp.Partial{}.Answer(otlp.JSON, "Spans")))
	var got trace.ExportTraceServiceResponse
	require.NoError(t, proto.Unmarshal(some.Answer(otlp.Protobuf, "Spans"), &got))
	assert.Equal(t, int64(3), got.GetPartialSuccess().GetRejectedSpans())
	assert.Equal(t, "not read: 3", got.GetPartialSuccess().GetErrorMessage())
	assert.Empty(t, otlp.Partial{}.Answer(otlp.Protobuf, "Spans"))
}

// TestNumbersOfAttributesAreBelievedWithinReason holds that a number may be written as a float, and
// that one beyond all counts, or a text, is none.
func TestNumbersOfAttributesAreBelievedWithinReason(t *testing.T) {
	a := otlp.Attributes{"i": int64(3), "f": 4.0, "huge": 1e300, "text": "5"}
	assert.Equal(t, []int{3, 4, 0, 0, 0}, []int{a.Int("i"), a.Int("f"), a.Int("huge"), a.Int("text"), a.Int("none")})
	assert.Equal(t, "5", a.Text("text"))
	assert.Empty(t, a.Text("i"))
}

// FuzzBodies holds that no body of either kind breaks the reader, and that what is read has ids in hex.
func FuzzBodies(f *testing.F) {
	f.Add([]byte(jsonBody), true)
	f.Add(wireBody(f), false)
	f.Add([]byte{0x0a, 0x02, 0x12, 0x00, 0xff}, false)
	f.Fuzz(func(t *testing.T, body []byte, json bool) {
		kind := otlp.Protobuf
		if json {
			kind = otlp.JSON
		}
		spans, err := otlp.Traces(body, kind)
		if err == nil {
			for _, s := range spans {
				_, err := hex.DecodeString(s.Trace + s.ID + s.Parent)
				require.NoError(t, err)
			}
		}
		_, _ = otlp.Logs(body, kind)
	})
}
