package apptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestASectionIsReplacedAndTheOthersStay(t *testing.T) {
	const section = "## Streams\n\nnew\n"
	for name, tt := range map[string]struct{ text, want string }{
		"no file yet":    {"", section},
		"no section yet": {"# Benchmarks\n\n## Storage\n\nold\n", "# Benchmarks\n\n## Storage\n\nold\n\n" + section},
		"the last":       {"# Benchmarks\n\n## Streams\n\nold\n", "# Benchmarks\n\n" + section},
		"the first":      {"## Streams\n\nold\n\n## Storage\n\nold\n", section + "\n## Storage\n\nold\n"},
		"between": {"## A\n\n1\n\n## Streams\n\nold\n\n### x\n\n## B\n\n2\n",
			"## A\n\n1\n\n" + section + "\n## B\n\n2\n"},
		"a heading like it": {"## Streams of others\n\n1\n", "## Streams of others\n\n1\n\n" + section},
	} {
		assert.Equal(t, tt.want, withSection(tt.text, "Streams", section), name)
		assert.Equal(t, tt.want, withSection(tt.want, "Streams", section), "%s: again", name)
	}
}
