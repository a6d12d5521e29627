package agent

// Load is what a Chat has to do at a moment.
type Load struct {
	Running   int // turns that run
	Waiting   int // messages that wait for an earlier turn of their thread
	Approvals int // calls that wait for a person
}

// Load returns what the chat has to do now, of all users.
func (c *Chat) Load() Load {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := Load{Running: len(c.runners), Approvals: c.approvals.count()}
	for _, r := range c.runners {
		l.Waiting += len(r.waiting)
	}
	return l
}

// count returns how many requests are open.
func (p *pendingApprovals) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}
