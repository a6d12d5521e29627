package session_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// mirror drives a session in memory and one of a small budget on an engine with the same operations.
type mirror struct {
	*testing.T
	*rand.Rand
	memory, kept *session.Session
	engine       *fakeEngine
	store        *session.Durable
	observed     map[string]bool // threads
	n            int             // operations so far
}

func newMirror(t *testing.T, seed uint64) *mirror {
	m := &mirror{
		T: t, Rand: rand.New(rand.NewPCG(seed, 5)), engine: newFakeEngine(), observed: map[string]bool{},
	}
	store := session.NewMemory(m.id)
	t.Cleanup(func() { _ = store.Close() })
	s, err := store.Open(t.Context(), "ann")
	require.NoError(t, err)
	m.memory = s
	m.open()
	return m
}

func (m *mirror) id() uuid.UUID { return uuid.MustParse("550e8400-e29b-41d4-a716-446655440000") }

// open opens the session on the engine in a new store, as after a kill.
func (m *mirror) open() {
	m.store = session.NewDurable(m.engine.engine(), m.id, session.Limits{Session: 1 << 20})
	store := m.store
	m.Cleanup(func() { _ = store.Close() })
	s, err := m.store.Open(m.Context(), "ann")
	require.NoError(m, err)
	m.kept = s
}

// both does something in both sessions, which have to answer alike.
func (m *mirror) both(what string, do func(s *session.Session) error) {
	m.Helper()
	m.n++
	want, got := do(m.memory), do(m.kept)
	require.Equal(m, fmt.Sprint(want), fmt.Sprint(got), "%d: %s", m.n, what)
}

// thread returns one of the threads.
func (m *mirror) thread() session.Thread {
	all := m.memory.Threads()
	return all[m.IntN(len(all))]
}

// turn writes to a turn of a thread, mostly to the first that is open, and at times after its end.
func (m *mirror) turn() {
	th := m.thread()
	h, err := m.memory.History(th.ID, session.Page{})
	require.NoError(m, err)
	if len(h.Turns) == 0 {
		return
	}
	turn := h.Turns[m.IntN(len(h.Turns))]
	for _, open := range h.Turns {
		if !open.State.Ended() && m.IntN(8) > 0 {
			turn = open
			break
		}
	}
	ref := session.Ref{Thread: th.ID, Turn: turn.Number}
	call := fmt.Sprint("call_", m.IntN(4))
	bodies := []session.Body{
		session.Narrated{Step: 1 + m.IntN(2), Text: words(m.IntN(900))}, toolCall(call, 1+m.IntN(2)),
		session.ToolReturned{Call: call, Outcome: session.Success}, session.StepEnded{Step: 1},
		session.TurnCompleted{Response: words(m.IntN(300))}, session.TurnCompleted{}, session.TurnInterrupted{},
		session.Noted{Text: words(3), Kind: session.NoteChat}, session.Answered{Response: words(4)},
		session.TurnFailed{Error: words(5)},
	}
	if m.IntN(6) == 0 {
		rating := []session.Rating{session.Good, session.Bad, session.Unrated}[m.IntN(3)]
		rated := session.DecisionRated{Call: call, Rating: rating, Note: words(m.IntN(9))}
		m.both("rate", func(s *session.Session) error { return s.Rate(ref, rated) })
		return
	}
	b := bodies[m.IntN(len(bodies))]
	if turn.State == session.Queued && m.IntN(2) == 0 {
		b = session.TurnStarted{}
	}
	m.both(fmt.Sprintf("%T", b), func(s *session.Session) error { return errOf(s.Append(ref, b)) })
}

// job does something to a job.
func (m *mirror) job() {
	jobs := m.memory.Jobs()
	if len(jobs) == 0 || m.IntN(6) == 0 {
		found := make([]safety.Finding, m.IntN(3))
		b := session.JobOpened{Title: words(m.IntN(9)), Prompt: words(m.IntN(300)), Findings: found}
		m.both("open a job", func(s *session.Session) error { return errOf(s.OpenJob(b)) })
		return
	}
	id := jobs[m.IntN(len(jobs))].ID
	switch m.IntN(6) {
	case 0:
		m.both("restart", func(s *session.Session) error { return errOf(s.ChangeJob(id, session.JobRestarted{})) })
	case 1:
		m.both("cancel", func(s *session.Session) error { return errOf(s.ChangeJob(id, session.JobCancelled{})) })
	case 2:
		m.both("erase a job", func(s *session.Session) error { return s.EraseJob(m.Context(), id) })
	default:
		report := session.JobReported{Message: words(m.IntN(500))}
		posts := []session.Post{{Key: fmt.Sprint(m.IntN(9)), Body: report}}
		if m.IntN(4) == 0 {
			posts = append(posts, session.Post{Key: "end", Body: session.JobEnded{Message: words(3)}})
		}
		m.both("post", func(s *session.Session) error { return errOf(s.PostToJob(id, posts)) })
	}
}

