package web_test

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// twoTurns is a thread of ann's with two turns that have ended.
func twoTurns(t *testing.T) (*apptest.Server, string) {
	s := apptest.Start(t, app.Settings{}, nil)
	thread := s.Send("ann", "", "what time is it")["thread_id"].(string)
	settled(s, "ann", thread, 1)
	s.Send("ann", thread, "find the word Follow in the session folder")
	settled(s, "ann", thread, 2)
	return s, thread
}

// settled waits until the thread has that many turns and all have ended.
func settled(s *apptest.Server, user, thread string, turns int) {
	s.T.Helper()
	apptest.Eventually(s.T, "the turn ends", func() bool {
		got := s.Do(user, http.MethodGet, "/api/chat/history?thread_id="+thread, "").JSON()["turns"].([]any)
		return len(got) == turns && got[turns-1].(map[string]any)["completed_at"] != nil
	})
}

func TestAThreadIsExportedInEachFormatWithASafeFileName(t *testing.T) {
	s, thread := twoTurns(t)
	for format, kind := range map[string]string{"md": "text/markdown", "html": "text/html",
		"jsonl": "application/jsonl"} {
		r := s.Do("ann", http.MethodGet, "/api/chat/export?thread_id="+thread+"&format="+format, "")
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		assert.Contains(t, r.Header.Get("Content-Type"), kind)
		how, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition"))
		require.NoError(t, err)
		assert.Equal(t, "attachment", how, "a browser keeps it and does not run it")
		assert.Equal(t, "candor-"+thread[:8]+"."+format, params["filename"])
		for _, want := range []string{"what time is it", "find the word Follow", "file_search", "Follow"} {
			assert.Contains(t, r.Body, want, format)
		}
		one := s.Do("ann", http.MethodGet, "/api/chat/export?turn=1&thread_id="+thread+"&format="+format, "")
		assert.NotContains(t, one.Body, "file_search", "one turn alone")
		assert.Contains(t, one.Header.Get("Content-Disposition"), "-turn-1."+format)
	}
}

func TestEachLineOfAJSONLExportEqualsTheTurnOfTheAPI(t *testing.T) {
	s, thread := twoTurns(t)
	lines := strings.Split(strings.TrimSpace(s.Do("ann", http.MethodGet,
		"/api/chat/export?format=jsonl&thread_id="+thread, "").Body), "\n")
	require.Len(t, lines, 2)
	turn := s.Do("ann", http.MethodGet, "/api/chat/turn?turn=2&thread_id="+thread, "")
	assert.JSONEq(t, turn.Body, lines[1])
	var got struct {
		ToolCalls []struct {
			Result json.RawMessage `json:"result"`
		} `json:"tool_calls"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &got))
	require.Len(t, got.ToolCalls, 1)
	assert.Greater(t, len(got.ToolCalls[0].Result), 500, "the whole result")
	short := s.Do("ann", http.MethodGet,
		"/api/chat/export?omit=results,parameters&turn=2&format=jsonl&thread_id="+thread, "").Body
	assert.NotContains(t, short, `"result":`)
	assert.Contains(t, short, `"parameters":null`)
	assert.NotContains(t, s.Do("ann", http.MethodGet, "/api/chat/export?omit=reasoning&format=jsonl&thread_id="+thread,
		"").Body, `"rationale"`)
}

func TestAnInvalidExportRequestIsRefusedWithAReason(t *testing.T) {
	s, thread := twoTurns(t)
	for query, code := range map[string]string{
		"format=pdf&thread_id=" + thread: "bad_format", "turn=x&thread_id=" + thread: "bad_turn", "turn=3&thread_id=" +
			thread: "no_turn",
		"turn=0&thread_id=" + thread: "no_turn", "omit=all&thread_id=" +
			thread: "bad_omit", "thread_id=none": "no_thread",
	} {
		r := s.Do("ann", http.MethodGet, "/api/chat/export?"+query, "")
		assert.Equal(t, code, r.JSON()["error"], query)
		assert.Empty(t, r.Header.Get("Content-Disposition"), query)
	}
	for _, at := range []string{"/api/chat/export?thread_id=", "/api/chat/turn?turn=1&thread_id="} {
		assert.Equal(t, http.StatusNotFound, s.Do("bob", http.MethodGet, at+thread, "").Status, "another user's thread")
	}
}
