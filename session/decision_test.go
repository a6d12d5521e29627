package session

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestADecisionIsReadAsText(t *testing.T) {
	for name, c := range map[string]struct {
		params string
		want   string
	}{
		"a text is itself":                     {`{"decision":"ship \"it\"","why":"x"}`, `ship "it"`},
		"anything else is JSON":                {`{"decision":{"ship":true}}`, `{"ship":true}`},
		"false is a decision":                  {`{"decision":false}`, `false`},
		"null is a decision":                   {`{"decision":null}`, `null`},
		"an empty text is shown as none":       {`{"decision":""}`, ``},
		"names are exact":                      {`{"Decision":"a"}`, `{"Decision":"a"}`},
		"without the member all of it is read": {`{"choice":1}`, `{"choice":1}`},
		"parameters need not be an object":     {`["a"]`, `["a"]`},
	} {
		t.Run(name, func(t *testing.T) {
			params, _ := layer.CleanJSON([]byte(c.params))
			call := Call{Decides: true, Params: params}
			assert.Equal(t, c.want, call.Decision())
			call.Decides = false
			assert.Empty(t, call.Decision(), "it is an ordinary call")
		})
	}
	assert.Equal(t, "null", Call{Decides: true}.Decision())
}

func TestWhatAPersonSaidIsReadAsText(t *testing.T) {
	var nobody *Approval
	assert.Empty(t, nobody.Said())
	assert.Empty(t, (&Approval{}).Said())
	said, _ := layer.CleanJSON([]byte(`"hold it"`))
	assert.Equal(t, "hold it", (&Approval{Value: said}).Said())
	said, _ = layer.CleanJSON([]byte(`{"hold":1}`))
	assert.Equal(t, `{"hold":1}`, (&Approval{Value: said}).Said())
}

func TestHowSureAnAgentIsReadsBelowItsThresholdWhereItIs(t *testing.T) {
	for want, c := range map[string]Confidence{
		"62 %":           {Stated: 0.62, Threshold: 0.5},
		"70 %":           {Stated: 0.7, Threshold: 0.7},
		"less than 70 %": {Stated: 0.699, Threshold: 0.7},
		"40 %":           {Stated: 0.4, Threshold: 0.7},
		"0 %":            {Threshold: 0.7},
		"100 %":          {Stated: 1, Threshold: 0.7},
		"1 %":            {Stated: 0.004, Threshold: 0.7},
		"99 %":           {Stated: 0.996, Threshold: 0.7},
		"29 %":           {Stated: 0.29},
	} {
		assert.Equal(t, want, c.Words())
	}
	assert.Equal(t, "The agent is 40 % sure of this; below 70 % a person decides.",
		Confidence{Stated: 0.4, Threshold: 0.7}.WhyAsked())
}
