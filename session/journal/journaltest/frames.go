package journaltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// frame returns a frame of the events first to last, whose bytes no other frame has. Some of its bytes
// are no text.
func frame(first, last uint64, mark string) journal.Frame {
	data := fmt.Appendf(nil, "\x00\xff%d-%d %s ", first, last, mark)
	return journal.Frame{First: first, Last: last, Data: append(data, bytes.Repeat([]byte(mark), 1+int(first*7%50))...)}
}

// fill appends n frames of one event each to a session that is empty, and returns them. Their bytes differ from
// those of any other session.
func fill(t *testing.T, e journal.Engine, session string, n int) (frames []journal.Frame) {
	t.Helper()
	for i := range uint64(n) {
		f := frame(i+1, i+1, session)
		require.NoError(t, e.Append(t.Context(), session, f))
		frames = append(frames, f)
	}
	return frames
}

// read returns the frames of a session from an event on, all of them. It fails the test if the engine cannot read
// one.
func read(t *testing.T, e journal.Engine, session string, from uint64) (frames []journal.Frame) {
	t.Helper()
	for f, err := range e.Read(t.Context(), session, from) {
		require.NoError(t, err)
		frames = append(frames, f)
	}
	return frames
}

// appendAndRead appends frames of one event and of several, short ones and one of more than a megabyte. An engine
// whose frames are bounded has to take at least that.
func appendAndRead(t *testing.T, b *bench) {
	frames := []journal.Frame{frame(1, 1, "one"), frame(2, 5, "two"), {First: 6, Last: 6, Data: []byte{0}},
		{First: 7, Last: 9, Data: bytes.Repeat([]byte("long"), 300_000)}}
	for _, f := range frames {
		require.NoError(t, b.Append(t.Context(), "s", f))
	}
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
	assert.Equal(t, frames, read(t, b.Engine, "s", 0), "from the start")
}

// nothingToRead reads what nobody wrote, which is no error: a session has no frames before its first event, and an
// engine need not know of it.
func nothingToRead(t *testing.T, b *bench) {
	assert.Empty(t, read(t, b.Engine, "nobody's", 1))
	assert.Empty(t, read(t, b.Engine, "nobody's", 100))
}

// staleNumber appends where a frame is already, with a last number before the end and with one behind it.
func staleNumber(t *testing.T, b *bench) {
	frames := fill(t, b.Engine, "s", 3)
	for first := range uint64(4) {
		if first > 0 {
			err := b.Append(t.Context(), "s", frame(first, first, "stale"))
			require.ErrorIs(t, err, journal.ErrConflict, "event %d", first)
			err = b.Append(t.Context(), "s", frame(first, 9, "long and stale"))
			require.ErrorIs(t, err, journal.ErrConflict, "event %d", first)
		}
	}
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
}

// futureNumber leaves a gap, which an engine must not keep: the number in between would be given out later, to an
// event that stands behind the other.
func futureNumber(t *testing.T, b *bench) {
	require.ErrorIs(t, b.Append(t.Context(), "s", frame(2, 2, "early")), journal.ErrConflict, "of an empty session")
	frames := fill(t, b.Engine, "s", 3)
	require.ErrorIs(t, b.Append(t.Context(), "s", frame(5, 5, "early")), journal.ErrConflict)
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
	require.NoError(t, b.Append(t.Context(), "s", frame(4, 4, "next")), "nothing of the refused frame is in the way")
}

// readFromTheMiddle asks for events at the start, in the middle and at the end of frames, and for events that
// are not there yet.
func readFromTheMiddle(t *testing.T, b *bench) {
	frames := []journal.Frame{frame(1, 3, "a"), frame(4, 4, "b"), frame(5, 9, "c"), frame(10, 10, "d")}
	for _, f := range frames {
		require.NoError(t, b.Append(t.Context(), "s", f))
	}
	for from, want := range map[uint64]int{1: 0, 2: 0, 3: 0, 4: 1, 5: 2, 7: 2, 9: 2, 10: 3, 11: 4, 500: 4} {
		assert.Equal(t, frames[want:], append([]journal.Frame{}, read(t, b.Engine, "s", from)...), "from %d", from)
	}
}

