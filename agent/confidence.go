package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/session"
)

// confidenceProperty is the property that is added to tools' schemas where models are asked how
// sure they are.
const confidenceProperty = "confidence"

// DefaultThreshold is the confidence that a call needs where neither the turn nor the dispatcher
// has a threshold.
const DefaultThreshold = 0.7

// Confidence says whether models are asked how sure they are of their calls, and what becomes of
// calls of which they are not sure enough. Its zero value asks for nothing, and has a person
// asked about such calls: a tool may state a confidence by itself.
type Confidence struct {
	Offer     bool     // let every call state a confidence, and offer Decide
	Threshold *float64 // from 0 to 1; nil means DefaultThreshold
	Continue  bool     // run calls below the threshold without asking a person
	Decide    Tool     // by which a model states a decision; nil for none
}

// Confident is an optional interface of a Tool. It reads from the arguments of a call how sure
// the model is of it. ok is false if they do not say.
type Confident interface {
	Confidence(args json.RawMessage) (confidence float64, ok bool)
}

// isConfidence reports whether v can be a confidence or a threshold: a number from 0 to 1.
func isConfidence(v float64) bool { return v >= 0 && v <= 1 }

// offersConfidence reports whether the run's model is asked how sure it is: a turn with a
// threshold of its own asks, too.
func (r *agentRun) offersConfidence() bool { return r.Confidence.Offer || r.threshold != nil }

// bindDecide adds the tool for decisions to the run's own tools, where it is offered.
func (r *agentRun) bindDecide(ctx context.Context) {
	if decide := r.Confidence.Decide; decide != nil && r.offersConfidence() {
		r.own = append(slices.Clip(r.own), r.bindOwn(ctx, []Tool{decide})...)
	}
}

// offered returns the tools of the next step.
func (r *agentRun) offered() *toolset {
	set := r.Tools.current().with(r.own)
	if !r.offersConfidence() {
		return set
	}
	asking := &toolset{byName: set.byName, specs: slices.Clone(set.specs), asksConfidence: true}
	for i, spec := range asking.specs {
		if !set.byName[spec.Name].schema.ownsConfidence {
			asking.specs[i].Schema = withConfidence(spec.Schema)
		}
	}
	return asking
}

// withConfidence returns a copy of the schema with the confidence behind the rationale, or first
// if that does not come first.
func withConfidence(s *jsonschema.Schema) *jsonschema.Schema {
	at := 0
	if len(s.PropertyOrder) > 0 && s.PropertyOrder[0] == rationaleProperty {
		at = 1
	}
	return withProperty(s, at, confidenceProperty, &jsonschema.Schema{
		Type: "number", Minimum: new(0.0), Maximum: new(1.0),
		Description: "How sure you are that this call is right, from 0 to 1. Leave it out if you cannot say.",
	})
}

// confidence returns how sure of a call its model said it was, with the threshold that holds for
// it, or nil if it did not say. What is no number from 0 to 1 says nothing.
func (b *batch) confidence(a *attempt) *session.Confidence {
	stated, ok := numberOf(a.stated)
	if t, says := a.tool.tool.(Confident); says && a.outcome == "" {
		if own, said := askTool(t, a.args); said {
			stated, ok = own, true
		}
	}
	if !ok || !isConfidence(stated) {
		return nil
	}
	threshold := cmp.Or(b.threshold, b.Confidence.Threshold, new(DefaultThreshold))
	c := &session.Confidence{Stated: stated, Threshold: *threshold}
	c.Suppressed = c.Low() && b.Confidence.Continue && a.outcome == ""
	return c
}

// numberOf returns the number that raw is, and whether it is one.
func numberOf(raw json.RawMessage) (v float64, ok bool) {
	var n *float64
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return 0, false
	}
	return *n, true
}

// askTool asks a tool how sure of a call its model is. A tool that panics says nothing.
func askTool(t Confident, args json.RawMessage) (stated float64, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return t.Confidence(args)
}

// unsure reports whether a person has to be asked since the model is not sure enough of the call.
func (a *attempt) unsure() bool {
	return a.confidence != nil && a.confidence.Low() && !a.confidence.Suppressed
}

// doubt says how sure the model was, and how sure it should have been.
func (a *attempt) doubt() string {
	short := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return fmt.Sprintf("a confidence of %s is below the threshold of %s",
		short(a.confidence.Stated), short(a.confidence.Threshold))
}
