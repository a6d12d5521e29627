package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"candor/safety"
)

// This file has what a session with a journal does about the parts of it that are not in memory:
// turns that have ended, of which it keeps marks, and ended jobs, of which it keeps the fold.

// errCold means that a turn is in the journal and not in memory.
var errCold = errors.New("turn is not in memory")

// markCost is what a turn is charged while it is not in memory.
const markCost = 96

// farApart is how many events of others may lie between two turns that are read back together.
const farApart = 24

// foldKept folds turns from the journal, and returns them in the order of their marks. It fails with
// ErrDropped if one of them was erased meanwhile.
func (s *Session) foldKept(marks []turnMark) ([]folding, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storageTimeout)
	defer cancel()
	inLog := slices.SortedFunc(slices.Values(marks), func(a, b turnMark) int {
		return cmp.Compare(a.first, b.first)
	})
	folded := make(map[Ref]folding, len(marks))
	for from := 0; from < len(inLog); {
		to, last := from+1, inLog[from].last
		for to < len(inLog) && inLog[to].first <= last+farApart {
			last = max(last, inLog[to].last)
			to++
		}
		if err := s.foldNear(ctx, inLog[from:to], last, folded); err != nil {
			return nil, err
		}
		from = to
	}
	turns := make([]folding, len(marks))
	for i, m := range marks {
		f, ok := folded[Ref{Thread: m.threadID, Turn: m.number}]
		if !ok {
			return nil, fmt.Errorf("turn %d: %w", m.number, ErrDropped)
		}
		turns[i] = f
	}
	return turns, nil
}

// foldNear folds turns that lie near each other in the log, up to the event with the number last.
func (s *Session) foldNear(ctx context.Context, near []turnMark, last uint64, folded map[Ref]folding) error {
	wanted := make(map[Ref]mark, len(near))
	for _, m := range near {
		wanted[Ref{Thread: m.threadID, Turn: m.number}] = m.mark
	}
	for e, err := range s.log.kept(ctx, near[0].first, last) {
		if s.spares(err, wanted) {
			continue
		}
		if err != nil {
			return err
		}
		ref := e.turn()
		if m, ok := wanted[ref]; ok && m.first <= e.Seq && e.Seq <= m.last {
			folded[ref] = folded[ref].apply(e)
		}
	}
	return nil
}

// unload removes from memory what has ended, oldest first, until want bytes are free: turns, and
// jobs as a whole. It returns how many bytes it freed.
func (s *Session) unload(want int) (freed int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	through, noticed := uint64(0), s.noticed
	ends, expected := map[*thread]int{}, 0 // all turns of a thread leave at once, which moves the others once
	for _, p := range s.coldParts() {
		if freed+expected >= want {
			break
		}
		through = max(through, p.last)
		if p.jobID != "" {
			freed += s.jobs[p.jobID].unload()
		} else {
			th := s.threads[p.threadID]
			ends[th] = max(ends[th], p.number)
			expected += th.mark(p.number).cost - markCost
		}
	}
	for th, number := range ends {
		freed += th.unload(number)
	}
	if freed < want && s.noticed > 0 {
		through = s.log.Head() // the journal has all of it
	}
	s.log.unload(through)
	s.noticed = s.strays()
	freed += noticed - s.noticed
	s.budget.give(s, freed)
	return freed
}

// strays computes what is charged for events in memory that belong to nothing else there: those
// that tell what was dropped or erased, and events of turns and jobs that came when those were no
// longer in memory. The caller holds mu.
func (s *Session) strays() (n int) {
	for _, e := range s.log.warm() {
		th, j := s.threads[e.Thread], s.jobs[e.Job]
		late := th != nil && e.Turn > 0 && e.Turn <= th.cold
		if late || j != nil && j.cold() || tellsOfLoss(e.Body) {
			n += costOf(e.Body)
		}
	}
	return n
}

// coldParts lists what can be unloaded, oldest first. The caller holds mu.
func (s *Session) coldParts() []endedPart {
	parts := s.endedTurns()
	for id, j := range s.jobs {
		if n := len(j.events); n > 0 && j.State.Ended() {
			parts = append(parts, endedPart{jobID: id, last: j.events[n-1].Seq})
		}
	}
	slices.SortFunc(parts, oldestFirst)
	return parts
}

// unload removes the thread's turns up to a number, which have ended, from memory, but not their
// marks and its title. It returns how many bytes that frees.
func (th *thread) unload(through int) (freed int) {
	if through <= th.cold {
		return 0
	}
	if th.title.Empty() && th.cold == th.dropped {
		th.title = th.turns[0].head.Input
		freed -= titleCost(th.title)
	}
	for number := th.cold + 1; number <= through; number++ {
		freed += th.mark(number).cost - markCost
	}
	th.leave(through)
	return freed
}

// titleCost returns what a title that outlives its turn is charged beyond what its thread is.
func titleCost(title safety.Text) int {
	if len(title.String()) <= maxKeptTitle {
		return 0
	}
	return textCost(title)
}

// leave removes the turns up to a number from memory.
func (th *thread) leave(through int) {
	n := through - th.cold
	th.turns = slices.Clone(th.turns[n:])
	th.ended -= n
	th.cold = through
}

// unload removes the job's events from memory, but not their fold, and returns how many bytes that
// frees. The job has ended.
func (j *job) unload() (freed int) {
	freed = warmCost(j.events)
	j.events, j.keys = nil, nil
	return freed
}

// warmCost returns what a job's events are charged only while they are in memory: all but the one
// that opened it, whose texts the job's fold has.
func warmCost(events []Event) (n int) {
	for _, e := range events {
		if _, opens := e.Body.(JobOpened); !opens {
			n += costOf(e.Body)
		}
	}
	return n
}

// warm reads the events of a job back into memory, if they are not there. Whoever asks about single
// events or their keys needs them. It makes room for them as a write does, and fails with ErrFull or
// ErrServerFull if there is none.
func (s *Session) warm(id string) error {
	first, last, cold := s.coldJob(id)
	if !cold {
		return nil
	}
	events, err := s.log.between(first, last+1)
	if err != nil {
		return err
	}
	read := &job{}
	for _, e := range events {
		if e.Job == id {
			read.add(e)
		}
	}
	if len(read.events) == 0 {
		return ErrNoJob // it was erased meanwhile
	}
	return s.charged(warmCost(read.events), func() (used int, err error) {
		if j, ok := s.jobs[id]; ok && j.cold() && j.last == read.last {
			s.jobs[id] = read
			noticed := s.noticed
			s.noticed = s.strays()
			used = warmCost(read.events) + s.noticed - noticed
		}
		return used, nil
	})
}

// cold reports whether the job has events, and none of them in memory.
func (j *job) cold() bool { return j.first > 0 && len(j.events) == 0 }

// coldJob returns where the events of a job are, and whether they are not in memory.
func (s *Session) coldJob(id string) (first, last uint64, cold bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	j, ok := s.jobs[id]
	if !ok {
		return 0, 0, false
	}
	return j.first, j.last, j.cold() && j.harm == nil
}

// warmJob returns a job whose events are in memory, ErrNoJob if there is none, and ErrStorage if its
// events were unloaded since they were asked for. The caller holds mu.
func (s *Session) warmJob(id string) (*job, error) {
	j, ok := s.jobs[id]
	switch {
	case !ok:
		return nil, ErrNoJob
	case j.harm != nil:
		return nil, j.harm
	case j.cold():
		return nil, fmt.Errorf("%w: job %s was unloaded to make room; try again", ErrStorage, id)
	}
	return j, nil
}
