package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, raw string) Envelope {
	t.Helper()
	e, err := Parse([]byte(raw), Options{})
	require.NoError(t, err)
	return e
}

func TestAnEnvelopeIsReadAndItsBytesAreKept(t *testing.T) {
	const raw = `{"kind":"mcp/request", "protocol":"mew/v0.4","id":"m-1","ts":"2026-01-02T15:04:05.25+01:00",` +
		`"from":"ann","to":["bob","eve"],"correlation_id":["m-0"],"context":"s/t",` +
		`"payload":{"method":"tools/call","n":1e400}}`
	e := parsed(t, raw)
	assert.Equal(t, "mew/v0.4 m-1 ann mcp/request", strings.Join([]string{e.Protocol, e.ID, e.From, e.Kind}, " "))
	assert.Equal(t, "2026-01-02T14:04:05.25Z", e.TS.UTC().Format(time.RFC3339Nano))
	assert.Equal(t, []string{"bob", "eve"}, e.To)
	assert.True(t, e.IsTo("eve"))
	assert.False(t, e.IsTo("ann"))
	assert.Equal(t, []string{"m-0"}, e.CorrelationID)
	assert.Equal(t, "s/t", e.Context.Path)
	assert.Equal(t, `{"method":"tools/call","n":1e400}`, string(e.Payload))
	now := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	assert.Equal(t, raw, string(e.Complete("other", "other", now).Raw), "nothing is missing, so nothing changes")
}

func TestMissingMembersAreAddedInFrontOfTheOthers(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 6000, time.UTC)
	for _, tt := range []struct{ name, raw, want string }{
		{"all four", ` {"kind":"chat","payload":{"text":"hi"}}`,
			` {"protocol":"mew/v0.4","id":"m-1","ts":"2030-01-02T03:04:05.000006Z","from":"a\"b","kind":"chat",` +
				`"payload":{"text":"hi"}}`},
		{"an id alone", `{"kind":"x","from":"z","ts":"2026-01-02T15:04:05Z","protocol":"mew/v0.4"}`,
			`{"id":"m-1","kind":"x","from":"z","ts":"2026-01-02T15:04:05Z","protocol":"mew/v0.4"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := parsed(t, tt.raw).Complete("m-1", `a"b`, now)
			assert.Equal(t, tt.want, string(e.Raw))
			again := parsed(t, string(e.Raw))
			assert.Equal(t, e.ID, again.ID)
			assert.Equal(t, e.From, again.From)
			assert.True(t, e.TS.Equal(again.TS))
		})
	}
}

func TestAMalformedMessageIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, tt := range []struct{ name, raw, says string }{
		{"bytes that are not UTF-8", "{\"kind\":\"\xff\"}", "UTF-8"},
		{"broken JSON", `{"kind":`, "not valid JSON"},
		{"two values", `{"kind":"chat"}{}`, "not valid JSON"},
		{"an array", `["wombat"]`, "no JSON object"},
		{"a number", `7`, "no JSON object"},
		{"no kind", `{"payload":{}}`, "has no kind"},
		{"a member in another case", `{"Kind":"wombat"}`, "only in case"},
		{"a payload in another case", `{"kind":"x","PayLoad":{"a":"wombat"}}`, "only in case"},
		{"a letter that folds to another", `{"kind":"x","\u212aind":"wombat"}`, "only in case"},
		{"an empty kind", `{"kind":""}`, "kind has to be"},
		{"a kind that is no text", `{"kind":["wombat"]}`, "kind has to be"},
		{"a kind that is null", `{"kind":null}`, "kind has to be"},
		{"a long id", `{"kind":"x","id":"` + strings.Repeat("w", 256) + `"}`, "255 bytes"},
		{"a sender named twice", `{"kind":"x","from":"wombat","from":"ann"}`, "stands twice"},
		{"a sender named twice, once with an escape", `{"kind":"x","from":"wombat","fr\u006fm":"a"}`, "stands twice"},
		{"another protocol", `{"kind":"x","protocol":"meup/v0.2"}`, "another protocol"},
		{"a time without a zone", `{"kind":"x","ts":"2026-01-02T15:04:05"}`, "RFC 3339"},
		{"a number for a correlation_id", `{"kind":"x","correlation_id":7}`, "correlation_id has to be an array"},
		{"a number in to", `{"kind":"x","to":[7]}`, "to has to be an array"},
		{"a null in to", `{"kind":"x","to":[null]}`, "to has to be an array"},
		{"an empty entry in to", `{"kind":"x","to":[""]}`, "an entry that is empty"},
		{"too many in to", `{"kind":"x","to":["a"` + strings.Repeat(`,"a"`, 256) + `]}`, "256 entries"},
		{"a payload that is no object", `{"kind":"x","payload":"wombat"}`, "payload has to be an object"},
		{"a chat without a text", `{"kind":"chat","payload":{"message":"wombat"}}`, "needs payload.text"},
		{"a chat without a payload", `{"kind":"chat"}`, "needs payload.text"},
		{"a request without a method", `{"kind":"mcp/request","payload":{"method":7}}`, "needs payload.method"},
		{"a draft's kind without the option", `{"kind":"chat","correlationId":"wombat"}`, "needs payload.text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.raw), Options{})
			refusal, ok := errors.AsType[*Refusal](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, CodeInvalid, refusal.Code)
			assert.Contains(t, refusal.Message, tt.says)
			assert.NotContains(t, refusal.Error(), "wombat")
		})
	}
}

