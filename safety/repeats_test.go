package safety

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
	"candor/safety/internal/secrets"
)

// searched returns what is found in a text if the values that it names are looked for in any case.
func searched(l *Layer, s string, found []lex.Span) []lex.Span {
	own := recall.ForText()
	own.Add(l.named(s, found))
	return l.detector.Remembering(own, l.again).Inspect(s, nil)
}

// covered returns how many bytes of a text are masked for what was found in it.
func covered(l *Layer, found []lex.Span) (n int) {
	for _, e := range l.detector.Merge(found, l.edits) {
		n += e.To - e.From
	}
	return n
}

func TestATextIsSearchedWhereverItRepeatsAValue(t *testing.T) {
	l, rng := plainLayer(), rand.New(rand.NewPCG(7, 8))
	repeats := 0
	for seed := range uint64(1800) {
		v := fill([]string{
			"{a14}7", "Tr0ub4dor&{a6}", "zqxjkvb!pwm-fth", "qq-{a12}", "X{a3}!{a4}%{a3}", "zq!ghp_{a36}",
		}[seed%6], seed)
		token := "ghp_" + fill("{a36}", seed)
		pieces := []string{
			v, "x/" + v + "A", secrets.Reverse(v), secrets.Rotate(v), v[:6] + `" + "` + v[6:], v[:3] + "\\\n" + v[3:],
			base64.StdEncoding.EncodeToString([]byte(v)), strings.ReplaceAll(v, "7", "\\u0037"), token,
			"the API fails in NewClient and", "internal/auth/rules.go", "in", "\n",
		}
		text := "The password is \"" + v + "\". "
		for range rng.IntN(5) {
			text += " " + pieces[rng.IntN(len(pieces))]
		}
		found := l.detector.Inspect(text, nil)
		if covered(l, searched(l, text, found)) > covered(l, found) {
			repeats++
			require.True(t, l.mayRepeat(text, found), "%q", text)
		}
	}
	assert.Greater(t, repeats, 600, "texts with a repeat")
}

func TestATextWithoutARepeatIsNotSearched(t *testing.T) {
	l := plainLayer()
	for _, v := range []string{password(1), fill("{a14}7", 2)} {
		text := "The file sets GITHUB_TOKEN=" + fill("ghp_{a36}", 1) + " and password: " + v + ". I need to check " +
			"why the request to the billing API fails, so I will read internal/auth/token.go; NewClient has the key.\n"
		text += text
		assert.False(t, l.mayRepeat(text, l.detector.Inspect(text, nil)), text)
	}
}

func TestAWarningHidesNoRepeat(t *testing.T) {
	p := DefaultPolicy()
	p.Tokens = []TokenRule{{ID: "a-note", Severity: Low, Formats: []string{"note_{a12}"}}}
	l, v := NewLayer(WithPolicy(p)), fill("{a10}7q", 4)
	out, report := l.Mask("The password is \"" + v + "\". See note_" + v + " there.")
	want := "The password is \"[REDACTED:named-password]\". See note_[REDACTED:seen-before] there."
	assert.Equal(t, want, out.String())
	assert.True(t, found(report, "a-note"), "the rule of the warning finds the word")
}
