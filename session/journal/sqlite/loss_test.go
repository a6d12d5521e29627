package sqlite_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// cutLog cuts the write-ahead log of a directory to a part of its length, which SQLite takes for its end.
func cutLog(t *testing.T, dir string, percent int) {
	t.Helper()
	change(t, filepath.Join(dir, "candor.db-wal"), func(raw []byte) []byte { return raw[:len(raw)*percent/100] })
}

func TestALostEndIsNamedAndTheOthersServe(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 3, 5)
	for n := range uint64(40) { // only session-0 goes on, so that only its end is lost
		require.NoError(t, e.Append(t.Context(), "session-0", frameOf("session-0", n+6)))
	}
	damaged := copyDir(t, dir)
	cutLog(t, damaged, 90)
	for range 2 { // the next Open says it again
		e := open(t, damaged, sqlite.Options{})
		warnings := strings.Join(e.Status().Warnings, "\n")
		assert.Contains(t, warnings, "of session session-0: they were kept and are gone")
		assert.Contains(t, warnings, "restore the directory from a backup")
		assert.NotContains(t, warnings, "session-1")

		_, err := readAll(t, e, "session-0")
		var d *journal.Damage
		require.ErrorAs(t, err, &d)
		assert.Equal(t, "session-0", d.Session)
		assert.Equal(t, uint64(45), d.Last)
		assert.Greater(t, d.First, uint64(5))
		err = e.Append(t.Context(), "session-0", frameOf("session-0", d.First))
		require.ErrorIs(t, err, journal.ErrDamaged, "numbers are not given out again")
		frames, err := readAll(t, e, "session-1")
		require.NoError(t, err)
		assert.GreaterOrEqual(t, len(frames), 5)
		next := uint64(len(frames) + 1)
		require.NoError(t, e.Append(t.Context(), "session-1", frameOf("session-1", next)))
		require.NoError(t, e.Close())
	}
	e = open(t, damaged, sqlite.Options{})
	require.NoError(t, e.Remove(t.Context(), "user-0"), "who is removed is no longer damaged")
	session, err := e.Open(t.Context(), "user-0", "anew")
	require.NoError(t, err)
	assert.Equal(t, "anew", session)
	require.NoError(t, e.Close())
	assert.Empty(t, open(t, damaged, sqlite.Options{}).Status().Warnings)
}

func TestAUserWhoseRowIsLostGetsNoNewSession(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 2, 3)
	_, err := e.Open(t.Context(), "late", "of-late")
	require.NoError(t, err)
	damaged := copyDir(t, dir)
	cutLog(t, damaged, 95)
	e = open(t, damaged, sqlite.Options{})
	_, err = e.Open(t.Context(), "late", "another")
	require.ErrorIs(t, err, journal.ErrDamaged)
	_, err = e.Open(t.Context(), "somebody else", "of-else")
	require.NoError(t, err)
}

// With Interval, the machine may lose what was answered within the last second. What was on the disk may not be lost.
// The test runs in a bubble, whose second does not pass while it is busy.
func TestIntervalMayLoseASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e, err := sqlite.Open(dir, sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		fill(t, e, 3, 10)
		soon := copyDir(t, dir)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		later := copyDir(t, dir)
		require.NoError(t, e.Close())

		cutLog(t, soon, 50)
		lost, err := sqlite.Open(soon, sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		assert.Contains(t, strings.Join(lost.Status().Warnings, "\n"), "Session session-0 ended with event 10, and now")
		frames, err := readAll(t, lost, "session-0")
		require.NoError(t, err)
		require.Less(t, len(frames), 10)
		next := uint64(len(frames) + 1)
		require.NoError(t, lost.Append(t.Context(), "session-0", frameOf("session-0", next)))
		require.NoError(t, lost.Close())

		cutLog(t, later, 50)
		lost, err = sqlite.Open(later, sqlite.Options{Sync: sqlite.Interval})
		require.NoError(t, err)
		_, err = readAll(t, lost, "session-0")
		require.ErrorIs(t, err, journal.ErrDamaged, "what was on the disk")
		require.NoError(t, lost.Close())
	})
}

