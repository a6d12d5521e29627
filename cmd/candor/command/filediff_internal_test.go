package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatWouldChangeInAFileIsMarked(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":          {"a\nb\n", "a\nb\n", ""},
		"a new file":       {"", "a\nb\n", "+ a\n+ b\n"},
		"a file that goes": {"a\n", "", "- a\n"},
		"a line between":   {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\nx\n4\n5\n6\n", "  …\n  2\n  3\n+ x\n  4\n  5\n  …\n"},
		"two places": {"1\n2\n3\n4\n5\n6\n7\n", "0\n1\n2\n3\n4\n5\n6\nx\n",
			"+ 0\n  1\n  2\n  …\n  5\n  6\n- 7\n+ x\n"},
		"a line that is there twice": {"{\n}\n", "{\n{\n}\n}\n", "  {\n+ {\n+ }\n  }\n"},
		"no end":                     {"a", "a\nb", "  a\n+ b\n"},
	} {
		assert.Equal(t, c.want, lineDiff(c.before, c.after), name)
	}
	var before, after strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&before, "a%d\nboth\n", i)
		fmt.Fprintf(&after, "b%d\nboth\n", i)
	}
	diff := lineDiff(before.String(), after.String())
	assert.Equal(t, 5999, strings.Count(diff, "- "), "long files are not compared")
	assert.Equal(t, 5999, strings.Count(diff, "+ "))
}
