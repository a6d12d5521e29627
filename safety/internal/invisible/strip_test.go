package invisible

import (
	"bytes"
	"strings"
	"testing"

	"candor/safety/internal/lex"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStripRemovesWhatHidesAndKeepsWhatSpells(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain ASCII is returned as it is", "go test ./...\n\tok", "go test ./...\n\tok"},
		{"accents and other scripts stay", "naïve 你好 привет", "naïve 你好 привет"},
		{"a zero-width space inside a word goes", "pass\u200bword", "password"},
		{"a byte order mark goes", "\ufefftext", "text"},
		{"direction overrides go", "a\u202eb\u202cc\u2066d\u2069", "abcd"},
		{"tags spell nothing without a flag", "x\U000e0041\U000e0042y", "xy"},
		{"noncharacters and fillers go", "a\ufdd0b\u3164c\uffa0d", "abcd"},
		{"controls go", "a\x00b\x07c\x7fd", "abcd"},
		{"C1 controls go", "a\u0080b\u009bc", "abc"},
		{"every line end becomes a newline", "a\r\nb\rc\u0085d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"},
		{"a carriage return at the end is a newline", "a\r", "a\n"},
		{"invalid UTF-8 becomes the replacement character", "a\xffb", "a\ufffdb"},
		{"colours of a terminal go", "\x1b[31mred\x1b[0m\x1b[K", "red"},
		{"a lone escape goes and leaves what stands behind it", "\x1b]0;title", "]0;title"},
		{"a colour sequence ends at its first foreign byte", "\x1b[3Xm", "[3Xm"},
		{"a soft hyphen stays between small letters", "Wort\u00adbruch", "Wort\u00adbruch"},
		{"a soft hyphen goes beside a digit", "ab\u00ad1", "ab1"},
		{"a joiner stays behind a letter of an Indic script", "क्\u200dष", "क्\u200dष"},
		{"a non-joiner stays behind an Arabic letter", "می\u200cخواهم", "می\u200cخواهم"},
		{"a joiner goes behind a Latin letter", "a\u200db", "ab"},
		{"only the first of a row of joiners stays", "می\u200c\u200cخ", "می\u200cخ"},
		{"an ideograph keeps its variant", "葛\U000e0100", "葛\U000e0100"},
		{"a letter keeps no variant of an ideograph", "a\U000e0100", "a"},
		{"Mongolian keeps its variant", "\u1820\u180b", "\u1820\u180b"},
		{"Khmer keeps its inherent vowel", "\u1780\u17b4", "\u1780\u17b4"},
		{"a family of emoji stays joined", "👩\u200d💻", "👩\u200d💻"},
		{"a joiner behind an emoji with nothing to join goes", "👩\u200dx", "👩x"},
		{"an emoji keeps its selectors", "❤\ufe0f ❤\ufe0e", "❤\ufe0f ❤\ufe0e"},
		{"a digit keeps the selector of a key", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"a digit keeps no other selector", "1\ufe0f2", "12"},
		{"a flag of Wales stays", "\U0001f3f4" + flags[2], "\U0001f3f4" + flags[2]},
		{"a black flag keeps no tags that begin like a flag's",
			"\U0001f3f4" + flags[0][:8] + strings.Repeat("\U000e0041", 4), "\U0001f3f4"},
		{"a black flag keeps no foreign tags", "\U0001f3f4\U000e0041", "\U0001f3f4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Strip(tt.in))
			assert.Equal(t, tt.want, Strip(tt.want), "stripping twice changes nothing more")
		})
	}
}

func TestEightBytesAreOddIfOneOfThemIs(t *testing.T) {
	for b := range 256 {
		for _, filler := range []byte{'a', ' ', '\n', '\t', 0x7e} {
			for i := range 8 {
				word := bytes.Repeat([]byte{filler}, 8)
				word[i] = byte(b)
				require.Equal(t, hasOddByte(string(word)), anyOdd(lex.Load8(string(word), 0)), "%q", word)
			}
		}
	}
}

func TestStripAllocatesNothingForPlainText(t *testing.T) {
	text := strings.Repeat("plain text with\ttabs\n", 100)
	assert.Zero(t, testing.AllocsPerRun(10, func() { Strip(text) }))
}

// TestPiecesStripLikeTheWhole cuts texts at every rune and holds that the pieces, each
// stripped behind the one before, give what the whole gives, where the end of a piece waits
// as UnsettledEnd says.
func TestPiecesStripLikeTheWhole(t *testing.T) {
	for _, text := range []string{
		"👩\u200d💻 writes", "1\ufe0f\u20e3 and 2\ufe0f3", "Wort\u00adbruch\u00ad",
		"\U0001f3f4" + flags[0] + "!", "می\u200cخ",
	} {
		for cut := range text {
			wait := UnsettledEnd(text[:cut])
			head := Strip(text[:cut-wait])
			assert.Equal(t, Strip(text), head+StripAfter(head, text[cut-wait:]), "cut at %d of %q", cut, text)
		}
	}
}

func TestUnseenCountsWhatDeservesAWarning(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     int
	}{
		{"plain text has none", "hello", 0},
		{"a zero-width space", "pass\u200bword", 1},
		{"each of several", "a\u202eb\u2066c\x00", 3},
		{"a colour is none", "\x1b[31mred\x1b[0m", 0},
		{"a sequence that moves the cursor", "\x1b[2J", 1},
		{"spelling is none", "می\u200cخواهم Wort\u00adbruch", 0},
		{"emoji are none", "👩\u200d💻 ❤\ufe0f \U0001f3f4" + flags[1], 0},
		{"the rest of a cut emoji is none", "x\u200dy\ufe0f", 0},
		{"line ends are none", "a\r\nb\u0085", 0},
		{"invalid UTF-8 is none", "a\xff", 0},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Unseen("", tt.in)) })
	}
	assert.Zero(t, Unseen("می", "\u200cخ"), "the text before decides, too")
}

func TestRangesAreSorted(t *testing.T) {
	for name, rs := range map[string]ranges{
		"unseen": unseen, "pictographs": pictographs, "joining": joining, "ideographs": ideographs,
	} {
		for i, run := range rs {
			assert.LessOrEqual(t, run.first, run.last, "%s[%d]", name, i)
			assert.True(t, i == 0 || rs[i-1].last < run.first, "%s[%d] stands behind the one before", name, i)
		}
	}
}
