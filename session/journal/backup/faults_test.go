package backup_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/backup"
)

// small returns a backup of a few hundred bytes.
func small(t *testing.T) []byte {
	t.Helper()
	from := newMemory()
	from.add(t, "ann", "one", 2)
	file, _ := written(t, from, backup.Item{Name: "token", Content: []byte("t")})
	return file
}

// A file is cut behind each of its bytes. Nothing of it may reach the engine, and what is said is that it was cut, not
// that it is strange.
func TestAFileThatIsCutAnywhereIsRefused(t *testing.T) {
	file := small(t)
	for n := range file {
		to, _, err := restore(t, file[:n], false)
		require.Error(t, err, "cut to %d bytes", n)
		assert.Empty(t, to.order)
		if n < len("candor backup 1\n") {
			assert.ErrorIs(t, err, backup.ErrForeign)
		} else {
			assert.ErrorIs(t, err, backup.ErrCut)
		}
	}
}

// Two bits of each byte are flipped. The place that the fault names is that of the record with the byte, which is what
// somebody who looks for the cause needs.
func TestAByteThatIsFlippedAnywhereIsFoundAtItsRecord(t *testing.T) {
	file := small(t)
	// Where each record begins is read from the lengths in the file itself.
	begins := []int64{16}
	for at := 16; at < len(file); {
		at += 5 + int(binary.BigEndian.Uint32(file[at+1:])) + 4
		begins = append(begins, int64(at))
	}
	record := 0
	for i := range file {
		if int64(i) >= begins[record+1] {
			record++
		}
		for _, bit := range []byte{1, 0x80} {
			bad := bytes.Clone(file)
			bad[i] ^= bit
			to, _, err := restore(t, bad, false)
			require.Error(t, err, "byte %d", i)
			assert.Empty(t, to.order)
			// The first line has no record: a file with another one is foreign, or of a newer version.
			if i < 16 {
				continue
			}
			fault, ok := errors.AsType[*backup.Fault](err)
			require.True(t, ok, "byte %d: %v", i, err)
			assert.Equal(t, begins[record], fault.At, "byte %d", i)
		}
	}
}

// sealed returns a record with its sum.
func sealed(t *testing.T, kind byte, content string) []byte {
	t.Helper()
	raw := append(binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(content))), content...)
	return binary.BigEndian.AppendUint32(raw, backup.Sum(raw))
}

// frameOf returns the content of a session's record of a frame.
func frameOf(f journal.Frame) string {
	head := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, f.First), f.Last)
	return string(head) + string(f.Data)
}

// The files here are made by hand, with sums that fit, as somebody would who wants to get something past the checks or
// to make us hold much memory.
func TestWhatIsWrongWithAFileIsSaid(t *testing.T) {
	from := newMemory()
	from.add(t, "ann", "one", 3)
	file, _ := written(t, from)
	const head = "candor backup 1\n"
	created := string(sealed(t, 'c', "\x00\x00\x00\x142026-11-23T01:02:03Z\x00\x00\x00\x01m"))
	session := string(sealed(t, 's', "\x00\x00\x00\x03ann\x00\x00\x00\x03one"))
	frames := from.frames["one"]
	first := string(sealed(t, 'f', frameOf(frames[0])))
	third := string(sealed(t, 'f', frameOf(frames[2])))
	for name, c := range map[string]struct{ file, says string }{
		"an empty file":               {"", "not a backup of Candor"},
		"a file of another program":   {"SQLite format 3\x00 and more", "not a backup of Candor"},
		"a later version":             {"candor backup 2\nwhatever", "newer Candor wrote the backup: it has format 2"},
		"a version that is no number": {"candor backup x\n", "not a backup of Candor"},
		"a version without an end":    {"candor backup " + strings.Repeat("1", 40), "not a backup of Candor"},
		"something behind the end":    {string(file) + "x", "the backup ends here, and the file goes on"},
		"a record of gigabytes":       {head + "c\xff\xff\xff\xff", "a record cannot have 4294967295 bytes"},
		"a length that promises more": {head + "c\x0f\xff\xff\xff", "cut off"},
		"no record of its making":     {head + string(sealed(t, 'i', "")), "kind 'i' cannot stand here"},
		"an unknown kind":             {head + created + string(sealed(t, 'q', "")), "kind 'q' cannot stand here"},
		"a content of another kind": {
			head + created + string(sealed(t, 's', "\x00\x00\x00\x09ann")),
			"not that of its kind",
		},
		"an item with too much": {
			head + created + string(sealed(t, 'i', "\x00\x00\x00\x00\x00\x00\x00\x00x")),
			"not that",
		},
		"a time that is none":          {head + string(sealed(t, 'c', "\x00\x00\x00\x01x\x00\x00\x00\x00")), "parse"},
		"a frame without its numbers":  {head + created + session + string(sealed(t, 'f', "x")), "(session one)"},
		"a frame outside of a session": {head + created + first, "kind 'f' cannot stand here"},
		"a missing frame": {
			head + created + session + first + third,
			"(session one): the log is damaged at events 3 to 4",
		},
		"a frame that is there twice": {head + created + session + first + first, "it is there twice"},
		"a session in a session":      {head + created + session + first + session, "kind 's' cannot stand here"},
		"a session without its last": {
			head + created + session + first + string(sealed(t, 'e', "\x00\x00\x00\x00\x00\x00\x00\x06")),
			"its last events are missing",
		},
		"a session left out for what": {
			head + created + session + string(sealed(t, 'x', "")),
			"not that of its kind",
		},
		"an end without a hash": {
			head + created + string(sealed(t, 'z', strings.Repeat("\x00", 24))),
			"hash of the whole",
		},
		"an end that is none": {head + created + string(sealed(t, 'z', "")), "not that of its kind"},
	} {
		to, _, err := restore(t, []byte(c.file), false)
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), c.says, name)
		assert.Empty(t, to.order, name)
	}
}
