package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// said writes text in pieces of size bytes and returns what each call returned, without
// the empty ones.
func said(s *Sentences, text string, size int) (parts []string, report Report) {
	add := func(t Text) {
		if !t.Empty() {
			parts = append(parts, t.String())
		}
	}
	for ; text != ""; text = text[min(size, len(text)):] {
		add(s.Write(text[:min(size, len(text))]))
	}
	rest, report := s.Close()
	add(rest)
	return parts, report
}

func TestSentencesAreReturnedWhole(t *testing.T) {
	long := strings.Repeat("many words without an end ", 9)
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"at a mark and a space", "I read the whole file first. Then I compare the keys! Is that enough? It is",
			[]string{"I read the whole file first. ", "Then I compare the keys! ", "Is that enough? ", "It is"}},
		{"at the end of a line", "# The findings of today\n- the first of them is here\n- the second one",
			[]string{"# The findings of today\n", "- the first of them is here\n", "- the second one"}},
		{"behind a quotation", `He said "this is the end of it." Then he went.`,
			[]string{`He said "this is the end of it." `, "Then he went."}},
		{"not at an abbreviation", "1. Read e.g. this file", []string{"1. Read e.g. this file"}},
		{"at an ideographic full stop", "我先读取配置文件，因为它缺少一个键。然后我打开加载器。",
			[]string{"我先读取配置文件，因为它缺少一个键。", "然后我打开加载器。"}},
		{"at a clause, if the sentence is long", long + "so far, " + "then more",
			[]string{long + "so far, ", "then more"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := plainLayer().Sentences()
			s.stream.eager()
			parts, _ := said(s, tt.in, 1)
			assert.Equal(t, tt.want, parts)
		})
	}
}

func TestALongTextWithoutSentencesIsReturnedAtWords(t *testing.T) {
	text := strings.TrimSpace(strings.Repeat("many words without an end ", 200))
	parts, _ := said(NewLayer().Sentences(), text, 4)
	assert.Equal(t, text, strings.Join(parts, ""))
	for _, p := range parts[:len(parts)-1] {
		assert.LessOrEqual(t, len(p), maxSentence+2*searchStep)
		assert.True(t, strings.HasSuffix(p, " "), "%q ends with a word", p)
	}
}

func TestSentencesJoinedAreWhatMaskReturns(t *testing.T) {
	if WithRaceDetector {
		t.Skip("slow with the race detector, and starts no goroutine; it runs without")
	}
	l := plainLayer()
	for k, text := range seeds() {
		text = "It begins here. " + text + "\nAnd more words follow. They end here."
		whole, report := l.Mask(text)
		for _, size := range []int{1, 4, 50} {
			parts, r := said(l.Sentences(), text, size)
			require.True(t, whole.String() == strings.Join(parts, ""), "seed %d in pieces of %d", k, size)
			require.Equal(t, report, r)
		}
	}
}

func TestTheTextSoFarNeverEndsWithinASecret(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	text := "The first sentence is harmless. Then there is " + key + " and more of it follows."
	whole, _ := l.Mask(text)
	for cut := range len(text) {
		s := l.Sentences()
		s.stream.eager()
		s.Write(text[:cut])
		shown, report := s.SoFar()
		require.True(t, strings.HasPrefix(whole.String(), shown.String()), "cut at %d", cut)
		require.Equal(t, strings.Contains(shown.String(), "[REDACTED"), report.Verdict == Redacted)
	}
}

func TestAStreamReportsThatItsTextIsBlocked(t *testing.T) {
	l, key := plainLayer(), pem()
	text := "I found this key in the file:\n" + key + "\nIt must not be shown. "
	s := l.Sentences()
	for i := range len(text) {
		part := s.Write(text[i : i+1]).String()
		assert.False(t, leaked(part, key, 12))
		if i < strings.Index(text, "\n") {
			require.False(t, s.Blocked(), "nothing to block yet")
		}
	}
	_, report := s.Close()
	assert.True(t, s.Blocked())
	assert.Equal(t, Blocked, report.Verdict)
}
