package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// fill posts to an open job of each of these users in turn until all of them are refused.
func fill(t *testing.T, st *session.Memory, process int, crowd map[string]*session.Session) {
	t.Helper()
	for full := 0; full < len(crowd); {
		full = 0
		for id, s := range crowd {
			if _, err := s.PostToJob(id, jobPosts(1, 1000)); err != nil {
				require.ErrorIs(t, err, session.ErrServerFull)
				full++
			}
			require.LessOrEqual(t, st.Held(), process)
		}
	}
}

// openJobs opens a job for each of n users.
func openJobs(t *testing.T, st *session.Memory, name string, n int) map[string]*session.Session {
	t.Helper()
	crowd := map[string]*session.Session{}
	for i := range n {
		s := open(t, st, fmt.Sprint(name, i))
		crowd[openJob(t, s)] = s
	}
	return crowd
}

func TestACrowdOfEqualsLeavesAnotherUserTheirFairShare(t *testing.T) {
	const process = 8 << 20
	st, honest := limited(t, session.Limits{Session: process, Process: process})
	crowd := openJobs(t, st, "user", 20)
	fill(t, st, process, crowd)
	talk := thread(t, honest)
	for honest.Held() < process/(len(crowd)+1)-40_000 {
		runTurn(t, honest, talk, 20_000)
		require.LessOrEqual(t, st.Held(), process)
	}
}

// What has not ended is never dropped, so a few who have much of it, and many who come later, can
// fill the process's budget, though not exceed it. Another user then keeps what they have, can end
// it, and is refused what is new until somebody's work ends.
func TestACrowdOfOpenJobsDoesNotExceedTheProcessBudget(t *testing.T) {
	const process = 8 << 20
	st, honest := limited(t, session.Limits{Session: process, Process: process})
	talk := thread(t, honest)
	runTurn(t, honest, talk, 20_000)
	running := accept(t, honest, talk)
	early := openJobs(t, st, "early", 2)
	fill(t, st, process, early)
	fill(t, st, process, openJobs(t, st, "late", 5))
	_, err := honest.Accept(talk, words(20_000), nil)
	require.ErrorIs(t, err, session.ErrServerFull)
	_, err = honest.OpenJob(session.JobOpened{Prompt: words(20_000)})
	require.ErrorIs(t, err, session.ErrServerFull)
	add(t, honest, running, session.TurnCompleted{Response: safety.Literal("yes")})
	require.LessOrEqual(t, st.Held(), process)
	h, err := honest.History(talk, session.Page{})
	require.NoError(t, err)
	assert.Len(t, h.Turns, 2, "nothing of the honest user is lost")
	for id, s := range early {
		_, err := s.PostToJob(id, []session.Post{{Body: session.JobEnded{}}})
		require.NoError(t, err)
	}
	for range 20 {
		runTurn(t, honest, talk, 20_000)
		require.LessOrEqual(t, st.Held(), process)
	}
}
