package safety

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEmojiKeepTheirJoinersAndVariationSelectors(t *testing.T) {
	l := plainLayer()
	for _, s := range []string{
		"⚠\ufe0f careful", "❤\ufe0f", "👨\u200d👩\u200d👧 all three", "🏳\ufe0f\u200d🌈", "👩🏽\u200d💻 at work",
		"press 1\ufe0f\u20e3 or #\ufe0f\u20e3", "©\ufe0f 2026", "🧑\u200d⚕\ufe0f",
	} {
		out, report := l.Mask(s)
		assert.Equal(t, s, out.String())
		assert.Empty(t, report.Findings)
	}
}

func TestJoinersAndSelectorsOutsideEmojiAreRemoved(t *testing.T) {
	l := plainLayer()
	for in, want := range map[string]string{
		"pass\ufe0fword":        "password",
		"a\u200db":              "ab",
		"👨\u200d":               "👨",
		"👨\u200d x":             "👨 x",
		"\u200d👩":               "👩",
		"❤\ufe0f\ufe0f":         "❤\ufe0f",
		"👨\u200d\u200d👩":        "👨\u200d👩",
		"👨\u200d\u200b👩":        "👨👩",
		"1\ufe0f2":              "12",
		"Ⓜ\ufe0f":               "Ⓜ",
		"日\ufe0f本":              "日本",
		"👨\u200d\u001b[31m👩":    "👨👩",
		"\ufe0f start, a\ufe0e": " start, a",
	} {
		out, _ := l.Mask(in)
		assert.Equal(t, want, out.String(), "%+q", in)
		again, _ := l.Mask(out.String())
		assert.Equal(t, out, again, "%+q", in)
	}
}

func TestASecretSplitByAJoinerIsFound(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	for _, sign := range []string{"\ufe0f", "\u200d", "\ufe0f\u200d", "\ufe0f\u20e3", "\u200d\ufe0f"} {
		for at := 1; at < len(key); at++ {
			out, report := l.Mask("❤\ufe0f " + key[:at] + sign + key[at:] + " ❤\ufe0f")
			require.Equal(t, Redacted, report.Verdict, "%+q at %d", sign, at)
			require.Equal(t, "❤\ufe0f [REDACTED:github-pat] ❤\ufe0f", out.String(), "%+q at %d", sign, at)
		}
	}
}

func TestAStreamSplitInsideAnEmojiKeepsTheEmoji(t *testing.T) {
	l := plainLayer()
	for _, s := range []string{"x 🏳\ufe0f\u200d🌈 y", "👨\u200d\u200d👩", "👨\u200d\r\n👩", "❤\ufe0f",
		"a\u200db 1\ufe0f\u20e3", "👨\u200d"} {
		whole, _ := l.Mask(s)
		for n := 1; n < 6; n++ {
			joined, _, _ := streamed(l, s, n)
			require.Equal(t, whole.String(), joined, "%+q in pieces of %d", s, n)
		}
	}
}

func TestCleaningATextTruncatedInsideAnEmojiIsIdempotent(t *testing.T) {
	l := NewLayer(MaxBytes(300))
	family := "👨\u200d👩\u200d👧\u200d👦 "
	for shift := range 30 {
		text := "abcdefghijklmnopqrstuvwxyzabcdefghijkl"[:shift]
		for range 20 {
			text += family
		}
		once, _ := l.Mask(text)
		twice, _ := l.Mask(once.String())
		require.Equal(t, once, twice)
		joined, _, _ := streamed(l, text, 3)
		require.Equal(t, once.String(), joined)
	}
}
