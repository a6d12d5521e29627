package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASearchCoversTheCallersThreadsAndJobs(t *testing.T) {
	s, thread := twoTurns(t)
	s.Do("ann", http.MethodPost, "/api/jobs", `{"title":"look around","prompt":"find the word Follow"}`)
	got := s.Do("ann", http.MethodGet, "/api/chat/search?q=follow", "").JSON()
	hits := got["hits"].([]any)
	require.GreaterOrEqual(t, len(hits), 3)
	assert.Equal(t, thread, hits[0].(map[string]any)["thread_id"], "what a call was about before a prompt")
	assert.True(t, slices.ContainsFunc(hits, func(h any) bool { return h.(map[string]any)["job_id"] != nil }))
	assert.Equal(t, []any{"follow"}, got["looked_for"])
	call := s.Do("ann", http.MethodGet,
		"/api/chat/search?q=follow&tool=file_search&outcome=success&source=model&redacted=false", "")
	assert.Equal(t, "call_1", call.JSON()["hits"].([]any)[0].(map[string]any)["call_id"], call.Body)

	none := s.Do("bob", http.MethodGet, "/api/chat/search?q=follow", "").JSON()
	assert.Empty(t, none["hits"], "another user's are not found")
	assert.Empty(t, none["facets"].(map[string]any)["tool"], "nor counted")
	for query, code := range map[string]string{
		"q=" + strings.Repeat("a", 201): "bad_query", "q=" + url.QueryEscape("1 2 3 4 5 6 7 8 9"): "bad_query",
		"limit=0": "bad_limit", "limit=x": "bad_limit", "offset=-1": "bad_offset",
		"offset=1001": "bad_offset", "redacted=maybe": "bad_redacted",
	} {
		r := s.Do("ann", http.MethodGet, "/api/chat/search?"+query, "")
		assert.Equal(t, code, r.JSON()["error"], query)
	}
}

func TestHistoryRendersMarkdownOnRequest(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, map[string]any{
		"steps": []any{
			map[string]any{"narrative": "*Before* it", "tool_calls": []any{map[string]any{"id": "a", "name": "look",
				"arguments": map[string]any{}}}},
			map[string]any{"narrative": "*First* <b>x</b>", "tool_calls": []any{map[string]any{"id": "a",
				"name": "look", "arguments": map[string]any{}}}},
			map[string]any{"text": "It is **done**. ![p](http://x.test/p.png)"},
		},
		"tools": map[string]any{"look": map[string]any{"result": "ok"}},
	})
	thread := s.Send("ann", "", "go")["thread_id"].(string)
	settled(s, "ann", thread, 1)
	for _, at := range []string{"/api/chat/history?render=html&thread_id=",
		"/api/chat/turn?turn=1&render=html&thread_id="} {
		body := s.Do("ann", http.MethodGet, at+thread, "").Body
		assert.Contains(t, body, `"response_html":"<p>It is <strong>done</strong>. ![p](http://x.test/p.png)</p>\n"`)
		assert.Contains(t, body, `"narrative_html":"<p><em>First</em> &lt;b&gt;x&lt;/b&gt;</p>\n"`)
		assert.Contains(t, body, `"narrative_html":"<p><em>Before</em> it</p>\n"`, "of each step")
		plain := s.Do("ann", http.MethodGet, strings.Replace(at, "render=html&", "", 1)+thread, "").Body
		assert.NotContains(t, plain, "_html")
		assert.Contains(t, plain, `"result_size":4`)
	}
	assert.Equal(t, "bad_render", s.Do("ann", http.MethodGet, "/api/chat/history?render=pdf", "").JSON()["error"])
}
