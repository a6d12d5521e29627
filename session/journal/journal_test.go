package journal_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// slate keeps the frames of one session in memory, and lets a test do with them what it likes.
type slate struct {
	frames []journal.Frame
	// append replaces keep, which keeps a frame as an engine should.
	append func(journal.Frame) error
	broken error // of Read
}

func (s *slate) Append(_ context.Context, _ string, f journal.Frame) error {
	if s.append != nil {
		return s.append(f)
	}
	return s.keep(f)
}

func (s *slate) keep(f journal.Frame) error {
	end := uint64(0)
	if n := len(s.frames); n > 0 {
		end = s.frames[n-1].Last
	}
	if f.First != end+1 {
		return journal.ErrConflict
	}
	s.frames = append(s.frames, f)
	return nil
}

func (s *slate) Read(_ context.Context, _ string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		if s.broken != nil {
			yield(journal.Frame{}, s.broken)
			return
		}
		for _, f := range s.frames {
			if f.Last >= from && !yield(f, nil) {
				return
			}
		}
	}
}

func (s *slate) Replace(_ context.Context, _ string, with []journal.Frame) error {
	for _, f := range with {
		covered := func(old journal.Frame) bool { return old.First >= f.First && old.Last <= f.Last }
		i := slices.IndexFunc(s.frames, covered)
		s.frames = slices.Insert(slices.DeleteFunc(s.frames, covered), i, f)
	}
	return nil
}

// writer is the id of the process in these tests.
var writer = uuid.MustParse("11111111-2222-4333-8444-555555555555")

// written returns a slate with frames of one, two, three... events, and the journal that wrote them.
func written(t *testing.T, frames int) (*slate, *journal.Journal) {
	t.Helper()
	s := &slate{}
	j := journal.Open(s, "s1", writer)
	for n := range frames {
		require.NoError(t, j.Append(t.Context(), n+1, fmt.Appendf(nil, "payload %d", n+1)))
	}
	return s, j
}

// readAll returns the batches of a journal up to the first error.
func readAll(t *testing.T, j *journal.Journal, from uint64, before *journal.Sum) (all []journal.Batch, err error) {
	t.Helper()
	for b, err := range j.Read(t.Context(), from, before) {
		if err != nil {
			return all, err
		}
		all = append(all, b)
	}
	return all, nil
}

func TestAJournalReadsBackWhatItAppended(t *testing.T) {
	s, j := written(t, 4)
	all, err := readAll(t, journal.Open(s, "s1", uuid.New()), 1, new(journal.Sum))
	require.NoError(t, err)
	require.Len(t, all, 4)
	next, before := uint64(1), journal.Sum{}
	for n, b := range all {
		assert.Equal(t, next, b.First)
		assert.Equal(t, next+uint64(n), b.Last)
		assert.Equal(t, fmt.Sprintf("payload %d", n+1), string(b.Payload))
		assert.Equal(t, before, b.Before)
		assert.Equal(t, writer, b.Writer)
		next, before = b.Last+1, b.Sum
	}
	head, sum := j.End()
	assert.Equal(t, uint64(10), head)
	assert.Equal(t, before, sum)
	assert.NotEqual(t, all[0].Append, all[1].Append)
}

func TestAReaderMayBeginInTheMiddle(t *testing.T) {
	_, j := written(t, 4)
	all, err := readAll(t, j, 1, nil)
	require.NoError(t, err)
	rest, err := readAll(t, j, 4, &all[1].Sum)
	require.NoError(t, err)
	assert.Equal(t, all[2:], rest)
	within, err := readAll(t, j, 5, nil)
	require.NoError(t, err)
	assert.Equal(t, all[2:], within, "without the hash before, any event of a frame will do")
	_, err = readAll(t, j, 4, &all[2].Sum)
	require.ErrorIs(t, err, journal.ErrDamaged, "the frame follows another")
	beyond, err := readAll(t, j, 11, nil)
	require.NoError(t, err)
	assert.Empty(t, beyond)
}

