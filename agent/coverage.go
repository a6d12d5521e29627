package agent

import (
	"cmp"
	"slices"
	"sync"

	"candor/session"
)

// Coverage counts the calls that one model made of one tool, and those of them that
// came with the model's own reason. Tool is empty for calls of unknown tools, and one name
// for all tools of front ends.
type Coverage struct {
	Model, Tool     string
	Calls, Reasoned int64
}

// coverageCounter counts calls by model and tool. Both names come from our
// configuration, never from a model, so the map stays small. The zero value is ready to
// use.
type coverageCounter struct {
	mu   sync.Mutex
	rows map[[2]string]*Coverage
}

// frontEndTools is the name under which calls of all front-end tools count: their own names
// are text of users, which other users must not see and of which there is no end.
const frontEndTools = "(front end)"

// coverageName returns the name under which calls of a tool count.
func coverageName(s Spec) string {
	if s.FrontEnd {
		return frontEndTools
	}
	return s.Name
}

// count adds one call, whose rationale has the given source.
func (c *coverageCounter) count(model, tool string, source session.Source) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]string{model, tool}
	row := c.rows[key]
	if row == nil {
		if c.rows == nil {
			c.rows = map[[2]string]*Coverage{}
		}
		row = &Coverage{Model: model, Tool: tool}
		c.rows[key] = row
	}
	row.Calls++
	if source == session.FromModel {
		row.Reasoned++
	}
}

// Coverage returns the counts since the dispatcher was made, sorted by model and tool.
func (d *Dispatcher) Coverage() []Coverage {
	d.coverage.mu.Lock()
	defer d.coverage.mu.Unlock()
	out := make([]Coverage, 0, len(d.coverage.rows))
	for _, row := range d.coverage.rows {
		out = append(out, *row)
	}
	slices.SortFunc(out, func(a, b Coverage) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Tool, b.Tool))
	})
	return out
}
