package web

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const someSession = "550e8400-e29b-41d4-a716-446655440000"

func TestCursorsComeBackAsTheyWere(t *testing.T) {
	for _, c := range []cursor{{seq: 0}, {seq: 17}, {seq: 16, part: 1}, {seq: 0, part: 2}} {
		c.session = someSession
		got, ok := parseCursor(c.String())
		assert.True(t, ok)
		assert.True(t, got.of(someSession))
		assert.Equal(t, c.seq, got.seq)
		assert.Equal(t, c.part, got.part)
	}
}

func TestWhatIsNoCursorIsRefused(t *testing.T) {
	for _, id := range []string{
		"", "17", "550e8400", "550e8400-", "550e8400-x", "550e8400--1", "550e8400-1.0", "550e8400-1.-1",
		"550e8400-0.1", "550e8400-1.x", "short-1", "550e8400-99999999999999999999", "550e8400-1\n",
	} {
		_, ok := parseCursor(id)
		assert.False(t, ok, "%q", id)
	}
}

func TestACursorIntoAnotherSessionIsNotOurs(t *testing.T) {
	c, ok := parseCursor("00000000-3")
	assert.True(t, ok)
	assert.False(t, c.of(someSession))
}
