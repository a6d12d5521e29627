package secrets

import (
	"testing"

	"candor/safety/internal/ruletest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDisguisedTokensAreFoundAndIdentifiersAreNot(t *testing.T) {
	var found []string
	hidden := Disguised(Rules())
	inAny := func(text string) (all []string) {
		for i := range hidden {
			all = append(all, ruletest.Matches(&hidden[i], text)...)
		}
		return all
	}
	for _, template := range []string{"ghp_{a36}", "xoxb-{d12}-{d12}-{a24}", "glpat-{a20}", "npm_{a36}"} {
		token := ruletest.Fill(template, 3)
		for _, form := range []string{Reverse(token), Rotate(token)} {
			found = inAny("see (" + form + ".) here")
			require.NotEmpty(t, found, form)
			assert.Contains(t, found, form)
		}
	}
	for _, text := range []string{
		"fx-containerLayoutHorizontalPrimary", "a tube_phg", Rotate("sk-containerLayoutHorizontalPrimary"),
	} {
		assert.Empty(t, inAny(text), text)
	}
}

func TestReversingAndRotatingTwiceGivesTheText(t *testing.T) {
	for _, v := range []string{"", "abcXYZ-09", "pässwörd", "\xff\xfe"} {
		assert.Equal(t, v, Rotate(Rotate(v)))
	}
	assert.Equal(t, "drö-wssäp", Reverse("pässw-örd"))
	assert.Equal(t, "nopKLM", Rotate("abcXYZ"))
}

func TestPasswordsInBrokenConnectionStringsAreFound(t *testing.T) {
	r, pw := dsn(), ruletest.Fill("{a12}", 5)
	for _, text := range []string{
		"postgres://app:\n" + pw + "@db", "postgres://app:" + pw + "\n@db", "mysql://\napp:" + pw + "@db",
		"redis://:" + pw[:6] + "\\\n  " + pw[6:] + "@cache",
	} {
		assert.NotEmpty(t, ruletest.Matches(&r, text), "%q", text)
		for cut := len("postgres://"); cut < len(text)-2; cut++ {
			assert.True(t, isOpenDSN(text[:cut], 8, 11) || text[:8] != "postgres", "%q", text[:cut])
		}
	}
	for _, text := range []string{
		"postgres://db:5432\nann-berg@x.test", "https://x:\nann-berg@x.test", "amqp://mq\nann:berg-smith@x.test",
		"postgres://app:\n\n" + pw + "@db",
	} {
		assert.Empty(t, ruletest.Matches(&r, text), "%q", text)
	}
}
