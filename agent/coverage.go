package agent

import (
	"cmp"
	"slices"
	"sync"

	"candor/session"
)

// Coverage says how many of a model's calls of a tool came with the model's own
// reason. Tool is empty for calls of tools that nobody has.
type Coverage struct {
	Model, Tool     string
	Calls, Reasoned int64
}

// coverage counts reasons. The zero value is ready. The names of models and tools
// are ours, not a model's, so it stays small.
type coverage struct {
	mu   sync.Mutex
	rows map[[2]string]*Coverage
}

func (c *coverage) count(model, tool string, source session.Source) {
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

// Coverage lists what was counted since the start, by model and tool.
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
