package safety

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forgetful is a detector that judges every place anew.
func forgetful() *detector {
	rules := slices.Clone(NewLayer().detector.rules)
	for i := range rules {
		rules[i].sight = 0
	}
	return newDetector(rules)
}

// agree fails unless both detectors find the same in s.
func agree(t *testing.T, d, anew *detector, s string) {
	t.Helper()
	if !slices.Equal(d.spans(s, nil), anew.spans(s, nil)) {
		t.Fatalf("judging a repetition once changes what is found in %d bytes", len(s))
	}
}

func TestARepeatedTextIsJudgedAsEachOfItsParts(t *testing.T) {
	d, anew := NewLayer().detector, forgetful()
	for k, s := range seeds() {
		if s = s[:min(len(s), 300)]; k%3 > 0 {
			s += " "
		}
		agree(t, d, anew, strings.Repeat(s, 2400/max(1, len(s))+2))
	}
}

func TestARepetitionThatEndsDifferentlyIsJudgedAnew(t *testing.T) {
	d, anew := NewLayer().detector, forgetful()
	password := fill("{a12}", 4)
	for _, unit := range []string{"x-api-key: ", "twitter_key=", "password ", "token: ", "the key is "} {
		for _, end := range []string{"", password, " " + password, `"` + password + `"`, "= " + password, "\n" + password, strings.Repeat(" ", 40) + password} {
			agree(t, d, anew, strings.Repeat(unit, 200)+end)
			agree(t, d, anew, end+strings.Repeat(unit, 200)+end+strings.Repeat(unit, 200))
		}
	}
}

func TestTheSightOfARuleIsAsFarAsItLooks(t *testing.T) {
	l := NewLayer()
	for i := range l.detector.rules {
		r := &l.detector.rules[i]
		for k, h := range r.hits {
			if r.sight == 0 {
				continue
			}
			hit := hitOf(r, h, uint64(k))
			pad := strings.Repeat("filler ", 200)
			text := pad + hit + " " + pad
			for _, a := range r.anchors {
				at := strings.Index(strings.ToLower(text), a)
				if at < 0 {
					continue
				}
				from, to := r.find(text, at, at+len(a))
				near := text[:min(len(text), at+r.sight)]
				f, e := r.find(near, at, at+len(a))
				require.Equal(t, [2]int{from, to}, [2]int{f, e}, "%s: hit %d", r.id, k)
			}
		}
	}
}

func FuzzRepetition(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s, "", uint8(9))
	}
	f.Add("x-api-key: ", "a", uint8(200))
	d, anew := NewLayer().detector, forgetful()
	f.Fuzz(func(t *testing.T, s, end string, n uint8) {
		agree(t, d, anew, strings.Repeat(s[:min(len(s), 200)], int(n))+end)
	})
}
