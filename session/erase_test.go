package session_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/session/journal"
)

func TestWhatWasErasedIsGoneFromTheEngine(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	work(t, s, rand.New(rand.NewPCG(7, 7)), 12)
	mine, err := s.OpenThread()
	require.NoError(t, err)
	secretive := safety.Literal("purple elephants")
	e, err := s.Accept(mine.Thread, secretive, nil)
	require.NoError(t, err)
	require.ErrorIs(t, s.EraseThread(t.Context(), mine.Thread), session.ErrTurnOpen)
	add(t, s, e.Ref, session.TurnCompleted{Response: secretive})
	job, err := s.OpenJob(session.JobOpened{Title: secretive})
	require.NoError(t, err)
	require.ErrorIs(t, s.EraseJob(t.Context(), job.ID), session.ErrJobOpen)
	_, err = s.ChangeJob(job.ID, session.JobCancelled{})
	require.NoError(t, err)
	require.NoError(t, s.Save(t.Context()))
	want := len(updatesOf(t, s, 0)) - 3 - 2 + 2 // what was erased, and two tombstones

	require.NoError(t, s.EraseThread(t.Context(), mine.Thread))
	require.NoError(t, s.EraseJob(t.Context(), job.ID))
	require.ErrorIs(t, s.EraseThread(t.Context(), mine.Thread), session.ErrNoThread)
	require.ErrorIs(t, s.EraseJob(t.Context(), job.ID), session.ErrNoJob)
	assert.NotEqual(t, mine.Thread, s.Active())
	assert.Equal(t, s.Charge(), s.Held())
	assert.NotContains(t, f.bytes(), "elephants")
	after := contentsOf(t, s)
	assert.Len(t, after.Updates, want)
	require.NoError(t, store.Close())
	_, s = openDurable(t, f, session.Limits{})
	assert.Equal(t, after, contentsOf(t, s))
}

// The events of two threads stand between one another. However they are erased, a frame is left of both, and one of
// each notice.
func TestWhatIsErasedLeavesAFrameForAllNeighbours(t *testing.T) {
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		f := newFakeEngine()
		_, s := openDurable(t, f, session.Limits{})
		var threads []session.Ref
		for range 2 {
			e, err := s.OpenThread()
			require.NoError(t, err)
			threads = append(threads, e.Ref)
		}
		for range 5 {
			var turns []session.Ref
			for _, of := range threads {
				e, err := s.Accept(of.Thread, safety.Literal("hi"), nil)
				require.NoError(t, err)
				turns = append(turns, e.Ref)
			}
			for _, of := range turns {
				add(t, s, of, session.TurnCompleted{})
			}
		}
		for _, i := range order {
			require.NoError(t, s.EraseThread(t.Context(), threads[i].Thread))
		}
		assert.Len(t, f.frames[s.ID()], 3, "%v", order)
	}
}

func TestAnErasureThatWasCutOffIsFinishedWhenTheSessionOpens(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	turn, err := s.Accept(e.Thread, safety.Literal("purple elephants"), nil)
	require.NoError(t, err)
	add(t, s, turn.Ref, session.TurnCompleted{})
	kept := append([]journal.Frame(nil), f.frames[s.ID()]...)
	require.NoError(t, s.EraseThread(t.Context(), e.Thread))
	tombstone := f.frames[s.ID()][len(f.frames[s.ID()])-1]
	f.frames[s.ID()] = append(kept, tombstone) // as after a kill between the event and the erasure
	delete(f.snapshots, s.ID())
	_, s = openDurable(t, f, session.Limits{})
	assert.Empty(t, s.Threads())
	assert.NotContains(t, f.bytes(), "elephants")
}

func TestRetentionErasesWhatIsOlderAndKeepsWhatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeEngine()
		store, s := openDurable(t, f, session.Limits{})
		old, err := s.OpenThread()
		require.NoError(t, err)
		add(t, s, accept(t, s, old.Thread), session.TurnCompleted{Response: safety.Literal("purple elephants")})
		both, err := s.OpenThread()
		require.NoError(t, err)
		for range 3 {
			add(t, s, accept(t, s, both.Thread), session.TurnCompleted{Response: safety.Literal("yellow elephants")})
		}
		open, err := s.OpenThread()
		require.NoError(t, err)
		running := accept(t, s, open.Thread)
		time.Sleep(31 * 24 * time.Hour)
		add(t, s, accept(t, s, both.Thread), session.TurnCompleted{Response: safety.Literal("green elephants")})
		n, err := store.Retain(t.Context(), session.Retention{Age: 30 * 24 * time.Hour})
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		assert.Equal(t, session.ErrNoThread, errOf(s.Thread(old.Thread)))
		assert.Equal(t, session.Processing, turnOf(t, s, running).State)
		h, err := s.History(both.Thread, session.Page{})
		require.NoError(t, err)
		assert.Equal(t, 2, h.Dropped)
		assert.Len(t, h.Turns, 2, "the turn before the last may have ended just now")
		assert.NotContains(t, f.bytes(), "purple")
		assert.Contains(t, f.bytes(), "green")
		assert.Equal(t, 2, strings.Count(f.bytes(), "elephants"))
		want := contentsOf(t, s)
		_, s = openDurable(t, f, session.Limits{})
		again := contentsOf(t, s)
		assert.Equal(t, want.Updates, again.Updates[:len(want.Updates)])
	})
}

