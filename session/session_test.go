package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func open(t *testing.T) (*session.Session, string) {
	t.Helper()
	st := session.NewMemory(func() uuid.UUID { return uuid.MustParse("550e8400-e29b-41d4-a716-446655440000") })
	t.Cleanup(func() { st.Close() })
	s, err := st.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	return s, e.Thread
}

func accept(t *testing.T, s *session.Session, thread string) session.Ref {
	t.Helper()
	e, err := s.Accept(thread, safety.Literal("hi"), nil)
	require.NoError(t, err)
	return e.Ref
}

func add(t *testing.T, s *session.Session, ref session.Ref, bodies ...session.Body) {
	t.Helper()
	for _, b := range bodies {
		_, err := s.Append(ref, b)
		require.NoError(t, err)
	}
}

func call(id string, step int) session.ToolCalled {
	return session.ToolCalled{Step: step, Call: id, Tool: safety.Literal("clock"),
		Rationale: session.Rationale{Text: safety.Literal("to know the time"), Source: session.FromModel}}
}

func narrative(t session.Turn) string {
	text, _ := t.Narrative()
	return text.String()
}

func TestTurnNarrativeSetAndGet(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	add(t, s, ref, session.Narrated{Step: 1, Text: safety.Literal("first")}, call("call_1", 1))
	turn, err := s.Turn(thread, 1)
	require.NoError(t, err)
	assert.Equal(t, "first", narrative(turn))

	add(t, s, ref, session.Narrated{Step: 2, Text: safety.Literal("second")})
	add(t, s, ref, session.Narrated{Step: 3, Blocked: true})
	turn, _ = s.Turn(thread, 1)
	assert.Equal(t, "second", narrative(turn), "the latest that could be kept")
	assert.Equal(t, "first", turn.Steps[0].Narrative.String(), "each step's is kept")
	assert.True(t, turn.Steps[2].NarrativeBlocked)
}

func TestRecordToolCallWithRationale(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	grouped := call("call_1", 1)
	grouped.Group = new(0)
	add(t, s, ref, grouped, call("call_2", 1))
	turn, _ := s.Turn(thread, 1)
	c, ok := turn.Call("call_1")
	require.True(t, ok)
	assert.Equal(t, "to know the time", c.Rationale.Text.String())
	assert.Equal(t, session.FromModel, c.Rationale.Source)
	assert.Equal(t, 0, *c.Group)
	assert.Equal(t, session.Pending, c.Outcome)
	c, _ = turn.Call("call_2")
	assert.Nil(t, c.Group)
}

func TestResultsMatchByCallIDInAnyOrder(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	add(t, s, ref, call("call_1", 1), call("call_2", 1),
		session.ToolReturned{Call: "call_2", Outcome: session.Success},
		session.ToolReturned{Call: "nobody", Outcome: session.Success},
		session.ToolReturned{Call: "call_1", Outcome: session.Errored},
		session.ToolReturned{Call: "call_1", Outcome: session.Success})
	turn, _ := s.Turn(thread, 1)
	var got []session.Outcome
	for c := range turn.Calls() {
		got = append(got, c.Outcome)
	}
	assert.Equal(t, []session.Outcome{session.Errored, session.Success}, got, "the first result of a call stands")
}

func TestFindingsAddUpOverTheTurn(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	c := call("call_1", 1)
	c.Findings = []safety.Finding{{Rule: "jwt", Count: 1}}
	add(t, s, ref, session.Narrated{Step: 1, Findings: []safety.Finding{{Rule: "jwt", Count: 2}, {Rule: "pem", Count: 1}}}, c)
	turn, _ := s.Turn(thread, 1)
	assert.Equal(t, []safety.Finding{{Rule: "jwt", Count: 3}, {Rule: "pem", Count: 1}}, turn.Findings)
}

// A turn is a value: what an earlier snapshot shows never changes, whichever
// event is folded into a later one.
func TestApplyLeavesEarlierSnapshotsAlone(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	type pair struct {
		turn  session.Turn
		shown string
	}
	var seen []pair
	snap := func() {
		turn, _ := s.Turn(thread, 1)
		seen = append(seen, pair{turn, fmt.Sprintf("%+v", turn)})
	}
	for step := 1; step <= 3; step++ {
		a, b := fmt.Sprintf("call_%d", 2*step-1), fmt.Sprintf("call_%d", 2*step)
		for _, body := range []session.Body{
			session.Narrated{Step: step, Text: safety.Literal("so")}, call(a, step), call(b, step),
			session.ToolReturned{Call: b, Outcome: session.Success, Findings: []safety.Finding{{Rule: "x", Count: 1}}},
			session.ToolReturned{Call: a, Outcome: session.Errored}, session.StepEnded{Step: step},
		} {
			snap()
			add(t, s, ref, body)
		}
	}
	add(t, s, ref, session.TurnCompleted{Response: safety.Literal("done")})
	for i, p := range seen {
		assert.Equal(t, p.shown, fmt.Sprintf("%+v", p.turn), "snapshot %d changed", i)
	}
}

