package session_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// newThread returns a session whose id is always the same, and the id of its thread.
func newThread(t *testing.T) (*session.Session, string) {
	t.Helper()
	const id = "550e8400-e29b-41d4-a716-446655440000"
	st := session.NewMemory(func() uuid.UUID { return uuid.MustParse(id) })
	t.Cleanup(func() { st.Close() })
	s, err := st.Open(t.Context(), "ann")
	require.NoError(t, err)
	e, err := s.OpenThread()
	require.NoError(t, err)
	return s, e.Thread
}

// newTurn returns a session with a running turn.
func newTurn(t *testing.T) (*session.Session, session.Ref) {
	t.Helper()
	s, threadID := newThread(t)
	return s, accept(t, s, threadID)
}

// accept begins or queues a turn.
func accept(t *testing.T, s *session.Session, threadID string) session.Ref {
	t.Helper()
	e, err := s.Accept(threadID, safety.Literal("hi"), nil)
	require.NoError(t, err)
	return e.Ref
}

// add appends events to a turn.
func add(t *testing.T, s *session.Session, ref session.Ref, bodies ...session.Body) {
	t.Helper()
	for _, b := range bodies {
		_, err := s.Append(ref, b)
		require.NoError(t, err)
	}
}

// turnOf returns a snapshot of the turn.
func turnOf(t *testing.T, s *session.Session, ref session.Ref) session.Turn {
	t.Helper()
	turn, err := s.Turn(ref.Thread, ref.Turn)
	require.NoError(t, err)
	return turn
}

// toolCall is a call of the clock tool.
func toolCall(id string, step int) session.ToolCalled {
	why := session.Rationale{Text: safety.Literal("to know the time"), Source: session.FromModel}
	return session.ToolCalled{Step: step, Call: id, Tool: safety.Literal("clock"), Rationale: why}
}

// numbers returns the log numbers of events.
func numbers(events []session.Event) []uint64 {
	var seqs []uint64
	for _, e := range events {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}
