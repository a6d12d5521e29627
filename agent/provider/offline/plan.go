package offline

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"candor/agent"
)

const (
	maxCalls = 12 // of a step
	maxWords = 120
)

// plan is what the model makes of a message, before anything has run.
type plan struct {
	kit
	stages []stage
}

// action is one call that is due.
type action struct {
	clause
	tool     *profile
	args     []member
	borrowed []string // the arguments that an earlier result gave
	lender   string   // the tool whose result that was
}

// due is a step: the calls, and what was given up on the way to it.
type due struct {
	actions []action
	sequel  bool // calls have run before
	notes   []string
}

func makePlan(text string, specs []agent.Spec) plan {
	if len(text) > maxInput {
		text = text[:maxInput]
		for !utf8.ValidString(text) && text != "" && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	k := newKit(specs)
	return plan{kit: k, stages: stages(text, k.opensRequest)}
}

// next goes through the stages up to the first whose calls have not been made.
// A stage that comes to no calls takes no step, so the steps that were made tell
// which stage is due.
func (p plan) next(t turn) due {
	var d due
	made := 0
	for _, st := range p.stages {
		before := slices.Concat(t.steps[:min(made, len(t.steps))]...)
		var actions []action
		for _, c := range st {
			more, note := p.resolve(c, before)
			actions = append(actions, more...)
			if note != "" {
				d.notes = append(d.notes, note)
			}
		}
		actions = distinct(actions)
		if len(actions) > maxCalls {
			d.notes = append(d.notes, "That was more at once than I do; I stopped after "+count(maxCalls, "call")+".")
			actions = actions[:maxCalls]
		}
		if len(actions) == 0 {
			continue
		}
		if made++; made > len(t.steps) {
			d.actions, d.sequel = actions, made > 1
			return d
		}
	}
	return d
}

// resolve makes calls of a clause, or says why it makes none. A clause that asks
// for nothing gives neither.
func (p plan) resolve(c clause, before []done) ([]action, string) {
	if c.negated() {
		return nil, "I left this alone, as you asked: “" + shorten(c.text) + "”."
	}
	if c.statement() {
		return nil, ""
	}
	tool := p.best(c.sense())
	if tool == nil {
		return nil, c.unmatched()
	}
	f := fill(c, tool)
	lender, borrowed := f.borrow(c, tool, before)
	if len(f.missing) > 0 {
		return nil, "For “" + shorten(c.text) + "” I would use " + tool.Name + ", but I cannot tell its " +
			join(f.missing, "and") + " from your words, so I did not call it."
	}
	var out []action
	for _, args := range f.calls(tool.order()) {
		if !tool.accepts(args) {
			return nil, "For “" + shorten(c.text) + "” I would use " + tool.Name +
				", but what I make of your words does not fit its arguments, so I did not call it."
		}
		out = append(out, action{clause: c, tool: tool, args: args, borrowed: borrowed, lender: lender})
	}
	return out, ""
}

// unmatched is what to say about a clause that no tool fits; small talk passes.
func (c clause) unmatched() string {
	if at := head(c.words); len(c.words)-at < 2 {
		return ""
	}
	return "None of my tools fits “" + shorten(c.text) + "”."
}

// calls spreads the values over calls: several values of one property give one
// call each.
func (f filled) calls(order []string) [][]member {
	out := [][]member{nil}
	for _, name := range order {
		values := f.values[name]
		if len(values) == 0 {
			continue
		}
		if len(out) > 1 {
			values = values[:1]
		}
		base := out
		out = nil
		for _, args := range base {
			for _, v := range values {
				out = append(out, append(slices.Clone(args), member{name, v}))
			}
		}
	}
	return out
}

// accepts validates arguments against the schema, so that a call is never made
// with some that do not fit.
func (p *profile) accepts(args []member) bool {
	if p.Schema == nil {
		return true
	}
	schema, err := p.Schema.CloneSchemas().Resolve(nil)
	if err != nil {
		return false
	}
	if p.asksReason() {
		args = append([]member{{rationaleProperty, "why"}}, args...)
	}
	var v map[string]any
	if err := json.Unmarshal(object(args), &v); err != nil {
		return false
	}
	return schema.Validate(v) == nil
}

// object is arguments as JSON, in their order.
func object(args []member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range args {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, encode(m.name)...), ':'), encode(m.value)...)
	}
	return append(out, '}')
}

// distinct drops calls that are the same as one before.
func distinct(actions []action) []action {
	seen := map[string]bool{}
	return slices.DeleteFunc(actions, func(a action) bool {
		key := a.tool.Name + string(object(a.args))
		defer func() { seen[key] = true }()
		return seen[key]
	})
}
