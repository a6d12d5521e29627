package sse

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const someSession = "550e8400-e29b-41d4-a716-446655440000"

func TestACursorParsesBackToItself(t *testing.T) {
	for _, c := range []Cursor{{Seq: 0}, {Seq: 17}, {Seq: 16, Part: 1}, {Seq: 0, Part: 2}} {
		c.Session = someSession
		got, ok := ParseCursor(c.String())
		assert.True(t, ok)
		assert.True(t, got.Of(someSession))
		assert.Equal(t, c.Seq, got.Seq)
		assert.Equal(t, c.Part, got.Part)
	}
}

func TestInvalidCursorsAreRefused(t *testing.T) {
	for _, id := range []string{
		"", "17", "550e8400", "550e8400-", "550e8400-x", "550e8400--1", "550e8400-1.0", "550e8400-1.-1",
		"550e8400-0.1", "550e8400-1.x", "short-1", "550e8400-99999999999999999999", "550e8400-1\n",
	} {
		_, ok := ParseCursor(id)
		assert.False(t, ok, "%q", id)
	}
}

func TestACursorBelongsToOneSession(t *testing.T) {
	c, ok := ParseCursor("00000000-3")
	assert.True(t, ok)
	assert.False(t, c.Of(someSession))
}
