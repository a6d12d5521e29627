package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// limited returns a store with these limits, and the session of ann in it.
func limited(t *testing.T, l session.Limits) (*session.Memory, *session.Session) {
	t.Helper()
	st := session.NewMemory(nil).Within(l)
	t.Cleanup(func() { st.Close() })
	return st, open(t, st, "ann")
}

func open(t *testing.T, st session.Store, user string) *session.Session {
	t.Helper()
	s, err := st.Open(t.Context(), user)
	require.NoError(t, err)
	return s
}

var cleaner = safety.NewLayer()

// words returns a text of about n bytes that nothing is masked in.
func words(n int) safety.Text {
	text, _ := cleaner.Mask(strings.Repeat("so it goes ", n/11+1))
	return text
}

// jobPosts returns n events of a worker with texts of size bytes.
func jobPosts(n, size int) (posts []session.Post) {
	for range n {
		posts = append(posts, session.Post{Body: session.JobMessage{Role: "assistant", Text: words(size)}})
	}
	return posts
}

// runJob posts to a job and ends it.
func runJob(t *testing.T, s *session.Session, id string, n, size int) {
	t.Helper()
	posts := append(jobPosts(n, size), session.Post{Body: session.JobEnded{Success: true}})
	_, err := s.PostToJob(id, posts)
	require.NoError(t, err)
}

// openJob opens a job with a short prompt.
func openJob(t *testing.T, s *session.Session) string {
	t.Helper()
	j, err := s.OpenJob(session.JobOpened{Title: safety.Literal("title"), Prompt: safety.Literal("do it")})
	require.NoError(t, err)
	return j.ID
}

// runTurn runs a turn whose answer has size bytes.
func runTurn(t *testing.T, s *session.Session, thread string, size int) session.Ref {
	t.Helper()
	ref := accept(t, s, thread)
	add(t, s, ref, session.TurnCompleted{Response: words(size)})
	return ref
}

func thread(t *testing.T, s *session.Session) string {
	t.Helper()
	e, err := s.OpenThread()
	require.NoError(t, err)
	return e.Thread
}

// jobTurns folds what is left of a job.
func jobTurns(t *testing.T, s *session.Session, id string) []session.Turn {
	t.Helper()
	events, _, err := s.JobEvents(id, 0, 1<<30)
	require.NoError(t, err)
	return session.JobTurns(events)
}

func TestPostingToAndRestartingOneJobStaysWithinTheBudget(t *testing.T) {
	const limit = 4 << 20
	dropped := 0
	st, s := limited(t, session.Limits{Session: limit, OnDrop: func(_ *session.Session, d session.Dropped, n int) {
		dropped += n
		assert.Positive(t, n)
		assert.NotEmpty(t, d.Jobs)
	}})
	id := openJob(t, s)
	const runs = 60
	for range runs {
		runJob(t, s, id, 5, 60_000)
		_, err := s.ChangeJob(id, session.JobRestarted{})
		require.NoError(t, err)
		require.LessOrEqual(t, s.Held(), limit)
		require.Equal(t, s.Held(), st.Held())
	}
	assert.Greater(t, dropped+limit, runs*5*60_000, "what was posted was held or dropped")
	j := jobOf(t, s, id)
	assert.Equal(t, runs+1, j.Run)
	assert.Positive(t, j.Dropped)
	turns := jobTurns(t, s, id)
	first := turns[0]
	assert.Equal(t, j.Dropped+1, first.Run, "the oldest runs went first")
	assert.Equal(t, j.Dropped+1, first.Number, "turns keep their numbers")
	assert.Equal(t, "do it", first.Input.String(), "a run knows the job's prompt")
	assert.Equal(t, runs+1, turns[len(turns)-1].Number)
}