// Every bit of a frame is covered by a hash or means something that the reader checks.
func TestEveryAlteredByteIsSeen(t *testing.T) {
	s, j := written(t, 3)
	all, err := readAll(t, j, 1, nil)
	require.NoError(t, err)
	require.NoError(t, j.Erase(t.Context(), all[1:2]))
	for i, f := range s.frames {
		for at := range f.Data {
			damaged := slices.Clone(s.frames)
			damaged[i].Data = slices.Clone(f.Data)
			damaged[i].Data[at] ^= 1 << (at % 8)
			_, err := readAll(t, journal.Open(&slate{frames: damaged}, "s1", writer), 1, new(journal.Sum))
			var d *journal.Damage
			require.ErrorAs(t, err, &d, "frame %d, byte %d", i, at)
			require.Equal(t, "s1", d.Session)
			require.NotContains(t, d.Error(), "payload")
		}
		for size := range f.Data {
			damaged := slices.Clone(s.frames)
			damaged[i].Data = f.Data[:size]
			_, err := readAll(t, journal.Open(&slate{frames: damaged}, "s1", writer), 1, new(journal.Sum))
			require.ErrorIs(t, err, journal.ErrDamaged, "frame %d, cut to %d", i, size)
		}
	}
}

func TestAFrameOutOfItsPlaceIsSeen(t *testing.T) {
	s, _ := written(t, 4)
	other, _ := written(t, 4)
	a, b, c, d := s.frames[0], s.frames[1], s.frames[2], s.frames[3]
	for _, test := range []struct {
		name, want string
		frames     []journal.Frame
	}{
		{"the first is missing", "the log is damaged at event 1 of session s1: they are missing",
			[]journal.Frame{b, c, d}},
		{"one is missing", "at events 4 to 6 of session s1: they are missing", []journal.Frame{a, b, d}},
		{"one is there twice", "at events 2 to 3 of session s1: it is there twice", []journal.Frame{a, b, b, c}},
		{"one is of another log", "it does not follow the event before it", []journal.Frame{a, other.frames[1], c, d}},
		{"one has the numbers of another", "its frame was altered",
			[]journal.Frame{a, {First: b.First, Last: b.Last, Data: c.Data}, c, d}},
		{"one is of a later version", "its frame has version 9, and this Candor knows 1 only",
			[]journal.Frame{{First: 1, Last: 1, Data: append([]byte{9}, a.Data[1:]...)}}},
		{"one is of an unknown kind", "its frame is of the unknown kind 7",
			[]journal.Frame{{First: 1, Last: 1, Data: append([]byte{1, 7}, a.Data[2:]...)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := readAll(t, journal.Open(&slate{frames: test.frames}, "s1", writer), 1, new(journal.Sum))
			require.ErrorIs(t, err, journal.ErrDamaged)
			assert.Contains(t, err.Error(), test.want)
		})
	}
}

func TestDamageWithoutNumbersNamesTheSession(t *testing.T) {
	d := &journal.Damage{Session: "s1", Reason: "its row is gone"}
	assert.EqualError(t, d, "the log is damaged in session s1: its row is gone")
}

func TestWhoeverIsSecondGetsAConflict(t *testing.T) {
	s, first := written(t, 2)
	second := journal.Open(s, "s1", uuid.New())
	require.ErrorIs(t, second.Append(t.Context(), 1, []byte("x")), journal.ErrConflict)
	head, _ := second.End()
	assert.Zero(t, head, "the journal ends where it ended")
	all, err := readAll(t, second, 1, new(journal.Sum))
	require.NoError(t, err)
	last := all[len(all)-1]
	second.Advance(last.Last, last.Sum)
	require.NoError(t, second.Append(t.Context(), 1, []byte("x")))
	require.ErrorIs(t, first.Append(t.Context(), 1, []byte("y")), journal.ErrConflict)
	second.Advance(1, journal.Sum{})
	head, _ = second.End()
	assert.Equal(t, uint64(4), head, "no journal goes back")
}

// An engine that does not know what became of an append is asked what stands in its place.
func TestUnknownIsReadBack(t *testing.T) {
	for _, test := range []struct {
		name   string
		engine func(s *slate) func(journal.Frame) error
		broken error
		want   error
		ends   uint64
	}{
		{"it was kept", func(s *slate) func(journal.Frame) error {
			return func(f journal.Frame) error { return errors.Join(s.keep(f), journal.ErrUnknown) }
		}, nil, nil, 2},
		{"it was kept by a first try that nobody saw", func(s *slate) func(journal.Frame) error {
			return func(f journal.Frame) error { return errors.Join(s.keep(f), s.keep(f)) }
		}, nil, nil, 2},
		{"it was not kept", func(*slate) func(journal.Frame) error {
			return func(journal.Frame) error { return journal.ErrUnknown }
		}, nil, journal.ErrUnknown, 1},
		{"another is in its place", func(s *slate) func(journal.Frame) error {
			return func(f journal.Frame) error {
				f.Data = append([]byte{}, f.Data...)
				f.Data[len(f.Data)-1]++
				return errors.Join(s.keep(f), journal.ErrUnknown)
			}
		}, nil, journal.ErrConflict, 1},
		{"it cannot be read back", func(*slate) func(journal.Frame) error {
			return func(journal.Frame) error { return journal.ErrUnknown }
		}, journal.ErrUnavailable, journal.ErrUnknown, 1},
		{"nothing was kept", func(*slate) func(journal.Frame) error {
			return func(journal.Frame) error { return journal.ErrUnavailable }
		}, nil, journal.ErrUnavailable, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, j := written(t, 1)
			s.append, s.broken = test.engine(s), test.broken
			err := j.Append(t.Context(), 1, []byte("payload"))
			require.ErrorIs(t, err, test.want)
			head, _ := j.End()
			assert.Equal(t, test.ends, head)
		})
	}
}

