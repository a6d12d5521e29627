package export

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodeIsDelimitedByMoreBackticksThanItContains(t *testing.T) {
	assert.Equal(t, "````text\na ``` b\n````\n\n", codeBlock("a ``` b"))
	assert.Equal(t, "```text\nplain\n```\n\n", codeBlock("plain"))
	assert.Equal(t, "``a ` b``", codeSpan("a ` b"))
	assert.Equal(t, "`` `a ``", codeSpan("`a"), "a blank keeps the delimiter apart")
	assert.Equal(t, "`  `", codeSpan(""))
}
