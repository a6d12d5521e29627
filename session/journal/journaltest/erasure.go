package journaltest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// erased is what stands in the place of replaced frames. It is shorter than most frames, and longer than some.
func erased(first, last uint64) journal.Frame {
	return journal.Frame{First: first, Last: last, Data: fmt.Appendf(nil, "erased %d to %d", first, last)}
}

// assertGone holds that none of the engine's files has one of the texts, neither while the engine is open nor after
// it was opened again and closed: an engine may move what it keeps on either occasion, and copy more than it should.
// For an engine without files it does nothing.
func assertGone(t *testing.T, b *bench, texts ...string) {
	t.Helper()
	if b.place.Dir == "" {
		return
	}
	searchFiles(t, b.place.Dir, "while it is open", texts)
	b.reopen(t)
	require.NoError(t, b.Close())
	searchFiles(t, b.place.Dir, "after it was closed", texts)
	b.open(t)
}

// searchFiles holds that no file of a directory has one of the texts.
func searchFiles(t *testing.T, dir, when string, texts []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(name)
		for _, text := range texts {
			assert.False(t, bytes.Contains(raw, []byte(text)), "%s has %q %s", name, text, when)
		}
		return err
	}))
}

// assertThere holds that a text is in one of the engine's files, since a search for it would prove nothing
// otherwise. An engine that compresses or encrypts cannot be searched.
func assertThere(t *testing.T, b *bench, text string) {
	t.Helper()
	if b.place.Dir == "" {
		return
	}
	found := false
	require.NoError(t, filepath.WalkDir(b.place.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(name)
		found = found || bytes.Contains(raw, []byte(text))
		return err
	}))
	assert.True(t, found, "no file has %q before it is erased", text)
}

// replaceSeveral puts frames in the place of several, of one, and of the last.
func replaceSeveral(t *testing.T, b *bench) {
	frames := fill(t, b.Engine, "s", 10)
	require.NoError(t, b.Replace(t.Context(), "s", []journal.Frame{erased(2, 4), erased(6, 6), erased(9, 10)}))
	want := []journal.Frame{frames[0], erased(2, 4), frames[4], erased(6, 6), frames[6], frames[7], erased(9, 10)}
	assert.Equal(t, want, read(t, b.Engine, "s", 1))
	assert.Equal(t, want[1:], read(t, b.Engine, "s", 3), "from within")
}

// replaceTwice repeats a replacement, as somebody does who did not get the answer, and replaces what was
// replaced.
func replaceTwice(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 10)
	for range 2 {
		require.NoError(t, b.Replace(t.Context(), "s", []journal.Frame{erased(2, 4), erased(6, 6)}))
	}
	require.NoError(t, b.Replace(t.Context(), "s", []journal.Frame{erased(1, 7)}), "what was replaced is replaced")
	got := read(t, b.Engine, "s", 1)
	require.Len(t, got, 4)
	assert.Equal(t, erased(1, 7), got[0])
	require.NoError(t, b.Replace(t.Context(), "s", nil), "nothing to do")
}

// replaceCuts tries numbers that begin or end within a frame. A list of which only the last frame is wrong
// replaces nothing either.
func replaceCuts(t *testing.T, b *bench) {
	frames := []journal.Frame{frame(1, 3, "a"), frame(4, 6, "b"), frame(7, 9, "c")}
	for _, f := range frames {
		require.NoError(t, b.Append(t.Context(), "s", f))
	}
	for _, with := range [][]journal.Frame{
		{erased(1, 2)}, {erased(2, 3)}, {erased(1, 4)}, {erased(3, 6)}, {erased(5, 5)},
		{erased(1, 3), erased(4, 7)}, {erased(1, 3), erased(4, 6), erased(8, 9)},
	} {
		require.Error(t, b.Replace(t.Context(), "s", with), "%d to %d", with[0].First, with[0].Last)
	}
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
}

// replaceMissing tries events that the session does not have, and frames that overlap or are out of order. An engine
// has to check them all before it touches one.
func replaceMissing(t *testing.T, b *bench) {
	frames := fill(t, b.Engine, "s", 5)
	for _, with := range [][]journal.Frame{
		{erased(6, 6)}, {erased(4, 6)}, {erased(1, 2), erased(2, 3)}, {erased(3, 3), erased(1, 1)}, {erased(0, 1)},
	} {
		require.Error(t, b.Replace(t.Context(), "s", with), "%d to %d", with[0].First, with[0].Last)
	}
	require.Error(t, b.Replace(t.Context(), "nobody's", []journal.Frame{erased(1, 1)}))
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
}

