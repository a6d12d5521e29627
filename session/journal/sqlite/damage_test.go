package sqlite_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// tally counts what became of damaged directories, and lost how many frames the worst of them cost.
type tally struct{ refused, named, unharmed, lost int }

// check holds that each acknowledged frame and user of a directory is either given back or named by an error. It
// returns how many frames are not given back.
func (n *tally) check(t *testing.T, dir string, l ledger) (lost int) {
	t.Helper()
	e, err := sqlite.Open(dir, sqlite.Options{})
	if err != nil {
		n.refused++
		return 0
	}
	defer e.Close()
	harmed := len(e.Status().Warnings) > 0
	for session, want := range l.frames {
		got, damage := readOn(t, e, session)
		harmed = harmed || len(damage) > 0
		for _, d := range damage {
			require.Equal(t, session, d.Session)
			lost += int(d.Last + 1 - max(1, d.First))
			want = slices.DeleteFunc(slices.Clone(want), func(f journal.Frame) bool {
				return d.First <= f.First && f.First <= d.Last
			})
		}
		require.Equal(t, want, append([]journal.Frame{}, got...), "session %s: %v", session, damage)
	}
	n.lost = max(n.lost, lost)
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
	return lost
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
					lost := n.check(t, damaged, l)
					if state+name == "closedcandor.db" {
						require.LessOrEqual(t, lost, 1, "byte %d, bit %d: a bit costs one frame", at, bit)
					}
					require.False(t, t.Failed(), "byte %d, bit %d", at, bit)
				}
				t.Logf("%d of %d bytes: %+v", *flips, info.Size(), n)
			})
		}
	}
}

// A damaged place of a page leads SQLite astray on its way to the rows of others. Everybody keeps their session.
func TestADamagedPointerGivesNobodyAnotherSession(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 3, 3)
	require.NoError(t, e.Close())
	raw, err := os.ReadFile(filepath.Join(dir, "candor.db"))
	require.NoError(t, err)
	pointers := bytes.Index(raw, []byte("user-1session-1"))/4096*4096 + 8
	for bit := range 8 * 6 {
		damaged := copyDir(t, dir)
		change(t, filepath.Join(damaged, "candor.db"), func(raw []byte) []byte {
			raw[pointers+bit/8] ^= 1 << (bit % 8)
			return raw
		})
		e := open(t, damaged, sqlite.Options{})
		for user, want := range l.users {
			session, err := e.Open(t.Context(), user, "new-"+want)
			require.NoError(t, err)
			require.Equal(t, want, session, "bit %d", bit)
		}
		require.NoError(t, e.Close())
	}
}
