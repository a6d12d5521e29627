package safety

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestACleanedTextKeepsNoMoreThanItself cleans texts that are almost wholly masked, or almost
// wholly blanks, and measures what the results keep in memory.
func TestACleanedTextKeepsNoMoreThanItself(t *testing.T) {
	layer := plainLayer()
	layer.Mask("warm") // so that what is built once is there
	key := "-----BEGIN RSA PRIVATE" + " KEY-----\n" + strings.Repeat("aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5\n", 2000) +
		"-----END RSA PRIVATE" + " KEY-----"
	texts, values := make([]Text, 100), make([]JSON, 100)
	before := inUse()
	for i := range texts {
		texts[i], _ = layer.Mask(strings.Clone(key))
		values[i], _ = layer.CleanJSON([]byte("{" + strings.Repeat(" ", 60_000) + "}"))
	}
	kept := inUse() - before
	assert.Less(t, kept, 1<<20, "%q, %s", texts[0], values[0].Raw())
	assert.NotContains(t, texts[0].String(), "aB3dE")
}

// inUse returns the bytes of the heap that are in use.
func inUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