func TestErasedFramesHoldTheChain(t *testing.T) {
	s, j := written(t, 6)
	all, err := readAll(t, j, 1, nil)
	require.NoError(t, err)
	require.NoError(t, j.Erase(t.Context(), nil), "nothing to erase")
	require.NoError(t, j.Erase(t.Context(), []journal.Batch{all[1], all[2], all[4]}))
	after, err := readAll(t, j, 1, new(journal.Sum))
	require.NoError(t, err)
	require.Len(t, after, 5)
	assert.Equal(t, journal.Batch{First: 2, Last: 6, Erased: true, Before: all[0].Sum, Sum: all[2].Sum}, after[1],
		"neighbours become one")
	assert.Equal(t, all[3], after[2])
	assert.True(t, after[3].Erased)
	for _, f := range s.frames {
		assert.NotContains(t, string(f.Data), "payload 2")
		assert.NotContains(t, string(f.Data), string(all[1].Append[:]), "its random id is gone, too")
	}
	require.NoError(t, j.Append(t.Context(), 1, []byte("next")))
	require.NoError(t, j.Erase(t.Context(), after[1:4]), "what was erased is erased with what is between")
	after, err = readAll(t, j, 1, new(journal.Sum))
	require.NoError(t, err)
	require.Len(t, after, 4)
	assert.Equal(t, uint64(15), after[1].Last)
}

func TestAReadPassesTheEnginesError(t *testing.T) {
	s, j := written(t, 2)
	s.broken = journal.ErrUnavailable
	_, err := readAll(t, j, 1, nil)
	require.ErrorIs(t, err, journal.ErrUnavailable)
}

// Whatever stands where an append was cut off counts as the append only if it is of the same process and the same try.
func TestAnotherFrameIsNotTakenForOnesOwn(t *testing.T) {
	for name, by := range map[string]uuid.UUID{"of the same process": writer, "of another": uuid.New()} {
		t.Run(name, func(t *testing.T) {
			s, _ := written(t, 1)
			mine, other := journal.Open(s, "s1", writer), journal.Open(s, "s1", by)
			for _, j := range []*journal.Journal{mine, other} {
				for b, err := range j.Read(t.Context(), 1, nil) {
					require.NoError(t, err)
					j.Advance(b.Last, b.Sum)
				}
			}
			s.append = func(journal.Frame) error {
				s.append = nil
				require.NoError(t, other.Append(t.Context(), 1, []byte("first")))
				return journal.ErrUnknown
			}
			require.ErrorIs(t, mine.Append(t.Context(), 1, []byte("second")), journal.ErrConflict)
		})
	}
}
