package terminal

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"candor/web/client"
)

// board follows the calls of running turns and jobs. Each call is in the region at the
// bottom from the moment it starts, with its reason, and is printed once, when it has
// ended. Calls of one tool that run side by side are folded when they are three or more.
// The zero value is ready to use, and prints every call when it ends.
type board struct {
	calls []*boardCall // begun and not printed yet, in the order in which they began
	turn  turnCount    // of the turn that runs
	draft draft        // what the model writes, until its step ends
	names agentNames   // of the sub-agents of the turn that runs
}

// maxBoard bounds the calls that are followed. Beyond it the oldest is forgotten.
const maxBoard = 4096

// callKey names a call. Only calls of one turn or job have the same place.
type callKey struct {
	place, agent string
	turn         int
	call         string
}

// boardCall is a call that was begun.
type boardCall struct {
	callKey
	client.Decision
	who     string // the agent's name, if it has one besides its id
	call    client.Call
	started time.Time
	ended   bool
	held    bool // the event with its result may still come
	asked   bool // a person was shown its reason, so it is not said again
}

// keyOf returns the name of the call that an event is about.
func keyOf(e client.Event) callKey {
	return callKey{e.ThreadID + e.JobID, e.Agent, e.TurnNumber, e.CallID}
}

// find returns a call that was begun, nil if there is none.
func (b *board) find(key callKey) *boardCall {
	for _, c := range b.calls {
		if c.callKey == key {
			return c
		}
	}
	return nil
}

// see takes in an event. It returns the lines of the calls that ended with it, and forgets
// them.
func (b *board) see(s Style, e client.Event, now time.Time) string {
	// A result follows its call at once or not at all, so any other event ends the waiting.
	for _, c := range b.calls {
		c.held = c.held && (e.Type == "tool_result" || e.Type == "step_text") && keyOf(e) == c.callKey
	}
	b.turn.see(e, now)
	// The order of the cases is the order in which events of a call come, but for the end of
	// the turn, which ends all calls that it leaves.
	switch c := b.find(keyOf(e)); {
	case e.Type == "tool_started", e.Type == "job_tool_use":
		b.begin(e, now)
	case e.Type == "tool_completed", e.Type == "job_tool_result":
		b.end(e)
	case endsTurn(e), e.Type == "job_result":
		for _, c := range b.calls {
			c.ended = c.ended || c.place == e.ThreadID+e.JobID && c.turn == e.TurnNumber
		}
	case c == nil:
	case e.Type == "tool_result":
		c.call.Preview, c.call.Shape = e.Preview, e.Shape
	case e.Type == "approval_needed":
		c.asked = true
	case e.Type == "approval_answered":
		c.decide(e)
	}
	return b.flush(s)
}

// begin notes a call that starts. One that is known is repeated after a lost connection.
func (b *board) begin(e client.Event, now time.Time) {
	if b.find(keyOf(e)) != nil {
		return
	}
	// Events of a job name the tool in the decision, those of a thread in a member of their own.
	c := &boardCall{callKey: keyOf(e), Decision: e.Decision, started: now, who: b.names.of(e.Agent)}
	if e.Name != "" {
		c.ToolName = e.Name
	}
	if e.To != "" {
		c.Decision.To = e.To
	}
	c.call.Object = e.Object
	// The server says what a call is about. For one that does not, the parameters have to do,
	// of which no more is kept than is shown.
	if e.Input != nil {
		c.Parameters = e.Input[:min(len(e.Input), 8*maxParams)]
	}
	c.Outcome = "pending"
	if b.calls = append(b.calls, c); len(b.calls) > maxBoard {
		b.calls = slices.Delete(b.calls, 0, 1)
	}
}

// end notes how a call ended. One that was not seen to begin is shown as well.
func (b *board) end(e client.Event) {
	if b.find(keyOf(e)) == nil {
		b.begin(e, time.Time{})
	}
	c := b.find(keyOf(e))
	d := e.Decision
	c.Outcome, c.Decides, c.Decided, c.Said = d.Outcome, c.Decides || d.Decides, d.Decided, d.Said
	c.Inferred = c.Inferred || d.Inferred
	c.call.Error, c.call.DurationMS, c.call.Line = e.Error, e.DurationMS, e.Line
	if e.Output != nil {
		c.call.Preview = string(e.Output[:min(len(e.Output), 8*maxParams)])
	}
	c.ended, c.held = true, e.Type == "tool_completed" && d.Outcome == "success" && e.Line == ""
}

// decide notes what a person decided about the call, and what it is about since they changed it.
func (c *boardCall) decide(e client.Event) {
	c.Approval = string(e.Answer)
	if e.Edited == nil {
		return
	}
	c.Edited, c.EditedBy, c.call.Object = e.Edited[:min(len(e.Edited), 8*maxParams)], e.EditedBy, e.Object
	c.Parameters = c.Edited // for a server that does not say what the call is about
}

// flush returns the lines of the calls that have ended, and forgets them. The calls of a
// fold wait for each other.
func (b *board) flush(s Style) string {
	var out strings.Builder
	var left []*boardCall
	for _, unit := range b.units() {
		if slices.ContainsFunc(unit, func(c *boardCall) bool { return !c.ended || c.held }) {
			left = append(left, unit...)
			continue
		}
		for _, v := range foldViews(unit) {
			out.WriteString(s.callLines(v))
		}
	}
	b.calls = left
	return out.String()
}

// units groups the calls: those of one tool that run side by side if they are enough to be
// folded, and the others alone.
func (b *board) units() [][]*boardCall {
	// Calls of one tool need not be next to each other: a batch may call two tools in turn. The
	// fold stands where the first of them began.
	var units [][]*boardCall
	for _, c := range b.calls {
		at := slices.IndexFunc(units, func(u []*boardCall) bool { return sideBySide(u[0], c) })
		if at < 0 {
			units = append(units, []*boardCall{c})
			continue
		}
		units[at] = append(units[at], c)
	}
	var apart [][]*boardCall
	for _, u := range units {
		if len(u) >= foldFrom {
			apart = append(apart, u)
			continue
		}
		for _, c := range u {
			apart = append(apart, []*boardCall{c})
		}
	}
	return apart
}

// sideBySide reports whether two calls are of one tool and one batch.
func sideBySide(a, b *boardCall) bool {
	return a.Group != nil && b.Group != nil && *a.Group == *b.Group && a.ToolName == b.ToolName &&
		a.place == b.place && a.callKey.agent == b.callKey.agent && a.turn == b.turn && !a.asked && !b.asked
}

// view is what is shown of the call now.
func (c *boardCall) view() callView {
	d := c.Decision
	d.Agent = cmp.Or(c.who, c.callKey.agent)
	v := viewOf(d, c.call)
	if c.ended && c.Outcome == "pending" { // its turn ended without it
		v.sign, v.result = "─", "no result seen"
	}
	if c.asked && c.Approval != "" {
		v.why, v.whyInk = answered(c.Approval), dim
		if c.Edited != nil {
			v.why += ", changed by a person"
		}
	}
	return v
}

// answered says how a person answered the question about a call.
func answered(approval string) string {
	switch approval {
	case "approve":
		return "approved"
	case "always":
		return "approved, also for the rest of the session"
	case "deny":
		return "denied by a person"
	case "expired":
		return "nobody approved it in time"
	}
	return "no answer was needed any more"
}
