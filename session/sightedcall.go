package session

import (
	"cmp"
	"slices"
	"time"

	"candor/safety"
)

// Provenance lists the channels that reported each part of a call, the most trusted first; the report of the first is
// shown. Reports differ: a hook has a full path where the file has it as the model wrote it, and the beginning of a
// result that the file has whole.
type Provenance struct {
	Called, Reason, Result, Took []Channel

	Partial bool // the channel of the result has only its beginning
}

// stepCalls returns the calls of a step in the order in which the model made them: by their places in its answer where
// a channel tells them, and else by when they began.
func (p *projection) stepCalls(s *sightedStep, step int, group *int) (all []Call) {
	for _, id := range s.calls {
		all = append(all, p.call(id, step, group))
	}
	index := p.places(s.calls)
	slices.SortStableFunc(all, func(a, b Call) int {
		return cmp.Or(
			cmp.Compare(index[a.ID], index[b.ID]), a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID),
		)
	})
	return all
}

// addBefore gives each call but the first what the model said between it and the one before it, where a channel tells
// the places of both and of the text in one answer.
func (p *projection) addBefore(s *sightedStep, from Channel, calls []Call) {
	var last sightedFact
	for i := range calls {
		at := slices.IndexFunc(p.calls[calls[i].ID], func(f sightedFact) bool {
			return f.channel == from && f.Called != nil && f.Group != ""
		})
		if at < 0 {
			continue
		}
		call, texts := p.calls[calls[i].ID][at], []safety.Text(nil)
		for _, f := range s.inOrder(from) {
			between := f.Group == call.Group && f.Index > last.Index && f.Index < call.Index
			if between && last.Group == call.Group && f.Said != nil && f.Said.Source == FromModel {
				texts = append(texts, f.Said.Text)
			}
		}
		calls[i].Before, last = safety.JoinParagraphs(texts...), call
	}
}

// places returns the places of calls in the model's answer, as the channels say that name the answer. Where these do
// not know all of the calls, the places are those in the list of the answer's calls, if that has all.
func (p *projection) places(calls []string) map[string]int {
	index := map[string]int{}
	for _, id := range calls {
		for _, s := range p.calls[id] {
			if s.Called != nil && s.Group != "" {
				index[id] = max(index[id], s.Index)
			}
		}
	}
	listed := func(id string) bool { _, ok := p.batched[id]; return ok }
	if len(index) < len(calls) && !slices.ContainsFunc(calls, func(id string) bool { return !listed(id) }) {
		return p.batched
	}
	return index
}

// call returns what the channels together know of a call. Each field is that of the channel whose word counts most,
// among those that know it. Without a reason from any channel it has our fallback, and says by its source that it is
// ours. A call without a result is pending as long as the turn runs, and afterwards one whose end nobody saw.
func (p *projection) call(id string, step int, group *int) Call {
	facts := slices.Clone(p.calls[id])
	slices.SortFunc(facts, func(a, b sightedFact) int {
		if a.better(b) {
			return -1
		}
		return 1
	})
	c := Call{ID: id, Step: step, Group: group, Rationale: Fallback(), Outcome: Pending, Sighted: &Provenance{}}
	if p.over {
		c.Outcome, c.Untimed = Unknown, true
	}
	for _, s := range facts {
		c.Agent = max(c.Agent, p.names[s.Sub])
		if len(s.Findings) > 0 {
			c.Findings = Merge(c.Findings, s.Findings)
		}
		if s.Called != nil {
			c.called(s)
		}
	}
	c.ended(facts)
	return c
}

// called adds what a channel says of the call itself.
func (c *Call) called(s sightedFact) {
	from := c.Sighted
	if len(from.Called) == 0 {
		c.Tool, c.Params = s.Called.Tool, s.Called.Params
	}
	from.Called = withChannel(from.Called, s.channel)
	c.StartedAt = earlier(c.StartedAt, s.At)
	c.Described = cmp.Or(c.Described, s.Called.Described)
	if r := s.Called.Rationale; r.Source != FromFallback && r.Source != "" || r.Blocked {
		if len(from.Reason) == 0 {
			c.Rationale = r
		}
		from.Reason = withChannel(from.Reason, s.channel)
	}
}

// withChannel returns channels with one that may be among them already: of telemetry, a model call and a tool's span
// each tell of a call.
func withChannel(all []Channel, c Channel) []Channel {
	if slices.Contains(all, c) {
		return all
	}
	return append(all, c)
}

// ended adds how the call ended: as the channel says that has the whole result, and whose word counts most.
func (c *Call) ended(facts []sightedFact) {
	from := c.Sighted
	for _, whole := range []bool{true, false} {
		for _, s := range facts {
			if s.Returned == nil || s.Returned.Partial == whole {
				continue
			}
			if len(from.Result) == 0 {
				c.Outcome, c.Result, c.Error = s.Returned.Outcome, s.Returned.Result, s.Returned.Error
				from.Partial = s.Returned.Partial
			}
			from.Result = append(from.Result, s.channel)
		}
	}
	if len(from.Result) > 0 {
		c.timed(facts)
	}
}

// timed sets how long the call took: what a channel measured, else the time between its two rows. Times of different
// channels are never subtracted from each other: their clocks may differ, and a hook is heard only once it has arrived.
func (c *Call) timed(facts []sightedFact) {
	c.Untimed = true
	began := map[Channel]time.Time{}
	for _, s := range facts {
		if s.Called != nil {
			began[s.channel] = s.At
		}
		if s.Returned == nil || s.Returned.Took <= 0 {
			continue
		}
		if c.Untimed {
			c.Took, c.Untimed = s.Returned.Took, false
		}
		c.Sighted.Took = append(c.Sighted.Took, s.channel)
	}
	for _, s := range facts {
		if at := began[s.channel]; c.Untimed && s.Returned != nil && !at.IsZero() && s.At.After(at) {
			c.Took, c.Untimed = s.At.Sub(at), false
			c.Sighted.Took = append(c.Sighted.Took, s.channel)
		}
	}
}