// step does one thing.
func (m *mirror) step() {
	switch m.IntN(20) {
	case 0:
		m.both("open a thread", func(s *session.Session) error { return errOf(s.OpenThread()) })
	case 1:
		name := fmt.Sprint("agent ", m.IntN(3))
		m.observed[m.memory.NamedID("observed/"+name)] = true
		origin := session.Origin{Protocol: "mew", Space: words(2), Participant: words(1)}
		m.both("observe", func(s *session.Session) error { return errOf(s.OpenObserved(name, origin)) })
	case 2:
		id := m.thread().ID
		m.both("erase a thread", func(s *session.Session) error { return s.EraseThread(m.Context(), id) })
		if len(m.memory.Threads()) == 0 {
			m.both("open a thread", func(s *session.Session) error { return errOf(s.OpenThread()) })
		}
	case 3:
		of, to := m.thread(), m.thread()
		ref := session.Ref{Thread: of.ID, Turn: 1 + m.IntN(of.Turns+1)}
		m.both("repeat", func(s *session.Session) error {
			return errOf(s.Repeat(ref, to.ID, session.Workflow{ID: "w"}))
		})
	case 4, 5, 6:
		th, input := m.thread(), words(1+m.IntN(200))
		m.both("begin", func(s *session.Session) error {
			if m.observed[th.ID] {
				return errOf(s.Observe(th.ID, session.TurnStarted{Input: input}))
			}
			return errOf(s.Accept(th.ID, input, nil))
		})
	case 7, 8, 9:
		m.job()
	default:
		m.turn()
	}
}

// settle ends all turns, so that a process can end without interrupting one.
func (m *mirror) settle() {
	for _, th := range m.memory.Threads() {
		h, err := m.memory.History(th.ID, session.Page{})
		require.NoError(m, err)
		for _, turn := range h.Turns {
			if ref := (session.Ref{Thread: th.ID, Turn: turn.Number}); !turn.State.Ended() {
				m.both("settle", func(s *session.Session) error {
					return errOf(s.Append(ref, session.TurnInterrupted{}))
				})
			}
		}
	}
}

// disturb unloads, evicts or opens anew the session that is kept, which must not show.
func (m *mirror) disturb() {
	switch m.IntN(5) {
	case 0:
		m.kept.Unload()
	case 1:
		_, err := m.store.Evict(m.Context(), time.Now().Add(time.Hour))
		require.NoError(m, err)
		s, err := m.store.Open(m.Context(), "ann")
		require.NoError(m, err)
		m.kept = s
	case 2:
		m.settle()
		m.open()
	case 3:
		m.settle()
		clear(m.engine.snapshots)
		m.open()
	case 4:
		require.NoError(m, m.kept.Save(m.Context()))
	}
}

// compare holds that both sessions show the same, and that each is charged for what it has.
func (m *mirror) compare() {
	m.Helper()
	want, got := reflect.ValueOf(contentsOf(m.T, m.memory)), reflect.ValueOf(contentsOf(m.T, m.kept))
	for i := range want.NumField() {
		same := reflect.DeepEqual(want.Field(i).Interface(), got.Field(i).Interface())
		require.True(m, same, "after %d: %s", m.n, want.Type().Field(i).Name)
	}
	after := uint64(m.IntN(int(m.memory.Head())))
	same := reflect.DeepEqual(updatesOf(m.T, m.memory, after), updatesOf(m.T, m.kept, after))
	require.True(m, same, "after %d: updates from %d", m.n, after)
	require.Equal(m, m.kept.Charge(), m.kept.Held(), "after %d", m.n)
	require.Equal(m, m.memory.Recount(), m.memory.Held(), "after %d", m.n)
}

func TestASessionThatIsKeptShowsWhatOneInMemoryDoes(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMirror(t, seed)
				m.both("open a thread", func(s *session.Session) error { return errOf(s.OpenThread()) })
				for range 30 {
					for range 12 {
						m.step()
					}
					m.disturb()
					m.compare()
				}
			})
		})
	}
}
