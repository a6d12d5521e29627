package otlp

import (
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"candor/safety"
	"candor/session"
)

// maxText is how many bytes of a text an attribute or a log has.
const maxText = 8 << 10

// attributes are those of a span, a log or a resource. What is empty or unknown is left out.
type attributes []*commonpb.KeyValue

// word adds a word of the program, an id, or a name that the operator chose.
func (a *attributes) word(key, value string) {
	if value != "" {
		a.add(key, wordValue(value))
	}
}

// text adds a cleaned text.
func (a *attributes) text(key string, t safety.Text) { a.word(key, t.String()) }

// value adds a cleaned JSON value, as its text.
func (a *attributes) value(key string, v safety.JSON) {
	if !v.Null() {
		a.word(key, string(v.Raw()))
	}
}

func (a *attributes) number(key string, n int) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(n)}})
}

// positive adds a number unless it is 0, which means unknown.
// stop adds why a model stopped, if it was neither done nor called tools.
func (a *attributes) stop(s session.Stop) {
	if s != "" {
		a.add(attrFinishReasons, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{
			ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{wordValue(s.FinishReason())}},
		}})
		a.word(attrStop, string(s))
	}
}

func (a *attributes) positive(key string, n int) {
	if n > 0 {
		a.number(key, n)
	}
}

func (a *attributes) share(key string, x float64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: x}})
}

// mark adds true, and nothing for false.
func (a *attributes) mark(key string, on bool) {
	if on {
		a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}})
	}
}

func (a *attributes) add(key string, v *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: v})
}

// wordValue returns a text as the value of an attribute or the body of a log.
func wordValue(text string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: cut(text)}}
}

// cut returns the beginning of a text as far as it is sent, and as valid UTF-8, which protobuf
// demands.
func cut(text string) string { return cutTo(text, maxText) }

// cutTo is cut for another bound, in bytes.
func cutTo(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
