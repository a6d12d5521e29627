package rule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func matched(spec, text string) string {
	f := MustFormat(spec)
	i := strings.Index(text, f.anchor)
	if i < 0 {
		return ""
	}
	from, to, ok := f.Match(text, i)
	if !ok {
		return ""
	}
	return text[from:f.extend(text, to)]
}

func TestAFormatMatchesItsTokenAndNoMore(t *testing.T) {
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
	} {
		require.Equal(t, c.want, matched(c.spec, c.text), "%s in %q", c.spec, c.text)
	}
}

func TestAnExactFormatLeavesALongerRunAlone(t *testing.T) {
	f := MustFormat("abc_{d3}")
	f.Exact = true
	_, _, ok := f.Match("abc_1234", 0)
	assert.False(t, ok)
	_, _, ok = f.Match("abc_123x", 0)
	assert.True(t, ok)
}

func TestALetterMayHaveRunIntoAnExactFormat(t *testing.T) {
	f := MustFormat("abc_{d3}")
	f.Exact, f.Spare = true, true
	from, to, ok := f.Match("abc_1234.", 0)
	assert.True(t, ok)
	assert.Equal(t, "abc_1234", "abc_1234."[from:f.extend("abc_1234.", to)])
	for _, longer := range []string{"abc_12345", "abc_1234[REDACTED:x]", "abc_123[REDACTED:x]"} {
		_, _, ok = f.Match(longer, 0)
		assert.False(t, ok, longer)
	}
}

func TestASieveLetsEveryFormatPassThatMatches(t *testing.T) {
	formats := []Format{MustFormat("sk-{a20+}"), MustFormat("sk-proj-{k20+}"), MustFormat("AK{u16}"), MustFormat("{a4}<.x.>{b0+}").Folded()}
	v := newSieves(formats)[0]
	for text, want := range map[string]uint64{"sk-abc": 0b0001, "sk--x": 0, "sk-p-oj": 0b0011, "sk-": 0b1111, "AKIA": 0b0100, "x.X.y": 0b0000, ".X.y": 0b1000, "qqqqq": 0} {
		require.Equal(t, want, v.at(text, 0), text)
	}
	var many []string
	for k := range 70 {
		many = append(many, fmt.Sprintf("x%02d-{a20}", k))
	}
	_, to := Token("many", many...).Match("x69-"+strings.Repeat("aB3d9", 4), 0, 4)
	require.Equal(t, 24, to)
}
