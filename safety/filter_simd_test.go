//go:build goexperiment.simd && amd64

package safety

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bothWays are a detector that looks for anchors by vectors and one that does not.
func bothWays(t testing.TB) (wide, narrow *detector) {
	if !Vectors() {
		t.Skip("SKIPPED, NOT PROVED: this machine has no AVX2, so the build with SIMD runs here as the other one does")
	}
	wide, narrow = NewLayer().detector, NewLayer().detector
	narrow.filter.wide.off = true
	return wide, narrow
}

func TestVectorsFindWhatIsFoundWithoutThem(t *testing.T) {
	wide, narrow := bothWays(t)
	for _, s := range append(seeds(), strings.Repeat("token ", 500), strings.Repeat("sk-", 500), strings.Repeat("s.", 100)) {
		for shift := range 33 {
			text := strings.Repeat("x", shift) + s + strings.Repeat(" ", 64-shift)
			require.Equal(t, narrow.spans(text, nil), wide.spans(text, nil), "%d behind the start", shift)
		}
	}
}

func TestVectorsDismissMostOfAText(t *testing.T) {
	wide, _ := bothWays(t)
	text, sets := strings.Repeat(sample, 2), shareOut(wide.filter.anchors)
	passed := 0
	for i := 1; i+frame <= len(text); i++ {
		passed += b2i(slices.ContainsFunc(sets[:], func(s shape) bool { return s.holds(text[i-1 : i-1+frame]) }))
	}
	require.Less(t, passed, len(text)/10)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// holds reports whether a frame of text has the shape.
func (s shape) holds(text string) bool {
	for p := range frame {
		if s[2*p]>>(text[p]&15)&1 == 0 || s[2*p+1]>>(text[p]>>4)&1 == 0 {
			return false
		}
	}
	return true
}

func FuzzVectors(f *testing.F) {
	for k, s := range seeds() {
		f.Add(s, uint8(k))
	}
	wide, narrow := bothWays(f)
	f.Fuzz(func(t *testing.T, s string, n uint8) {
		text := strings.Repeat(" ", int(n&31)) + s + strings.Repeat(s, int(n>>5))
		require.True(t, slices.Equal(narrow.spans(text, nil), wide.spans(text, nil)), "vectors find something else")
	})
}
