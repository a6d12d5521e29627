package safety

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
)

// streamed writes text in pieces of the given sizes, over and over, to a stream that
// searches at each of them, so that a text is split at every place the sizes reach.
func streamed(l *Layer, text string, sizes ...int) (joined string, emitted []string, report Report) {
	return written(l.Stream().eager(), text, sizes...)
}

// written writes text in pieces of the given sizes, over and over.
func written(s *Stream, text string, sizes ...int) (joined string, emitted []string, report Report) {
	for n := 0; text != ""; n++ {
		k := min(len(text), sizes[n%len(sizes)])
		emitted = append(emitted, s.Write(text[:k]))
		text = text[k:]
	}
	rest, report := s.Close()
	emitted = append(emitted, rest)
	return strings.Join(emitted, ""), emitted, report
}

func TestAStreamReturnsWhatMaskReturns(t *testing.T) {
	if WithRaceDetector {
		t.Skip("many times as slow with the race detector, and starts no goroutine; it runs without")
	}
	l := plainLayer()
	for k, text := range seeds() {
		text = "Before it. " + text + "\nAnd after it, more words follow, and some more."
		whole, report := l.Mask(text)
		for _, sizes := range [][]int{{1}, {3}, {7, 1, 2}, {64}} {
			for _, s := range []*Stream{l.Stream().eager(), l.Stream()} {
				joined, _, r := written(s, text, sizes...)
				require.True(t, whole.String() == joined,
					"seed %d in pieces of %v: streaming differs from cleaning the whole", k, sizes)
				require.Equal(t, report, r, "seed %d", k)
			}
		}
	}
}

func TestAStreamNeverEmitsPartOfASecret(t *testing.T) {
	eachRule(t, func(t *testing.T, l *Layer, r *rule.Rule) {
		for k, h := range r.Hits {
			secret := hitOf(r, h, uint64(k))
			whole, _ := l.Mask("see " + secret + " now")
			_, emitted, _ := streamed(l, "see "+secret+" now", 1)
			shown := ""
			for _, e := range emitted {
				shown += e
				require.True(t, strings.HasPrefix(whole.String(), shown),
					"hit %d: something was shown that the whole does not show", k)
			}
		}
	})
}

func TestAStreamEmitsTextBeforeItEnds(t *testing.T) {
	s := NewLayer().Stream()
	shown, longest := 0, 0
	text := strings.Repeat("I will read the file first, because the token count is off. Then the keys of the map "+
		"are compared with it. ", 20)
	for i := range len(text) {
		shown += len(s.Write(text[i : i+1]))
		longest = max(longest, i+1-shown)
	}
	assert.Less(t, longest, 120)
}

func TestALongStreamIsTruncatedLikeTheWholeText(t *testing.T) {
	l := NewLayer(MaxBytes(3000))
	for _, n := range []int{2000, 2900, 2990, 3000, 3001, 5000, 12_000, 13_000, 60_000} {
		text := strings.Repeat("words of no weight, and "+githubPAT()+" too. ", n/60+1)[:n]
		whole, report := l.Mask(text)
		joined, _, r := streamed(l, text, 1, 50, 7)
		require.Equal(t, len(whole.String()), len(joined), "%d bytes", n)
		require.True(t, whole.String() == joined, "%d bytes", n)
		require.Equal(t, report.Verdict, r.Verdict)
	}
}

func TestAStreamMasksAdjacentTokensLikeTheWholeText(t *testing.T) {
	l := plainLayer()
	for k := range uint64(40) {
		text := fill("glsa_{a32}_{x8}", k) + fill("glsa_{a32}_{x8}", k+1) + fill("npm_{a36}", k)
		whole, _ := l.Mask(text)
		joined, _, _ := streamed(l, text, 5)
		require.Equal(t, whole.String(), joined)
		require.False(t, leaked(joined, text, 12))
	}
}

func FuzzStream(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, uint64(len(s)))
	}
	l := plainLayer()
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		sizes := []int{1 + rng.IntN(3), 1 + rng.IntN(20), 1 + rng.IntN(200)}
		whole, _ := l.Mask(s)
		for _, stream := range []*Stream{l.Stream().eager(), l.Stream()} {
			joined, _, _ := written(stream, s, sizes...)
			require.True(t, whole.s == joined, "streaming differs from cleaning the whole")
		}
	})
}

// The length guard lets a stream emit up to a point that may lie inside a marker.
func TestAStreamEmitsTheNameOfARuleWithItsWholeMarker(t *testing.T) {
	const marker, limit = "[REDACTED:github-pat]", 4000
	l, whole := NewLayer(MaxBytes(limit)), 0
	for before := range 60 {
		s := l.Stream().eager()
		words := strings.Repeat("It is there. ", limit/13)[:limit-noticeRoom-64-50+before]
		shown := s.Write(words+"\nIt has ") + s.Write(githubPAT()+" in it. ") + s.Write("The next line has words. ")
		named := strings.Count(shown, "[REDACTED:")
		assert.Equal(t, named, strings.Count(shown, marker), "%d: %q", before, shown[len(shown)-60:])
		whole += strings.Count(shown, marker)
	}
	assert.NotZero(t, whole, "some markers are emitted before the end")
}
