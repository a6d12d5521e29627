package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTextBeyondTheReadLimitIsNotRead(t *testing.T) {
	l := NewLayer(MaxBytes(1000))
	assert.LessOrEqual(t, l.reach(strings.Repeat("so ", 1_000_000)), 4000)
	assert.Equal(t, 300, l.reach(strings.Repeat("so ", 100)))
}

func TestLimitReturnsAStricterLayerAndKeepsTheOriginal(t *testing.T) {
	whole := NewLayer()
	long := strings.Repeat("so ", 2000)
	short, _ := whole.Limit(1000).Clean(long)
	assert.LessOrEqual(t, len(short.String()), 1000)
	kept, _ := whole.Clean(long)
	assert.Equal(t, long, kept.String())
}
