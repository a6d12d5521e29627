package agui

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryRouteIsDescribedAndNoOther(t *testing.T) {
	routes := New(Options{}).Routes()
	assert.Len(t, operations, len(routes))
	for _, r := range routes {
		assert.NotEmpty(t, r.About.Summary, r.Path)
	}
}
