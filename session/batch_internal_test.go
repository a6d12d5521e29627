package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func numbers(events []Event) (all []uint64) {
	for _, e := range events {
		all = append(all, e.Seq)
	}
	return all
}

func fill(t *testing.T, l *Log, n int) {
	t.Helper()
	for range n {
		_, err := l.Append(Ref{Thread: "t"}, ThreadOpened{})
		require.NoError(t, err)
	}
}

func TestReadersAtOnePlaceShareTheirEvents(t *testing.T) {
	var l Log
	fill(t, &l, 40)
	first, _, err := l.read(t.Context(), 0)
	require.NoError(t, err)
	again, _, err := l.read(t.Context(), 0)
	require.NoError(t, err)
	assert.Same(t, &first[0], &again[0])
	behind, _, err := l.read(t.Context(), 38)
	require.NoError(t, err)
	assert.Equal(t, []uint64{39, 40}, numbers(behind))
	assert.Same(t, &first[38], &behind[0], "the last ones of all are enough, however few")
}

func TestABatchEndsWhereTheLogGoesOn(t *testing.T) {
	var l Log
	fill(t, &l, 40)
	_, _, err := l.read(t.Context(), 0)
	require.NoError(t, err)
	fill(t, &l, 30)
	for _, tt := range []struct{ after, from, to uint64 }{{20, 21, 40}, {30, 31, 70}, {0, 1, 64}, {64, 65, 70}} {
		got, _, err := l.read(t.Context(), tt.after)
		require.NoError(t, err)
		assert.Equal(t, []uint64{tt.from, tt.to}, []uint64{got[0].Seq, got[len(got)-1].Seq}, "behind %d", tt.after)
		assert.Len(t, got, int(tt.to-tt.from+1))
	}
}

func TestAReaderGetsNoEventThatWasRemovedBeforeItAsked(t *testing.T) {
	var l Log
	fill(t, &l, 10)
	_, _, err := l.read(t.Context(), 0)
	require.NoError(t, err)
	l.filter(func(e Event) (Event, bool) { return e, e.Seq%2 == 0 })
	got, _, err := l.read(t.Context(), 0)
	require.NoError(t, err)
	assert.Equal(t, []uint64{2, 4, 6, 8, 10}, numbers(got))
}
