package agui_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestAClientThatFollowsAThreadLearnsThatItWasDeleted(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{"steps": []m{answering("Hello.")}})
	first, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	ours := first[0]["metadata"].(m)["candor:run"].(m)["thread_id"].(string)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // it would go on without end
	defer cancel()
	const replay = "/agui/threads/theirs/events"
	resp, err := s.Caller.Do(s.Request(ctx, "ann", http.MethodGet, replay+"?follow=true", ""))
	require.NoError(t, err)
	defer resp.Body.Close()
	var seen strings.Builder
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		seen.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), `"RUN_FINISHED"`) {
			deleted := s.Do("ann", http.MethodDelete, "/api/chat/threads/"+ours, "")
			require.Equal(t, http.StatusNoContent, deleted.Status, deleted.Body)
		}
	}
	require.NoError(t, ctx.Err(), "the stream did not end")
	events, _ := wire(t, seen.String())
	last := events[len(events)-1]
	assert.Equal(t, "RUN_ERROR", last["type"])
	assert.Equal(t, "thread_deleted", last["code"])

	assert.Equal(t, http.StatusNotFound, s.Get("ann", replay).Status)
	again, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2"})).Body)
	assert.Equal(t, "RUN_FINISHED", again[len(again)-1]["type"], "a message begins it anew")
	anew := s.Get("ann", replay)
	assert.Equal(t, http.StatusOK, anew.Status, "what was deleted before is not held against it")
	assert.NotContains(t, anew.Body, "thread_deleted")
}
