//go:build goexperiment.simd && amd64

package prefilter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// gatheredAlike compares the places of every stretch of a text, gathered by vectors
// and one by one.
func gatheredAlike(t testing.TB, near *nearby, s string) {
	for i := 0; i+step+behind <= len(s); i++ {
		for n := 1; n <= steps && i+n*step+behind <= len(s); n++ {
			stretch := s[i : i+n*step+behind]
			require.Equal(t, near.gatherOne(stretch), near.gather(stretch), "%d steps from %d on", n, i)
		}
	}
}

func TestVectorsGatherWhatIsGatheredOneByOne(t *testing.T) {
	if !Vectors() {
		t.Skip("SKIPPED, NOT PROVED: this machine has no AVX2, so the build with SIMD runs here as the other one does")
	}
	near := &testFilter().near
	for _, s := range append(texts(), strings.Repeat("\xff", 100), sample) {
		gatheredAlike(t, near, s)
	}
}

func FuzzVectors(f *testing.F) {
	for k, s := range texts() {
		f.Add(s, uint8(k))
	}
	near := &testFilter().near
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		gatheredAlike(t, near, strings.Repeat(" ", int(n&31))+s+strings.Repeat(s, int(n>>5)))
	})
}
