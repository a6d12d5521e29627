package decode

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// encodedUTF16 encodes a text as PowerShell's -EncodedCommand takes it.
func encodedUTF16(text string) string {
	var raw []byte
	for _, u := range utf16.Encode([]rune(text)) {
		raw = append(raw, byte(u), byte(u>>8))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func TestSkipJointTellsWhatJoinsTwoPieces(t *testing.T) {
	for _, tt := range []struct {
		name, joint string
		kind        Joint
	}{
		{"a continued line", "\\\n  ", JointMade},
		{"a continued line of Windows", "\\\r\n", JointMade},
		{"quoted-printable", "=\n", JointMade},
		{"two literals with a plus", `" + "`, JointMade},
		{"two literals side by side", `" "`, JointMade},
		{"two literals in a list over lines", "\",\n    \"", JointLine},
		{"a tag and a blank", "</b> ", JointSpace},
		{"an emphasis that ends its line", "**\n", JointLine},
		{"a tag of a line end", "</a><br/>", JointLine},
		{"a literal with a prefix", `" + f"`, JointMade},
		{"a tag", "</b><i>", JointMade},
		{"a tag of a block", "<td>", JointLine},
		{"emphasis", "**", JointMade},
		{"a line end", "\n", JointLine},
		{"a quoted line", "\n> ", JointLine},
		{"a comment on the next line", "\n// ", JointLine},
		{"a numbered line", "\n12: ", JointLine},
		{"the next row of a table", " |\n| ", JointLine},
		{"one blank", " ", JointSpace},
		{"a colour of a terminal", "\x1b[0m", JointMade},
		{"a colour as it is printed", "^[[31m", JointMade},
		{"a backspace", "\b", JointMade},
		{"a literal in a template", `${"`, JointMade},
		{"two blanks", "  ", JointNone},
		{"a path", "/", JointNone},
		{"a lone backslash", `\w`, JointNone},
		{"a less-than sign", "< ", JointNone},
		{"a caret", "^x", JointNone},
		{"a variable", "${x", JointNone},
		{"a lone dollar", "$x", JointNone},
		{"a movement of the cursor", "\x1b[2J", JointNone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kind, next := SkipJoint(tt.joint+"rest", 0)
			assert.Equal(t, tt.kind, kind)
			if kind != JointNone {
				assert.Equal(t, len(tt.joint), next)
			}
		})
	}
}

func TestAnUnfinishedJointReachesTheEnd(t *testing.T) {
	for _, open := range []string{"\\", "=\r", `"`, "<", "<spa", "<b>", " ", "\n/", "\n12", "^", "\x1b[3", "${"} {
		kind, next := SkipJoint(open, 0)
		assert.Equal(t, JointNone, kind, "%q", open)
		assert.Equal(t, len(open), next, "more text may make a joint of %q", open)
	}
}

func TestAnAssemblyPutsATokenTogether(t *testing.T) {
	const prefix = "tok_"
	body := "aB3dE5gH7jK9mN1pQ3sT5vX7"
	for _, joint := range []string{"\\\n", `" + "`, "\n", "<b>", " "} {
		s := prefix + body[:12] + joint + body[12:] + " and so on"
		var a Assembly
		require.True(t, a.Gather(s, 0, len(prefix)), "%q", joint)
		assert.True(t, strings.HasPrefix(string(a.Text[:a.Len]), prefix+body), "%q", joint)
		assert.Equal(t, strings.Index(s, body[12:])+1, a.Source(len(prefix)+13), "%q: a byte maps back", joint)
		assert.Equal(t, len(prefix)+12, a.Source(len(prefix)+12), "%q: the end of a piece is not the next one", joint)
	}
}

func TestAnAssemblyLeavesWordsAlone(t *testing.T) {
	for name, s := range map[string]string{
		"one piece":               "tok_aB3dE5gH7jK9 is all there is",
		"words behind a blank":    "tok_aB3dE5gH7jK9 continues here",
		"a short first piece":     "tok_a\nb3dE5gH7jK9mN1p",
		"the same prefix again":   "tok_aB3dE5gH7\ntok_aB3dE5gH7",
		"no joint behind a token": "tok_aB3dE5gH7jK9/aB3dE5gH7jK9",
	} {
		var a Assembly
		assert.False(t, a.Gather(s, 0, 4), name)
	}
	var spaced Assembly
	assert.True(t, spaced.Gather("tok_"+strings.Repeat("aB3dE5gH7 ", 8), 0, 4))
	assert.Equal(t, len("tok_")+4*len("aB3dE5gH7"), spaced.Len, "a fourth blank ends the token")
	var a Assembly
	assert.False(t, a.Gather("tok_aB3dE5gH7jK9", 0, 4))
	assert.True(t, a.Open, "more pieces may follow at the end of the text")
	assert.False(t, a.Gather("tok_"+strings.Repeat("aB3", MaxToken), 0, 4), "a token too long is not put together")
}

func TestASeriesSpellsAText(t *testing.T) {
	const text = "password: hunter22 ok"
	hex, decimal := make([]string, 0, len(text)), make([]string, 0, len(text))
	octal := make([]string, 0, len(text))
	for _, b := range []byte(text) {
		hex, decimal = append(hex, fmt.Sprintf("%02x", b)), append(decimal, fmt.Sprint(b))
		octal = append(octal, fmt.Sprintf("%03o", b))
	}
	var buf [512]byte
	for _, tt := range []struct {
		name, spelled string
		read          func(string, []byte) []byte
	}{
		{"hex with blanks", strings.Join(hex, " "), ReadHex},
		{"hex with prefixes", "0x" + strings.Join(hex, ", 0x"), ReadHex},
		{"hex with colons", strings.Join(hex, ":"), ReadHex},
		{"decimals in a list", "[" + strings.Join(decimal, ", ") + "]", ReadDecimal},
		{"decimals over lines", strings.Join(decimal, ",\n"), ReadDecimal},
		{"pairs of bytes in hex", inPairs(hex), ReadHex},
		{"octals", strings.Join(octal, " "), ReadOctal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := "It prints " + tt.spelled + " and then some more text."
			sr, ok := NextSeries(s, 0)
			require.True(t, ok)
			got := string(sr.Bytes(s, buf[:0], tt.read))
			assert.Contains(t, got, text[1:len(text)-1])
		})
	}
}

