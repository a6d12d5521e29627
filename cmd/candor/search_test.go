package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASearchGoesThroughOnesOwnThreadsAndJobs(t *testing.T) {
	s, thread := twoTurns(t)
	s.do("ann", http.MethodPost, "/api/jobs", `{"title":"look around","prompt":"find the word Follow"}`)
	got := s.do("ann", http.MethodGet, "/api/chat/search?q=follow", "").json(t)
	hits := got["hits"].([]any)
	require.GreaterOrEqual(t, len(hits), 3)
	assert.NotEmpty(t, hits[0].(map[string]any)["job_id"], "the newest first")
	assert.Equal(t, thread, hits[1].(map[string]any)["thread_id"])
	call := s.do("ann", http.MethodGet, "/api/chat/search?q=follow&tool=file_search&outcome=success&source=model&redacted=false", "")
	assert.Equal(t, "call_1", call.json(t)["hits"].([]any)[0].(map[string]any)["call_id"], call.body)

	none := s.do("bob", http.MethodGet, "/api/chat/search?q=follow", "").json(t)
	assert.Empty(t, none["hits"], "another user's are not found")
	assert.Empty(t, none["facets"].(map[string]any)["tool"], "nor counted")
	for query, code := range map[string]string{
		"q=" + strings.Repeat("a", 201): "bad_query", "q=" + url.QueryEscape("1 2 3 4 5 6 7 8 9"): "bad_query",
		"limit=0": "bad_limit", "limit=x": "bad_limit", "redacted=maybe": "bad_redacted",
	} {
		r := s.do("ann", http.MethodGet, "/api/chat/search?"+query, "")
		assert.Equal(t, code, r.json(t)["error"], query)
	}
}

func TestHistoryRendersMarkdownWhereItIsAsked(t *testing.T) {
	s := startServer(t, settings{}, map[string]any{
		"steps": []any{
			map[string]any{"narrative": "*Before* it", "tool_calls": []any{map[string]any{"id": "a", "name": "look", "arguments": map[string]any{}}}},
			map[string]any{"narrative": "*First* <b>x</b>", "tool_calls": []any{map[string]any{"id": "a", "name": "look", "arguments": map[string]any{}}}},
			map[string]any{"text": "It is **done**. ![p](http://x.test/p.png)"},
		},
		"tools": map[string]any{"look": map[string]any{"result": "ok"}},
	})
	thread := s.send("ann", "", "go")["thread_id"].(string)
	s.settled("ann", thread, 1)
	for _, at := range []string{"/api/chat/history?render=html&thread_id=", "/api/chat/turn?turn=1&render=html&thread_id="} {
		body := s.do("ann", http.MethodGet, at+thread, "").body
		assert.Contains(t, body, `"response_html":"<p>It is <strong>done</strong>. ![p](http://x.test/p.png)</p>\n"`)
		assert.Contains(t, body, `"narrative_html":"<p><em>First</em> &lt;b&gt;x&lt;/b&gt;</p>\n"`)
		assert.Contains(t, body, `"narrative_html":"<p><em>Before</em> it</p>\n"`, "of each step")
		plain := s.do("ann", http.MethodGet, strings.Replace(at, "render=html&", "", 1)+thread, "").body
		assert.NotContains(t, plain, "_html")
		assert.Contains(t, plain, `"result_size":4`)
	}
	assert.Equal(t, "bad_render", s.do("ann", http.MethodGet, "/api/chat/history?render=pdf", "").json(t)["error"])
}
