package agent

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestCoverageCountsCallsWithTheModelsOwnReason(t *testing.T) {
	p := oneStep("", Call{Name: "a", Reasoning: "why"}, Call{Name: "a"}, Call{Name: "nobody", Reasoning: "x"})
	d := newDispatcher(t, p, echo("a"))
	d.Model = "m"
	runTurn(t, d)
	assert.Equal(t, []Coverage{{"m", "", 1, 1}, {"m", "a", 2, 1}}, d.Coverage())
}

func TestEachUsersCallsAreCountedApart(t *testing.T) {
	d := newDispatcher(t, oneStep("", Call{Name: "a", Reasoning: "why"}), echo("a"), echo("b"))
	d.Model = "m"
	call := func(user, tool string) {
		d.Provider = oneStep("", Call{Name: tool})
		require.NoError(t, d.Run(WithUser(t.Context(), user), &events{}, nil))
	}
	call("ann", "a")
	call("bob", "b")
	call("bob", "b")
	assert.Equal(t, []Coverage{{"m", "a", 1, 0}}, d.CoverageOf("ann"))
	assert.Equal(t, []Coverage{{"m", "b", 2, 0}}, d.CoverageOf("bob"))
	assert.Empty(t, d.CoverageOf("eve"))
	assert.Equal(t, []Coverage{{"m", "a", 1, 0}, {"m", "b", 2, 0}}, d.Coverage())
}

// Servers can rename their tools for ever, and every throwaway session is a user.
func TestWhatIsCountedIsBounded(t *testing.T) {
	var c coverageCounter
	for i := range 3 * maxCoverageRows {
		c.count("ann", "m", fmt.Sprint("tool", i), session.FromModel)
	}
	for i := range 2 * maxCoverageUsers {
		c.count(fmt.Sprint("user", i), "m", "a", session.FromFallback)
	}
	d := Dispatcher{coverage: coverageCounter{all: c.all, users: c.users}}
	assert.Len(t, d.Coverage(), maxCoverageRows+1)
	assert.Contains(t, d.Coverage(), Coverage{"m", "(other)", 4 * maxCoverageRows, 2 * maxCoverageRows})
	assert.Len(t, c.users, maxCoverageUsers)
	assert.Len(t, c.oldest, maxCoverageUsers)
	assert.Empty(t, d.CoverageOf("ann"), "the first user's counts are dropped")
	assert.Equal(t, []Coverage{{"m", "a", 1, 0}}, d.CoverageOf(fmt.Sprint("user", 2*maxCoverageUsers-1)))
	c.count("eve", "m", "a", session.FromFallback)
	for i := range 3 * maxUserRows {
		c.count("eve", "m", fmt.Sprint("tool", i), session.FromModel)
	}
	assert.Len(t, c.users["eve"], maxUserRows+1)
}
