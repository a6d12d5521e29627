package session_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func newJob(t *testing.T) (*session.Session, string) {
	t.Helper()
	s, _ := newThread(t)
	title, prompt := safety.Literal("tidy up"), safety.Literal("remove old builds")
	j, err := s.OpenJob(session.JobOpened{Title: title, Prompt: prompt})
	require.NoError(t, err)
	return s, j.ID
}

// message is a worker's post with the given key.
func message(key string) session.Post {
	return session.Post{Key: key, Body: session.JobMessage{Role: "assistant", Text: safety.Literal("hello")}}
}

// post adds posts that the job accepts, and returns their events.
func post(t *testing.T, s *session.Session, id string, posts ...session.Post) []session.Event {
	t.Helper()
	events, err := s.PostToJob(id, posts)
	require.NoError(t, err)
	return events
}

func jobOf(t *testing.T, s *session.Session, id string) session.Job {
	t.Helper()
	j, err := s.Job(id)
	require.NoError(t, err)
	return j
}

func TestAJobIsPendingThenRunningThenEnded(t *testing.T) {
	done := safety.Literal("done")
	for _, tt := range []struct {
		name string
		end  session.JobEnded
		want session.JobState
	}{
		{"a job whose worker succeeded is completed",
			session.JobEnded{Success: true, Message: done}, session.JobCompleted},
		{"a job whose worker failed has failed", session.JobEnded{Message: done}, session.JobFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, id := newJob(t)
			assert.Equal(t, session.JobPending, jobOf(t, s, id).State)
			half := session.JobReported{State: safety.Literal("running"), Message: safety.Literal("half")}
			post(t, s, id, session.Post{Body: half})
			j := jobOf(t, s, id)
			assert.Equal(t, session.JobRunning, j.State)
			assert.Equal(t, "half", j.Message.String())
			post(t, s, id, message(""))
			assert.Equal(t, "half", jobOf(t, s, id).Message.String(), "a message leaves the job's alone")
			post(t, s, id, session.Post{Body: tt.end})
			j = jobOf(t, s, id)
			assert.Equal(t, tt.want, j.State)
			assert.Equal(t, 3, j.Posted)
			assert.Equal(t, "done", j.Message.String())
			assert.False(t, j.EndedAt.IsZero())
		})
	}
}

func TestARepeatedKeyChangesNothing(t *testing.T) {
	s, id := newJob(t)
	first := post(t, s, id, message("a"), message("b"), message(""))
	repeated, err := s.Repeats(id, []session.Post{message("b"), message("c"), message("c"), message("")})
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false, true, false}, repeated)
	second := post(t, s, id, message("b"), message("a"), message("c"), message("c"), message(""))
	assert.Equal(t, []uint64{first[1].Seq, first[0].Seq, 6, 6, 7}, numbers(second))
	events, more, err := s.JobEvents(id, 0, 100)
	require.NoError(t, err)
	assert.False(t, more)
	assert.Len(t, events, 6, "the opening, a, b, c, and two without a key")
}

func TestABatchIsTakenWholeOrNotAtAll(t *testing.T) {
	s, id := newJob(t)
	head := s.Head()
	_, err := s.PostToJob(id, []session.Post{message("a"), {Body: session.JobEnded{}}, message("late")})
	require.ErrorIs(t, err, session.ErrJobEnded)
	assert.Equal(t, head, s.Head())
	assert.Equal(t, session.JobPending, jobOf(t, s, id).State)
}

func TestAnEndedJobAcceptsNothingButRepetitions(t *testing.T) {
	s, id := newJob(t)
	end := session.Post{Key: "end", Body: session.JobEnded{}}
	post(t, s, id, message("a"), end)
	_, err := s.PostToJob(id, []session.Post{message("a"), end})
	require.NoError(t, err, "repeating the last batch is harmless")
	_, err = s.PostToJob(id, []session.Post{message("b")})
	require.ErrorIs(t, err, session.ErrJobEnded)
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.ErrorIs(t, err, session.ErrJobEnded)
}

