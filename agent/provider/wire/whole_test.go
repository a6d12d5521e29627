package wire_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
)

// streamed returns the events that a client reads from an answer, each with a star if it is no part of a stream.
func streamed(t *testing.T, kind, body string) (events []string, failed error) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write([]byte(body))
	}))
	defer srv.Close()
	base, err := url.Parse(srv.URL)
	require.NoError(t, err)
	for e, err := range wire.NewClient(base, nil, nil).Stream(t.Context(), "x", nil) {
		if err != nil {
			return events, err
		}
		star := ""
		if e.Whole {
			star = "*"
		}
		events = append(events, star+strings.TrimSpace(string(e.Data)))
	}
	return events, nil
}

func TestAnAnswerIsReadWhateverItsForm(t *testing.T) {
	const stream, plain = "text/event-stream", "application/json"
	for name, tt := range map[string]struct {
		kind, body string
		want       []string
	}{
		"a stream":                                {stream, "data: {}\n\n", []string{"{}"}},
		"a stream that says that it is JSON":      {plain, "event: x\ndata: 1\n\n", []string{"1"}},
		"a stream that begins with a comment":     {plain, ": hi\n\ndata: 1\n\n", []string{"1"}},
		"a stream that begins with an id":         {"", "id: 1\ndata: 1\n\n", []string{"1"}},
		"a stream with fields that are none":      {stream, "x: 1\ndata: 1\n\n", []string{"1"}},
		"an object":                               {plain, `{"a":1}`, []string{`*{"a":1}`}},
		"an object that says that it is a stream": {stream, "\ufeff\n {\"a\":1}\n", []string{`*{"a":1}`}},
		"an object of many lines":                 {plain, "{\n\"a\":\n1}", []string{"*{\n\"a\":\n1}"}},
		"lines of JSON":                           {"", "{\"a\":1}\n{\"a\":2}\n", []string{`*{"a":1}`, `*{"a":2}`}},
		"a list":                                  {plain, `[{"a":1},{"a":2}]`, []string{`*{"a":1}`, `*{"a":2}`}},
		"a line of JSON between events": {stream,
			"data: 1\n\n{\"a\":1}\ndata: 2\n\n", []string{"1", `{"a":1}`, "2"}},
		"a line that is no JSON, but begins like it": {stream, "data: 1\n\n{a\n\ndata: 2\n\n", []string{"1", "2"}},
		"nothing":           {stream, "", nil},
		"nothing but space": {plain, " \n\n", nil},
	} {
		got, err := streamed(t, tt.kind, tt.body)
		require.NoError(t, err, name)
		assert.Equal(t, tt.want, got, name)
	}
	_, err := streamed(t, plain, `{"a":`)
	assert.Error(t, err, "JSON that is cut off")
}

func TestWhatIsNoAnswerIsNamed(t *testing.T) {
	for body, want := range map[string]string{
		"<html><title> Sign &amp;\nin </title>":             "a web page (Sign & in)",
		"\n<!DOCTYPE html><p>" + strings.Repeat("x", 1<<20): "a web page instead",
		"upstream connect error":                            "text (upstream connect error)",
		strings.Repeat("y ", 1<<20):                         "text (y y",
	} {
		events, err := streamed(t, "text/html", body)
		assert.Empty(t, events)
		_, ok := err.(*wire.NoAnswerError)
		require.True(t, ok, "%v", err)
		assert.Contains(t, err.Error(), want)
		assert.Less(t, len(err.Error()), 66<<10)
	}
}

func TestContentHasTheTextOfItsParts(t *testing.T) {
	for in, want := range map[string]string{
		`"a"`: "a", `null`: "", `7`: "7", `[]`: "", `{}`: "", `[7]`: "",
		`{"type":"text","text":"a"}`:                                                           "a",
		`["a",{"text":"b"},{"type":"output_text","text":"c"}]`:                                 "abc",
		`[{"type":"thinking","thinking":"x"},{"type":"text","text":"a"}]`:                      "a",
		`[{"type":"reasoning","text":"x"},{"type":"refusal","refusal":"no"}]`:                  "no",
		`[{"type":"text","text":[{"type":"text","text":"a"},{"type":"thinking","text":"x"}]}]`: "a",
	} {
		var c struct{ C wire.Content }
		require.NoError(t, wire.Decode([]byte(`{"C":`+in+`}`), &c))
		assert.Equal(t, want, string(c.C), in)
	}
}
