package offline

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"candor/agent"
)

const (
	maxCalls = 12  // of a step
	maxShown = 120 // bytes of a text that is quoted on one line
)

// plan is what the model makes of a message, before anything has run.
type plan struct {
	kit
	stages []stage
	cut    bool // the message is longer than what was read of it
}

// action is one call that is due.
type action struct {
	clause
	tool     *profile
	args     []member
	borrowed loan
}

// due is a step: the calls, and what was given up on the way to it.
type due struct {
	actions []action
	sequel  bool // calls have run before
	more    bool // another stage follows
	notes   []string
}

func makePlan(text string, specs []agent.Spec) plan {
	p := plan{kit: newKit(specs)}
	if len(text) > maxInput {
		text = strings.ToValidUTF8(text[:maxInput], "")
		p.cut = true
	}
	p.stages = stages(strings.ToValidUTF8(text, "\uFFFD"), p.opensRequest)
	return p
}

// next goes through the stages up to the first whose calls have not been made.
// A stage that comes to no calls takes no step, so the steps that were made tell
// which stage is due.
func (p plan) next(t turn) due {
	var d due
	if p.cut {
		d.notes = append(d.notes, "Your message is long; I read its first "+count(maxInput>>10, "kilobyte")+" only.")
	}
	made := 0
	for n, st := range p.stages {
		actions, notes := p.perform(st, slices.Concat(t.steps[:min(made, len(t.steps))]...))
		d.notes = append(d.notes, notes...)
		if len(actions) == 0 {
			continue
		}
		if made++; made > len(t.steps) {
			d.actions, d.sequel, d.more = actions, made > 1, p.wanted(p.stages[n+1:])
			return d
		}
	}
	return d
}

// perform is the calls of a stage, given what came before it.
func (p plan) perform(st stage, before []done) (actions []action, notes []string) {
	place := lastPath(before)
	for i, c := range st {
		if i > 0 && st[i-1].statement() {
			c.preceding = st[i-1].text
		}
		c.place = place
		more, note := p.resolve(c, before)
		actions = append(actions, more...)
		if len(more) > 0 {
			place = cmp.Or(pathOf(more[0].args), place)
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	actions = distinct(actions)
	if len(actions) > maxCalls {
		notes = append(notes, "That was more at once than I do; I stopped after "+count(maxCalls, "call")+".")
		actions = actions[:maxCalls]
	}
	return actions, notes
}

// wanted reports whether later stages ask for anything that a tool could do.
func (p plan) wanted(later []stage) bool {
	return slices.ContainsFunc(slices.Concat(later...), func(c clause) bool {
		return !c.negated() && !c.statement() && p.best(c.sense()) != nil
	})
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
	f.place(c, tool)
	borrowed := f.borrow(c, tool, before)
	if len(f.missing) > 0 {
		return nil, "For “" + shorten(c.text) + "” I would use " + tool.Name + ", but I cannot tell its " +
			join(f.missing, "and") + " from your words" + c.orResults() + ", so I did not call it."
	}
	var out []action
	for _, args := range f.calls(tool.order()) {
		if !tool.accepts(args) {
			return nil, "For “" + shorten(c.text) + "” I would use " + tool.Name +
				", but what I make of your words does not fit its arguments, so I did not call it."
		}
		out = append(out, action{clause: c, tool: tool, args: args, borrowed: borrowed})
	}
	return out, ""
}

func (c clause) orResults() string {
	if c.then == "" {
		return ""
	}
	return " or from the results before"
}

// unmatched is what to say about a clause that no tool fits; small talk passes.
func (c clause) unmatched() string {
	if at := head(c.words); len(c.words)-at < 2 || len(c.sense().stems) == 0 {
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
