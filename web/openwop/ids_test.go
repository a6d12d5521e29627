package openwop

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

var aRef = session.Ref{Thread: "550e8400-e29b-41d4-a716-446655440000", Turn: 7}

func TestARunsIDNamesItsTurnInBothVersions(t *testing.T) {
	for _, v := range []Version{V1, V2} {
		id := RunID(v, "ann@example.org", aRef)
		ref, ok := ParseRunID(v, "ann@example.org", id)
		assert.True(t, ok)
		assert.Equal(t, aRef, ref)
		assert.NotContains(t, id, "ann", "a user's name may be an address")
	}
	assert.Regexp(t, `^[A-Za-z0-9._~-]{1,128}/[A-Za-z0-9._~-]{16,128}$`, RunID(V2, "ann", aRef))
}

func TestAnIDThatIsNotARunsIsRefused(t *testing.T) {
	v2 := RunID(V2, "ann", aRef)
	for name, c := range map[string]struct {
		v  Version
		id string
	}{
		"another user's":       {V2, strings.Replace(v2, string(tenantOf("ann")), string(tenantOf("bob")), 1)},
		"no tenant":            {V2, RunID(V1, "ann", aRef)},
		"a tenant too many":    {V1, v2},
		"no turn":              {V1, aRef.Thread},
		"an empty turn":        {V1, aRef.Thread + "."},
		"turn 0":               {V1, aRef.Thread + ".0"},
		"a negative turn":      {V1, aRef.Thread + ".-1"},
		"a number with a sign": {V1, aRef.Thread + ".+7"},
		"a number with zeros":  {V1, aRef.Thread + ".07"},
		"words":                {V1, "run.seven"},
		"nothing":              {V1, ""},
		"a number too large":   {V1, aRef.Thread + ".99999999999999999999"},
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := ParseRunID(c.v, "ann", c.id)
			assert.False(t, ok)
		})
	}
}

func TestIDsHaveTheLettersThatVersion2Allows(t *testing.T) {
	opaque := regexp.MustCompile(`^[A-Za-z0-9._~-]{16,128}$`)
	agent := regexp.MustCompile(`^host:[A-Za-z0-9._~:-]{1,123}$`)
	assert.Regexp(t, opaque, string(eventID(aRef, 0)))
	assert.Equal(t, "host:candor", string(agentID("")))
	assert.Equal(t, "host:research_1.check_2", string(agentID("research_1/check_2")))
	assert.Equal(t, "host:helper", string(agentID("host:helper")), "the prefix stands once")
	for _, odd := range []string{"ä b", "a@b", strings.Repeat("x", 300)} {
		assert.Regexp(t, agent, string(agentID(odd)))
		assert.Regexp(t, opaque, string(interruptID(V1, "ann", ours(odd), "call_1")))
	}
	assert.Equal(t, tenantOf("ann")+"/interrupt.agent.call_1", interruptID(V2, "ann", agentNode, "call_1"))
	assert.NotEqual(t, tenantOf("ann"), tenantOf("bob"))
}
