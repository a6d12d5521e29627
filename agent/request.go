package agent

import "context"

// Call makes one call that another agent asks for, outside of any turn. The call passes the same
// checks as a model's: its arguments fit the schema, the policy allows it, a person approves it
// where that is necessary. rec gets its session.ToolCalled and session.ToolReturned, which says
// how it ended. A reason in the arguments becomes the call's rationale.
func (d *Dispatcher) Call(ctx context.Context, rec Recorder, c Call) {
	r := d.newRun(ctx, rec, nil, nil)
	resp := Response{Calls: []Call{c}}
	r.learn(resp)
	b := r.newBatch(1, resp, r.Tools.current())
	b.preflight(ctx)
	b.run(ctx)
}
