package session

// CostOf is costOf for tests.
var CostOf = costOf

// Recount computes anew what the session should be charged for its events.
func (s *Session) Recount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := sessionCost
	for _, e := range s.log.events {
		n += costOf(e.Body)
		if _, opens := e.Body.(ThreadOpened); opens {
			n += threadCost - eventCost
		}
	}
	for _, j := range s.jobs {
		if !j.State.Ended() {
			n += jobPromise
		}
	}
	for _, th := range s.threads {
		for _, t := range th.turns[th.ended:] {
			if !t.State.Ended() {
				n += turnPromise
			}
			if t.State == Queued {
				n += t.startCost()
			}
		}
	}
	return n
}

// Batch returns what a reader behind a position gets at a time.
func (s *Session) Batch(after uint64) []Event {
	events, _, _ := s.log.read(after)
	return events
}