func TestJobsAreDroppedBeforeTurnsAndTheOldestFirst(t *testing.T) {
	const limit = 4 << 20
	_, s := limited(t, session.Limits{Session: limit})
	talk := thread(t, s)
	for range 10 {
		runTurn(t, s, talk, 90_000)
	}
	old, young := openJob(t, s), openJob(t, s)
	runJob(t, s, old, 5, 90_000)
	runJob(t, s, young, 5, 90_000)
	running := openJob(t, s)
	for s.DroppedJobs() == 0 {
		_, err := s.PostToJob(running, jobPosts(1, 90_000))
		require.NoError(t, err)
	}
	_, err := s.Job(old)
	require.ErrorIs(t, err, session.ErrNoJob)
	_, err = s.Job(young)
	require.NoError(t, err)
	h, err := s.History(talk, session.Page{})
	require.NoError(t, err)
	assert.Zero(t, h.Dropped)

	for h.Dropped == 0 {
		_, err := s.PostToJob(running, jobPosts(1, 90_000))
		require.NoError(t, err)
		h, err = s.History(talk, session.Page{})
		require.NoError(t, err)
	}
	assert.Equal(t, 2, s.DroppedJobs(), "all ended jobs went before the first turn")
	assert.Equal(t, h.Dropped+1, h.Turns[0].Number)
	assert.False(t, h.HasMore, "no page has the dropped turns")
	_, err = s.Turn(talk, h.Dropped)
	require.ErrorIs(t, err, session.ErrDropped)
	left, err := s.Turn(talk, h.Dropped+1)
	require.NoError(t, err)
	assert.Equal(t, h.Dropped+1, left.Number)
	ref := runTurn(t, s, talk, 10)
	assert.Equal(t, 11, ref.Turn, "numbers are never used again")
	info, err := s.Thread(talk)
	require.NoError(t, err)
	assert.Equal(t, []any{11, h.Dropped, "hi"}, []any{info.Turns, info.Dropped, info.Title.String()})
}

func TestAFullSessionRefusesWhatIsNewAndTakesEveryEnd(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 1 << 20})
	talk := thread(t, s)
	ref := accept(t, s, talk)
	waiting := accept(t, s, talk)
	dropped := accept(t, s, talk)
	cancelled, ended := openJob(t, s), openJob(t, s)
	for full := false; !full; {
		_, err := s.PostToJob(ended, jobPosts(1, 200))
		if full = err != nil; full {
			require.ErrorIs(t, err, session.ErrFull)
		}
	}
	release, err := s.Hold(1 << 20)
	require.ErrorIs(t, err, session.ErrFull)
	release()
	before := s.Held()
	head := s.Head()
	_, err = s.Append(ref, session.Narrated{Step: 1, Text: words(5000)})
	require.ErrorIs(t, err, session.ErrFull)
	_, err = s.PostToJob(ended, append(jobPosts(1, 9000), session.Post{Body: session.JobEnded{}}))
	require.ErrorIs(t, err, session.ErrFull)
	_, err = s.ChangeJob(cancelled, session.JobPrompted{Text: words(9000)})
	require.ErrorIs(t, err, session.ErrFull)
	_, err = s.OpenJob(session.JobOpened{Prompt: words(9000)})
	require.ErrorIs(t, err, session.ErrFull)
	_, err = s.Accept(talk, words(9000), nil)
	require.ErrorIs(t, err, session.ErrFull)
	assert.Equal(t, before, s.Held(), "a refused write holds nothing")
	assert.Equal(t, head, s.Head())

	q, err := s.Turn(talk, waiting.Turn)
	require.NoError(t, err)
	add(t, s, ref, session.TurnFailed{Error: words(500)})
	add(t, s, waiting, session.TurnStarted{Message: q.Message, Input: q.Input}, session.TurnInterrupted{})
	add(t, s, dropped, session.TurnInterrupted{})
	_, err = s.PostToJob(ended, []session.Post{{Body: session.JobEnded{Message: words(500)}}})
	require.NoError(t, err)
	_, err = s.ChangeJob(cancelled, session.JobCancelled{})
	require.NoError(t, err)
	assert.LessOrEqual(t, s.Held(), 1<<20)
	openJob(t, s) // what has ended can be dropped
	assert.LessOrEqual(t, s.Held(), 1<<20)
}

func TestAReaderLearnsWhatWasDropped(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 2 << 20})
	talk := thread(t, s)
	first := runTurn(t, s, talk, 90_000)
	turn := turnOf(t, s, first)
	for thread, err := s.Thread(talk); thread.Dropped == 0; thread, err = s.Thread(talk) {
		require.NoError(t, err)
		runTurn(t, s, talk, 90_000)
	}
	assert.Zero(t, s.Gone(), "the log still tells what is missing")
	var seen []session.Event
	for up, err := range s.Watch(t.Context(), turn.FirstSeq) {
		require.NoError(t, err)
		if seen = append(seen, up.Event); up.Event.Seq == s.Head() {
			break
		}
	}
	now, err := s.Thread(talk)
	require.NoError(t, err)
	assert.Equal(t, now.Dropped+1, seen[0].Turn, "the next event that is left")
	assert.Contains(t, func() (notices []session.Body) {
		for _, e := range seen {
			notices = append(notices, e.Body)
		}
		return notices
	}(), session.Body(session.Dropped{Threads: []session.DroppedTurns{{Thread: talk, Turns: now.Dropped}}}))

	for turns := 0; s.Gone() == 0; turns++ {
		require.Less(t, turns, 200, "the log goes on as if it still told what is missing")
		runTurn(t, s, talk, 90_000)
	}
	assert.Greater(t, s.Gone(), turn.FirstSeq)
	assert.Less(t, s.Gone(), s.Head())
}

