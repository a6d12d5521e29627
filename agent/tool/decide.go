package tool

import (
	"context"
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/agent"
)

// Decide returns the tool decide, by which a model states a decision with its reason and how
// sure it is. It is not part of [Builtin]: it is offered where models are asked how sure they are
// ([agent.Confidence]).
//
// A call touches nothing. Its result has the decision, and says whose it is: the agent's, unless
// a person who was asked about it said another one beside the approval. It also says if a person
// confirmed the agent's. A person's denial is the call's error, as it is of every call.
func Decide() agent.Tool { return decide{} }

// decide is the tool decide. It implements agent.Confident, so no other tool may wrap it.
type decide struct{}

// decision is the result of decide.
type decision struct {
	Decision    json.RawMessage `json:"decision"`
	By          string          `json:"by"`                     // agent or person: whose decision it is
	ConfirmedBy string          `json:"confirmed_by,omitempty"` // person, if one was asked about the agent's
}

// Spec implements agent.Tool. What is no confidence says nothing, so the schema allows it.
func (decide) Spec() agent.Spec {
	return agent.Spec{
		Name: "decide",
		Description: "States a decision, and does nothing else. The result says what was decided: by you, or by a " +
			"person who was asked about it.",
		Schema: &jsonschema.Schema{
			Type: "object", Required: []string{"decision"}, PropertyOrder: []string{"decision", "confidence"},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
			Properties: map[string]*jsonschema.Schema{
				"decision":   {Description: "What you decide: a text, or any other JSON value."},
				"confidence": {Description: "How sure you are of it, from 0 to 1. Leave it out if you cannot say."},
			},
		},
		ReadOnly: true, Decides: true,
	}
}

// Confidence implements agent.Confident.
func (decide) Confidence(args json.RawMessage) (confidence float64, ok bool) {
	var in struct{ Confidence *float64 }
	if json.Unmarshal(args, &in) != nil || in.Confidence == nil {
		return 0, false
	}
	return *in.Confidence, true
}

// Run implements agent.Tool.
func (decide) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct{ Decision json.RawMessage }
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	out := decision{Decision: in.Decision, By: "agent"}
	switch reply := agent.ReplyOf(ctx); {
	case reply.Value != nil:
		out = decision{Decision: reply.Value, By: "person"}
	case reply.Answer.Allows():
		out.ConfirmedBy = "person"
	}
	return encode(out)
}