// inPairs joins the digits of two bytes each.
func inPairs(hex []string) string {
	var pairs []string
	for i := 0; i+1 < len(hex); i += 2 {
		pairs = append(pairs, hex[i]+hex[i+1])
	}
	return strings.Join(pairs, " ")
}

func TestASeriesOfTwelveNumbersIsLongEnough(t *testing.T) {
	const twelve = "It is 70 61 73 73 77 6f 72 64 3a 20 68 75 and then there are some more words behind it."
	sr, ok := NextSeries(twelve, 0)
	require.True(t, ok)
	assert.Equal(t, "70 61 73 73 77 6f 72 64 3a 20 68 75", twelve[sr.From:sr.To])
	_, ok = NextSeries(strings.Replace(twelve, " 75 and", " and", 1), 0)
	assert.False(t, ok, "eleven may be a date, an address or a list of ports")
}

func TestADumpIncludesItsColumnOfText(t *testing.T) {
	const first = "00000000: 7061 7373 776f 7264 3a20 6875 6e74 6572  password: hunter\n"
	s := "It prints\n" + first + "00000010: 3232 2061 6e64 206e 6f74 6869 6e67 2121  22 and nothing!!\nand ends."
	d, ok := NextDump(s, 0)
	require.True(t, ok)
	assert.Equal(t, s[len("It prints\n00000000: "):len(s)-len("\nand ends.")], s[d.From:d.To])
	assert.Equal(t, "password: hunter22 and nothing!!", string(d.Bytes(s, nil, Readings[0])))
	_, ok = NextDump(s, d.To)
	assert.False(t, ok)
}

func TestPlainNumbersAreNoSeries(t *testing.T) {
	for name, s := range map[string]string{
		"a few numbers":    "The ports 80, 443 and 8080 are open on hosts 10, 12 and 14 of the rack.",
		"long numbers":     strings.Repeat("1234567890123 ", 20),
		"numbers and text": strings.Repeat("41 apples ", 20),
		"changing signs":   strings.Repeat("41, 42; 43: 44 ", 10),
		"escapes":          "41" + strings.Repeat("%41", 40),
		"prose":            strings.Repeat("no number stands here at all ", 10),
	} {
		_, ok := NextSeries(s, 0)
		assert.False(t, ok, name)
	}
}

func TestReadersRejectWhatTheyCannotRead(t *testing.T) {
	assert.Nil(t, ReadHex("414", nil), "an odd number of digits")
	assert.Nil(t, ReadDecimal("256", nil), "more than a byte")
	assert.Nil(t, ReadDecimal("4f", nil), "no decimal")
	assert.Nil(t, ReadOctal("190", nil), "no octal digit")
	assert.Nil(t, ReadOctal("12", nil), "too few digits")
}

func TestSpelledStartGoesBackToTheSeries(t *testing.T) {
	s := "bytes: 70 61 73 73 77 6f 72 64"
	assert.Equal(t, len("bytes: "), SpelledStart(s, len(s)))
	assert.Equal(t, 9, SpelledStart("no series", 9))
	dump := "00000000: 7061 7373 776f 7264\n00000010: 3a20 6875"
	assert.Zero(t, SpelledStart(dump, len(dump)), "a dump begins with its first offset")
}
