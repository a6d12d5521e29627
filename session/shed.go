package session

import (
	"cmp"
	"math"
	"slices"
)

// endedPart is a part of a session that can be dropped: a run of a job, or a turn.
type endedPart struct {
	jobID    string // empty for a turn
	threadID string
	number   int    // of the run or the turn
	last     uint64 // number of its latest event
	cost     int
}

// shed drops what has ended, oldest first, until want bytes are free: runs of jobs, with their
// last run also the job, then turns. It returns how many bytes it freed, 0 if nothing could be
// dropped.
//
// A session with a journal loses nothing: it unloads the same parts, and the journal has them.
func (s *Session) shed(want int) (freed int) {
	if s.log.journal != nil {
		return s.unload(want)
	}
	notice, freed := s.dropOldest(want)
	s.dropIndexed(notice)
	if freed > 0 && s.budget.OnDrop != nil {
		s.budget.OnDrop(s, notice, freed)
	}
	return freed
}

func (s *Session) dropOldest(want int) (notice Dropped, freed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cut := &cutter{s, map[string]int{}, map[string]int{}, map[string]uint64{}, map[string]Event{}}
	for _, p := range s.endedParts() {
		if freed >= want {
			break
		}
		cut.remove(p)
		freed += p.cost
	}
	if freed == 0 && s.tombstones() < 2 {
		return notice, 0
	}
	notice = cut.apply()
	if s.log.drop(cut.keep, notice) != nil {
		return notice, 0 // the session has ended, and leaves the budget as a whole
	}
	freed += s.noticed - costOf(notice)
	s.budget.give(s, freed)
	s.noticed = costOf(notice)
	return notice, freed
}

// tombstones returns how many Erased events the log has. The caller holds mu.
func (s *Session) tombstones() (n int) {
	for _, e := range s.log.warm() {
		if _, erased := e.Body.(Erased); erased {
			n++
		}
	}
	return n
}

// endedParts lists what can be dropped, in the order in which it is. The caller holds mu.
func (s *Session) endedParts() []endedPart {
	var runs []endedPart
	for id, j := range s.jobs {
		runs = append(runs, j.endedRuns(id)...)
	}
	turns := s.endedTurns()
	slices.SortFunc(runs, oldestFirst)
	slices.SortFunc(turns, oldestFirst)
	beyond, within := s.beyondShares(turns)
	return slices.Concat(beyond, runs, within)
}

// What the turns of spaces may hold of a session's budget before they are dropped ahead of what its user does, as
// divisors: all of them, those of one space, and those of one participant.
const (
	spacesShare      = 2
	spaceShare       = 4
	participantShare = 16
)

// beyondShares divides turns, which are in their order, into those with which a participant, a space or all spaces hold
// more than their share, and the others. The caller holds mu.
func (s *Session) beyondShares(turns []endedPart) (beyond, within []endedPart) {
	held := map[string]int{}
	shares := func(id string) map[string]int {
		o := s.threads[id].origin
		if !o.Observed() || o.Attached() {
			return nil
		}
		return map[string]int{
			"": s.budget.Session / spacesShare, "space " + o.Space.String(): s.budget.Session / spaceShare,
			"thread " + id: s.budget.Session / participantShare,
		}
	}
	for id, th := range s.threads {
		for name := range shares(id) {
			for _, m := range th.marks[th.cold-th.dropped:] {
				held[name] += m.cost
			}
		}
	}
	for _, p := range turns {
		over := false
		of := shares(p.threadID)
		for name, share := range of {
			over = over || held[name] > share
		}
		if !over {
			within = append(within, p)
			continue
		}
		beyond = append(beyond, p)
		for name := range of {
			held[name] -= p.cost
		}
	}
	return beyond, within
}

// oldestFirst compares parts by what happened last in them.
func oldestFirst(a, b endedPart) int {
	return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.number, b.number))
}

// endedTurns lists the turns in memory that are settled. The caller holds mu.
func (s *Session) endedTurns() (turns []endedPart) {
	for id, th := range s.threads {
		last := uint64(0) // a turn is no older than those before it
		for _, f := range th.turns[:th.settled()] {
			m := th.mark(f.head.Number)
			last = max(last, m.last)
			turns = append(turns, endedPart{threadID: id, number: f.head.Number, last: last, cost: m.cost})
		}
	}
	return turns
}

