package jetstream

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// lose makes the stream forget the n-th frame of a session, as a server does whose file is damaged.
func lose(t *testing.T, s *store, session string, n int) {
	t.Helper()
	stream, subject := s.names.log(session)
	var seqs []uint64
	for m, err := range s.all(t.Context(), stream, subject) {
		require.NoError(t, err)
		seqs = append(seqs, m.seq)
	}
	require.NoError(t, s.erase(t.Context(), stream, seqs[n]))
}

func TestAMissingFrameIsSaid(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	for name, n := range map[string]int{"the first": 0, "one in the middle": 2, "the last": 4} {
		t.Run(name, func(t *testing.T) {
			c := openStore(t, srv)
			session := uuid.NewString()
			j := journal.Open(c, session, uuid.New())
			for range 5 {
				require.NoError(t, j.Append(t.Context(), 1, []byte("text")))
			}
			lose(t, storeOf(c), session, n)
			var last error
			others := 0
			for _, err := range j.Read(t.Context(), 1, nil) {
				if err != nil {
					last = err
					continue
				}
				others++
			}
			assert.Equal(t, 4, others, "the others are read")
			require.ErrorIs(t, last, journal.ErrDamaged)
			var damage *journal.Damage
			require.True(t, errors.As(last, &damage))
			assert.Equal(t, session, damage.Session)
			assert.Equal(t, uint64(n+1), damage.First)
			assert.Equal(t, uint64(n+1), damage.Last)
		})
	}
}

func TestAFrameThatIsMissingBeforeAnErasedEndIsSaid(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	for i := range uint64(3) {
		require.NoError(t, c.Append(t.Context(), "s", frame(i+1, i+1, "text")))
	}
	require.NoError(t, c.Replace(t.Context(), "s", []journal.Frame{frame(3, 3, "erased")}))
	lose(t, storeOf(c), "s", 1)
	var last error
	for _, err := range openStore(t, srv).Frames.Read(t.Context(), "s", 1) {
		last = err
	}
	require.ErrorIs(t, last, journal.ErrDamaged)
	require.ErrorContains(t, last, "events 2 to 3")
}

func TestNumbersWhoseFramesAreGoneAreNotGivenAgain(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	for i := range uint64(3) {
		require.NoError(t, c.Append(t.Context(), "s", frame(i+1, i+1, "text")))
	}
	lose(t, storeOf(c), "s", 2)
	require.ErrorIs(t, c.Append(t.Context(), "s", frame(3, 3, "again")), journal.ErrDamaged)
	require.ErrorIs(t, c.Append(t.Context(), "s", frame(4, 4, "next")), journal.ErrDamaged)
	require.ErrorIs(t, c.Replace(t.Context(), "s", []journal.Frame{frame(1, 1, "erased")}), journal.ErrDamaged)
}

func TestAMessageThatIsNoneOfOursIsDamage(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	require.NoError(t, c.Append(t.Context(), "s", frame(1, 1, "text")))
	s := storeOf(c)
	stream, subject := s.names.log("s")
	for _, data := range []string{"", "f", "a message of somebody else in the place"} {
		_, err := s.js.Publish(t.Context(), subject, []byte(data))
		require.NoError(t, err)
		for _, err := range c.Frames.Read(t.Context(), "s", 1) {
			require.ErrorIs(t, err, journal.ErrDamaged)
		}
		require.ErrorIs(t, c.Append(t.Context(), "s", frame(2, 2, "x")), journal.ErrDamaged)
	}
	_, err := s.publish(t.Context(), stream, subject, record{kind: kindFrame, first: 2, last: 2}.encode(), 4)
	require.NoError(t, err)
	var last error
	for _, err := range c.Frames.Read(t.Context(), "s", 1) {
		last = err
	}
	require.ErrorIs(t, last, journal.ErrDamaged)
	require.ErrorIs(t, c.Replace(t.Context(), "s", []journal.Frame{frame(1, 2, "erased")}), journal.ErrDamaged)
}

func TestACellThatCannotBeReadIsDamage(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	c := openStore(t, srv)
	s := storeOf(c)
	_, err := c.Directory.Open(t.Context(), "alice", "s")
	require.NoError(t, err)
	require.NoError(t, c.Append(t.Context(), "s", frame(1, 1, "text")))
	for _, cell := range [][2]string{{cellErased, "s"}, {cellErasing, "s"}, {cellUser, userCell("alice")}} {
		m, err := s.cell(t.Context(), cell[0], cell[1])
		require.NoError(t, err)
		_, err = s.setCell(t.Context(), cell[0], cell[1], []byte("{ is no value"), m.seq)
		require.NoError(t, err)
	}
	for _, err := range c.Frames.Read(t.Context(), "s", 1) {
		require.ErrorIs(t, err, journal.ErrDamaged)
	}
	require.ErrorIs(t, c.Replace(t.Context(), "s", []journal.Frame{frame(1, 1, "x")}), journal.ErrDamaged)
	_, err = c.Directory.Open(t.Context(), "alice", "t")
	require.ErrorIs(t, err, journal.ErrDamaged)
	require.ErrorIs(t, c.Remove(t.Context(), "alice"), journal.ErrDamaged)
	var last error
	for _, err := range c.Users(t.Context()) {
		last = err
	}
	require.ErrorIs(t, last, journal.ErrDamaged)
	assert.Len(t, openStore(t, srv).Status().Warnings, 1, "an erasure that cannot be finished")
}

// A frame may be missing only at the server that was asked, before another one or at the end.
func TestWhatIsMissingIsLookedForAgain(t *testing.T) {
	srv, _ := startServer(t, t.TempDir())
	s := storeOf(openStore(t, srv))
	for name, tt := range map[string]struct {
		want  uint64
		ahead *record
		again bool
	}{
		"before the next": {5, &record{first: 7, last: 7}, true}, "the last one": {9, nil, true},
		"nothing, with more behind it": {5, &record{first: 5, last: 5}, false}, "nothing at the end": {10, nil, false},
	} {
		r := &reader{s: s, session: "s", head: head{last: 9}, want: tt.want, ahead: tt.ahead}
		again, err := r.lookAgain(t.Context())
		require.NoError(t, err)
		assert.Equal(t, tt.again, again, name)
	}
}

func TestErasedFramesAreComparedByTheirBytes(t *testing.T) {
	e := erased{frame(1, 2, "one"), frame(4, 4, "two")}
	assert.True(t, e.has([]journal.Frame{frame(4, 4, "two")}))
	assert.False(t, e.has([]journal.Frame{frame(4, 4, "another")}))
	assert.False(t, e.has([]journal.Frame{frame(1, 1, "one")}))
}
