package agent

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestToolboxRefusesInvalidTools(t *testing.T) {
	var box Toolbox
	assert.EqualError(t, box.Replace(echo("a"), echo("a")), `two tools are called "a"`)
	assert.EqualError(t, box.Replace(echo("")), "a tool has no name")
	bad := echo("bad").(funcTool)
	bad.spec.Schema = strict("").Spec().Schema
	bad.spec.Schema.Properties["path"].Pattern = "("
	assert.ErrorContains(t, box.Replace(bad), `tool "bad": schema`)
}

func TestToolsCanBeReplacedWhileATurnRuns(t *testing.T) {
	p := &stepwise{responses: []Response{{Calls: []Call{{Name: "swap"}}}, {Calls: []Call{{Name: "b"}}}, {Text: "done"}}}
	d := newDispatcher(t, p)
	require.NoError(t, d.Tools.Replace(toolFunc("swap", func(context.Context) (json.RawMessage, error) {
		return rawJSON(`"ok"`), d.Tools.Replace(echo("b"))
	})))
	rec := runTurn(t, d)
	assert.Equal(t, []session.Outcome{session.Success, session.Success}, []session.Outcome{
		of[session.ToolReturned](rec)[0].Outcome, of[session.ToolReturned](rec)[1].Outcome,
	})
	require.Len(t, p.requests[1].Tools, 1)
	assert.Equal(t, "b", p.requests[1].Tools[0].Name, "the next step offers the new tools")
}

func TestAnInvalidReplacementChangesNothing(t *testing.T) {
	d := newDispatcher(t, &stepwise{}, echo("a"))
	require.Error(t, d.Tools.Replace(echo("x"), echo("x")))
	assert.Equal(t, []string{"a"}, d.Tools.Names())
}

func TestAnEmptyToolboxOffersNothing(t *testing.T) {
	d := newDispatcher(t, oneStep("", Call{Name: "a"}))
	d.Tools = &Toolbox{}
	assert.Empty(t, d.Tools.Names())
	assert.Equal(t, session.Errored, of[session.ToolReturned](runTurn(t, d))[0].Outcome)
}
