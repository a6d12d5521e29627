package agent

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCoverageCountsCallsWithTheModelsOwnReason(t *testing.T) {
	p := oneStep("", Call{Name: "a", Reasoning: "why"}, Call{Name: "a"}, Call{Name: "nobody", Reasoning: "x"})
	d := newDispatcher(t, p, echo("a"))
	d.Model = "m"
	runTurn(t, d)
	assert.Equal(t, []Coverage{{"m", "", 1, 1}, {"m", "a", 2, 1}}, d.Coverage())
}