func TestATornFileIsNeverSilentLoss(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 4, 20)
	killed := copyDir(t, dir)
	require.NoError(t, e.Close())
	random := rand.New(rand.NewPCG(5, 6))
	var n tally
	for from, name := range map[string]string{dir: "candor.db", killed: "candor.db-wal"} {
		info, err := os.Stat(filepath.Join(from, name))
		require.NoError(t, err)
		for _, cut := range []int64{1, 4095, 4096, info.Size() - 1, info.Size(), random.Int64N(info.Size())} {
			damaged := copyDir(t, from)
			require.NoError(t, os.Truncate(filepath.Join(damaged, name), info.Size()-cut))
			n.check(t, damaged, l)
		}
		damaged := copyDir(t, from)
		require.NoError(t, os.Remove(filepath.Join(damaged, name)))
		n.check(t, damaged, l)
	}
	assert.Zero(t, n.unharmed, "%+v", n)
}

func TestAWitnessThatIsGoneOrDamagedIsAWarning(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	l := fill(t, e, 3, 3)
	require.NoError(t, e.Close())
	witness := filepath.Join(dir, "witness")
	for want, harm := range map[string]func(){
		"The file witness is gone": func() { require.NoError(t, os.Remove(witness)) },
		"1 lines of the file witness are damaged": func() {
			change(t, witness, func(raw []byte) []byte { raw[10] ^= 1; return raw })
		},
		"lines of the file witness are damaged": func() {
			change(t, witness, func(raw []byte) []byte { return append(raw, "\x00\x00\n\nkept 5\nkept"...) })
		},
	} {
		harm()
		e := open(t, dir, sqlite.Options{})
		assert.Contains(t, strings.Join(e.Status().Warnings, "\n"), want)
		for session, frames := range l.frames {
			got, err := readAll(t, e, session)
			require.NoError(t, err)
			assert.Equal(t, frames, got)
		}
		require.NoError(t, e.Close())
		e = open(t, dir, sqlite.Options{})
		assert.Empty(t, e.Status().Warnings, "it was written anew")
		require.NoError(t, e.Close())
	}
}

// A process that is killed when a replacement is committed and the witness does not know its checksum yet leaves a
// witness whose last line is the one that was written before.
func TestKilledBetweenAReplacementAndItsWitness(t *testing.T) {
	for name, mode := range map[string]sqlite.Sync{"always": sqlite.Always, "interval": sqlite.Interval} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, dir, sqlite.Options{Sync: mode})
			fill(t, e, 1, 3)
			require.NoError(t, e.Close())
			e = open(t, dir, sqlite.Options{Sync: mode}) // the witness has three frames on the disk
			erased := journal.Frame{First: 2, Last: 3, Data: []byte("erased")}
			require.NoError(t, e.Replace(t.Context(), "session-0", []journal.Frame{erased}))
			killed := copyDir(t, dir)
			change(t, filepath.Join(killed, "witness"), func(raw []byte) []byte {
				lines := bytes.SplitAfter(raw, []byte("\n"))
				return bytes.Join(lines[:2], nil) // how the session ended, and what was written before the replacement
			})
			e = open(t, killed, sqlite.Options{Sync: mode})
			assert.Empty(t, e.Status().Warnings)
			frames, err := readAll(t, e, "session-0")
			require.NoError(t, err)
			assert.Equal(t, []journal.Frame{frameOf("session-0", 1), erased}, frames)
		})
	}
}

// A page that SQLite cannot read concerns the sessions on it. The others are kept, so the engine is ready.
func TestADamagedPageKeepsNobodyElseFromWriting(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 2, 30)
	require.NoError(t, e.Close())
	change(t, filepath.Join(dir, "candor.db"), func(raw []byte) []byte {
		at := bytes.LastIndex(raw, []byte("session-0:30 ")) / 4096 * 4096
		raw[at] = 0xff // no kind of page
		return raw
	})
	e = open(t, dir, sqlite.Options{})
	require.ErrorIs(t, e.Append(t.Context(), "session-0", frameOf("session-0", 31)), journal.ErrDamaged)
	assert.NoError(t, e.Status().Ready)
	require.NoError(t, e.Append(t.Context(), "session-1", frameOf("session-1", 31)))
}

func TestAnEmptiedWitnessIsReportedLikeAMissingOne(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir, sqlite.Options{})
	fill(t, e, 2, 3)
	require.NoError(t, e.Close())
	require.NoError(t, os.Truncate(filepath.Join(dir, "witness"), 0))
	assert.Contains(t, strings.Join(open(t, dir, sqlite.Options{}).Status().Warnings, "\n"), "The file witness is gone")
}
