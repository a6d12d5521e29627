package terminal

import (
	"encoding/json"

	"candor/web/client"
)

// maxJobCalls bounds the calls whose parameters are kept. Beyond it all are forgotten, and
// what belongs to them is shown without parameters.
const maxJobCalls = 4096

// jobCalls remembers the parameters of the calls of jobs, which a job's log has in the
// events that begin calls only. Calls of one tool may end in any order, and the reasons of
// a step may follow all of them: their parameters say which call each is about. The zero
// value is ready to use.
type jobCalls struct {
	params map[jobCall]json.RawMessage
	latest jobCall // that began last
}

// jobCall names a call of a job.
type jobCall struct{ job, call string }

// complete returns the event with the agent and the parameters of the calls that it is
// about, as far as they are known. A result that follows the beginning of its own call needs none.
func (c *jobCalls) complete(e client.Event) client.Event {
	call := jobCall{e.JobID, e.CallID}
	switch e.Type {
	case "job_tool_use":
		c.remember(call, e.Input)
	case "job_tool_result":
		if call != c.latest {
			e.Parameters = c.params[call]
		}
		c.latest = jobCall{}
	case "job_reasoning":
		decisions := make([]client.Decision, len(e.Decisions))
		for i, d := range e.Decisions {
			d.Parameters = c.params[jobCall{e.JobID, d.CallID}]
			d.Agent = e.Agent // a step is of one agent
			decisions[i] = d
		}
		e.Decisions, c.latest = decisions, jobCall{}
	}
	return e
}

// remember keeps the parameters of a call that begins. Only what is shown of them is kept.
func (c *jobCalls) remember(call jobCall, params json.RawMessage) {
	if c.params == nil || len(c.params) >= maxJobCalls {
		c.params = map[jobCall]json.RawMessage{}
	}
	// Params shows the beginning of JSON that breaks off.
	c.params[call] = append(json.RawMessage{}, params[:min(len(params), 8*maxParams)]...)
	c.latest = call
}
