package worker

import "candor/session"

// Usage says what answers of models took that no event before has reported, so that the job's turn has their sums.
// Cost, in nano-dollars, is nil unless the price of each of them was known.
type Usage struct {
	Input     int    `json:"input_tokens,omitempty"`
	Output    int    `json:"output_tokens,omitempty"`
	Reasoning int    `json:"reasoning_tokens,omitempty"` // part of the output
	Cost      *int64 `json:"cost_nanodollars,omitempty"`
}

// tally sums what the answers of an agent took until an event can say it.
type tally struct {
	sum             Usage
	nanos           int64
	answers, priced int
}

// add counts an answer. One of which nobody said anything changes nothing.
func (t *tally) add(u session.Usage, s session.Spent) {
	if u == (session.Usage{}) && s == (session.Spent{}) {
		return
	}
	t.sum.Input, t.sum.Output, t.sum.Reasoning = t.sum.Input+u.Input, t.sum.Output+u.Output, t.sum.Reasoning+u.Reasoning
	t.answers++
	if s.Known() {
		t.nanos, t.priced = t.nanos+s.Nanos, t.priced+1
	}
}

// take returns the sums, nil if there are none, and begins anew.
func (t *tally) take() *Usage {
	all := *t
	*t = tally{}
	if all.answers == 0 {
		return nil
	}
	if all.priced == all.answers {
		all.sum.Cost = &all.nanos
	}
	return &all.sum
}
