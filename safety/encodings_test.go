package safety

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func wide(s string) string {
	return strings.Map(func(r rune) rune { return r + 0xfee0 }, s)
}

func TestASecretIsFoundUnderEveryEncoding(t *testing.T) {
	l, key := plainLayer(), githubPAT()
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, hidden := range map[string]string{
		"percent":          eachByte(key, "%%%02X"),
		"percent, twice":   eachByte(eachByte(key, "%%%02x"), "%%%02x"),
		"query":            url.QueryEscape("<" + key + ">"),
		"unicode escapes":  eachByte(key, `\u%04x`),
		"braced escapes":   eachByte(key, `\u{%x}`),
		"byte escapes":     eachByte(key, `\x%02x`),
		"references":       eachByte(key, "&#%d;"),
		"hex references":   eachByte(key, "&#x%x;"),
		"of capitals":      eachByte(key, "&#X%X;"),
		"base64":           encoded("key: " + key),
		"base64, shifted":  encoded("a key: " + key),
		"base64, again":    encoded("my key: " + key + "!"),
		"base64url":        base64.RawURLEncoding.EncodeToString([]byte(key + " ???>>>")),
		"base64, twice":    encoded(encoded(key)),
		"base64, 3 times":  encoded(encoded(encoded(key))),
		"base64 behind 1":  "x" + encoded("key: "+key),
		"base64 behind 2":  "xy" + encoded("key: "+key),
		"base64 behind 3":  "xyz" + encoded("key: "+key),
		"base64 of UTF-16": encoded(eachByte(key, "%c\x00")), // as PowerShell's -EncodedCommand takes it
		"base64 of hex":    encoded(hex.EncodeToString([]byte(key))),
		"hex":              hex.EncodeToString([]byte(key)),
		"hex of a literal": "0x" + strings.ToUpper(hex.EncodeToString([]byte(key))),
		"full width":       wide(key),
		"homoglyphs":       "g" + "һр_" + key[4:],
		"accents":          key[:2] + "\u0301" + key[2:],
	} {
		out, report := l.Mask("see " + hidden + " there")
		require.Equal(t, Redacted, report.Verdict, name)
		require.False(t, leaked(out.String(), hidden[len(hidden)/4:len(hidden)*3/4], 8), name)
		require.True(t, strings.HasPrefix(out.String(), "see ") && strings.HasSuffix(out.String(), " there"), name)
	}
}

func TestEncodedTextWithoutSecretsIsKept(t *testing.T) {
	for _, s := range []string{
		base64.StdEncoding.EncodeToString([]byte("just an ordinary sentence, encoded for no reason")),
		"100% of 50%25 done &amp; dusted \\u00e9 \\n", "C:\\new\\table\\users", "ｆｕｌｌ ｗｉｄｔｈ ｔｅｘｔ",
		"секретарь пишет отчёт о работе",
		strings.Repeat("ab12", 16), strings.Repeat("A", 300),
	} {
		out, report := plainLayer().Mask(s)
		assert.Equal(t, s, out.String())
		assert.Empty(t, report.Findings)
	}
}

func TestPasswordsUnderDisguisedNamesAreFound(t *testing.T) {
	pw := fill("{a12}", 5)
	for _, s := range []string{"ｐａｓｓｗｏｒｄ＝" + pw, "password&#61;" + pw, `{\"password\": \"` + pw + `\"}`,
		`"{\\\"apiKey\\\":\\\"` + pw + `\\\"}"`, "q=password%3D" + pw, "the password is “" + pw + "”"} {
		out, _ := plainLayer().Mask(s)
		require.NotContains(t, out.String(), pw)
	}
}

func TestBase64IsDecodedAcrossLineBreaks(t *testing.T) {
	key := githubPAT()
	enc := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 40) + " " + key + " and more text behind it"))
	out, _ := NewLayer().Mask(enc[:76] + "\n" + enc[76:])
	assert.Equal(t, "[REDACTED:github-pat]", out.String())
}

func TestCleaningNestedEncodingsIsIdempotent(t *testing.T) {
	s := "plain"
	for range 6 {
		s = base64.StdEncoding.EncodeToString([]byte(s + eachByte(s, "%%%02x")))
	}
	l := plainLayer()
	once, _ := l.Mask(s)
	twice, _ := l.Mask(once.String())
	assert.Equal(t, once, twice)
}
