package detect

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

func TestATokenOfAKnownLengthTakesNoNeighbour(t *testing.T) {
	d := New([]rule.Rule{rule.Token("fixed", "tok_{a30}")})
	key := ruletest.Fill("tok_{a30}", 4)
	for _, next := range []string{"\nDEBUG=true\n", "\n" + ruletest.Fill("{a24}", 2) + "\n", "<b>a1B2c3D4e5F6"} {
		assert.Equal(t, key, found(d, key+next)["fixed"], "%q", next)
	}
	assert.Equal(t, key[:14]+"\n"+key[14:], found(d, key[:14]+"\n"+key[14:]+"\nversion2\n")["fixed"], "torn")
}

func TestANeighbourBelowATokenIsKept(t *testing.T) {
	d, key := New([]rule.Rule{freeform()}), "tok_"+ruletest.Fill("{a40}", 4)
	for _, next := range []string{
		"DEBUG=true", "camelCaseWord", "HTTPServerError404", "20261122T081708", "v1.22.333-RC1", "version2",
		"next_line",
	} {
		for _, joint := range []string{"\n", "\n- ", "\n    ", "**\n* ", "</b> ", "\", \""} {
			assert.Equal(t, key, found(d, key+joint+next+"\n")["freeform"], "%q", joint+next)
		}
	}
}

func TestADisguisedNameIsHeldForItsValue(t *testing.T) {
	d := New(allRules())
	for _, name := range []string{"password", "ｐａｓｓｗｏｒｄ", "pass%77ord", `pass\u0077ord`} {
		assert.LessOrEqual(t, d.Horizon("See the "+name+" is "), len("See the "), name)
	}
}