func TestTwoFoldsOfOneSnapshotDoNotMeet(t *testing.T) {
	s, thread := open(t)
	ref := accept(t, s, thread)
	add(t, s, ref, call("call_1", 1))
	base, _ := s.Turn(thread, 1)
	left := base.Apply(session.Event{Ref: ref, Body: call("left", 1)})
	right := base.Apply(session.Event{Ref: ref, Body: call("right", 1)})
	_, ok := left.Call("right")
	assert.False(t, ok)
	_, ok = right.Call("left")
	assert.False(t, ok)
}

func TestIDsAreDerivedFromTheLogsPlace(t *testing.T) {
	a, threadA := open(t)
	b, threadB := open(t)
	assert.Equal(t, threadA, threadB)
	accept(t, a, threadA)
	accept(t, b, threadB)
	ta, _ := a.Turn(threadA, 1)
	tb, _ := b.Turn(threadB, 1)
	assert.Equal(t, ta.Message, tb.Message)
	assert.NotEqual(t, threadA, ta.Message)
}

func TestHistoryPages(t *testing.T) {
	s, thread := open(t)
	for range 7 {
		ref := accept(t, s, thread)
		add(t, s, ref, session.TurnCompleted{})
	}
	var pages [][]int
	p := session.Page{Limit: 3}
	for {
		h, err := s.History(thread, p)
		require.NoError(t, err)
		var numbers []int
		for _, turn := range h.Turns {
			numbers = append(numbers, turn.Number)
		}
		pages = append(pages, numbers)
		if !h.HasMore {
			break
		}
		p.Before = h.Turns[0].CreatedAt
	}
	assert.Equal(t, [][]int{{5, 6, 7}, {2, 3, 4}, {1}}, pages, "turns of one instant are not lost between pages")
}

func TestFollowYieldsThePastThenThePresent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, thread := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		var got []uint64
		done := make(chan struct{})
		go func() {
			defer close(done)
			for up, err := range s.Watch(ctx, 0) {
				assert.NoError(t, err)
				got = append(got, up.Event.Seq)
			}
		}()
		synctest.Wait()
		assert.Equal(t, []uint64{1}, got)
		ref := accept(t, s, thread)
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2}, got)
		add(t, s, ref, session.TurnCompleted{})
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2, 3}, got)
		cancel()
		<-done
	})
}

func TestWatchRefusesANumberNeverGivenOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of the bubble: a wait is over at once
		defer cancel()
		for _, err := range s.Watch(ctx, 99) {
			assert.ErrorIs(t, err, session.ErrUnknownCursor)
			return
		}
		t.Fatal("nothing was said")
	})
}

// Wherever a reader begins, the turns it is shown are the same as to a reader who
// saw everything.
func TestWatchFoldsTheSameTurnFromAnyPlace(t *testing.T) {
	s, one := open(t)
	e, err := s.OpenThread()
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	var open []session.Ref
	for i := range 150 {
		switch thread := []string{one, e.Thread}[random.IntN(2)]; {
		case len(open) == 0 || random.IntN(4) == 0:
			if at := slices.IndexFunc(open, func(r session.Ref) bool { return r.Thread == thread }); at >= 0 {
				add(t, s, open[at], session.TurnCompleted{})
				open = slices.Delete(open, at, at+1)
			}
			open = append(open, accept(t, s, thread))
		default:
			add(t, s, open[random.IntN(len(open))], call(fmt.Sprintf("call_%d", i), 1+random.IntN(3)))
		}
	}
	whole := watch(t, s, 0)
	require.Len(t, whole, int(s.Head()))
	for after := range s.Head() {
		require.Equal(t, whole[after:], watch(t, s, after), "after %d", after)
	}
}

// watch collects what a reader sees up to the present.
func watch(t *testing.T, s *session.Session, after uint64) []session.Update {
	t.Helper()
	var all []session.Update
	for up, err := range s.Watch(t.Context(), after) {
		require.NoError(t, err)
		all = append(all, up)
		if up.Event.Seq == s.Head() {
			break
		}
	}
	return all
}

func TestThreadsAreListedByUse(t *testing.T) {
	s, one := open(t)
	e, _ := s.OpenThread()
	assert.Equal(t, e.Thread, s.Active())
	ref := accept(t, s, one)
	assert.Equal(t, one, s.Active())
	list := s.Threads()
	assert.Equal(t, one, list[0].ID)
	assert.Equal(t, session.Processing, list[0].State)
	assert.Equal(t, "hi", list[0].Title.String())
	add(t, s, ref, session.TurnFailed{Error: safety.Literal("no model")})
	th, err := s.Thread(one)
	require.NoError(t, err)
	assert.Equal(t, session.Completed, th.State)
}

func TestDatesAreUTCAndToTheMicrosecond(t *testing.T) {
	s, thread := open(t)
	accept(t, s, thread)
	turn, _ := s.Turn(thread, 1)
	assert.Equal(t, time.UTC, turn.CreatedAt.Location())
	assert.Zero(t, turn.CreatedAt.Nanosecond()%1000)
}
