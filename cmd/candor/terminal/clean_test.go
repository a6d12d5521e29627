package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCleanMakesForeignTextSafe(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain text stays", "grün, 日本語, naïve — “quoted”", "grün, 日本語, naïve — “quoted”"},
		{"a color goes", "a\x1b[31mred\x1b[0mb", "aredb"},
		{"the cursor stays where it is", "a\x1b[2J\x1b[H\x1b[1A\x1b[10;10Hb", "ab"},
		{"a title is not set", "a\x1b]0;pwned\x07b", "ab"},
		{"a title that ends with ST is not either", "a\x1b]2;pwned\x1b\\b", "ab"},
		{"a link is its text", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"},
		{"the clipboard is not written", "a\x1b]52;c;cm0gLXJm\x07b", "ab"},
		{"a device string goes", "a\x1bP+q544e\x1b\\b", "ab"},
		{"an 8-bit sequence goes", "a\u009b31mb\u009d0;t\u009cc", "abc"},
		{"a sequence without an end leaves its text", "a\x1b]0;never ends\nb", "a0;never ends\nb"},
		{"a lone ESC goes", "a\x1b", "a"},
		{"an ESC before a letter takes it along", "a\x1bcb", "ab"},
		{"character sets stay", "a\x1b(0qqq", "aqqq"},
		{"a bell, a null and a backspace go", "a\x00\x07\x08b", "ab"},
		{"a carriage return cannot write over", "safe\rEVIL", "safe\nEVIL"},
		{"CRLF is one line break", "a\r\nb", "a\nb"},
		{"other line breaks are ones", "a\u2028b\u0085c\vd", "a\nb\nc\nd"},
		{"the direction of writing stays", "a\u202ecba\u2066x\u200f", "acbax"},
		{"invisible characters go", "a\u200bb\ufeffc\u2060d\u3164e\U000E0041f", "abcdef"},
		{"bytes that are no text show that they are not", "a\xffb", "a\ufffdb"},
		{"a tab is two spaces", "a\tb", "a  b"},
		{"a flood of marks is cut", "a" + strings.Repeat("\u0301", 500) + "b", "a\u0301\u0301\u0301\u0301b"},
		{"an emoji keeps what joins it", "👩‍👩‍👧 ❤️", "👩‍👩‍👧 ❤️"},
		{"joiners alone go", "\u200d\u200d\u200da", "a"},
		{"the line editor's runes go", "a\U00100000b\U0010FFFDc", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Clean(tt.text)) })
	}
}

func TestCleanCutsLongTextAndSaysHowMuchIsMissing(t *testing.T) {
	got := Clean(strings.Repeat("x", 1<<20) + "\nnext")
	require.True(t, got == strings.Repeat("x", maxLine)+"… (1,038,576 more characters)\nnext", "%.80q…%q", got,
		got[max(0, len(got)-80):])
	got = Clean(strings.Repeat("many lines\n", 1<<17))
	require.Less(t, len(got), maxText+100)
	require.True(t, strings.HasSuffix(got, "… (the rest is left out)"), "%q", got[len(got)-80:])
}

func TestCleanLineMakesOneLine(t *testing.T) {
	assert.Equal(t, "a b c", CleanLine("  a\r\n\n b\tc "))
}

// FuzzClean checks what everything else relies on: the output is valid UTF-8, has no
// control character but newlines, and cleaning it again changes nothing.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[31mb", "\x1b]8;;u\x1b\\t", "\u202e\x00\xff", "\x1b\x1b[[\u009b",
		"👩‍👩‍👧\u0301", "\r\n\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		require.True(t, utf8.ValidString(got))
		for _, r := range got {
			require.True(t, r == '\n' || printable(r) || combines(r) || joins(r), "%U in %q", r, got)
		}
		require.NotContains(t, CleanLine(s), "\n")
		require.Equal(t, got, Clean(got))
	})
}

func TestParamsRendersJSONOnOneBoundedLine(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"as the specification has it", `{"query":"recent project updates","limit":5}`,
			`{ "query": "recent project updates", "limit": 5 }`},
		{"nothing", ``, `{}`},
		{"empty", `{}`, `{}`},
		{"the order stays, and so do numbers", `{"z":1.50,"a":[1,[],{"b":null}],"t":true}`,
			`{ "z": 1.50, "a": [1, [], { "b": null }], "t": true }`},
		{"markup stays", `{"c":"<b>&</b>"}`, `{ "c": "<b>&</b>" }`},
		{"a line break stays escaped", `{"c":"a\nb"}`, `{ "c": "a\nb" }`},
		{"a sequence in it goes", `{"c":"\u001b[31mred\u202e","\u001b]0;t\u0007k":1}`, `{ "c": "red", "k": 1 }`},
		{"what is cut off is shown up to there", `{"a":[1,2`, `{ "a": [1, 2…`},
		{"what is none is not", `}`, `…`},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Params([]byte(tt.raw))) })
	}
	long := Params([]byte(`{"text":"` + strings.Repeat("日", 1<<20) + `"}`))
	assert.Equal(t, `{ "text": "`+strings.Repeat("日", 189)+"…", long, "200 characters")
	deep := Params([]byte(strings.Repeat("[", 100_000)))
	assert.True(t, strings.HasSuffix(deep, "…"), deep)
}

func TestSafeJSONKeepsTheMeaning(t *testing.T) {
	assert.Equal(t, `{"a":"grün \u202e\u009b\u007f\udb40\udc41","b":1}`,
		SafeJSON([]byte("{\"a\": \"grün \u202e\u009b\x7f\U000E0041\",\n\"b\": 1}")))
	assert.Equal(t, "null", SafeJSON([]byte("nonsense")))
}
