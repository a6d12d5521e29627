package jobs

import (
	"net/http"

	"candor/session"
	"candor/web/problem"
)

// What a worker may say of the answers behind one event: tokens of each kind, and nano-dollars.
const (
	maxTokens = 1 << 30
	maxNanos  = 1_000_000_000_000_000
)

// postUsage says what answers of the worker's model took that no event before has reported. Cost is absent unless
// the price of each of them is known.
type postUsage struct {
	Input     int    `json:"input_tokens"`
	Output    int    `json:"output_tokens"`
	Reasoning int    `json:"reasoning_tokens"`
	Cost      *int64 `json:"cost_nanodollars"`
}

// used returns what the worker says of its model's answers, which are counted as one.
func (p *post) used() (session.Usage, session.Spent, *problem.Problem) {
	u := p.Usage
	if u == nil {
		return session.Usage{}, session.Spent{}, nil
	}
	spent := session.Spent{Unpriced: 1}
	if u.Cost != nil {
		spent = session.Spent{Nanos: *u.Cost, Priced: 1}
	}
	if min(u.Input, u.Output, u.Reasoning) < 0 || max(u.Input, u.Output, u.Reasoning) > maxTokens ||
		spent.Nanos < 0 || spent.Nanos > maxNanos {
		return session.Usage{}, session.Spent{}, problem.New(http.StatusBadRequest, "bad_usage",
			"In usage, tokens go from 0 to 1073741824, and cost_nanodollars from 0 to 1000000000000000.")
	}
	return session.Usage{Input: u.Input, Output: u.Output, Reasoning: u.Reasoning}, spent, nil
}
