package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestOutlinesAreBoundedAndGoWithTheirThread holds that what is kept of turns to place telemetry does not grow without
// end, and that nothing of it stays once its thread was erased.
func TestOutlinesAreBoundedAndGoWithTheirThread(t *testing.T) {
	var all outlines
	for n := range 10 {
		all.put(Ref{Thread: "a", Turn: n}, outline{ids: make([]uint64, maxOutlined/4)})
		assert.LessOrEqual(t, all.size, maxOutlined)
		_, known := all.get(Ref{Thread: "a", Turn: n}, 0)
		assert.True(t, known)
	}
	all.put(Ref{Thread: "b", Turn: 1}, outline{ids: make([]uint64, 2)})
	all.put(Ref{Thread: "b", Turn: 1}, outline{ids: make([]uint64, 1)})
	all.forget("a")
	assert.Equal(t, 2, all.size)
	all.forget("b")
	assert.Empty(t, all.of)
	assert.Zero(t, all.size)
}
