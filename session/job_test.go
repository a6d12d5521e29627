package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func openJob(t *testing.T) (*session.Session, string) {
	t.Helper()
	s, _ := open(t)
	j, err := s.OpenJob(session.JobOpened{Title: safety.Literal("tidy up"), Prompt: safety.Literal("remove old builds")})
	require.NoError(t, err)
	return s, j.ID
}

func said(key string) session.Post {
	return session.Post{Key: key, Body: session.JobMessage{Role: "assistant", Text: safety.Literal("hello")}}
}

func seqs(events []session.Event) []uint64 {
	var out []uint64
	for _, e := range events {
		out = append(out, e.Seq)
	}
	return out
}

func TestAJobGoesFromPendingToItsEnd(t *testing.T) {
	s, id := openJob(t)
	states := []session.JobState{}
	note := func() {
		j, err := s.Job(id)
		require.NoError(t, err)
		states = append(states, j.State)
	}
	note()
	_, err := s.PostToJob(id, []session.Post{said("")})
	require.NoError(t, err)
	note()
	_, err = s.PostToJob(id, []session.Post{{Body: session.JobEnded{Success: true, Message: safety.Literal("done")}}})
	require.NoError(t, err)
	note()
	assert.Equal(t, []session.JobState{session.JobPending, session.JobRunning, session.JobCompleted}, states)
	j, _ := s.Job(id)
	assert.Equal(t, 2, j.Posted)
	assert.Equal(t, "done", j.Message.String())
	assert.False(t, j.EndedAt.IsZero())
}

func TestARepeatedKeyChangesNothing(t *testing.T) {
	s, id := openJob(t)
	first, err := s.PostToJob(id, []session.Post{said("a"), said("b"), said("")})
	require.NoError(t, err)
	again, err := s.PostToJob(id, []session.Post{said("b"), said("a"), said("c"), said("c"), said("")})
	require.NoError(t, err)
	assert.Equal(t, []uint64{first[1].Seq, first[0].Seq, 6, 6, 7}, seqs(again))
	events, more, err := s.JobEvents(id, 0, 100)
	require.NoError(t, err)
	assert.False(t, more)
	assert.Len(t, events, 6, "the opening, a, b, c, and two without a key")
}

func TestABatchIsTakenWholeOrNotAtAll(t *testing.T) {
	s, id := openJob(t)
	head := s.Head()
	_, err := s.PostToJob(id, []session.Post{said("a"), {Body: session.JobEnded{}}, said("late")})
	require.ErrorIs(t, err, session.ErrJobEnded)
	assert.Equal(t, head, s.Head())
	j, _ := s.Job(id)
	assert.Equal(t, session.JobPending, j.State)
}

func TestAnEndedJobTakesNothingButItsRepeats(t *testing.T) {
	s, id := openJob(t)
	end := session.Post{Key: "end", Body: session.JobEnded{}}
	_, err := s.PostToJob(id, []session.Post{said("a"), end})
	require.NoError(t, err)
	_, err = s.PostToJob(id, []session.Post{said("a"), end})
	require.NoError(t, err, "a retry of what was taken is harmless")
	_, err = s.PostToJob(id, []session.Post{said("b")})
	require.ErrorIs(t, err, session.ErrJobEnded)
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.ErrorIs(t, err, session.ErrJobEnded)
}

func TestARestartedJobCountsAnew(t *testing.T) {
	s, id := openJob(t)
	_, err := s.ChangeJob(id, session.JobRestarted{})
	require.ErrorIs(t, err, session.ErrJobOpen)
	_, err = s.PostToJob(id, []session.Post{said("a")})
	require.NoError(t, err)
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.NoError(t, err)
	j, err := s.ChangeJob(id, session.JobRestarted{})
	require.NoError(t, err)
	assert.Equal(t, 2, j.Run)
	assert.Equal(t, session.JobPending, j.State)
	before := s.Head()
	_, err = s.PostToJob(id, []session.Post{said("a")})
	require.NoError(t, err)
	assert.Equal(t, before+1, s.Head(), "keys are those of a run")
}

func TestJobsOfASessionAreBounded(t *testing.T) {
	s, id := openJob(t)
	for range session.MaxOpenJobs - 1 {
		_, err := s.OpenJob(session.JobOpened{})
		require.NoError(t, err)
	}
	_, err := s.OpenJob(session.JobOpened{})
	require.ErrorIs(t, err, session.ErrTooManyJobs)
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.NoError(t, err)
	_, err = s.OpenJob(session.JobOpened{})
	require.NoError(t, err, "ended ones do not count")
	assert.Len(t, s.Jobs(), session.MaxOpenJobs+1)
}

func TestJobEventsComeInPages(t *testing.T) {
	s, id := openJob(t)
	thread := s.Active()
	for i := range 9 {
		_, err := s.PostToJob(id, []session.Post{said(fmt.Sprint(i))})
		require.NoError(t, err)
		accept(t, s, thread) // events of others stand between
	}
	var got []uint64
	for after, more := uint64(0), true; more; {
		var page []session.Event
		var err error
		page, more, err = s.JobEvents(id, after, 4)
		require.NoError(t, err)
		got, after = append(got, seqs(page)...), page[len(page)-1].Seq
	}
	assert.Len(t, got, 10)
	assert.IsIncreasing(t, got)
	_, _, err := s.JobEvents("nobody's", 0, 1)
	require.ErrorIs(t, err, session.ErrNoJob)
}
