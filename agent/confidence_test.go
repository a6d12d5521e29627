package agent

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// asking returns a dispatcher that asks its model how sure it is.
func asking(t *testing.T, p Provider, tools ...Tool) *Dispatcher {
	t.Helper()
	d := newDispatcher(t, p, tools...)
	d.Confidence.Offer = true
	return d
}

// stating is a tool that says itself how sure the model is.
type stating struct {
	funcTool
	stated float64
	ok     bool
}

func (s stating) Confidence(json.RawMessage) (float64, bool) { return s.stated, s.ok }

// doubtful is a tool that panics when it is asked how sure the model is.
type doubtful struct{ funcTool }

func (doubtful) Confidence(json.RawMessage) (float64, bool) { panic("ouch") }

func TestWhatAModelSaysOfItsConfidence(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		tool       Tool
		want       *float64
	}{
		{"a number", `{"rationale":"why","confidence":0.9}`, echo("a"), new(0.9)},
		{"the least", `{"confidence":0}`, echo("a"), new(0.0)},
		{"the most", `{"confidence":1}`, echo("a"), new(1.0)},
		{"nothing", `{}`, echo("a"), nil},
		{"null", `{"confidence":null}`, echo("a"), nil},
		{"less than nothing", `{"confidence":-0.1}`, echo("a"), nil},
		{"a percentage", `{"confidence":90}`, echo("a"), nil},
		{"beyond all numbers", `{"confidence":1e999}`, echo("a"), nil},
		{"a text", `{"confidence":"0.9"}`, echo("a"), nil},
		{"an object", `{"confidence":{"v":0.9}}`, echo("a"), nil},
		{"of a tool that does not exist", `{"confidence":0.9}`, echo("b"), new(0.9)},
		{"the tool says it", `{}`, stating{echo("a").(funcTool), 0.8, true}, new(0.8)},
		{"the tool says it, too", `{"confidence":0.9}`, stating{echo("a").(funcTool), 0.8, true}, new(0.8)},
		{"the tool says nothing", `{"confidence":0.9}`, stating{echo("a").(funcTool), 0, false}, new(0.9)},
		{"the tool says NaN", `{}`, stating{echo("a").(funcTool), math.NaN(), true}, nil},
		{"the tool says infinity", `{}`, stating{echo("a").(funcTool), math.Inf(1), true}, nil},
		{"the tool panics", `{"confidence":0.9}`, doubtful{echo("a").(funcTool)}, new(0.9)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := asking(t, oneStep("", Call{Name: "a", Arguments: rawJSON(tt.args)}), tt.tool)
			d.Confidence.Continue = true
			rec := runTurn(t, d)
			called := of[session.ToolCalled](rec)[0]
			assert.JSONEq(t, `{}`, string(called.Params.Raw()), "it is no argument")
			if tt.want == nil {
				assert.Nil(t, called.Confidence)
				return
			}
			require.NotNil(t, called.Confidence)
			assert.Equal(t, *tt.want, called.Confidence.Stated)
			assert.Equal(t, DefaultThreshold, called.Confidence.Threshold)
		})
	}
}

func TestTheConfidenceIsRemovedBeforeTheToolRuns(t *testing.T) {
	var seen string
	look := funcTool{strict("look").Spec(), func(_ context.Context, a json.RawMessage) (json.RawMessage, error) {
		seen = string(a)
		return rawJSON(`"ok"`), nil
	}}
	look.spec.Schema.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	args := rawJSON(`{"rationale":"why","confidence":0.9,"path":"a"}`)
	rec := runTurn(t, asking(t, oneStep("", Call{Name: "look", Arguments: args}), look))
	assert.Equal(t, `{"path":"a"}`, seen)
	assert.Equal(t, "why", of[session.ToolCalled](rec)[0].Rationale.Text.String())

	p := oneStep("", Call{Name: "a", Arguments: rawJSON(`{"confidence":0.1}`)})
	plain := runTurn(t, newDispatcher(t, p, echo("a")))
	called := of[session.ToolCalled](plain)[0]
	assert.Nil(t, called.Confidence, "who was not asked has stated none")
	assert.JSONEq(t, `{"confidence":0.1}`, string(called.Params.Raw()))
}

func TestAConfidenceOfTheToolsOwnIsAnArgument(t *testing.T) {
	own := strict("own").(funcTool)
	own.spec.Schema.Properties["confidence"] = &jsonschema.Schema{Type: "number"}
	p := oneStep("", Call{Name: "own", Arguments: rawJSON(`{"path":"x","confidence":0.1}`)})
	rec := runTurn(t, asking(t, p, own))
	called := of[session.ToolCalled](rec)[0]
	assert.Nil(t, called.Confidence)
	assert.JSONEq(t, `{"path":"x","confidence":0.1}`, string(called.Params.Raw()))
	assert.Nil(t, p.requests[0].Tools[0].Schema.Properties["confidence"].Maximum, "its schema stays as it is")
}

func TestModelsAreAskedForAConfidenceOnlyWhereItIsOffered(t *testing.T) {
	offered := func(d *Dispatcher, p *stepwise) []Spec {
		runTurn(t, d)
		return p.requests[0].Tools
	}
	p := oneStep("")
	before, err := json.Marshal(offered(newDispatcher(t, p, strict("look")), p))
	require.NoError(t, err)
	assert.NotContains(t, string(before), "confidence")

	p = oneStep("")
	d := asking(t, p, strict("look"))
	d.Confidence.Decide = echo("decide")
	specs := offered(d, p)
	require.Len(t, specs, 2)
	assert.Equal(t, []string{"rationale", "confidence", "path"}, specs[0].Schema.PropertyOrder)
	assert.NotContains(t, specs[0].Schema.Required, "confidence")
	assert.Equal(t, "decide", specs[1].Name)
	own := d.Tools.Specs()[0].Schema
	assert.Equal(t, []string{"rationale", "path"}, own.PropertyOrder, "the toolbox stays as it is")

	p = oneStep("")
	specs = offered(newDispatcher(t, p, strict("look")), p)
	after, err := json.Marshal(specs)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestATurnWithAThresholdAsksItsModel(t *testing.T) {
	p := &stepwise{responses: []Response{{Text: "one"}, {Text: "two"}}}
	inChat(t, p, func(t *testing.T, c *Chat, _ *session.Session) {
		c.dispatcher.Confidence.Decide = echo("decide")
		first := sendRun(t, c, "", TurnOptions{Threshold: new(0.5)})
		send(t, c, first.Thread, "and without")
		synctest.Wait()
		require.Len(t, p.requests, 2)
		assert.Len(t, p.requests[0].Tools, 2)
		assert.Contains(t, p.requests[0].Tools[0].Schema.Properties, "confidence")
		assert.Len(t, p.requests[1].Tools, 1, "the next turn is asked as before")
		assert.NotContains(t, p.requests[1].Tools[0].Schema.Properties, "confidence")
	}, strict("look"))
}
