package safety

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestInvisibleCharactersThatSpellingNeedsAreKept(t *testing.T) {
	l := plainLayer()
	for _, s := range []string{
		"می\u200cخواهم این فایل را بخوانم", "क्\u200dषेत्र और विद्\u200dयार्थी", "ശ്രീ\u200dശാന്ത്", "葛\U000e0100城市",
		"Donau\u00addampf\u00adschiff", "☺\ufe0e and ☺\ufe0f",
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f England", "ᠮᠣᠩᠭᠣᠯ\u180b",
	} {
		out, report := l.Mask(s)
		assert.Equal(t, s, out.String())
		assert.Empty(t, report.Findings, "%+q", s)
		joined, _, _ := streamed(l, s, 1)
		assert.Equal(t, s, joined)
	}
	for in, want := range map[string]string{
		"a\u200cb": "ab", "AB\u00adCD": "ABCD", "می\u200c\u200cخ": "می\u200cخ", "x\U000e0100": "x",
		"🏴\U000e0041\U000e0042": "🏴", "a\u00ad\u00adb": "a\u00adb",
	} {
		out, report := l.Mask(in)
		assert.Equal(t, want, out.String())
		assert.NotEmpty(t, report.Findings, "%+q", in)
		joined, _, r := streamed(l, in, 1)
		assert.Equal(t, want, joined)
		assert.Equal(t, report, r)
	}
}

func TestASecretSplitByASoftHyphenIsMasked(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	for at := 1; at < len(key); at++ {
		out, _ := l.Mask("use " + key[:at] + "\u00ad" + key[at:] + " now")
		assert.Equal(t, "use [REDACTED:github-pat] now", out.String())
	}
}

func TestAStreamWithoutSpacesIsEmittedPromptly(t *testing.T) {
	l := plainLayer()
	s := l.Stream().eager()
	text := "我先读取配置文件，因为失败的测试提到缺少一个键。然后我打开加载器，看看默认值是如何应用的。"
	in, out := 0, 0
	for _, r := range text {
		in += len(string(r))
		out += len(s.Write(string(r)))
		assert.LessOrEqual(t, in-out, 12, "held back after %d bytes", in)
	}
}
