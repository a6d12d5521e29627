package thinking_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/thinking"
)

// Each family of tags that models think in is stripped, whatever its case.
func TestTheThoughtsOfEveryFamilyAreStripped(t *testing.T) {
	for _, tag := range []string{
		"think", "thinking", "thought", "thoughts", "antthinking", "reasoning", "reflection", "Reflection", "THOUGHTS",
	} {
		text := "I look. <" + tag + ">private</" + tag + "> Then I write."
		assert.NotContains(t, thinking.Strip(text), "private", tag)
		assert.Contains(t, thinking.Strip(text), "I look.", tag)
		assert.NotContains(t, thinking.Strip("I look. <"+tag+">private"), "private", "%s that does not end", tag)
	}
}
