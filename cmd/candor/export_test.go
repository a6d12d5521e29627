package main

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoTurns is a thread of ann's with two turns that have ended.
func twoTurns(t *testing.T) (*server, string) {
	s := startServer(t, settings{}, nil)
	thread := s.send("ann", "", "what time is it")["thread_id"].(string)
	s.settled("ann", thread, 1)
	s.send("ann", thread, "find the word Follow in the session folder")
	s.settled("ann", thread, 2)
	return s, thread
}

// settled waits until the thread has that many turns and all have ended.
func (s *server) settled(user, thread string, turns int) {
	s.t.Helper()
	eventually(s.t, "the turn ends", func() bool {
		got := s.do(user, http.MethodGet, "/api/chat/history?thread_id="+thread, "").json(s.t)["turns"].([]any)
		return len(got) == turns && got[turns-1].(map[string]any)["completed_at"] != nil
	})
}

func TestAThreadIsExportedInEachFormatAsAFileOfASafeName(t *testing.T) {
	s, thread := twoTurns(t)
	for format, kind := range map[string]string{"md": "text/markdown", "html": "text/html", "jsonl": "application/jsonl"} {
		r := s.do("ann", http.MethodGet, "/api/chat/export?thread_id="+thread+"&format="+format, "")
		require.Equal(t, http.StatusOK, r.status, r.body)
		assert.Contains(t, r.header.Get("Content-Type"), kind)
		how, params, err := mime.ParseMediaType(r.header.Get("Content-Disposition"))
		require.NoError(t, err)
		assert.Equal(t, "attachment", how, "a browser keeps it and does not run it")
		assert.Equal(t, "candor-"+thread[:8]+"."+format, params["filename"])
		for _, want := range []string{"what time is it", "find the word Follow", "file_search", "success", "Follow"} {
			assert.Contains(t, r.body, want, format)
		}
		one := s.do("ann", http.MethodGet, "/api/chat/export?turn=1&thread_id="+thread+"&format="+format, "")
		assert.NotContains(t, one.body, "file_search", "one turn alone")
		assert.Contains(t, one.header.Get("Content-Disposition"), "-turn-1."+format)
	}
}

func TestALineOfAnExportIsATurnAsTheAPIGivesIt(t *testing.T) {
	s, thread := twoTurns(t)
	lines := strings.Split(strings.TrimSpace(s.do("ann", http.MethodGet, "/api/chat/export?format=jsonl&thread_id="+thread, "").body), "\n")
	require.Len(t, lines, 2)
	turn := s.do("ann", http.MethodGet, "/api/chat/turn?turn=2&thread_id="+thread, "")
	assert.JSONEq(t, turn.body, lines[1])
	var got struct {
		ToolCalls []struct {
			Result json.RawMessage `json:"result"`
		} `json:"tool_calls"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &got))
	require.Len(t, got.ToolCalls, 1)
	assert.Greater(t, len(got.ToolCalls[0].Result), 500, "the whole result")
	short := s.do("ann", http.MethodGet, "/api/chat/export?omit=results,parameters&turn=2&format=jsonl&thread_id="+thread, "").body
	assert.NotContains(t, short, `"result":`)
	assert.Contains(t, short, `"parameters":null`)
	assert.NotContains(t, s.do("ann", http.MethodGet, "/api/chat/export?omit=reasoning&format=jsonl&thread_id="+thread, "").body, `"rationale"`)
}

func TestAnExportThatCannotBeMadeSaysWhy(t *testing.T) {
	s, thread := twoTurns(t)
	for query, code := range map[string]string{
		"format=pdf&thread_id=" + thread: "bad_format", "turn=x&thread_id=" + thread: "bad_turn", "turn=3&thread_id=" + thread: "no_turn",
		"turn=0&thread_id=" + thread: "no_turn", "omit=all&thread_id=" + thread: "bad_omit", "thread_id=none": "no_thread",
	} {
		r := s.do("ann", http.MethodGet, "/api/chat/export?"+query, "")
		assert.Equal(t, code, r.json(t)["error"], query)
		assert.Empty(t, r.header.Get("Content-Disposition"), query)
	}
	for _, at := range []string{"/api/chat/export?thread_id=", "/api/chat/turn?turn=1&thread_id="} {
		assert.Equal(t, http.StatusNotFound, s.do("bob", http.MethodGet, at+thread, "").status, "another user's thread")
	}
}