func TestWhatIsAbsentOrOddIsAccepted(t *testing.T) {
	for _, raw := range []string{
		`{"kind":"reasoning/start"}`,
		`{"kind":"x","to":null,"correlation_id":null,"context":null,"payload":null}`,
		`{"kind":"x","to":["null"]}`,
		`{"kind":"chat","payload":{"text":""}}`,
		`{"kind":"x","unknown":{"a":1}}`,
	} {
		_, err := Parse([]byte(raw), Options{})
		assert.NoError(t, err, raw)
	}
}

func TestAContextOfAnyShapeIsReadAndKept(t *testing.T) {
	for _, tt := range []struct {
		name, kind, context string
		want                Context
	}{
		{"a path", "chat", `"s/t"`, Context{Path: "s/t"}},
		{"a path below which nobody would go", "x", `"` + strings.Repeat("a/", 50) + `b"`,
			Context{Path: strings.Repeat("a/", 50) + "b"}},
		{"an object of ADR-k9j", "x", `{"id":"c","type":"reasoning","parent":"p","metadata":{"n":1}}`,
			Context{Path: "c", Parent: "p", Type: "reasoning", Metadata: []byte(`{"n":1}`)}},
		{"an object whose type is no text", "x", `{"id":"c","type":7}`, Context{Path: "c"}},
		{"an object of shipped agents", "x", `{"operation":"push","topic":"t","correlation_id":["s","r"]}`,
			Context{Path: "s"}},
		{"one with a lone correlation_id", "x", `{"operation":"resume","correlation_id":"s"}`, Context{Path: "s"}},
		{"one with a topic alone", "x", `{"operation":"pop","topic":"t"}`, Context{Path: "t"}},
		{"an unknown operation", "x", `{"operation":"dance","topic":"t"}`, Context{}},
		{"an object with an id twice", "x", `{"id":"a","id":"b"}`, Context{}},
		{"a number", "x", `7`, Context{}},
		{"an array", "x", `["a"]`, Context{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			raw := fmt.Sprintf(`{"kind":%q,"context":%s,"payload":{"text":"t"}}`, tt.kind, tt.context)
			e := parsed(t, raw)
			tt.want.Given = []byte(tt.context)
			assert.Equal(t, tt.want, e.Context)
			assert.Equal(t, raw, string(e.Raw))
		})
	}
}

func TestReasoningMayCarryItsContextInThePayload(t *testing.T) {
	payload := `,"payload":{"context":"s","text":"t"}}`
	assert.Equal(t, "s", parsed(t, `{"kind":"reasoning/thought"`+payload).Context.Path)
	both := parsed(t, `{"kind":"reasoning/thought","context":"e"`+payload)
	assert.Equal(t, "e", both.Context.Path, "the envelope's wins")
	assert.Empty(t, parsed(t, `{"kind":"chat"`+payload).Context, "a chat's context means something else")
	assert.Empty(t, parsed(t, `{"kind":"reasoning/thought"}`).Context)
}

func TestAPathIsWithinItsAncestors(t *testing.T) {
	for _, tt := range []struct {
		path, ancestor string
		want           bool
	}{
		{"a/b", "a", true}, {"a", "a", true}, {"a/b", "", true}, {"", "", true},
		{"ab", "a", false}, {"a", "a/b", false}, {"", "a", false},
	} {
		assert.Equal(t, tt.want, Within(tt.path, tt.ancestor), "%q within %q", tt.path, tt.ancestor)
	}
}
