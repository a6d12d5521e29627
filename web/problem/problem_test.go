package problem

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWithCopiesAndLeavesTheSharedProblemAlone(t *testing.T) {
	shared := New(http.StatusConflict, "busy", "Wait.").With("max", 3)
	one := shared.With("index", 1)
	two := shared.With("max", 4)
	assert.Equal(t, map[string]any{"max": 3}, shared.Details)
	assert.Equal(t, map[string]any{"max": 3, "index": 1}, one.Details)
	assert.Equal(t, map[string]any{"max": 4}, two.Details)
	assert.Equal(t, http.StatusConflict, one.Status)
}

func TestAProblemEncodesWithoutItsStatusAndWithDetailsAsAnObject(t *testing.T) {
	raw, err := json.Marshal(New(http.StatusNotFound, "no_thread", "You have no such thread."))
	require.NoError(t, err)
	assert.Equal(t, `{"error":"no_thread","message":"You have no such thread.","details":{}}`, string(raw))
	assert.EqualError(t, New(http.StatusNotFound, "no_thread", "None."), "no_thread: None.")
}

func jsonRequest(body io.Reader) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	return r
}

func TestDecodeRefusesBodiesItWouldHaveToGuessAt(t *testing.T) {
	plain := jsonRequest(strings.NewReader(`{"n":1}`))
	plain.Header.Set("Content-Type", "text/plain")
	tooLarge := jsonRequest(nil)
	tooLarge.Body = http.MaxBytesReader(httptest.NewRecorder(), io.NopCloser(strings.NewReader(`{"n":12345}`)), 4)
	for _, tt := range []struct {
		name    string
		request *http.Request
		status  int
		code    string
		details map[string]any
	}{
		{"a body that is not labelled as JSON", plain, 415, "not_json", map[string]any{}},
		{"an empty body", jsonRequest(strings.NewReader("")), 400, "empty_body", map[string]any{}},
		{"a body that is not UTF-8", jsonRequest(strings.NewReader("\"\xff\"")), 400, "invalid_utf8", map[string]any{}},
		{"a body over its limit", tooLarge, 413, "body_too_large", map[string]any{"max_bytes": int64(4)}},
		{"a connection that breaks", jsonRequest(iotest.ErrReader(errors.New("reset"))), 400, "body_unreadable",
			map[string]any{}},
		{"a syntax error", jsonRequest(strings.NewReader(`{"n":}`)), 400, "invalid_json",
			map[string]any{"offset": int64(6)}},
		{"a member of another type", jsonRequest(strings.NewReader(`{"n":"one"}`)), 400, "invalid_json",
			map[string]any{"offset": int64(10), "expected": "number"}},
		{"a problem of the body's own reader", jsonRequest(iotest.ErrReader(New(413, "mine", "Mine."))), 413, "mine",
			map[string]any{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var in struct{ N int }
			p, ok := errors.AsType[*Problem](Decode(tt.request, &in))
			require.True(t, ok)
			assert.Equal(t, tt.status, p.Status)
			assert.Equal(t, tt.code, p.Code)
			assert.Equal(t, tt.details, p.Details)
			assert.NotContains(t, p.Message, "one", "it does not repeat the input")
			assert.NotContains(t, p.Message, "reset", "nor what the connection said")
		})
	}
}

func TestDecodeReadsAnObject(t *testing.T) {
	var in struct{ N int }
	require.NoError(t, Decode(jsonRequest(strings.NewReader(`{"n":3,"other":null}`)), &in))
	assert.Equal(t, 3, in.N)
}

func TestBadJSONOfAnotherErrorHasNoOffset(t *testing.T) {
	assert.Empty(t, BadJSON(io.ErrUnexpectedEOF).Details)
}

func TestWriteJSONKeepsMarkupAndIndentsOnRequest(t *testing.T) {
	for target, want := range map[string]string{
		"/":         "{\"a\":\"<b> & c\"}\n",
		"/?pretty":  "{\n  \"a\": \"<b> & c\"\n}\n",
		"/?pretty=": "{\n  \"a\": \"<b> & c\"\n}\n",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, target, nil)
		require.NoError(t, WriteJSON(w, r, http.StatusAccepted, map[string]string{"a": "<b> & c"}))
		assert.Equal(t, want, w.Body.String(), target)
		assert.Equal(t, http.StatusAccepted, w.Code)
		assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	}
}

func TestWriteJSONWritesNothingIfTheValueDoesNotEncode(t *testing.T) {
	w := httptest.NewRecorder()
	require.Error(t, WriteJSON(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusAccepted, func() {}))
	assert.NotEqual(t, http.StatusAccepted, w.Code)
	assert.Empty(t, w.Body.String())
	assert.Empty(t, w.Header())
}

func TestMembersInAnotherCaseAreRefused(t *testing.T) {
	type inner struct {
		Name string `json:"name"`
	}
	type body struct {
		inner
		List  []inner         `json:"list"`
		Other *inner          `json:"other"`
		Raw   json.RawMessage `json:"raw"`
	}
	for raw, name := range map[string]string{
		`{"Name":"x"}`: "name", `{"name":"a","NAME":"b"}`: "name", `{"list":[{"name":"a"},{"nAme":"b"}]}`: "name",
		`{"other":{"NAME":1}}`: "", `{"other":{"NAME":"b"}}`: "name", `{"LIST":[]}`: "list",
	} {
		var b body
		err := Decode(jsonRequest(strings.NewReader(raw)), &b)
		p, ok := errors.AsType[*Problem](err)
		require.True(t, ok, raw)
		if name == "" {
			assert.Equal(t, "invalid_json", p.Code, raw)
			continue
		}
		assert.Equal(t, "unknown_member", p.Code, raw)
		assert.Equal(t, name, p.Details["expected"], raw)
	}
	var b body
	require.NoError(t, Decode(jsonRequest(strings.NewReader(`{"raw":{"Name":1},"extra":{"Name":2},"other":null}`)), &b))
}
