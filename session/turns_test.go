package session_test

import (
	"errors"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal"
)

// readAll returns all that a sequence of turns yields, and the errors among it.
func readAll(turns iter.Seq2[session.Turn, error]) (all []session.Turn, failed []error) {
	for t, err := range turns {
		all = append(all, t)
		if err != nil {
			failed = append(failed, err)
		}
	}
	return all, failed
}

// talk makes a conversation of so many turns that have ended, and unloads it.
func talk(t *testing.T, s *session.Session, turns int) (threadID string) {
	t.Helper()
	e, err := s.OpenThread()
	require.NoError(t, err)
	for range turns {
		ref := accept(t, s, e.Thread)
		add(t, s, ref, toolCall("call_1", 1), session.TurnCompleted{Response: words(9)})
	}
	s.Unload()
	return e.Thread
}

func TestTurnsAreThoseOfTheHistoryInBothDirections(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	r := rand.New(rand.NewPCG(1, 2))
	work(t, s, r, 150)
	s.Unload()
	work(t, s, r, 40) // some of it is in memory
	var latest []session.Turn
	for _, th := range s.Threads() {
		h, err := s.History(th.ID, session.Page{})
		require.NoError(t, err)
		latest = append(latest, h.Turns...)

		got, failed := readAll(s.Turns(th.ID, 1, th.Turns))
		assert.Empty(t, failed)
		assert.Equal(t, h.Turns, got)
		got, _ = readAll(s.Turns(th.ID, th.Turns+7, 3))
		slices.Reverse(got)
		assert.Equal(t, h.Turns[2:], got, "newest first, without those that are not there")
	}
	slices.SortFunc(latest, func(a, b session.Turn) int { return b.CreatedAt.Compare(a.CreatedAt) })
	got, failed := readAll(s.LatestTurns())
	assert.Empty(t, failed)
	assert.Equal(t, latest, got)

	_, failed = readAll(s.Turns("none", 1, 2))
	assert.Equal(t, []error{session.ErrNoThread}, failed)
	got, failed = readAll(s.Turns(s.Active(), 0, 0))
	assert.Empty(t, append(failed, nil)[0])
	assert.Empty(t, got)
}

// Of the turns that were read from the engine so far, no more than two pages may still be in memory when a
// reader has had one page after another and keeps none of it.
func TestAReaderOfManyTurnsHoldsAPageOfThem(t *testing.T) {
	const page = 64
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	id := talk(t, s, 500)
	for name, turns := range map[string]iter.Seq2[session.Turn, error]{
		"oldest first": s.Turns(id, 1, 500), "newest first": s.Turns(id, 500, 1), "of all threads": s.LatestTurns(),
	} {
		var seen []weak.Pointer[session.Step]
		f.reads = 0
		for turn, err := range turns {
			require.NoError(t, err)
			seen = append(seen, weak.Make(&turn.Steps[0]))
			assert.LessOrEqual(t, f.reads, 3*(len(seen)+page)+500/page+1, "%s: frames read at turn %d", name, len(seen))
			if len(seen)%page == 1 {
				runtime.GC()
				held := 0
				for _, p := range seen {
					if p.Value() != nil {
						held++
					}
				}
				assert.LessOrEqual(t, held, page, "%s: turns held at turn %d", name, len(seen))
			}
		}
		assert.Len(t, seen, 500, name)
	}
}

func TestAPageOfLargeTurnsIsShort(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	e, err := s.OpenThread()
	require.NoError(t, err)
	for range 60 {
		add(t, s, accept(t, s, e.Thread), session.TurnCompleted{Response: words(90_000)})
	}
	s.Unload()
	f.reads = 0
	for turn, err := range s.Turns(e.Thread, 1, 60) {
		require.NoError(t, err)
		size := len(turn.Response.String())
		require.Greater(t, size, 4<<20/60)
		assert.LessOrEqual(t, f.reads, 2*(4<<20/size)+1)
		break
	}
}

func TestATurnThatCannotBeReadCostsItselfOnly(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	id := talk(t, s, 100)
	frames := f.frames[s.ID()]
	at := slices.IndexFunc(frames, func(f journal.Frame) bool { return f.Last == 1+3*49+2 }) // the call of turn 50
	frames[at].Data[len(frames[at].Data)-1] ^= 1
	for name, turns := range map[string]iter.Seq2[session.Turn, error]{
		"oldest first": s.Turns(id, 1, 100), "of all threads": s.LatestTurns(),
	} {
		all, failed := readAll(turns)
		require.Len(t, all, 100, name)
		require.Len(t, failed, 1, name)
		assert.ErrorIs(t, failed[0], session.ErrDamaged)
		bad := slices.IndexFunc(all, func(t session.Turn) bool { return t.Number == 50 })
		assert.Equal(t, session.Turn{Thread: id, Number: 50}, all[bad], name)
	}
}

func TestAThreadThatIsErasedWhileItIsRead(t *testing.T) {
	_, s := openDurable(t, newFakeEngine(), session.Limits{})
	id := talk(t, s, 70)
	var failed []error
	n := 0
	for turn, err := range s.Turns(id, 1, 70) {
		if n++; err != nil {
			failed = append(failed, err)
			assert.Equal(t, session.Turn{Thread: id, Number: n}, turn)
			continue
		}
		if n == 1 {
			require.NoError(t, s.EraseThread(t.Context(), id))
		}
	}
	assert.Equal(t, 70, n)
	require.Len(t, failed, 70-64, "what was read ahead is shown")
	assert.ErrorIs(t, failed[0], session.ErrDropped)
}

func TestAStorageThatDoesNotAnswerEndsTheTurns(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	id := talk(t, s, 100)
	f.silent = true
	all, failed := readAll(s.Turns(id, 1, 100))
	assert.Len(t, all, 1)
	require.Len(t, failed, 1)
	assert.True(t, errors.Is(failed[0], session.ErrStorage))
	f.silent = false
}
