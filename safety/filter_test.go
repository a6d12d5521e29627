package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// places are all that filling batch after batch finds in s.
func places(f *filter, s string) []place {
	var all []place
	var found batch
	for i := 0; i < len(s); {
		var n int
		n, i = f.scan(s, i, &found)
		all = append(all, found[:n]...)
	}
	return all
}

// mayStand reports whether what stands next to an anchor allows for a match.
func (a *anchor) mayStand(s string, at int) bool {
	end := at + len(a.lit)
	return (at == 0 || a.prev == nil || a.prev[s[at-1]]) && (end == len(s) || a.next == nil || a.next[s[end]])
}

// covers reports whether found is in order and holds every place that an anchor
// is told by, among what may stand beside it.
func covers(f *filter, s string, found []place) bool {
	k := 0
	for i := 0; i+3 <= len(s); i++ {
		if k < len(found) && int(found[k].at) == i {
			k++
			continue
		}
		for _, a := range f.at(trigram(s, i)) {
			if a.gram == trigram(s, i) && a.matches(s, i-a.off) && a.mayStand(s, i-a.off) {
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
