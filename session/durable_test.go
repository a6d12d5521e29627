package session_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
	"candor/session/sessiontest"
)

func TestDurableKeepsTheContract(t *testing.T) {
	sessiontest.Run(t, func() session.Store {
		return session.NewDurable(newFakeEngine().engine(), nil, session.Limits{})
	})
}

// openDurable returns ann's session in a store on an engine.
func openDurable(t *testing.T, f *fakeEngine, l session.Limits) (*session.Durable, *session.Session) {
	t.Helper()
	store := session.NewDurable(f.engine(), nil, l)
	t.Cleanup(func() { _ = store.Close() })
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	return store, s
}

// work does random things in a session: turns with calls in some threads, and jobs.
func work(t *testing.T, s *session.Session, r *rand.Rand, rounds int) {
	t.Helper()
	for len(s.Threads()) < 3 {
		_, err := s.OpenThread()
		require.NoError(t, err)
	}
	for range rounds {
		threads := s.Threads()
		ref := accept(t, s, threads[r.IntN(len(threads))].ID)
		for step := 1; step <= r.IntN(3); step++ {
			id := fmt.Sprintf("call_%d", step)
			add(t, s, ref, session.Narrated{Step: step, Text: words(r.IntN(30)), Source: session.FromModel},
				toolCall(id, step))
			if r.IntN(4) == 0 {
				workOnJob(t, s, r)
			}
			add(t, s, ref, session.ToolReturned{Call: id, Outcome: session.Success}, session.StepEnded{Step: step})
		}
		add(t, s, ref, session.TurnCompleted{Response: words(20)})
	}
}

// workOnJob opens a job, and ends some.
func workOnJob(t *testing.T, s *session.Session, r *rand.Rand) {
	t.Helper()
	j, err := s.OpenJob(session.JobOpened{Title: words(3), Prompt: words(9)})
	require.NoError(t, err)
	posts := []session.Post{{Key: "a", Body: session.JobReported{Message: words(5)}}}
	if r.IntN(5) > 0 {
		posts = append(posts, session.Post{Key: "b", Body: session.JobEnded{Success: true, Message: words(4)}})
	}
	_, err = s.PostToJob(j.ID, posts)
	require.NoError(t, err)
}

// contents is all that a session shows.
type contents struct {
	Threads []session.Thread
	History map[string][]session.Turn
	Jobs    []session.Job
	Posts   map[string][]session.Event
	Updates []session.Update
	Active  string
}

func contentsOf(t *testing.T, s *session.Session) contents {
	t.Helper()
	c := contents{
		Threads: s.Threads(), History: map[string][]session.Turn{}, Jobs: s.Jobs(), Posts: map[string][]session.Event{},
		Active: s.Active(),
	}
	for _, th := range c.Threads {
		h, err := s.History(th.ID, session.Page{})
		require.NoError(t, err)
		c.History[th.ID] = h.Turns
	}
	for _, j := range c.Jobs {
		events, _, err := s.JobEvents(j.ID, 0, j.Events)
		require.NoError(t, err)
		c.Posts[j.ID] = events
	}
	c.Updates = updatesOf(t, s, 0)
	return c
}

// updatesOf returns what a reader behind a position gets.
func updatesOf(t *testing.T, s *session.Session, after uint64) (updates []session.Update) {
	t.Helper()
	if after == s.Head() {
		return nil
	}
	for up, err := range s.Watch(t.Context(), after) {
		require.NoError(t, err)
		if updates = append(updates, up); up.Event.Seq == s.Head() {
			break
		}
	}
	return updates
}

func TestASessionIsTheSameWhenItIsOpenedAgain(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		f := newFakeEngine()
		store, s := openDurable(t, f, session.Limits{})
		work(t, s, r, 30)
		want := contentsOf(t, s)
		if r.IntN(2) == 0 { // else the process was killed
			require.NoError(t, store.Close())
		}
		again, s := openDurable(t, f, session.Limits{})
		require.Equal(t, want, contentsOf(t, s), "seed %d", seed)
		assert.Equal(t, s.Charge(), s.Held())
		_, err := again.Evict(t.Context(), time.Now().Add(time.Hour))
		require.NoError(t, err)
		s, err = again.Open(t.Context(), "ann")
		require.NoError(t, err)
		require.Equal(t, want, contentsOf(t, s), "seed %d, from the snapshot", seed)
		work(t, s, r, 3)
		require.Equal(t, len(want.Updates), len(updatesOf(t, s, 0))-len(updatesOf(t, s, uint64(len(want.Updates)))))
	}
}