func TestOneSessionCannotTakeTheProcessBudgetOfOthers(t *testing.T) {
	const process = 8 << 20
	st, hostile := limited(t, session.Limits{Session: process, Process: process})
	honest := open(t, st, "bob")
	talk := thread(t, honest)
	for range 5 {
		runTurn(t, honest, talk, 90_000)
	}
	greedy := openJob(t, hostile)
	for full := false; !full; {
		_, err := hostile.PostToJob(greedy, jobPosts(10, 90_000))
		if full = err != nil; full {
			require.ErrorIs(t, err, session.ErrServerFull)
		}
		require.LessOrEqual(t, st.Held(), process)
	}
	for range 5 { // room is left for those within their share
		runTurn(t, honest, talk, 90_000)
	}
	_, err := hostile.PostToJob(greedy, []session.Post{{Body: session.JobEnded{}}})
	require.NoError(t, err)
	for range 20 {
		runTurn(t, honest, talk, 90_000)
		require.LessOrEqual(t, st.Held(), process)
	}
	h, err := honest.History(talk, session.Page{})
	require.NoError(t, err)
	assert.Len(t, h.Turns, 30, "nothing of the honest user is lost")
	_, err = hostile.Job(greedy)
	require.ErrorIs(t, err, session.ErrNoJob, "the larger session makes room")
}

func TestAnEvictedSessionGivesBackWhatItHolds(t *testing.T) {
	st, s := limited(t, session.Limits{})
	before := st.Held()
	runTurn(t, s, thread(t, s), 90_000)
	release, err := s.Hold(1000)
	require.NoError(t, err)
	assert.Greater(t, st.Held(), before+91_000)
	n, err := st.Evict(t.Context(), time.Now())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	release()
	assert.Zero(t, st.Held())
	open(t, st, "bob")
	require.NoError(t, st.Remove(t.Context(), "bob"))
	assert.Zero(t, st.Held())
}

func TestWhatIsHeldIsChargedUntilItIsReleasedOnce(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 1 << 20})
	before := s.Held()
	release, err := s.Hold(1000)
	require.NoError(t, err)
	assert.Equal(t, before+1000, s.Held())
	release()
	release()
	assert.Equal(t, before, s.Held())
}

// Who takes part in a space makes room of what that space has, before a conversation of the owner's is dropped.
func TestASpaceDropsItsOwnTurnsBeforeThoseOfTheOwner(t *testing.T) {
	for name, participants := range map[string]int{"one participant": 1, "many participants": 40} {
		t.Run(name, func(t *testing.T) {
			store := session.NewMemory(nil).Within(session.Limits{Session: 2 << 20})
			t.Cleanup(func() { _ = store.Close() })
			s, err := store.Open(t.Context(), "ann")
			require.NoError(t, err)
			own, err := s.OpenThread()
			require.NoError(t, err)
			ref := accept(t, s, own.Thread)
			add(t, s, ref, session.TurnCompleted{Response: safety.Literal("mine")})
			long, _ := cleaner.Mask(strings.Repeat("so it goes ", 1500))
			for i := range 400 {
				who := fmt.Sprint("p", i%participants)
				id, err := s.OpenObserved(who, session.Origin{
					Protocol: "mew", Space: safety.Literal("lab"), Participant: safety.Literal("p"),
				})
				require.NoError(t, err)
				e, err := s.Observe(id, session.TurnStarted{})
				require.NoError(t, err)
				add(t, s, e.Ref, session.TurnCompleted{Response: long})
			}
			kept, err := s.Turn(own.Thread, 1)
			require.NoError(t, err)
			assert.Equal(t, "mine", kept.Response.String())
		})
	}
}
