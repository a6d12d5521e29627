package session_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

func TestIDsAreDerivedFromTheLogPosition(t *testing.T) {
	a, refA := newTurn(t)
	b, refB := newTurn(t)
	assert.Equal(t, refA.Thread, refB.Thread)
	messageID := turnOf(t, a, refA).Message
	assert.Equal(t, messageID, turnOf(t, b, refB).Message)
	assert.NotEqual(t, refA.Thread, messageID)
	request, later := a.RequestID(refA, "call_1"), session.Ref{Thread: refA.Thread, Turn: refA.Turn + 1}
	assert.NotEqual(t, request, a.RequestID(refA, "call_2"), "each call has a request of its own")
	assert.NotEqual(t, request, a.RequestID(later, "call_1"), "so has each turn")
	m := session.NewMemory(nil)
	c, err := m.Open(t.Context(), "carl")
	require.NoError(t, err)
	e, err := c.OpenThread()
	require.NoError(t, err)
	assert.NotEqual(t, messageID, turnOf(t, c, accept(t, c, e.Thread)).Message, "each session has ids of its own")
}

func TestHistoryPages(t *testing.T) {
	s, threadID := newThread(t)
	for range 7 {
		add(t, s, accept(t, s, threadID), session.TurnCompleted{})
	}
	var pages [][]int
	for p, more := (session.Page{Limit: 3}), true; more; {
		h, err := s.History(threadID, p)
		require.NoError(t, err)
		var turns []int
		for _, turn := range h.Turns {
			turns = append(turns, turn.Number)
		}
		pages = append(pages, turns)
		p.Before, more = h.Turns[0].CreatedAt, h.HasMore
	}
	assert.Equal(t, [][]int{{5, 6, 7}, {2, 3, 4}, {1}}, pages, "no turn is lost between pages")
}

func TestAPageOfHistoryIsASnapshot(t *testing.T) {
	s, ref := newTurn(t)
	page, err := s.History(ref.Thread, session.Page{})
	require.NoError(t, err)
	add(t, s, ref, session.TurnCompleted{})
	assert.Equal(t, session.Processing, page.Turns[0].State, "a later event does not reach into it")
}

func TestAThreadListsItsOpenRequests(t *testing.T) {
	s, ref := newTurn(t)
	open := func() []string {
		described, err := s.Thread(ref.Thread)
		require.NoError(t, err)
		return described.Requests
	}
	asked := func(request, call string) session.Body {
		return session.ApprovalAsked{Request: request, Call: call}
	}
	assert.Nil(t, open())
	add(t, s, ref, toolCall("call_1", 1), toolCall("call_2", 1), asked("r1", "call_1"), asked("r2", "call_2"))
	assert.Equal(t, []string{"r1", "r2"}, open())
	add(t, s, ref, session.ApprovalAnswered{Request: "r1", Call: "call_1", Answer: session.Deny})
	assert.Equal(t, []string{"r2"}, open())
	add(t, s, ref, session.ApprovalAnswered{Request: "r2", Call: "call_2", Answer: session.Withdrawn})
	assert.Nil(t, open())
}

func TestThreadsAreListedByLastUse(t *testing.T) {
	s, one := newThread(t)
	e, err := s.OpenThread()
	require.NoError(t, err)
	assert.Equal(t, e.Thread, s.Active())
	ref := accept(t, s, one)
	assert.Equal(t, one, s.Active())
	list := s.Threads()
	require.Len(t, list, 2)
	assert.Equal(t, one, list[0].ID)
	assert.Equal(t, session.Processing, list[0].State)
	assert.Equal(t, "hi", list[0].Title.String())
	add(t, s, ref, session.TurnFailed{Error: safety.Literal("no model")})
	th, err := s.Thread(one)
	require.NoError(t, err)
	assert.Equal(t, session.Completed, th.State, "a thread without an open turn is idle, however its turns ended")
}

func TestTimesAreUTCAndToTheMicrosecond(t *testing.T) {
	s, ref := newTurn(t)
	turn := turnOf(t, s, ref)
	assert.Equal(t, time.UTC, turn.CreatedAt.Location())
	assert.Zero(t, turn.CreatedAt.Nanosecond()%1000)
}

func TestANameStandsForOneThreadPerSession(t *testing.T) {
	m := session.NewMemory(nil)
	ann, err := m.Open(t.Context(), "ann")
	require.NoError(t, err)
	bob, err := m.Open(t.Context(), "bob")
	require.NoError(t, err)
	id, err := ann.OpenNamed("theirs")
	require.NoError(t, err)
	again, err := ann.OpenNamed("theirs")
	require.NoError(t, err)
	assert.Equal(t, id, again)
	assert.Equal(t, id, ann.NamedID("theirs"))
	assert.Len(t, ann.Threads(), 1)
	assert.NotEqual(t, id, bob.NamedID("theirs"))
	assert.NotEqual(t, id, ann.NamedID("other"))
}

func TestAMessageThatWaitsMakesItsThreadTheActiveOne(t *testing.T) {
	s, one := newThread(t)
	accept(t, s, one)
	two, err := s.OpenThread()
	require.NoError(t, err)
	require.Equal(t, two.Thread, s.Active())
	accept(t, s, one)
	assert.Equal(t, one, s.Active())
}

// Only the race detector sees a lock that is missing here.
func TestReadersMayRunBesideWriters(t *testing.T) {
	s, thread := newThread(t)
	var readers sync.WaitGroup
	done := make(chan struct{})
	for _, read := range []func(){
		func() { s.Active() }, func() { s.Threads() }, func() { s.Approved("x") }, func() { s.Jobs() },
		func() { _, _ = s.History(thread, session.Page{}) }, func() { _, _ = s.Turn(thread, 1) },
		func() { _, _ = s.Thread(thread) },
	} {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					read()
				}
			}
		})
	}
	for range 200 {
		_, err := s.OpenThread()
		require.NoError(t, err)
		add(t, s, accept(t, s, thread), session.TurnCompleted{})
	}
	close(done)
	readers.Wait()
	assert.Len(t, s.Threads(), 201)
}
