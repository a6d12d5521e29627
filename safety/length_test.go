package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestACutSplitsNoMarker(t *testing.T) {
	l := NewLayer(MaxBytes(256))
	for pad := range 30 {
		out, _ := l.Mask(strings.Repeat("a", pad) + strings.Repeat(" "+githubPAT(), 20))
		assert.Contains(t, out.String(), "[truncated: ")
		assert.NotRegexp(t, `\[REDACTED:[a-z-]*\n`, out.String(), "%d bytes before the markers", pad)
	}
}

func TestACutBeforeAMarkersNameSplitsNoMarker(t *testing.T) {
	const text = "see [REDACTED:github-pat] there"
	start := strings.Index(text, "[")
	for i := range len(text) + 1 {
		want := i
		if i > start && i < strings.Index(text, "]")+1 {
			want = start
		}
		assert.Equal(t, want, markerStart(text, i), "cut at %d", i)
	}
	assert.Equal(t, len("see "), markerStart("see [REDAC", len("see [REDAC")), "a marker may follow")
	assert.Equal(t, len("see [READ"), markerStart("see [READ", len("see [READ")))
}

func TestNoTextEndsWithinAMarker(t *testing.T) {
	l := NewLayer(MaxBytes(256))
	for pad := range 60 {
		text := strings.Repeat("ab ", 20) + strings.Repeat("a", pad) + strings.Repeat(" "+githubPAT(), 20)
		out, _ := l.Mask(text)
		streamed, _, _ := streamed(l, text, 7)
		for _, got := range []string{out.String(), streamed} {
			body, _, _ := strings.Cut(got, "\n\n[truncated")
			assert.NotRegexp(t, `\[R?E?D?A?C?T?E?D?:?[a-z-]*$`, body, "%d bytes before the markers", pad)
		}
	}
}

// A wallet's key has 64 hex digits. The longer number is none until the cut makes one of it.
func TestASecretThatOnlyTheCutMakesIsMasked(t *testing.T) {
	l := NewLayer(MaxBytes(256))
	digits := fill("{h64}", 1) + strings.Repeat("7", 400)
	text := strings.Repeat("so ", 30) + "seed: " + digits
	kept, _ := NewLayer().Mask(text)
	assert.Equal(t, text, kept.String())
	out, _ := l.Mask(text)
	assert.NotContains(t, out.String(), digits[:64])
	again, _ := l.Mask(out.String())
	assert.Equal(t, out, again)
}

func TestTextBeyondTheReadLimitIsNotRead(t *testing.T) {
	l := NewLayer(MaxBytes(1000))
	assert.LessOrEqual(t, l.reach(strings.Repeat("so ", 1_000_000)), 4000)
	assert.Equal(t, 300, l.reach(strings.Repeat("so ", 100)))
}

func TestLimitReturnsAStricterLayerAndKeepsTheOriginal(t *testing.T) {
	whole := NewLayer()
	long := strings.Repeat("so ", 2000)
	short, _ := whole.Limit(1000).Clean(long)
	assert.LessOrEqual(t, len(short.String()), 1000)
	kept, _ := whole.Clean(long)
	assert.Equal(t, long, kept.String())
}

// What is not looked at is cut off, however little of the rest is left.
func TestATextOfWhichMostCannotBeSeenIsCutWithANotice(t *testing.T) {
	raw := "so it goes " + strings.Repeat("\u200b", 600) + " and on"
	text, _ := NewLayer(MaxBytes(256)).Mask(raw)
	assert.Contains(t, text.String(), "[truncated: ")
}
