package agui_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestAReplayResumesAfterAnyEvent(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{
			calling("Both.", callOf("clock", "for the time", m{}), callOf("deploy", "as asked",
				m{})), answering("Done."),
		},
		"tools": m{"clock": m{"result": "12:00"}, "deploy": m{"result": "ok", "approval": "ask"}},
	})
	run, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	open := run[len(run)-1]["outcome"].(m)["interrupts"].([]any)[0].(m)["id"]
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2", "messages": []m{},
		"resume": []m{{"interruptId": open, "status": "resolved"}}}))
	s.Do("bob", http.MethodPost, "/agui", anInput(nil))
	s.Do("bob", http.MethodPost, "/agui/threads/theirs/interrupt", "")

	own := s.Session("ann")
	origin := own.ID()[:8] + "-0"
	whole := s.Do("ann", http.MethodGet, "/agui/threads/theirs/events?after="+origin, "")
	events, ids := wire(t, whole.Body)
	require.Len(t, ids, len(events), "each event has an id")
	assert.Equal(t, "RUN_STARTED", events[0]["type"])
	assert.Equal(t, 2, strings.Count(whole.Body, `"type":"RUN_STARTED"`), "the turn took two runs")
	for i, id := range ids {
		rest, _ := wire(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "", func(r *http.Request) {
			r.Header.Set("Last-Event-ID", id)
		}).Body)
		require.Equal(t, events[i+1:], append([]m{}, rest...), "after %s", id)
	}
	snapshot, _ := wire(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "").Body)
	assert.Equal(t, []string{"RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}, typesOf(snapshot))
	for place, status := range map[string]int{"nowhere": 400, "ffffffff-1": 410, own.ID()[:8] + "-9999": 410} {
		assert.Equal(t, status, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events?after="+place, "").Status,
			place)
	}
	assert.Equal(t, http.StatusNotFound, s.Do("bob", http.MethodGet, "/agui/threads/"+own.ID()+"/events", "").Status)
}

func TestAReplayContinuesWithTheOpenRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in fake time the tool still runs when the replay begins
		p := apptest.NewPlay(t, apptest.JSON(t, m{
			"steps": []m{calling("Wait.", callOf("slow", "as asked", m{})), answering("Done.")},
			"tools": m{"slow": m{"result": 1, "delay_ms": 400}},
		}))
		defer p.Close()
		sent := p.Post("/api/chat/send", `{"content":"go"}`)
		events, _ := wire(t, p.Get("/agui/threads/"+sent["thread_id"].(string)+"/events"))
		all := strings.Join(typesOf(events), " ")
		const before = "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED RUN_STARTED TEXT_MESSAGE_START"
		assert.True(t, strings.HasPrefix(all, before), all)
		assert.True(t, strings.HasSuffix(all, "TEXT_MESSAGE_END RUN_FINISHED"), all)
	})
}
