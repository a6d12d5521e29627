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
