package session_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// TestEverythingIsGivenBack does things at random, ends them all, and makes room until almost
// nothing is left. At each moment what is charged is the sum of what is there.
func TestEverythingIsGivenBack(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			_, s := limited(t, session.Limits{Session: 2 << 20})
			talk := thread(t, s)
			withThread := s.Held()
			rnd := rand.New(rand.NewPCG(seed, 1))
			var jobs []string
			for range 300 {
				jobs = randomWrite(t, s, talk, jobs, rnd)
				require.LessOrEqual(t, s.Held(), 2<<20)
				require.Equal(t, s.Recount(), s.Held())
			}
			endAll(t, s, talk)
			release, err := s.Hold(2<<20 - withThread - 20_000) // what is left is less than most texts
			require.NoError(t, err)
			release()
			assert.Less(t, s.Held(), withThread+20_000)
			assert.Equal(t, s.Recount(), s.Held())
		})
	}
}

// randomWrite does one thing to the session, which may refuse it.
func randomWrite(t *testing.T, s *session.Session, talk string, jobs []string, rnd *rand.Rand) []string {
	size := rnd.IntN(40_000)
	pick := ""
	if len(jobs) > 0 {
		pick = jobs[rnd.IntN(len(jobs))]
	}
	th, err := s.Thread(talk)
	require.NoError(t, err)
	ref := session.Ref{Thread: talk, Turn: max(1, th.Turns-rnd.IntN(3))}
	switch rnd.IntN(10) {
	case 0:
		if j, err := s.OpenJob(session.JobOpened{Prompt: words(size), Title: words(10)}); err == nil {
			return append(jobs, j.ID)
		}
	case 1:
		_, _ = s.ChangeJob(pick, session.JobRestarted{})
	case 2:
		_, _ = s.ChangeJob(pick, session.JobCancelled{})
	case 3:
		_, _ = s.ChangeJob(pick, session.JobPrompted{Text: words(size)})
	case 4:
		posts := jobPosts(3, size)
		posts[0].Key, posts[2].Key = "a", fmt.Sprint(rnd.IntN(3))
		_, _ = s.PostToJob(pick, posts)
	case 5:
		_, _ = s.PostToJob(pick, []session.Post{{Body: session.JobEnded{Message: words(size)}}})
	case 6:
		_, _ = s.Accept(talk, words(size), nil)
	case 7:
		_, _ = s.Append(ref, session.TurnStarted{Input: words(size)})
		_, _ = s.Append(ref, session.Narrated{Step: 1, Text: words(size)})
	case 8:
		_, _ = s.Append(ref, session.TurnCompleted{Response: words(size)})
	case 9:
		_, _ = s.Append(ref, session.TurnInterrupted{})
	}
	return jobs
}

// endAll ends the turns of a thread and all jobs.
func endAll(t *testing.T, s *session.Session, talk string) {
	t.Helper()
	h, err := s.History(talk, session.Page{})
	require.NoError(t, err)
	for _, turn := range h.Turns {
		if !turn.State.Ended() {
			add(t, s, session.Ref{Thread: talk, Turn: turn.Number}, session.TurnInterrupted{})
		}
	}
	for _, j := range s.Jobs() {
		if !j.State.Ended() {
			_, err := s.ChangeJob(j.ID, session.JobCancelled{})
			require.NoError(t, err)
		}
	}
}

func TestAReaderHoldsABoundedPartOfTheLog(t *testing.T) {
	_, s := limited(t, session.Limits{})
	id := openJob(t, s)
	runJob(t, s, id, 200, 10)
	first := s.Batch(0)
	assert.Len(t, first, 64)
	assert.Equal(t, uint64(65), s.Batch(64)[0].Seq)
	large := openJob(t, s)
	before := s.Head()
	runJob(t, s, large, 20, 90_000)
	assert.Len(t, s.Batch(before), 3, "the third message is the first beyond 256 KiB")
}
