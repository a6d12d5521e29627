package session_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/session/journal"
	"candor/session/journal/backup"
	"candor/session/journal/sqlite"
)

var flips = flag.Int("flips", 12, "how many bits TestAFlippedBitCostsOneConversation flips")

// people is how many threads each user has in the database whose bits are flipped.
var people = map[string]int{"ann": 181, "bob": 20, "cid": 3}

// talks fills a database with conversations, a few of which are long, and returns what each has.
func talks(t *testing.T, dir string) map[string]map[string][]session.Turn {
	t.Helper()
	e, err := sqlite.Open(dir, sqlite.Options{Sync: sqlite.Interval})
	require.NoError(t, err)
	store := session.NewDurable(unsaved(e), nil, session.Limits{})
	whole := map[string]map[string][]session.Turn{}
	for user, threads := range people {
		s, err := store.Open(t.Context(), user)
		require.NoError(t, err)
		for n := range threads {
			e, err := s.OpenThread()
			require.NoError(t, err)
			ref := accept(t, s, e.Thread)
			answer := words(20 + n%7*80 + n/90*1200)
			add(t, s, ref, toolCall("call_1", 1), session.ToolReturned{Call: "call_1", Outcome: session.Success},
				session.StepEnded{Step: 1}, session.TurnCompleted{Response: answer})
		}
		whole[user] = contentsOf(t, s).History
	}
	require.NoError(t, store.Close())
	return whole
}

// served opens a damaged database and counts the conversations that are as they were. It holds that none is shown with
// less than it had.
func served(t *testing.T, dir string, whole map[string]map[string][]session.Turn) (n int, named []string, err error) {
	t.Helper()
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		return 0, nil, err
	}
	store := session.NewDurable(unsaved(e), nil, session.Limits{})
	defer store.Close()
	for user, threads := range whole {
		s, err := store.Open(t.Context(), user)
		if err != nil {
			named = append(named, err.Error())
			continue
		}
		for id, turns := range threads {
			if h, err := s.History(id, session.Page{}); err == nil {
				require.Equal(t, turns, h.Turns)
				n++
			}
		}
	}
	return n, append(named, store.Status().Warnings...), nil
}

// salvaged holds that a directory that cannot be opened loses nothing if it is salvaged.
func salvaged(t *testing.T, dir string, whole map[string]map[string][]session.Turn) {
	t.Helper()
	from, err := sqlite.OpenDamaged(dir)
	require.NoError(t, err)
	defer from.Close()
	var file bytes.Buffer
	report, err := backup.Salvage(t.Context(), &file, from, backup.Created{}, nil)
	require.NoError(t, err)
	require.Empty(t, report.Lost)
	restored := t.TempDir()
	to, err := sqlite.Open(restored, sqlite.Options{Sync: sqlite.Interval})
	require.NoError(t, err)
	_, err = backup.Restore(t.Context(), bytes.NewReader(file.Bytes()), backup.Target{Engine: to})
	require.NoError(t, errors.Join(err, to.Close()))
	n, named, err := served(t, restored, whole)
	require.NoError(t, err)
	require.Empty(t, named)
	require.Equal(t, report.Sessions, len(whole))
	for _, threads := range whole {
		n -= len(threads)
	}
	require.Zero(t, n)
}

// A bit of the database costs the conversation in whose event it is, and no other one of its user's. Where the
// database cannot be opened at all, everything is salvaged.
func TestAFlippedBitCostsOneConversation(t *testing.T) {
	dir := t.TempDir()
	whole := talks(t, dir)
	raw, err := os.ReadFile(filepath.Join(dir, "candor.db"))
	require.NoError(t, err)
	r, all := rand.New(rand.NewPCG(7, 7)), 0
	for _, n := range people {
		all += n
	}
	var unharmed, lostNone, lostOne, refused int
	for i := range 2 * *flips {
		at, bit := r.IntN(len(raw)), byte(1)<<r.IntN(8)
		switch {
		case i%4 == 1: // where the trees of the tables begin
			at = r.IntN(6)*4096 + r.IntN(140)
		case i%4 == 3: // where any page says what is in it
			at = at/4096*4096 + r.IntN(16)
		}
		damaged := filepath.Join(t.TempDir(), "damaged")
		require.NoError(t, os.CopyFS(damaged, os.DirFS(dir)))
		raw[at] ^= bit
		require.NoError(t, os.WriteFile(filepath.Join(damaged, "candor.db"), raw, 0o600))
		raw[at] ^= bit
		n, named, err := served(t, damaged, whole)
		switch {
		case err != nil:
			refused++
			salvaged(t, damaged, whole)
		case n == all && len(named) == 0:
			unharmed++
		case n == all:
			lostNone++
		default:
			lostOne++
			require.LessOrEqual(t, all-1, n, "byte %d, bit %d: %v", at, bit, named)
			require.NotEmpty(t, named)
		}
		t.Logf("byte %7d of page %3d, bit %02x: %d of %d conversations served, %.90q %v",
			at%4096, at/4096+1, bit, n, all, named, err)
	}
	t.Logf("%d bits of %d bytes: %d harmed nothing, %d are named and cost nothing, %d cost one conversation, which is "+
		"named, %d keep the database from being opened and cost nothing", 2**flips, len(raw), unharmed, lostNone,
		lostOne, refused)
}

// unsaved returns an engine that takes no snapshots, so that logs are read from their beginning.
func unsaved(e journal.Engine) journal.Engine {
	e.Snapshots = noSnapshots{}
	return e
}

type noSnapshots struct{}

func (noSnapshots) Save(context.Context, string, []byte) error { return nil }

func (noSnapshots) Load(context.Context, string) ([]byte, error) { return nil, journal.ErrNoSnapshot }
