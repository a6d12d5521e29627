package rule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// matched returns the token that the format spec finds in text, or "".
func matched(spec, text string) string {
	f := MustFormat(spec)
	i := strings.Index(text, f.keyword)
	if i < 0 {
		return ""
	}
	from, to, ok := f.Match(text, i)
	if !ok {
		return ""
	}
	return text[from:f.extend(text, to)]
}

func TestFormatMatchesItsTokenAndNoMore(t *testing.T) {
	for _, c := range []struct{ spec, text, want string }{
		{"abc_{d3}", "x abc_123, y", "abc_123"},
		{"abc_{d3}", "abc_12", ""},
		{"abc_{d3}", "abc_123456 y", "abc_123456"},
		{"abc_{d3}", "xabc_123", ""},
		{"abc_{d3}", "\\nabc_123", "abc_123"},
		{"abc_{d3}", "%3Dabc_123", "abc_123"},
		{"abc_{p3+}", "abc_1.2. Next", "abc_1.2"},
		{"abc_{d2}-{d2}", "abc_12-34", "abc_12-34"},
		{"abc_{d2}-{d2}", "abc_12.34", ""},
		{"{d4}<-xyz>{a2}", "k 1234-xyzab.", "1234-xyzab"},
		{"{d4}<-xyz>{a2}", "k 123-xyzab.", ""},
		{"{d2-4}<-xyz>", "k=%3D99-xyz", "99-xyz"},
		{"{a1-9}<-xyz>", "k=\\nabc-xyz", "abc-xyz"},
		{"{a4-9}<-xyz>", "k=\\nabc-xyz", ""},
		{"ab-{d2}<-xyz>", "ab-12-xyz", "ab-12-xyz"},
		{"ab-{d2}<-xyz>", "b-12-xyz", ""},
		{"ab-{d2}<-xyz>", "ac-12-xyz", ""},
		{"abc_{d3-5}", "abc_12", ""},
		{"abc_{p3+}", "abc_1...", "abc_1.."},
		{"abcdef", "x abcdef9", "abcdef"},
		{"abc_{d2}-end", "abc_12-endless", "abc_12-end"},
	} {
		require.Equal(t, c.want, matched(c.spec, c.text), "%s in %q", c.spec, c.text)
	}
}

func TestExactFormatRejectsLongerRuns(t *testing.T) {
	f := MustFormat("abc_{d3}")
	f.Exact = true
	_, _, ok := f.Match("abc_1234", 0)
	assert.False(t, ok)
	_, _, ok = f.Match("abc_123x", 0)
	assert.True(t, ok)
}

func TestAllowExtraAcceptsOneByteAfterAnExactFormat(t *testing.T) {
	f := MustFormat("abc_{d3}")
	f.Exact, f.AllowExtra = true, true
	from, to, ok := f.Match("abc_1234.", 0)
	assert.True(t, ok)
	assert.Equal(t, "abc_1234", "abc_1234."[from:f.extend("abc_1234.", to)])
	for _, longer := range []string{"abc_12345", "abc_1234[REDACTED:x]", "abc_123[REDACTED:x]"} {
		_, _, ok = f.Match(longer, 0)
		assert.False(t, ok, longer)
	}
}

func TestParseFormatRejectsWhatItCannotMatch(t *testing.T) {
	for spec, problem := range map[string]string{
		"<abc_{d3}":      "< without >",
		"ab>c<_{d3}":     "< without >",
		"abc_{d3":        "{ without }",
		"{d3<abc>":       "{ without }",
		"abc_{}":         "unknown class",
		"abc_{!3}":       "unknown class",
		"abc_{d}":        "bad length",
		"abc_{d99999}":   "bad length",
		"abc_{dx}":       "bad length",
		"abc_{d3-2}":     "bad range of lengths",
		"abc_{d3-}":      "bad range of lengths",
		"abc_{d3-99999}": "bad range of lengths",
		"ab":             "keyword is too short",
		"ab<->{d3}":      "keyword is too short",
		"{d3}":           "keyword is too short",
	} {
		_, err := ParseFormat(spec)
		require.ErrorContains(t, err, problem, spec)
		require.ErrorContains(t, err, spec, "the error quotes the format")
		require.Panics(t, func() { MustFormat(spec) }, spec)
	}
}

func TestFormatSetSelectsEveryFormatThatMayMatch(t *testing.T) {
	formats := []Format{
		MustFormat("sk-{a20+}"), MustFormat("sk-proj-{k20+}"), MustFormat("AK{u16}"),
		MustFormat("{a4}<.x.>{b0+}").Folded(),
	}
	set := newFormatSets(formats)[0]
	for text, want := range map[string]uint64{
		"sk-abc":  0b0001,
		"sk--x":   0,
		"sk-p-oj": 0b0011,
		"sk-":     0b1111, // too short to tell
		"AKIA":    0b0100,
		"x.X.y":   0b0000,
		".X.y":    0b1000,
		"qqqqq":   0,
	} {
		require.Equal(t, want, set.at(text, 0), text)
	}
}

func TestRuleMayHaveMoreFormatsThanASetHolds(t *testing.T) {
	var many []string
	for k := range maxFormats + 6 {
		many = append(many, fmt.Sprintf("x%02d-{a20}", k))
	}
	r := Token("many", many...)
	_, to := r.Match("x69-"+strings.Repeat("aB3d9", 4), 0, 4)
	require.Equal(t, 24, to)
	_, to = r.Match("x70-"+strings.Repeat("aB3d9", 4), 0, 4)
	require.Zero(t, to)
}
