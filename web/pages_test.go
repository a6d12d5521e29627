package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
	"candor/web/client"
	"candor/web/view"
)

// words returns ordinary text of about n bytes.
func words(n int) string { return strings.Repeat("some words\n", n/11) }

func connected(t *testing.T, s *apptest.Server) *client.Client {
	t.Helper()
	c, err := client.New(s.HTTP.URL, apptest.TokenOf("ann"))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func TestAPageOfHistoryIsBoundedInBytes(t *testing.T) {
	const turns, known = 100, 90
	s := apptest.Start(t, app.Settings{}, nil)
	thread, _ := s.Begin("ann")
	own := s.Session("ann")
	long, _ := safety.NewLayer().Mask(words(90_000))
	for range turns {
		e, err := own.Accept(thread, long, nil)
		require.NoError(t, err)
		_, err = own.Append(e.Ref, session.TurnCompleted{Response: safety.Literal("ok")})
		require.NoError(t, err)
	}
	r := s.Get("ann", "/api/chat/history?limit=200&thread_id="+thread)
	assert.Less(t, len(r.Body), view.MaxPage+view.MaxPage/4)
	page := r.JSON()
	shown := len(page["turns"].([]any))
	assert.Greater(t, shown, 30)
	assert.Equal(t, true, page["has_more"])
	before := url.QueryEscape(page["oldest_timestamp"].(string))
	older := s.Get("ann", "/api/chat/history?limit=1&before="+before).JSON()["turns"].([]any)[0].(map[string]any)
	assert.InDelta(t, turns-shown, older["turn_number"], 0, "the next page goes on where this one ends")

	recent, err := connected(t, s).Recent(t.Context(), thread, known)
	require.NoError(t, err)
	assert.Equal(t, known, len(recent.Turns), "the terminal shows as many as it wants")
	assert.Equal(t, turns-known+1, recent.Turns[0].Number)
}

func TestAJobIsShownInPagesOfABoundedSize(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("a long job")
	const calls = 80
	for n := range calls {
		r := s.PostEvents(id, token, fmt.Sprintf(`{"event":"reasoning","narrative":"step %d","tool_decisions":[
			{"tool_name":"write","call_id":"c%d","rationale":"because"}]}`, n+1, n))
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		use := apptest.JSON(t, apptest.M{"event": "tool_use", "tool_name": "write", "call_id": fmt.Sprint("c", n),
			"input": apptest.M{"text": words(90_000)}})
		require.Equal(t, http.StatusOK, s.PostEvents(id, token, string(use)).Status)
	}
	for _, path := range []string{"/api/jobs/" + id, "/api/jobs/" + id + "/events"} {
		r := s.Get("ann", path)
		assert.Less(t, len(r.Body), view.MaxPage+view.MaxPage/4, path)
		assert.Equal(t, true, r.JSON()["has_more"], path)
	}
	turns, err := connected(t, s).JobTurns(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, turns, 1)
	var want, got, said []string
	for n := range calls {
		want = append(want, fmt.Sprintf("call_%d step %d", n+1, n+1))
	}
	for _, n := range turns[0].Reasoning.Narratives {
		said = append(said, n.Narrative)
	}
	require.Len(t, said, calls)
	for i, d := range turns[0].Reasoning.Decisions {
		got = append(got, d.CallID+" "+said[i])
	}
	assert.Equal(t, want, got, "every call is in one of the pages, once and in order")
	assert.Len(t, turns[0].Calls, calls)
	for _, bad := range []string{"?before=x", "?before=1.0", "?limit=0", "?limit=201"} {
		assert.Equal(t, http.StatusBadRequest, s.Get("ann", "/api/jobs/"+id+bad).Status, bad)
	}
}

func TestListsOfThreadsAndJobsComeInPages(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	own := s.Session("ann")
	for range 201 {
		_, err := own.OpenThread()
		require.NoError(t, err)
		j, err := own.OpenJob(session.JobOpened{})
		require.NoError(t, err)
		_, err = own.ChangeJob(j.ID, session.JobCancelled{})
		require.NoError(t, err)
	}
	for _, list := range []struct{ path, name, cursor string }{
		{"/api/chat/threads", "threads", "updated_at"}, {"/api/jobs", "jobs", "created_at"},
	} {
		first := s.Get("ann", list.path).JSON()
		entries := first[list.name].([]any)
		require.Len(t, entries, 200, list.path)
		assert.Equal(t, true, first["has_more"], list.path)
		last := entries[199].(map[string]any)[list.cursor].(string)
		second := s.Get("ann", list.path+"?before="+url.QueryEscape(last)).JSON()
		assert.Len(t, second[list.name], 1, list.path)
		assert.NotEqual(t, true, second["has_more"], list.path)
		assert.Equal(t, "bad_cursor", s.Get("ann", list.path+"?before=x").JSON()["error"])
	}
	threads, _, err := connected(t, s).Threads(t.Context())
	require.NoError(t, err)
	assert.Len(t, threads, 201, "the terminal lists them all")
}
