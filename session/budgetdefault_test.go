package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A session whose work is done keeps it for as long as the process has room.
func TestASessionIsNotCutBelowWhatTheProcessAllows(t *testing.T) {
	for process, want := range map[int]int{0: DefaultProcessMemory, 4 << 30: 4 << 30} {
		assert.Equal(t, want, newBudget(Limits{Process: process}).Session)
	}
	assert.Equal(t, 1<<20, newBudget(Limits{Session: 1 << 20}).Session, "unless it is told to")
}
