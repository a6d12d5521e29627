package agent

import (
	"cmp"

	"candor/session"
)

// A cost is recorded beside the tokens of each answer, also of those of sub-agents. It is a fact of the
// log: whoever shows it knows no prices, and a file of others changes no turn that has ended.

// spent returns what an answer of the model cost: nothing that is known if its provider did not count
// the tokens, and nothing at all if nobody wants to know. A provider that does not say which model
// answered is taken to have asked the one that it was told to.
func (r *agentRun) spent(resp Response) session.Spent {
	if r.Price == nil {
		return session.Spent{}
	}
	nanos, known := r.Price(cmp.Or(resp.Model, r.Model), resp.Usage)
	if !known || nanos < 0 || resp.Usage.Input+resp.Usage.Output == 0 {
		return session.Spent{Unpriced: 1}
	}
	return session.Spent{Nanos: nanos, Priced: 1}
}
