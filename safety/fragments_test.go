package safety

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// seams are what may stand between two parts of a token.
var seams = []string{
	"\\\n", "\\\r\n  ", "\n", "\n    ", "\n# ", "\n> ", "\n// ", " |\n|   | ", " │\n│ ", "\" + \"", "' + '",
	"\" . \"", "\" \"", "\"\n    \"", "\" +\n  \"", "<b>", "</span><span>", "<wbr>", "<br>", "<!-- x -->",
	"**", "*", "~~", "\x1b[0m", "\\x1b[31m", "^[[31m", "${\"", "&shy;", "&#8203;", "%E2%80%8B", "\\u200b", "=\n",
	"\t", " ",
}

func TestATokenSplitIntoFragmentsIsMasked(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	for _, seam := range seams {
		for _, at := range []int{14, 20, 29} {
			text := "I set TOK to \"" + key[:at] + seam + key[at:] + "\" and go on."
			out, report := l.Mask(text)
			require.Equal(t, Redacted, report.Verdict, "%q at %d", seam, at)
			require.False(t, leaked(out.String(), key, 8), "%q at %d: %s", seam, at, out)
			require.Contains(t, out.String(), " and go on.")
			again, _ := l.Mask(out.String())
			require.Equal(t, out, again)
			for _, size := range []int{1, 3, 7} {
				joined, _, _ := streamed(l, text, size)
				require.Equal(t, out.String(), joined, "%q at %d in pieces of %d", seam, at, size)
			}
		}
	}
}

func TestATokenWrappedOverManyLinesIsMasked(t *testing.T) {
	l := plainLayer()
	for _, lead := range []string{"# ", "> ", "// ", "│ ", "  ", "-- ", "12: ", " * "} {
		key := hitOf(&l.detector.Rules[ruleOf(l, "anthropic-key")], "sk-ant-api{d2}-{k93}AA", 4)
		var lines []string
		for i := 0; i < len(key); i += 24 {
			lines = append(lines, lead+key[i:min(len(key), i+24)])
		}
		out, _ := l.Mask("the token:\n" + strings.Join(lines, "\n") + "\ndone")
		assert.False(t, leaked(out.String(), key, 8), "%q: %s", lead, out)
		assert.True(t, strings.HasSuffix(out.String(), "\ndone"))
	}
}

func ruleOf(l *Layer, id string) int {
	for i, r := range l.detector.Rules {
		if r.ID == id {
			return i
		}
	}
	panic(id)
}

func TestTextNextToATokenIsKept(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	for _, after := range []string{"\nNext I run the tests.", " abc123def and more", "\n- item 2 of it", "** and",
		"\n3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e is the commit", "\", \"name\": \"x1\"", "</td><td>row2</td>",
		"\n  \"level2\": 3"} {
		out, _ := l.Mask(key + after)
		assert.Equal(t, "[REDACTED:github-pat]"+after, out.String())
	}
	for _, s := range []string{"ghp_ tokens\nare 40 long", "the prefix ghp_ marks\na1b2c3d4e5f6g7h8",
		"sk-learn 1.2 and pandas2", "AKIA is\nthe prefix", `x := "ab" + "cd"`, "a **bold** b1"} {
		out, report := l.Mask(s)
		assert.Equal(t, s, out.String())
		assert.Empty(t, report.Findings)
	}
}

func TestASecretSpelledAsByteValuesIsMasked(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	spell := func(format, sign string) string {
		var all []string
		for i := range len(key) {
			all = append(all, fmt.Sprintf(format, key[i]))
		}
		return strings.Join(all, sign)
	}
	for _, text := range []string{
		spell("%02x", " "), spell("%02X", ":"), spell("%02x", "-"), spell("0x%02x", ", "), spell("0x%02x", ",\n    "),
		spell("%d", ", "), spell("%d", ","), spell("%d", " "), spell("=%02X", ""), spell("%02x", ","),
		spell("%03o", " "), spell("\\%03o", ""), spell("&#%d", ""), dump(key),
	} {
		text = "It is {\n" + text + "} in all\nand so on."
		out, report := l.Mask(text)
		require.Equal(t, Redacted, report.Verdict, "%s", text)
		require.Less(t, len(out.String()), 90, "%s", out)
		for _, size := range []int{1, 5} {
			joined, _, _ := streamed(l, text, size)
			require.Equal(t, out.String(), joined, "%s in pieces of %d", text, size)
		}
	}
	for _, s := range []string{"48 65 6c 6c 6f 2c 20 77 6f 72 6c 64 21 0a",
		"[72, 101, 108, 108, 111, 44, 32, 119, 111, 114, 108, 100]", "00:1b:44:11:3a:b7",
		"11 22 33 44 55 66 77 88 99 10 11 12 13 14 15 16"} {
		out, report := l.Mask(s)
		assert.Equal(t, s, out.String())
		assert.Empty(t, report.Findings)
	}
}

// dump is what hexdump -C prints.
func dump(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i += 16 {
		line := s[i:min(len(s), i+16)]
		fmt.Fprintf(&b, "%08x  %-47s  |%s|\n", i, fmt.Sprintf("% x", line), line)
	}
	return b.String()
}

func TestAKnownSecretSplitIntoFragmentsIsMasked(t *testing.T) {
	l := NewLayer(KnownSecrets("Tr0ub4dor-and-3", "apple"))
	for _, seam := range append([]string{" "}, seams...) {
		text := "use \"Tr0ub" + seam + "4dor-and-3\" now, apple."
		out, _ := l.Mask(text)
		assert.Equal(t, `use "[REDACTED:known-secret]" now, [REDACTED:known-secret].`, out.String(), "%q", seam)
		joined, _, _ := streamed(l, text, 1)
		assert.Equal(t, out.String(), joined, "%q", seam)
	}
	out, _ := l.Mask("Tr0ub and other words")
	assert.Equal(t, "Tr0ub and other words", out.String())
}
