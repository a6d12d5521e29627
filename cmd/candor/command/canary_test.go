package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCanariesAreNewEachTime(t *testing.T) {
	a, b := canaries(), canaries()
	for i := range a {
		assert.NotEqual(t, a[i].secret, b[i].secret, a[i].kind)
		assert.True(t, a[i].leaks("x"+a[i].secret[4:13]+"x"))
		assert.False(t, a[i].leaks(a[i].secret[:7]))
	}
}
