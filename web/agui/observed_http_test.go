package agui_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
)

func TestAnObservedThreadIsReplayedAndTakesNoMessage(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	space := s.Observe("ann", "lab")
	planner, scout := space.AskScout("Do the tests pass?")
	space.Add(scout, space.Say(1, "I run them."), session.TurnCompleted{Conclusion: space.Text("They should.")},
		session.Answered{Response: space.Text("Yes.")})
	space.Add(planner, session.TurnInterrupted{})
	at := "/agui/threads/" + space.Scout + "/events"
	origin := space.Own.ID()[:8] + "-0"
	whole := s.Do("ann", http.MethodGet, at+"?after="+origin, "")
	assert.Equal(t, 2, strings.Count(whole.Body, `"type":"RUN_FINISHED"`), "the turn, and its late answer")
	snapshot, _ := wire(t, s.Do("ann", http.MethodGet, at, "").Body)
	assert.Equal(t, []string{"RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}, typesOf(snapshot))

	before := space.Own.Head()
	refused := s.Do("ann", http.MethodPost, "/agui", anInput(m{"threadId": space.Scout}))
	assert.Equal(t, http.StatusConflict, refused.Status, refused.Body)
	assert.Contains(t, refused.Body, "observed_thread")
	assert.Equal(t, before, space.Own.Head(), "nothing was recorded")
}