func TestARestartBeginsARunWithItsOwnKeys(t *testing.T) {
	s, id := newJob(t)
	_, err := s.ChangeJob(id, session.JobRestarted{})
	require.ErrorIs(t, err, session.ErrJobOpen)
	post(t, s, id, message("a"))
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.NoError(t, err)
	assert.Equal(t, session.JobStopped, jobOf(t, s, id).State)
	j, err := s.ChangeJob(id, session.JobRestarted{})
	require.NoError(t, err)
	assert.Equal(t, 2, j.Run)
	assert.Equal(t, 0, j.Posted)
	assert.Equal(t, session.JobPending, j.State)
	before := s.Head()
	post(t, s, id, message("a"))
	assert.Equal(t, before+1, s.Head(), "the key belongs to the run before")
}

func TestOpenJobsOfASessionAreBounded(t *testing.T) {
	s, id := newJob(t)
	for range session.MaxOpenJobs - 1 {
		_, err := s.OpenJob(session.JobOpened{})
		require.NoError(t, err)
	}
	_, err := s.OpenJob(session.JobOpened{})
	require.ErrorIs(t, err, session.ErrTooManyJobs)
	_, err = s.ChangeJob(id, session.JobCancelled{})
	require.NoError(t, err)
	j, err := s.OpenJob(session.JobOpened{})
	require.NoError(t, err, "ended jobs do not count")
	jobs := s.Jobs()
	assert.Len(t, jobs, session.MaxOpenJobs+1)
	assert.Equal(t, j.ID, jobs[0].ID, "the newest is listed first")
}

func TestAJobSumsTheFindingsOfItsEvents(t *testing.T) {
	s, id := newJob(t)
	one := []safety.Finding{{Rule: "jwt", Count: 1}}
	_, err := s.ChangeJob(id, session.JobPrompted{Findings: one})
	require.NoError(t, err)
	for _, b := range []session.Body{
		session.JobMessage{Findings: one}, session.JobToolUse{Findings: one}, session.JobToolResult{Findings: one},
		session.JobReasoned{Findings: one}, session.JobReported{Findings: one}, session.JobEnded{Findings: one},
	} {
		post(t, s, id, session.Post{Body: b})
	}
	j := jobOf(t, s, id)
	assert.Equal(t, []safety.Finding{{Rule: "jwt", Count: 7}}, j.Findings)
	assert.Equal(t, []int{8, 6}, []int{j.Events, j.Posted}, "what the user does is an event, but no post")
}

func TestJobEventsComeInPages(t *testing.T) {
	s, id := newJob(t)
	threadID := s.Active()
	for i := range 9 {
		post(t, s, id, message(fmt.Sprint(i)))
		accept(t, s, threadID) // an event of another thread in between
	}
	var got []uint64
	for after, more := uint64(0), true; more; {
		var page []session.Event
		var err error
		page, more, err = s.JobEvents(id, after, 4)
		require.NoError(t, err)
		got, after = append(got, numbers(page)...), page[len(page)-1].Seq
	}
	assert.Len(t, got, 10)
	assert.IsIncreasing(t, got)
}

func TestAnUnknownJobIsRefusedEverywhere(t *testing.T) {
	s, _ := newThread(t)
	_, err := s.Job("unknown")
	require.ErrorIs(t, err, session.ErrNoJob)
	_, _, err = s.JobEvents("unknown", 0, 1)
	require.ErrorIs(t, err, session.ErrNoJob)
	_, err = s.PostToJob("unknown", nil)
	require.ErrorIs(t, err, session.ErrNoJob)
	_, err = s.Repeats("unknown", nil)
	require.ErrorIs(t, err, session.ErrNoJob)
	_, err = s.ChangeJob("unknown", session.JobCancelled{})
	require.ErrorIs(t, err, session.ErrNoJob)
}
