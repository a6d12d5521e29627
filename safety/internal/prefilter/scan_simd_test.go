//go:build goexperiment.simd && amd64

package prefilter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireEqualMasks compares the masks of gather and gatherScalar for every part of s.
func requireEqualMasks(t testing.TB, near *nearby, s string) {
	for i := 0; i+step+slack <= len(s); i++ {
		for n := 1; n <= steps && i+n*step+slack <= len(s); n++ {
			stretch := s[i : i+n*step+slack]
			require.Equal(t, near.gatherScalar(stretch), near.gather(stretch), "%d steps from %d on", n, i)
		}
	}
}

func TestVectorsAgreeWithTheScalarScan(t *testing.T) {
	if !Vectors() {
		t.Skip("SKIPPED, NOT PROVED: this machine has no AVX2, so the build with SIMD runs here as the other one does")
	}
	near := &testFilter().near
	for _, s := range append(texts(), strings.Repeat("\xff", 100), sample) {
		requireEqualMasks(t, near, s)
	}
}

func FuzzVectors(f *testing.F) {
	for k, s := range texts() {
		f.Add(s, uint8(k))
	}
	near := &testFilter().near
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		requireEqualMasks(t, near, strings.Repeat(" ", int(n&31))+s+strings.Repeat(s, int(n>>5)))
	})
}
