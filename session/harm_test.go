package session_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal"
)

// A bit in a frame costs the conversation or the job whose frame it is: all others are read as they were, and nothing
// is added to the session. Each frame is damaged in turn, at a place of its own.
func TestDamageCostsTheConversationThatWasDamaged(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	r := rand.New(rand.NewPCG(3, 3))
	work(t, s, r, 12)
	whole := contentsOf(t, s)
	owners := map[uint64]session.Ref{}
	for _, up := range whole.Updates {
		owners[up.Event.Seq] = session.Ref{Thread: up.Event.Thread, Job: up.Event.Job}
	}
	for i, frame := range f.frames[s.ID()] {
		damaged := newFakeEngine()
		damaged.sessions = f.sessions
		damaged.frames[s.ID()] = slices.Clone(f.frames[s.ID()])
		data := slices.Clone(frame.Data)
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		damaged.frames[s.ID()][i].Data = data
		store, s := openDurable(t, damaged, session.Limits{})
		assert.ErrorIs(t, s.Harm(), session.ErrDamaged)
		assert.Contains(t, strings.Join(store.Status().Warnings, "\n"), "candor backup --salvage")
		assert.ErrorIs(t, errOf(s.OpenThread()), session.ErrDamaged, "nothing is added")
		showsAllBut(t, s, whole, owners[frame.First])
	}
}

// showsAllBut holds that a session shows what it has of all threads and jobs as it was, except of one.
func showsAllBut(t *testing.T, s *session.Session, whole contents, harmed session.Ref) {
	t.Helper()
	for id, turns := range whole.History {
		h, err := s.History(id, session.Page{})
		if id == harmed.Thread {
			assert.Error(t, err)
			assert.Error(t, errOf(s.Turn(id, 1)))
			continue
		}
		require.NoError(t, err, "thread %s, where %v is damaged", id, harmed)
		assert.Equal(t, turns, h.Turns)
	}
	for id, posts := range whole.Posts {
		events, _, err := s.JobEvents(id, 0, 1000)
		if id == harmed.Job {
			assert.Error(t, err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, posts, events)
	}
}

// Of what is gone without a trace nobody knows whose it was. What was going on then is not shown as if it were whole.
func TestWhatIsMissingIsNotShownAsWhole(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	work(t, s, rand.New(rand.NewPCG(3, 3)), 12)
	whole := contentsOf(t, s)
	for i := range f.frames[s.ID()] {
		damaged := newFakeEngine()
		damaged.sessions = f.sessions
		damaged.frames[s.ID()] = slices.Delete(slices.Clone(f.frames[s.ID()]), i, i+1)
		_, s := openDurable(t, damaged, session.Limits{})
		for id, turns := range whole.History {
			h, err := s.History(id, session.Page{})
			if err == nil && i < len(f.frames[s.ID()])-1 {
				assert.Equal(t, turns, h.Turns, "without frame %d", i)
			}
		}
	}
}

// A salvaged session has holes where events were lost. It opens, and what was not damaged is as it was.
func TestASessionWithHolesOpens(t *testing.T) {
	f := newFakeEngine()
	_, s := openDurable(t, f, session.Limits{})
	work(t, s, rand.New(rand.NewPCG(3, 3)), 12)
	whole, before := contentsOf(t, s), journal.Sum{}
	for i, frame := range f.frames[s.ID()] {
		salvaged := newFakeEngine()
		salvaged.sessions = f.sessions
		salvaged.frames[s.ID()] = slices.Clone(f.frames[s.ID()])
		sum := journal.Sum(frame.Data[18+len(before):])
		salvaged.frames[s.ID()][i] = journal.Gap(frame.First, frame.Last, before, sum)
		before = sum
		_, s := openDurable(t, salvaged, session.Limits{})
		require.NoError(t, s.Harm())
		for id, turns := range whole.History {
			h, err := s.History(id, session.Page{})
			require.NoError(t, err)
			if whole.Updates[i].Event.Thread != id && len(turns) > 0 {
				assert.Equal(t, turns, h.Turns)
			}
		}
		require.NoError(t, errOf(s.OpenThread()))
	}
}

// A turn that is read from the storage again is whole, whatever happened to what others recorded meanwhile.
func TestDamageBetweenTheEventsOfATurnIsNotTheTurns(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	one, err := s.OpenThread()
	require.NoError(t, err)
	other, err := s.OpenThread()
	require.NoError(t, err)
	ref, between := accept(t, s, one.Thread), accept(t, s, other.Thread)
	add(t, s, between, session.TurnCompleted{Response: words(9)})
	add(t, s, ref, session.TurnCompleted{Response: words(9)})
	whole := contentsOf(t, s)
	require.NoError(t, store.Close()) // with a snapshot, so that the turns are not read when the session is opened
	for i, frame := range f.frames[s.ID()] {
		if frame.First == 5 {
			frame.Data[len(frame.Data)-1] ^= 1
			f.frames[s.ID()][i] = frame
		}
	}
	_, s = openDurable(t, f, session.Limits{})
	h, err := s.History(one.Thread, session.Page{})
	require.NoError(t, err)
	assert.Equal(t, whole.History[one.Thread], h.Turns)
	assert.ErrorIs(t, errOf(s.History(other.Thread, session.Page{})), session.ErrDamaged)
}

// A snapshot saves reading the log and is never needed.
func TestADamagedSnapshotCostsNothing(t *testing.T) {
	f := newFakeEngine()
	store, s := openDurable(t, f, session.Limits{})
	work(t, s, rand.New(rand.NewPCG(3, 3)), 3)
	whole := contentsOf(t, s)
	require.NoError(t, store.Close())
	e := f.engine()
	e.Snapshots = damagedSnapshots{e.Snapshots}
	store = session.NewDurable(e, nil, session.Limits{})
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	assert.Equal(t, whole.History, contentsOf(t, s).History)
}

// damagedSnapshots are an engine's whose rows were altered.
type damagedSnapshots struct{ journal.Snapshots }

func (damagedSnapshots) Load(context.Context, string) ([]byte, error) { return nil, journal.ErrDamaged }