// appendAfterReplace replaces everything. The session still knows its last number, so that no event gets the number
// of one that somebody has seen.
func appendAfterReplace(t *testing.T, b *bench) {
	fill(t, b.Engine, "s", 5)
	require.NoError(t, b.Replace(t.Context(), "s", []journal.Frame{erased(1, 5)}))
	require.ErrorIs(t, b.Append(t.Context(), "s", frame(1, 1, "again")), journal.ErrConflict, "numbers are not reused")
	require.NoError(t, b.Append(t.Context(), "s", frame(6, 6, "next")))
	assert.Equal(t, []journal.Frame{erased(1, 5), frame(6, 6, "next")}, read(t, b.Engine, "s", 1))
}

// replacedBytes searches the files for what was replaced: a short frame, and one that fills many pages.
func replacedBytes(t *testing.T, b *bench) {
	require.NoError(t, b.Append(t.Context(), "s", frame(1, 1, "stays here")))
	require.NoError(t, b.Append(t.Context(), "s", frame(2, 3, "must be gone")))
	long := journal.Frame{First: 4, Last: 4, Data: []byte(strings.Repeat("so must this. ", 20_000))}
	require.NoError(t, b.Append(t.Context(), "s", long))
	assertThere(t, b, "must be gone")
	assertThere(t, b, "so must this")
	require.NoError(t, b.Replace(t.Context(), "s", []journal.Frame{erased(2, 3), erased(4, 4)}))
	assertGone(t, b, "must be gone", "so must this")
	assertThere(t, b, "stays here")
}

// formerSnapshot searches the files for a snapshot after it was replaced and after it was removed. A snapshot repeats
// what frames say, so what is erased from those has to go from here as well.
func formerSnapshot(t *testing.T, b *bench) {
	require.NoError(t, b.Save(t.Context(), "s", []byte(strings.Repeat("first snapshot ", 10_000))))
	if !b.place.SealsSnapshots {
		assertThere(t, b, "first snapshot")
	}
	require.NoError(t, b.Save(t.Context(), "s", []byte("second snapshot")))
	assertGone(t, b, "first snapshot")
	require.NoError(t, b.Save(t.Context(), "s", nil))
	assertGone(t, b, "second snapshot")
}

// removedUser searches the files for the words of a user who was removed, and for what their snapshot said. Another
// user, whose words were written in turns with theirs or after them, keeps everything.
func removedUser(t *testing.T, b *bench) {
	for _, name := range []string{"alice", "bob"} {
		_, err := b.Open(t.Context(), name, "session of "+name)
		require.NoError(t, err)
		for i := range uint64(30) {
			require.NoError(t, b.Append(t.Context(), "session of "+name, frame(i+1, i+1, "words of "+name)))
		}
		require.NoError(t, b.Save(t.Context(), "session of "+name, []byte("snapshot of "+name)))
	}
	assertThere(t, b, "words of alice")
	require.NoError(t, b.Remove(t.Context(), "alice"))
	assertGone(t, b, "words of alice", "snapshot of alice")
	assert.Len(t, read(t, b.Engine, "session of bob", 1), 30)
}

// scatteredBytes erases, one session after the other, frames of many sizes that were written in turns with others,
// so that an engine that moves what it keeps had to move them. A page that is divided may keep a copy of
// what left it; SQLite's pages do.
func scatteredBytes(t *testing.T, b *bench) {
	const sessions, each = 12, 40
	name := func(s int) string { return fmt.Sprintf("session %d", s) }
	for i := range uint64(each) {
		for s := range sessions {
			mark := fmt.Sprintf("<mark %d of %d>", i+1, s)
			f := journal.Frame{First: i + 1, Last: i + 1,
				Data: []byte(strings.Repeat(mark, 1+int(i*31+uint64(s)*17)%90))}
			require.NoError(t, b.Append(t.Context(), name(s), f))
		}
	}
	for s := range sessions {
		var with []journal.Frame
		for i := range uint64(each) {
			if (i+uint64(s))%3 == 0 {
				with = append(with, erased(i+1, i+1))
			}
		}
		require.NoError(t, b.Replace(t.Context(), name(s), with))
	}
	var gone []string
	for s := range sessions {
		for i := range uint64(each) {
			if (i+uint64(s))%3 == 0 {
				gone = append(gone, fmt.Sprintf("<mark %d of %d>", i+1, s))
			}
		}
	}
	assertGone(t, b, gone...)
	for s := range sessions {
		require.NoError(t, b.Replace(t.Context(), name(s), []journal.Frame{erased(1, each)}))
	}
	assertGone(t, b, "<mark")
}