func TestErasingInASessionOfMemoryCannotUseItUp(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 256 << 10})
	for range 1000 {
		e, err := s.OpenThread()
		require.NoError(t, err)
		require.NoError(t, s.EraseThread(t.Context(), e.Thread))
		require.Equal(t, s.Recount(), s.Held())
	}
	assert.Positive(t, s.Gone(), "a reader learns that it missed some")
}

func TestErasingAJobGivesBackWhatItWasChargedAndNoMore(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 1 << 20})
	empty := s.Held()
	id := openJobOf(t, s, 40_000)
	for range 20 { // its first runs are dropped
		_, err := s.PostToJob(id, []session.Post{{Body: session.JobEnded{Message: words(10_000)}}})
		require.NoError(t, err)
		_, err = s.ChangeJob(id, session.JobRestarted{})
		require.NoError(t, err)
	}
	_, err := s.ChangeJob(id, session.JobCancelled{})
	require.NoError(t, err)
	require.NoError(t, s.EraseJob(t.Context(), id))
	assert.Equal(t, s.Recount(), s.Held())
	assert.Greater(t, s.Held(), empty)
}

// openJobOf opens a job with a prompt of n bytes.
func openJobOf(t *testing.T, s *session.Session, n int) string {
	t.Helper()
	j, err := s.OpenJob(session.JobOpened{Prompt: words(n)})
	require.NoError(t, err)
	return j.ID
}

func TestASessionThatIsFullOfOpenTurnsCanBeErasedFrom(t *testing.T) {
	_, s := limited(t, session.Limits{Session: 512 << 10})
	over, err := s.OpenThread()
	require.NoError(t, err)
	release, err := s.Hold(512<<10 - s.Held())
	require.NoError(t, err)
	defer release()
	require.NoError(t, s.EraseThread(t.Context(), over.Thread))
}

func TestAThreadWhoseFirstTurnsExpiredIsTheSameWithoutASnapshot(t *testing.T) {
	for name, cold := range map[string]bool{"in memory": false, "unloaded": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeEngine()
				store, s := openDurable(t, f, session.Limits{})
				e, err := s.OpenThread()
				require.NoError(t, err)
				for _, text := range []string{"purple elephants", "more elephants", "yellow birds", "green birds"} {
					turn, err := s.Accept(e.Thread, says(text), nil)
					require.NoError(t, err)
					add(t, s, turn.Ref, session.TurnCompleted{})
				}
				time.Sleep(31 * 24 * time.Hour)
				add(t, s, accept(t, s, e.Thread), session.TurnCompleted{})
				if cold {
					s.Unload()
				}
				n, err := store.Retain(t.Context(), session.Retention{Age: 30 * 24 * time.Hour})
				require.NoError(t, err)
				require.Equal(t, 1, n)
				want := contentsOf(t, s)
				assert.Equal(t, "green birds", want.Threads[0].Title.String())
				assert.Equal(t, 3, want.Threads[0].Dropped)
				assert.Equal(t, s.Charge(), s.Held())
				assert.NotContains(t, f.bytes(), "elephants")
				clear(f.snapshots)
				_, s = openDurable(t, f, session.Limits{})
				assert.Equal(t, want, contentsOf(t, s))
			})
		})
	}
}

func TestAReaderKeepsNothingOfAThreadThatWasErasedBeforeItReadItsEnd(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	id, err := s.OpenNamed("mine")
	require.NoError(t, err)
	ref := accept(t, s, id)
	for range 70 { // more than a reader has in memory at a time
		add(t, s, ref, session.Narrated{Step: 1, Text: words(9)})
	}
	add(t, s, ref, session.TurnCompleted{})
	var last session.Turn
	for up, err := range s.Watch(t.Context(), 0) {
		require.NoError(t, err)
		if up.Event.Seq == 1 {
			require.NoError(t, s.EraseThread(t.Context(), id))
			_, err := s.OpenNamed("mine") // the numbers of its turns begin anew
			require.NoError(t, err)
			add(t, s, accept(t, s, id), session.TurnCompleted{})
		}
		if last = up.Turn; last.State.Ended() {
			break
		}
	}
	assert.Empty(t, last.Steps)
	assert.Equal(t, last.LastSeq-1, last.FirstSeq)
}

func TestWhatIsErasedIsTold(t *testing.T) {
	var gone []session.Ref
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{
		OnErase: func(own *session.Session, of session.Ref) { gone = append(gone, of) },
	})
	e, err := s.OpenThread()
	require.NoError(t, err)
	before, thread := s.Head(), session.Ref{Thread: e.Thread}
	assert.False(t, s.Erased(t.Context(), thread, 0))
	require.NoError(t, s.EraseThread(t.Context(), e.Thread))
	assert.Equal(t, []session.Ref{thread}, gone)
	assert.True(t, s.Erased(t.Context(), thread, before))
	assert.False(t, s.Erased(t.Context(), thread, s.Head()), "the reader has it")
	assert.False(t, s.Erased(t.Context(), session.Ref{Thread: "another"}, 0))
}