func TestWhatIsUnloadedIsReadBackFromTheStorage(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		_, s := openDurable(t, newFakeEngine(), session.Limits{})
		work(t, s, r, 40)
		want := contentsOf(t, s)
		resumed := updatesOf(t, s, s.Head()/2)
		before := s.Held()
		s.Unload()
		assert.Less(t, s.Held(), before)
		assert.Equal(t, s.Charge(), s.Held())
		require.Equal(t, want, contentsOf(t, s), "seed %d", seed)
		require.Equal(t, resumed, updatesOf(t, s, s.Head()/2), "seed %d", seed)
		for _, th := range want.Threads {
			page, err := s.History(th.ID, session.Page{Limit: 3})
			require.NoError(t, err)
			all := want.History[th.ID]
			require.Equal(t, all[max(0, len(all)-3):], page.Turns)
		}
	}
}

func TestASessionOverItsBudgetLosesNothingThatTheStorageHas(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{Session: 2 << 20})
	r := rand.New(rand.NewPCG(1, 2))
	work(t, s, r, 1000)
	assert.LessOrEqual(t, s.Held(), 2<<20)
	turns := 0
	for _, th := range s.Threads() {
		assert.Zero(t, th.Dropped)
		turns += th.Turns
	}
	assert.Equal(t, 1000, turns)
	assert.Len(t, updatesOf(t, s, 0), int(s.Head()))
}

func TestALongThreadOpensItsLatestPageWithoutTheRest(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	for range 10_000 {
		add(t, s, accept(t, s, e.Thread), session.TurnCompleted{Response: words(5)})
	}
	require.NoError(t, store.Close())
	f.reads = 0
	_, s = openDurable(t, f, session.Limits{})
	h, err := s.History(e.Thread, session.Page{Limit: 20})
	require.NoError(t, err)
	require.Len(t, h.Turns, 20)
	assert.Equal(t, 10_000, h.Turns[19].Number)
	assert.Less(t, f.reads, 100, "frames read to show 20 turns of two events each")
}

func TestATurnWhoseProcessEndedIsInterrupted(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	ref, waiting := accept(t, s, e.Thread), accept(t, s, e.Thread)
	asked := session.ApprovalAsked{Request: "r", Call: "call_1"}
	add(t, s, ref, toolCall("call_1", 1), asked)
	last, err := s.Append(ref, toolCall("call_2", 1))
	require.NoError(t, err)
	_, s = openDurable(t, f, session.Limits{})
	turn := turnOf(t, s, ref)
	assert.Equal(t, session.Interrupted, turn.State)
	assert.True(t, turn.Steps[0].Ended)
	assert.Equal(t, session.Withdrawn, turn.Steps[0].Calls[0].Approval.Answer)
	for _, c := range turn.Steps[0].Calls {
		assert.Equal(t, session.Cancelled, c.Outcome)
		assert.Contains(t, c.Error.String(), "nobody knows what became of it")
	}
	assert.Equal(t, session.Interrupted, turnOf(t, s, waiting).State)
	assert.Equal(t, []any{true, last.At}, []any{turn.Restarted, turn.EndedAt}, "dead time is not work")
	assert.Equal(t, []any{true, turnOf(t, s, waiting).CreatedAt},
		[]any{turnOf(t, s, waiting).Restarted, turnOf(t, s, waiting).EndedAt})
	head := s.Head()
	_, s = openDurable(t, f, session.Limits{})
	assert.Equal(t, head, s.Head(), "opening it once more changes nothing")
	assert.Equal(t, turn, turnOf(t, s, ref), "the cause is kept")
}

func TestAnAppendThatIsNotKeptChangesNothing(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	before, held := contentsOf(t, s), s.Held()
	for _, reason := range []error{journal.ErrUnavailable, journal.ErrUnknown, journal.ErrClosed} {
		f.fail = func() error { return fmt.Errorf("%w: disk full", reason) }
		_, err = s.Accept(e.Thread, safety.Literal("hi"), nil)
		if errors.Is(reason, journal.ErrClosed) {
			require.ErrorIs(t, err, session.ErrClosed)
		} else {
			require.ErrorIs(t, err, session.ErrStorage)
		}
	}
	assert.Equal(t, before, contentsOf(t, s))
	assert.Equal(t, held, s.Held())
	f.fail = nil
	assert.Equal(t, 1, accept(t, s, e.Thread).Turn)
}

func TestTwoStoresOnOneEngineGiveNoNumberTwice(t *testing.T) {
	f := newFakeEngine()
	_, a := openDurable(t, f, session.Limits{})
	_, b := openDurable(t, f, session.Limits{})
	e, err := a.OpenThread()
	require.NoError(t, err)
	require.ErrorIs(t, errOf(b.Thread(e.Thread)), session.ErrNoThread)
	named, err := b.OpenNamed("mine") // reads on first
	require.NoError(t, err)
	require.NoError(t, a.CatchUp())
	for range 5 {
		add(t, a, accept(t, a, named), session.TurnCompleted{Response: words(3)})
		add(t, b, accept(t, b, e.Thread), session.TurnCompleted{Response: words(3)})
	}
	require.NoError(t, a.CatchUp())
	require.NoError(t, b.CatchUp())
	assert.Equal(t, contentsOf(t, a), contentsOf(t, b))
	assert.Equal(t, uint64(22), a.Head())
	assert.Equal(t, a.Charge(), a.Held())
}

