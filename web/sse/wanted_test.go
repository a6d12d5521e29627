package sse_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/sse"
)

// TestTheCursorIsReadUnderAllItsNames has the ways in which clients name the event behind which a stream continues.
func TestTheCursorIsReadUnderAllItsNames(t *testing.T) {
	for name, c := range map[string]struct {
		query, header string
		own           []string
		want          sse.Wanted
		fault         string
	}{
		"none":                   {"thread_id=t", "", nil, sse.Wanted{}, ""},
		"ours":                   {"last_event_id=x-1", "", nil, sse.Wanted{ID: "x-1", InQuery: true}, ""},
		"that of a polyfill":     {"lastEventId=x-1", "", nil, sse.Wanted{ID: "x-1", InQuery: true}, ""},
		"that of a hub":          {"Last-Event-ID=x-1", "", nil, sse.Wanted{ID: "x-1", InQuery: true}, ""},
		"in small letters":       {"last-event-id=x-1", "", nil, sse.Wanted{ID: "x-1", InQuery: true}, ""},
		"one that is empty":      {"lastEventId=", "", nil, sse.Wanted{}, ""},
		"the header":             {"", "x-1", nil, sse.Wanted{ID: "x-1"}, ""},
		"the header counts more": {"lastEventId=x-1", "x-2", nil, sse.Wanted{ID: "x-2"}, ""},
		"the same twice": {"lastEventId=x-1&last_event_id=x-1", "", nil, sse.Wanted{ID: "x-1",
			InQuery: true}, ""},
		"two of them":             {"lastEventId=x-1&last_event_id=x-2", "", nil, sse.Wanted{}, "names two events"},
		"a name of the route":     {"after=x-1", "", []string{"after"}, sse.Wanted{ID: "x-1", InQuery: true}, ""},
		"a name of another route": {"after=x-1", "", nil, sse.Wanted{}, "send its id as last_event_id"},
		"another server's":        {"cursor=x-1", "", nil, sse.Wanted{}, "send its id as last_event_id"},
		"another server's, as well": {"since_id=1&last_event_id=x-1", "", nil, sse.Wanted{},
			"send its id as last_event_id"},
		"a typo":                  {"lastId=x-1", "", nil, sse.Wanted{}, "send its id as last_event_id"},
		"a bound":                 {"max_event_bytes=65536", "", nil, sse.Wanted{Max: 65536}, ""},
		"a bound that is too low": {"max_event_bytes=100", "", nil, sse.Wanted{}, "at least 4096"},
		"a bound that is a word":  {"max_event_bytes=small", "", nil, sse.Wanted{}, "at least 4096"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/events?"+c.query, nil)
			if c.header != "" {
				r.Header.Set("Last-Event-ID", c.header)
			}
			got, err := sse.Read(r, c.own...)
			if c.fault != "" {
				require.ErrorContains(t, err, c.fault)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

// TestEventsFitIntoWhatTheClientTakes reads a stream with a scanner of Go, whose lines have 64 KiB at most.
func TestEventsFitIntoWhatTheClientTakes(t *testing.T) {
	long := strings.Repeat("é\u2028\"", 40_000)
	data, err := json.Marshal(map[string]any{"type": "note", "n": json.Number("12345678901234567890"), "text": long,
		"list": []any{map[string]any{"text": long}, long}, "many": strings.Split(strings.Repeat("word ", 90_000), " ")})
	require.NoError(t, err)
	source := func(context.Context) iter.Seq[sse.Message] {
		return func(yield func(sse.Message) bool) {
			yield(sse.Message{ID: sse.Cursor{Session: "12345678", Seq: 7}, Name: "note", Data: data})
		}
	}
	for _, limit := range []int{sse.MinEvent, 64 << 10, 0} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/?max_event_bytes=%d", limit), nil)
		sse.NewServer(time.Second).Serve(w, r, source, func() {})
		if limit == 0 {
			assert.Contains(t, w.Body.String(), string(data), "without a bound it is whole")
			continue
		}
		lines := bufio.NewScanner(strings.NewReader(w.Body.String()))
		var got map[string]any
		size := 0
		for lines.Scan() {
			if value, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				d := json.NewDecoder(strings.NewReader(value))
				d.UseNumber()
				require.NoError(t, d.Decode(&got))
			}
			size += len(lines.Text()) + 1
		}
		require.NoError(t, lines.Err())
		assert.LessOrEqual(t, size, limit+100, "and what a stream begins with")
		assert.Equal(t, "note", got["type"])
		assert.Equal(t, json.Number("12345678901234567890"), got["n"])
		assert.True(t, strings.HasSuffix(got["text"].(string), "…"))
		assert.Contains(t, w.Body.String(), "id: 12345678-7\n")
	}
}

func TestEventsThatFitStayAsTheyAre(t *testing.T) {
	frame := []byte("data: {\"b\":1, \"a\":\"<x>\"}\nid: 1\n\n")
	assert.Equal(t, frame, sse.Fit(frame, sse.MinEvent))
	two := append(append([]byte{}, frame...), []byte("data: {\"t\":\""+strings.Repeat("x", 5000)+"\"}\n\n")...)
	assert.True(t, strings.HasPrefix(string(sse.Fit(two, sse.MinEvent)), string(frame)), "one beside it is cut alone")
	assert.Equal(t, "null", string(sse.FitJSON([]byte(`{"a`), 2)))
}
