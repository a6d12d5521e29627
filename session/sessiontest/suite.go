// Package sessiontest specifies the behavior of a session.Store, as a test suite
// that every implementation passes.
//
// A store's own test calls [Run] with a function that opens an empty store:
//
//	func TestMyStorePassesTheSuite(t *testing.T) {
//		sessiontest.Run(t, func() session.Store { return mystore.New() })
//	}
//
// The clauses of the specification are the entries of the table in Run, one sentence
// each, in four groups: users and their sessions (users.go), turns (turns.go), the log
// as its readers see it (readers.go), and the end of a session by eviction or Close
// (lifetime.go). To add a clause, write its function and add its sentence to the table.
//
// The suite does not test the fold and the jobs, which package session implements for
// all stores alike and tests itself. It does not require durability either: a store may
// lose its sessions with the process, as session.Memory does. Package journaltest
// specifies the engines beneath session.Durable.
//
// Every clause runs in a bubble of package testing/synctest: its hours pass at once,
// and its outcome does not depend on the speed of the machine. A store must therefore
// not do I/O that blocks outside the bubble, and every goroutine it starts has to end
// with Close.
package sessiontest

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// Run tests a store against the specification, each clause as a subtest of its own.
// open has to return a new, empty store on each call; Run closes the stores.
func Run(t *testing.T, open func() session.Store) {
	for _, clause := range []struct {
		name string
		test func(*testing.T, session.Store)
	}{
		{"a user gets the same session each time", sameSession},
		{"users do not see each other's threads", isolation},
		{"an evicted session comes back whole, or another takes its place", wholeOrAnewAfterEviction},

		{"turns of a thread are numbered from 1", turnNumbers},
		{"a page of history does not renumber its turns", pagesKeepNumbers},
		{"MaxWaiting messages may wait and the next one is refused", queueLimit},
		{"an ended turn accepts no more events", endedTurn},
		{"a run that waits starts with what its client set", waitingRun},
		{"a replay has the facts of its turn, and no turn that is open has one", replayedTurn},

		{"concurrent writers produce one order without gaps", concurrentWriters},
		{"a reader that resumes misses nothing and sees nothing twice", resumedReader},
		{"a reader does not delay a writer", stalledReader},

		{"a session with an open turn is not evicted", openTurnIsNotIdle},
		{"a session with a reader is not evicted", readerIsNotIdle},
		{"a session in use is not evicted", useIsNotIdle},
		{"an evicted session reports its eviction", evictionIsReported},
		{"a closed store lets readers finish and refuses everything else", closing},
	} {
		t.Run(clause.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// The store is opened in the bubble, so that its clock is the bubble's.
				st := open()
				defer func() { require.NoError(t, st.Close()) }()
				clause.test(t, st)
			})
		})
	}
}

// hello is the text of every message and answer in the suite. The clauses are about
// order and lifetime, so what is said does not matter.
var hello = safety.Literal("hello")

// openSession returns the user's session.
func openSession(t *testing.T, st session.Store, user string) *session.Session {
	t.Helper()
	s, err := st.Open(t.Context(), user)
	require.NoError(t, err)
	return s
}

// openThread opens a thread and returns its id.
func openThread(t *testing.T, s *session.Session) string {
	t.Helper()
	e, err := s.OpenThread()
	require.NoError(t, err)
	return e.Thread
}

// beginTurn sends a message and returns the turn it was given, which is queued if
// another turn of the thread is open.
func beginTurn(t *testing.T, s *session.Session, threadID string) session.Ref {
	t.Helper()
	e, err := s.Accept(threadID, hello, nil)
	require.NoError(t, err)
	return e.Ref
}

// endTurn completes a turn, so that its thread is idle unless more turns are queued.
// It does not start the next one: that is the caller's task, not the store's.
func endTurn(t *testing.T, s *session.Session, ref session.Ref) {
	t.Helper()
	_, err := s.Append(ref, session.TurnCompleted{Response: hello})
	require.NoError(t, err)
}
