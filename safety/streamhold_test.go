package safety

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines are about n bytes of base64 in lines of 76, as in mail.
func lines(n int) string {
	raw := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("nothing to hide in here; ", n/33+1)))
	var b strings.Builder
	for ; len(raw) > 76; raw = raw[76:] {
		b.WriteString(raw[:76] + "\n")
	}
	return b.String()
}

// held writes text in pieces and gives what came out and the most that was held
// at any time.
func held(l *Layer, text string, size int) (out string, most int) {
	s := l.Stream()
	var b strings.Builder
	for ; text != ""; text = text[min(size, len(text)):] {
		b.WriteString(s.Write(text[:min(size, len(text))]))
		most = max(most, len(s.text)+len(s.raw)+len(s.held))
	}
	rest, _ := s.Close()
	return b.String() + rest, most
}

func TestAStreamHoldsBackNoMoreThanItsBound(t *testing.T) {
	if WithRaceDetector {
		t.Skip("many times as slow with the race detector, and starts no goroutine; it runs without")
	}
	l := NewLayer().Limit(1 << 40)
	block, key := lines(3<<20), pem()
	body := strings.Index(key, "\n") + 1
	for name, text := range map[string]string{
		"encoded lines": block + "\nend",
		"encoded lines, a secret": lines(200<<10) + "x " +
			base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k ", 30)+githubPAT()+" it")) + "\n" + block +
			"end",
		"one run":                  "x " + strings.Repeat("a1b2/", 600<<10) + " y",
		"a key as long as a book":  "x\n" + key[:body] + block + key[body:] + "\nafter it",
		"a key without an end":     "x\n" + key[:body] + block,
		"words":                    strings.Repeat("some words and a token too. ", 100<<10),
		"secrets between the runs": strings.Repeat(strings.Repeat("ab12/", 60<<10)+" "+githubPAT()+" ", 9),
	} {
		whole, _ := l.Mask(text)
		out, most := held(l, text, 32<<10)
		require.Less(t, most, maxHeld+lastHeld, name)
		require.True(t, whole.String() == out, "%s: streaming differs from cleaning the whole", name)
	}
}
