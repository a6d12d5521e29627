package agent

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"candor/safety"
	"candor/safety/thinking"
	"candor/session"
)

// rationaleProperty is the property that is added to every tool's schema: most models
// give no reason for a call unless the call has a field for it.
const rationaleProperty = "rationale"

// withRationale returns a copy of the schema with the rationale as its first property,
// so that the model writes its reason before the arguments that follow from it.
func withRationale(s *jsonschema.Schema, required bool) *jsonschema.Schema {
	out := withProperty(s, 0, rationaleProperty, &jsonschema.Schema{
		Type:        "string",
		Description: "One sentence: why this call now, and what you expect it to show.",
	})
	if required {
		out.Required = slices.Insert(slices.Clone(s.Required), 0, rationaleProperty)
	}
	return out
}

// withProperty returns a copy of the schema with one more property, at a place in their order.
func withProperty(s *jsonschema.Schema, at int, name string, p *jsonschema.Schema) *jsonschema.Schema {
	out := *s
	out.Properties = maps.Clone(s.Properties)
	if out.Properties == nil {
		out.Properties = map[string]*jsonschema.Schema{}
	}
	out.Properties[name] = p
	order := s.PropertyOrder
	if len(order) == 0 {
		order = slices.Sorted(maps.Keys(s.Properties))
	}
	out.PropertyOrder = slices.Insert(slices.Clone(order), at, name)
	return &out
}

// takeStated removes from a call's arguments what was asked for beside them: the model's reason,
// which it returns, and how sure the model is. Properties of the tool's own stay.
func (b *batch) takeStated(a *attempt, known bool) (reason string) {
	var names []string
	if !known || !a.tool.schema.ownsRationale {
		names = append(names, rationaleProperty)
	}
	if b.tools.asksConfidence && (!known || !a.tool.schema.ownsConfidence) {
		names = append(names, confidenceProperty)
	}
	if len(names) == 0 {
		return ""
	}
	taken, rest, err := takeOut(a.args, names)
	a.args, a.stated = rest, taken[confidenceProperty]
	if err != nil && names[0] == rationaleProperty { // the schema check will say what is wrong
		return reasonIn(a.args)
	}
	// A value that is not a string is no reason, but is removed as well.
	_ = json.Unmarshal(taken[rationaleProperty], &reason)
	return reason
}

// takeOut splits arguments into the members with these names and the rest, whose members
// keep their order and spelling. If args is not a JSON object, takeOut returns it
// unchanged with an error. Empty args count as an empty object.
func takeOut(args json.RawMessage, names []string) (taken map[string]json.RawMessage, rest json.RawMessage, err error) {
	if len(bytes.TrimSpace(args)) == 0 {
		return nil, json.RawMessage("{}"), nil
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, args, errors.New("arguments are not a JSON object")
	}
	taken = map[string]json.RawMessage{}
	out := []byte{'{'}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, args, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, args, err
		}
		if name, _ := key.(string); slices.Contains(names, name) {
			taken[name] = value
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		name, _ := json.Marshal(key)
		out = append(append(append(out, name...), ':'), value...)
	}
	if _, err := dec.Token(); err != nil {
		return nil, args, err
	}
	return taken, append(out, '}'), nil
}

// rationale chooses the reason for a call: the rationale property, else the provider's own
// field, else the fallback. [session.CleanRationale] cleans and bounds it. The step's
// narrative is never used as one.
func rationale(l *safety.Layer, inArguments, fromProvider string) (session.Rationale, safety.Report) {
	for _, raw := range []string{inArguments, fromProvider} {
		raw = thinking.Strip(raw)
		if strings.TrimSpace(raw) == "" {
			continue
		}
		return session.CleanRationale(l, raw)
	}
	return session.Fallback(), safety.Report{}
}

// Coverage counts the calls that one model made of one tool, and those of them that
// came with the model's own reason. Tool is empty for calls of unknown tools, and one name
// for all tools of front ends.
type Coverage struct {
	Model, Tool     string
	Calls, Reasoned int64
}

// The bounds of what is counted. Servers may rename their tools for ever, and users come
// and go.
const (
	maxCoverageRows  = 1000 // of all users together, and of one
	maxCoverageUsers = 1000
	maxUserRows      = 100
)

// The names under which calls count that have no row of their own. Front-end tools' own names
// are text of users, which other users must not see and of which there is no end.
const (
	frontEndTools = "(front end)"
	otherTools    = "(other)" // beyond the bounds
)

// coverageName returns the name under which calls of a tool count.
func coverageName(s Spec) string {
	if s.FrontEnd {
		return frontEndTools
	}
	return s.Name
}

// coverageRows are counts by model and tool.
type coverageRows map[[2]string]*Coverage

// count adds one call. Once there are limit rows, calls of further tools share one.
func (rows coverageRows) count(model, tool string, limit int, source session.Source) {
	row := rows[[2]string{model, tool}]
	if row == nil && len(rows) >= limit {
		tool = otherTools
		row = rows[[2]string{model, tool}]
	}
	if row == nil {
		row = &Coverage{Model: model, Tool: tool}
		rows[[2]string{model, tool}] = row
	}
	row.Calls++
	if source == session.FromModel {
		row.Reasoned++
	}
}

// sorted returns a copy of the rows, sorted by model and tool.
func (rows coverageRows) sorted() []Coverage {
	out := make([]Coverage, 0, len(rows))
	for _, row := range rows {
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b Coverage) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Tool, b.Tool))
	})
	return out
}

// coverageCounter counts calls, of each user and of all. The zero value is ready to use.
type coverageCounter struct {
	mu     sync.Mutex
	all    coverageRows
	users  map[string]coverageRows
	oldest []string // the users, in the order of their first calls
}

// count adds one call for a user, whose rationale has the given source. The counts of the
// user who came first are dropped when there are too many users.
func (c *coverageCounter) count(user, model, tool string, source session.Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all, c.users = coverageRows{}, map[string]coverageRows{}
	}
	c.all.count(model, tool, maxCoverageRows, source)
	own := c.users[user]
	if own == nil {
		if len(c.oldest) == maxCoverageUsers {
			delete(c.users, c.oldest[0])
			c.oldest = slices.Delete(c.oldest, 0, 1)
		}
		own = coverageRows{}
		c.users[user], c.oldest = own, append(c.oldest, user)
	}
	own.count(model, tool, maxUserRows, source)
}

// Coverage returns the counts of all users since the dispatcher was made, sorted by model
// and tool.
func (d *Dispatcher) Coverage() []Coverage {
	d.coverage.mu.Lock()
	defer d.coverage.mu.Unlock()
	return d.coverage.all.sorted()
}

// CoverageOf returns the counts of the calls made for one user.
func (d *Dispatcher) CoverageOf(user string) []Coverage {
	d.coverage.mu.Lock()
	defer d.coverage.mu.Unlock()
	return d.coverage.users[user].sorted()
}
