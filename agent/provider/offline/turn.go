package offline

import (
	"slices"
	"strings"

	"candor/agent"
)

// turn is what the conversation says about the turn that runs: what the user
// asked last, and what was done about it since.
type turn struct {
	number int // how many times the user has spoken
	text   string
	steps  [][]done
}

// done is a call with what came of it.
type done struct {
	call   agent.Call
	result string
	ended  bool // there is a result
}

func read(messages []agent.Message) turn {
	var t turn
	start := 0
	for i, m := range messages {
		if m.Role == agent.RoleUser {
			t.number, t.text, start = t.number+1, m.Text, i+1
		}
	}
	for _, m := range messages[start:] {
		switch {
		case m.Role == agent.RoleAssistant && len(m.Calls) > 0:
			step := make([]done, len(m.Calls))
			for i, c := range m.Calls {
				step[i].call = c
			}
			t.steps = append(t.steps, step)
		case m.Role == agent.RoleTool && len(t.steps) > 0:
			settle(t.steps[len(t.steps)-1], m)
		}
	}
	return t
}

// settle gives a result to its call: by id or, where ids are of no use, to the
// first call that waits for one.
func settle(step []done, m agent.Message) {
	waiting := func(d done) bool { return !d.ended }
	i := slices.IndexFunc(step, func(d done) bool { return waiting(d) && d.call.ID == m.CallID })
	if i < 0 {
		i = slices.IndexFunc(step, waiting)
	}
	if i >= 0 {
		step[i].result, step[i].ended = m.Text, true
	}
}

func (t turn) all() []done { return slices.Concat(t.steps...) }

func (t turn) withoutTools() string {
	if len(t.steps) == 0 {
		return "I am Candor's offline model. I have no tools to work with right now, and without them I cannot look anything up."
	}
	return strings.Join(append(report(t.all()), "I stop here, since no more tools are offered."), "\n\n")
}