// readEndsEarly breaks off so many reads that an engine which left something open would run out of it. Sessions do
// so when they have found what they looked for.
func readEndsEarly(t *testing.T, b *bench) {
	frames := fill(t, b.Engine, "s", 5)
	for range 100 { // nothing is left open that would run out
		for f, err := range b.Read(t.Context(), "s", 2) {
			require.NoError(t, err)
			assert.Equal(t, frames[1], f)
			break
		}
	}
	require.NoError(t, b.Append(t.Context(), "s", frame(6, 6, "s")))
}

// longLog has more frames than an engine is likely to read at once. Their numbers are not those of the frames, since
// each has two events.
func longLog(t *testing.T, b *bench) {
	var frames []journal.Frame
	for i := range uint64(700) {
		f := frame(2*i+1, 2*i+2, "long log")
		require.NoError(t, b.Append(t.Context(), "s", f))
		frames = append(frames, f)
	}
	assert.Equal(t, frames, read(t, b.Engine, "s", 1))
	assert.Equal(t, frames[300:], read(t, b.Engine, "s", 601))
}

// appendDuringRead appends from within the loop that reads: an engine that holds a lock while it yields would
// block here.
func appendDuringRead(t *testing.T, b *bench) {
	frames := fill(t, b.Engine, "s", 20)
	var got []journal.Frame
	for f, err := range b.Read(t.Context(), "s", 1) {
		require.NoError(t, err)
		got = append(got, f)
		require.NoError(t, b.Append(t.Context(), "s", frame(20+f.First, 20+f.First, "meanwhile")))
	}
	assert.Equal(t, frames, got, "what was there when it began")
	assert.Len(t, read(t, b.Engine, "s", 1), 40)
}

// sessionsApart writes sessions in turns whose names differ little: an engine that made file names or subjects of them
// could take one for another.
func sessionsApart(t *testing.T, b *bench) {
	names := []string{"a", "b", "a ", "A", "aa"}
	want := map[string][]journal.Frame{}
	for i := range uint64(10) {
		for _, name := range names {
			f := frame(i+1, i+1, "of "+name)
			require.NoError(t, b.Append(t.Context(), name, f))
			want[name] = append(want[name], f)
		}
	}
	for _, name := range names {
		assert.Equal(t, want[name], read(t, b.Engine, name, 1), "session %q", name)
	}
}

// race has 16 writers append to one session, each as soon as it knows where the session ends. All but one of them
// lose each time, and try again behind the one that won.
func race(t *testing.T, b *bench) {
	const writers, each = 16, 12
	var end atomic.Uint64
	var mu sync.Mutex
	kept := map[uint64]journal.Frame{}
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for done := 0; done < each; {
				next := end.Load() + 1
				f := frame(next, next, fmt.Sprintf("writer %d", w))
				err := b.Append(t.Context(), "s", f)
				if errors.Is(err, journal.ErrConflict) {
					continue
				}
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				assert.NotContains(t, kept, next, "given twice")
				kept[next] = f
				mu.Unlock()
				end.Store(next)
				done++
			}
		})
	}
	all.Wait()
	frames := read(t, b.Engine, "s", 1)
	require.Len(t, frames, writers*each)
	for i, f := range frames {
		assert.Equal(t, uint64(i+1), f.First)
		assert.Equal(t, kept[f.First], f)
	}
}

// ownBytes changes what it handed to the engine and what it got from it. Neither may be the engine's own memory, since
// callers use theirs again.
func ownBytes(t *testing.T, b *bench) {
	f := frame(1, 1, "mine")
	want := journal.Frame{First: 1, Last: 1, Data: bytes.Clone(f.Data)}
	require.NoError(t, b.Append(t.Context(), "s", f))
	clear(f.Data)
	got := read(t, b.Engine, "s", 1)
	assert.Equal(t, []journal.Frame{want}, got)
	clear(got[0].Data)
	assert.Equal(t, []journal.Frame{want}, read(t, b.Engine, "s", 1))
}

// endedContext appends with a context that has ended. The engine may keep the frame all the same, but what it
// answers has to be true.
func endedContext(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := frame(1, 1, "late")
	err := b.Append(ctx, "s", f)
	switch {
	case err == nil:
		assert.Equal(t, []journal.Frame{f}, read(t, b.Engine, "s", 1))
	case errors.Is(err, journal.ErrUnavailable):
		assert.Empty(t, read(t, b.Engine, "s", 1))
	default:
		require.ErrorIs(t, err, journal.ErrUnknown)
	}
	for _, err := range b.Read(ctx, "s", 1) {
		require.ErrorIs(t, err, context.Canceled)
	}
}