func errOf[T any](_ T, err error) error { return err }

func TestASnapshotHasWhatTheUserApproved(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	ref := accept(t, s, e.Thread)
	add(t, s, ref, toolCall("call_1", 1),
		session.ApprovalAsked{Request: "r", Call: "call_1", AllowAlways: true, Grant: "clock/1"},
		session.ApprovalAnswered{Request: "r", Call: "call_1", Answer: session.Always}, session.TurnCompleted{})
	require.NoError(t, store.Close())
	_, s = openDurable(t, f, session.Limits{})
	assert.True(t, s.Approved("clock/1"))
	assert.False(t, s.Approved("clock/2"))
}

func TestASnapshotHasWhichThreadWasWrittenToLast(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	var threads []string
	for range 3 {
		e, err := s.OpenThread()
		require.NoError(t, err)
		threads = append(threads, e.Thread)
	}
	for _, i := range []int{1, 0, 2} {
		add(t, s, accept(t, s, threads[i]), session.TurnCompleted{})
	}
	require.NoError(t, store.Close())
	_, s = openDurable(t, f, session.Limits{})
	for _, last := range []int{2, 0, 1} {
		assert.Equal(t, threads[last], s.Active())
		require.NoError(t, s.EraseThread(t.Context(), threads[last]))
	}
}

// An evicted session opens from its snapshot; a session that is in use and grows gets one, too.
func TestEvictionSavesSnapshots(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	work(t, s, rand.New(rand.NewPCG(3, 3)), 3)
	_, err := store.Evict(t.Context(), time.Time{})
	require.NoError(t, err)
	assert.Empty(t, f.snapshots, "it is in use and small")
	_, err = store.Evict(t.Context(), time.Now().Add(time.Hour))
	require.NoError(t, err)
	assert.NotEmpty(t, f.snapshots[s.ID()], "it is forgotten")
	clear(f.snapshots)
	s, err = store.Open(t.Context(), "ann")
	require.NoError(t, err)
	thread, err := s.OpenThread()
	require.NoError(t, err)
	for range 520 {
		add(t, s, accept(t, s, thread.Thread), session.TurnCompleted{})
	}
	n, err := store.Evict(t.Context(), time.Time{})
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.NotEmpty(t, f.snapshots[s.ID()], "it has grown")
}

func TestAThreadBeganWithItsFirstEvent(t *testing.T) {
	s, id := newThread(t)
	th, err := s.Thread(id)
	require.NoError(t, err)
	assert.Equal(t, updatesOf(t, s, 0)[0].Event.At, th.CreatedAt)
}

// What tells of erasures takes room as well, and leaves memory when there is none.
func TestNoticesOfErasuresDoNotFillASession(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{Session: 512 << 10})
	for range 2500 {
		e, err := s.OpenThread()
		require.NoError(t, err)
		add(t, s, accept(t, s, e.Thread), session.TurnCompleted{})
		require.NoError(t, s.EraseThread(t.Context(), e.Thread))
	}
	assert.Equal(t, s.Charge(), s.Held())
}

// What makes room takes no more out of memory than it has to: readers of the latest events need no storage.
func TestMakingRoomLeavesTheLatestEventsInMemory(t *testing.T) {
	for name, erase := range map[string]bool{"with a notice": true, "without one": false} {
		t.Run(name, func(t *testing.T) {
			f := newFakeEngine()
			_, s := openDurable(t, f, session.Limits{Session: 512 << 10})
			thread, err := s.OpenThread()
			require.NoError(t, err)
			for range 40 {
				if erase {
					gone, err := s.OpenThread()
					require.NoError(t, err)
					require.NoError(t, s.EraseThread(t.Context(), gone.Thread))
				}
				add(t, s, accept(t, s, thread.Thread), session.TurnCompleted{Response: words(20_000)})
				f.reads = 0
				updatesOf(t, s, s.Head()-3)
				require.Zero(t, f.reads)
			}
			h, err := s.History(thread.Thread, session.Page{})
			require.NoError(t, err)
			assert.Len(t, h.Turns, 40)
			assert.Positive(t, f.reads, "some were unloaded")
		})
	}
}

// A session that is full of what is not over keeps it in memory: nothing is gained by reading it again.
func TestASessionThatIsFullOfOpenTurnsKeepsThemInMemory(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{Session: 512 << 10})
	e, err := s.OpenThread()
	require.NoError(t, err)
	ref := accept(t, s, e.Thread)
	for err == nil {
		_, err = s.Append(ref, session.Narrated{Step: 1, Text: words(40_000)})
	}
	require.ErrorIs(t, err, session.ErrFull)
	f.reads = 0
	updatesOf(t, s, 0)
	assert.Zero(t, f.reads)
}
