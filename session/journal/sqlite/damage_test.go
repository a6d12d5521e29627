package sqlite_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// tally counts what became of damaged directories.
type tally struct{ refused, named, unharmed int }

// check holds that each acknowledged frame and user of a directory is either given back or named by an error.
func (n *tally) check(t *testing.T, dir string, l ledger) {
	t.Helper()
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		n.refused++
		return
	}
	defer e.Close()
	harmed := false
	for session, want := range l.frames {
		got, err := readAll(t, e, session)
		switch {
		case err == nil:
			require.Equal(t, want, got, "session %s", session)
		case errors.Is(err, journal.ErrDamaged):
			harmed = true
			got = append([]journal.Frame{}, got...)
			require.Equal(t, want[:len(got)], got, "session %s, before the damage", session)
		default:
			require.NoError(t, err)
		}
	}
	for user, want := range l.users {
		got, err := e.Open(t.Context(), user, "new-"+want)
		if err == nil {
			require.Equal(t, want, got, "user %s", user)
			continue
		}
		harmed = true
		require.ErrorIs(t, err, journal.ErrDamaged)
	}
	if harmed {
		n.named++
	} else {
		n.unharmed++
	}
}

// TestAFlippedByteIsNeverSilentLoss flips a byte at many places of each file, in a directory that was closed and in
// one whose process was killed, so that its write-ahead log is there.
func TestAFlippedByteIsNeverSilentLoss(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 8, 20)
	require.NoError(t, e.Close())
	e = open(t, dir, sqlite.Options{})
	l.grow(t, e, 3) // so that some is in the database, and some in the log
	killed := copyDir(t, dir)
	require.NoError(t, e.Close())
	random := rand.New(rand.NewPCG(1, 2))
	for state, from := range map[string]string{"closed": dir, "killed": killed} {
		for _, name := range []string{"candor.db", "candor.db-wal", "candor.db-shm", "witness", "lock"} {
			info, err := os.Stat(filepath.Join(from, name))
			if err != nil || info.Size() == 0 {
				continue
			}
			t.Run(state+" "+name, func(t *testing.T) {
				var n tally
				for range *flips {
					at, bit := random.Int64N(info.Size()), byte(1)<<random.IntN(8)
					damaged := copyDir(t, from)
					change(t, filepath.Join(damaged, name), func(raw []byte) []byte {
						raw[at] ^= bit
						return raw
					})
					n.check(t, damaged, l)
					require.False(t, t.Failed(), "byte %d, bit %d", at, bit)
				}
				t.Logf("%d of %d bytes: %+v", *flips, info.Size(), n)
			})
		}
	}
}