// endedRuns lists the runs that have ended.
func (j *job) endedRuns(id string) []endedPart {
	var runs []endedPart
	run := endedPart{jobID: id, number: j.Dropped}
	for _, e := range j.events {
		if _, begins := e.Body.(JobRestarted); begins || run.number == j.Dropped {
			if run.cost > 0 {
				runs = append(runs, run)
			}
			run = endedPart{jobID: id, number: run.number + 1}
		}
		run.last = e.Seq
		run.cost += costOf(e.Body)
	}
	if j.State.Ended() {
		runs = append(runs, run)
	}
	return runs
}

// cutter removes what is over from a session. Its session's lock is held while it lives.
type cutter struct {
	*Session
	turns map[string]int    // by thread: the number of the last turn to be dropped
	runs  map[string]int    // by job: the number of the last run to be dropped
	from  map[string]uint64 // by job: the number of its first event that stays
	heads map[string]Event  // by job: that event, if it begins a run
}

// remove marks a part of the session. Within a thread or job, parts come in their order.
func (c *cutter) remove(p endedPart) {
	if p.jobID != "" {
		c.runs[p.jobID] = p.number
		return
	}
	c.turns[p.threadID] = p.number
}

// apply removes what is marked from the folds and describes it.
func (c *cutter) apply() Dropped {
	var d Dropped
	for id, through := range c.runs {
		j := c.jobs[id]
		whole := through == j.Run
		d.Jobs = append(d.Jobs, DroppedRuns{Job: id, Runs: through, Whole: whole})
		if whole {
			c.from[id] = math.MaxUint64
			delete(c.jobs, id)
			c.droppedJobs++
			continue
		}
		head := j.cut(through)
		c.from[id], c.heads[id] = head.Seq, head
	}
	for id, through := range c.turns {
		c.threads[id].cut(through)
		d.Threads = append(d.Threads, DroppedTurns{Thread: id, Turns: through})
	}
	slices.SortFunc(d.Jobs, func(a, b DroppedRuns) int { return cmp.Compare(a.Job, b.Job) })
	slices.SortFunc(d.Threads, func(a, b DroppedTurns) int { return cmp.Compare(a.Thread, b.Thread) })
	return d
}

// keep decides about an event of the log.
func (c *cutter) keep(e Event) (Event, bool) {
	if tellsOfLoss(e.Body) {
		return e, false
	}
	if head, ok := c.heads[e.Job]; ok && head.Seq == e.Seq {
		return head, true
	}
	return e, e.Seq >= c.from[e.Job] && (e.Turn == 0 || e.Turn > c.turns[e.Thread])
}

// tellsOfLoss reports whether a body says what is no longer in the log.
func tellsOfLoss(b Body) bool {
	switch b.(type) {
	case Dropped, Erased:
		return true
	}
	return false
}

// cut removes the job's runs up to a number, which is not that of its latest, and returns the
// first event that is left. It tells how many turns came before.
func (j *job) cut(through int) Event {
	at, run := 0, j.Dropped
	for i, e := range j.events {
		if _, begins := e.Body.(JobRestarted); begins || run == j.Dropped {
			if run++; run > through {
				at = i
				break
			}
		}
	}
	gone := JobTurns(j.events[:at])
	j.openedCost = 0
	j.events = slices.Clone(j.events[at:])
	head := j.events[0].Body.(JobRestarted)
	head.Turns = gone[len(gone)-1].Number
	j.events[0].Body = head
	j.Dropped = through
	return j.events[0]
}

// cut removes the thread's turns up to a number. All of them have ended. The thread keeps its
// title if it is short.
func (th *thread) cut(through int) {
	if len(th.turns) > 0 && th.title.Empty() && len(th.turns[0].head.Input.String()) <= maxKeptTitle {
		th.title = th.turns[0].head.Input
	}
	if through > th.cold {
		th.leave(through)
	}
	th.marks = slices.Clone(th.marks[through-th.dropped:])
	th.dropped = through
}
