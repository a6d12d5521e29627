// Package journaltest specifies the behavior of an engine of package journal, as a test suite that
// every engine passes.
//
// An engine's own test calls [Run] with a function that makes an empty place for it:
//
//	func TestMyEnginePassesTheSuite(t *testing.T) {
//		journaltest.Run(t, func(t *testing.T) journaltest.Place {
//			dir := t.TempDir()
//			return journaltest.Place{Dir: dir, Open: func() (journal.Engine, error) { return myengine.Open(dir) }}
//		})
//	}
//
// The clauses are the entries of the table in Run, one sentence each: frames (frames.go), erasure by
// Replace and similar methods (erasure.go), the directory and the snapshots (directory.go), and the end of
// an engine and the state that the next one finds (reopening.go). To add a clause, write its function and
// add its sentence to the table.
//
// # What the suite does not test
//
// The suite does not test whether a frame outlives the process or the machine, what an engine does when its disk is
// full or its network is down, and whether it detects damage. An engine's own tests do: those of sqlite kill
// processes, flip bytes and cut files, those of jetstream stop nodes.
//
// # Timing
//
// No clause waits for a time to pass, and the outcome of none depends on the speed of the machine. A few have many
// goroutines work at once; under the race detector they find what a single caller does not.
//
// # The suite's own tests
//
// An engine in memory passes the suite, and broken variants of it fail, each at the clause that it violates.
package journaltest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// Place is where an engine keeps its frames.
type Place struct {
	// Open opens the engine. When it is called again, after Close, it has to find what was kept.
	Open func() (journal.Engine, error)
	// Dir is a directory that has all of the engine's files; empty if it has none.
	Dir string
	// SealsSnapshots says that snapshots are encrypted, each with a key that goes with it, so that nothing
	// of them is found in files. That the keys are gone is for the engine's own test.
	SealsSnapshots bool
}

// bench is what a clause works on: an engine that is open, and its place. A clause may close the engine and open it
// again as often as it likes.
type bench struct {
	journal.Engine
	place Place
}

// reopen closes the engine and opens it again.
func (b *bench) reopen(t *testing.T) {
	t.Helper()
	require.NoError(t, b.Close())
	b.open(t)
}

// open opens the engine.
func (b *bench) open(t *testing.T) {
	t.Helper()
	var err error
	b.Engine, err = b.place.Open()
	require.NoError(t, err)
}

// Run tests an engine against the specification, each clause as a subtest of its own. It calls place for each
// clause, which has to return a new, empty place. Run closes the engines.
func Run(t *testing.T, place func(t *testing.T) Place) {
	for _, clause := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"a session gives back what was appended, byte for byte and in order", appendAndRead},
		{"a session that nobody appended to has no frames", nothingToRead},
		{"a stale number is a conflict and nothing is kept", staleNumber},
		{"a number beyond the end is a conflict and nothing is kept", futureNumber},
		{"a read begins with the frame that has the event", readFromTheMiddle},
		{"a read may end early", readEndsEarly},
		{"a long log is read whole", longLog},
		{"a read is not disturbed by an append", appendDuringRead},
		{"sessions do not mix", sessionsApart},
		{"of 16 writers of one session each number is given once", race},
		{"what a caller does to its bytes later changes nothing", ownBytes},
		{"an append whose context has ended is kept or not, and says so", endedContext},

		{"a frame replaces those that it covers", replaceSeveral},
		{"replacing twice is as good as once", replaceTwice},
		{"a replacement that cuts a frame replaces nothing", replaceCuts},
		{"frames that overlap or are not there are not replaced", replaceMissing},
		{"a session goes on behind what was replaced", appendAfterReplace},
		{"bytes that were replaced are gone", replacedBytes},
		{"bytes of a former snapshot are gone", formerSnapshot},
		{"bytes of a user who was removed are gone", removedUser},
		{"bytes are gone of frames that lay between others", scatteredBytes},

		{"a user gets the same session each time", sameSession},
		{"of 16 who open a user's session at once all get the same", openingRace},
		{"the directory has all users", allUsers},
		{"names may have any bytes", anyBytes},
		{"a session that was removed is empty and its user gets a new one", removeAndReturn},
		{"removing one user leaves the others", removeOne},
		{"a snapshot is given back until it is replaced", snapshots},
		{"a session without a snapshot says so", noSnapshot},

		{"an engine that is opened again has everything", reopened},
		{"an engine that is opened again knows what was replaced and removed", reopenedErasure},
		{"a closed engine refuses everything", closed},
		{"an engine that is ready says so", ready},
	} {
		t.Run(clause.name, func(t *testing.T) {
			b := &bench{place: place(t)}
			b.open(t)
			t.Cleanup(func() { _ = b.Close() }) // a clause may have closed it
			clause.test(t, b)
		})
	}
}
