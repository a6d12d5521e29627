package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// places are all that filling batch after batch finds in s.
func places(f *filter, s string) []int32 {
	var all []int32
	var found batch
	for i := 0; i < len(s); {
		var n int
		n, i = f.fill(s, i, &found)
		all = append(all, found[:n]...)
	}
	return all
}

// covers reports whether found is in order and holds every place that an anchor
// is told by, before what may follow it.
func covers(f *filter, s string, found []int32) bool {
	k := 0
	for i := 0; i+3 <= len(s); i++ {
		if k < len(found) && int(found[k]) == i {
			k++
			continue
		}
		for _, a := range f.at(trigram(s, i)) {
			end := i - a.off + len(a.lit)
			if a.gram == trigram(s, i) && a.matches(s, i-a.off) && (end == len(s) || a.next == nil || a.next[s[end]]) {
				return false
			}
		}
	}
	return k == len(found)
}

func TestTheFilterMissesNoAnchor(t *testing.T) {
	f := NewLayer().detector.filter
	for _, s := range append(seeds(), strings.Repeat("token ", 500), strings.Repeat("key", 500), "", "k", "ke") {
		require.True(t, covers(f, s, places(f, s)))
	}
	for _, a := range f.anchors {
		require.True(t, a.matches("x"+a.lit, 1))
		require.True(t, covers(f, "x"+a.lit+"y", places(f, "x"+a.lit+"y")))
	}
}

func FuzzFilter(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	filter := NewLayer().detector.filter
	f.Fuzz(func(t *testing.T, s string) {
		require.True(t, covers(filter, s, places(filter, s)), "the filter misses an anchor")
	})
}
