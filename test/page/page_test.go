package page_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThePageLogsInByTheAddressAndCleansIt(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	assert.Equal(t, "Candor", eval[string](w, `document.title`))
	w.clean()
}
