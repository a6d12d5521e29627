package attached

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/attach"
)

// hear gives a server a sighting of a hook and returns what is recorded of it.
func hear(s *Server, thread string, change func(*attach.Sighting)) []attach.Sighting {
	one := attach.Sighting{Agent: "claude", Session: thread, Channel: attach.Hooks, Turn: "p1"}
	change(&one)
	return (&taking{Server: s}).settle(thread, one)
}

func TestAPromptEndsTheTurnBeforeIt(t *testing.T) {
	s := New(Options{})
	prompt := func(id string) func(*attach.Sighting) {
		return func(s *attach.Sighting) { s.Turn, s.Prompted = id, &attach.Prompted{} }
	}
	assert.Len(t, hear(s, "t", prompt("p1")), 1)
	assert.Len(t, hear(s, "t", prompt("p1")), 1, "told twice")
	all := hear(s, "t", prompt("p2"))
	if assert.Len(t, all, 2) {
		assert.NotNil(t, all[0].Ended)
		assert.Equal(t, "p1", all[0].Turn)
	}
	all = hear(s, "t", func(s *attach.Sighting) { s.Turn, s.Ended = "", &attach.Ended{} })
	assert.Equal(t, "p2", all[0].Turn, "a hook that names no prompt is about the latest")
}

func TestASubAgentWhoseHooksNameNoTurnStaysInTheOneThatBeganIt(t *testing.T) {
	s := New(Options{})
	in := func(turn, sub string) string {
		all := hear(s, "t", func(one *attach.Sighting) {
			one.Turn, one.Sub, one.Call, one.Called = turn, sub, "c", &attach.Called{Tool: "Bash"}
		})
		return all[0].Turn
	}
	assert.Equal(t, "p1", in("p1", ""))
	assert.Equal(t, "p1", in("", "a1"))
	assert.Equal(t, "p2", in("p2", ""))
	assert.Equal(t, "p1", in("", "a1"), "it goes on in the background")
	assert.Equal(t, "p2", in("", ""), "and is not what the person speaks to")
	assert.Equal(t, "p2", in("", "a2"))
	for i := range maxSubs {
		in("", "other"+strconv.Itoa(i))
	}
	assert.Len(t, s.open["t"].subs, maxSubs)
}

func TestAgentsAreForgottenWhereTheyAreTooMany(t *testing.T) {
	now := time.Now()
	s := New(Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	for i := range maxLive + 1 {
		hear(s, strconv.Itoa(i), func(one *attach.Sighting) { one.Prompted = &attach.Prompted{} })
	}
	assert.Len(t, s.open, maxLive)
	assert.NotContains(t, s.open, "0", "it was silent the longest")
}
