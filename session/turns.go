package session

import (
	"errors"
	"iter"
	"slices"
)

// This file reads many turns a page at a time, so that nobody who goes through a long conversation
// has all of it in memory.

// pageTurns and pageCost bound what Turns and LatestTurns read ahead: so many turns, or as many as are
// charged so many bytes.
const (
	pageTurns = 64
	pageCost  = 4 << 20
)

// turnMark is the mark of a turn of any thread.
type turnMark struct {
	threadID string
	mark
}

// Turns yields the turns of a thread with the numbers from one to another, both included, in that order: newest
// first if through is the smaller one. Numbers of turns that are not there, or that were dropped before, are
// skipped. It reads a page of turns at a time and lets go of a page before it reads the next.
//
// A turn that cannot be read comes with its Thread and Number only, and ErrDropped if it was erased meanwhile,
// or ErrDamaged; the others follow. Any other error ends the sequence, ErrNoThread among them.
func (s *Session) Turns(threadID string, from, through int) iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		marks, err := s.marksOf(threadID, min(from, through), max(from, through))
		if err != nil {
			yield(Turn{}, err)
			return
		}
		if through < from {
			slices.Reverse(marks)
		}
		s.yieldTurns(marks, yield)
	}
}

// LatestTurns yields the turns of all threads, newest first. It reads them, and says what cannot be read, as
// Turns does.
func (s *Session) LatestTurns() iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		marks := s.allMarks()
		slices.SortFunc(marks, func(a, b turnMark) int { return b.created.Compare(a.created) })
		s.yieldTurns(marks, yield)
	}
}

// marksOf returns the marks of a thread's turns with the numbers from from to through.
func (s *Session) marksOf(threadID string, from, through int) ([]turnMark, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th, err := s.lookup(threadID)
	if err != nil {
		return nil, err
	}
	return marked(threadID, th.between(from, through)), nil
}

// allMarks returns the marks of the turns of all threads, in no order.
func (s *Session) allMarks() (all []turnMark) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for id, th := range s.threads {
		all = append(all, marked(id, th.marks)...)
	}
	return all
}

// between returns the marks of the turns with the numbers from from to through.
func (th *thread) between(from, through int) []mark {
	end := min(max(through-th.dropped, 0), len(th.marks))
	return th.marks[min(max(from-1-th.dropped, 0), end):end]
}

// marked returns the marks of a thread with its id.
func marked(threadID string, marks []mark) []turnMark {
	all := make([]turnMark, len(marks))
	for i, m := range marks {
		all[i] = turnMark{threadID, m}
	}
	return all
}

// yieldTurns reads the marked turns in their order, page by page.
func (s *Session) yieldTurns(marks []turnMark, yield func(Turn, error) bool) {
	for len(marks) > 0 {
		n := firstPage(marks)
		page, rest := marks[:n], marks[n:]
		turns, err := s.readTurns(page)
		if err != nil && len(page) > 1 {
			if !s.yieldEach(page, yield) {
				return
			}
		} else if !yieldPage(page, turns, err, yield) {
			return
		}
		marks = rest
	}
}

// firstPage returns how many of the marked turns make a page, at least one: a turn that is larger than a page
// has to be read as well.
func firstPage(marks []turnMark) int {
	n, cost := 1, marks[0].cost
	for n < min(len(marks), pageTurns) && cost+marks[n].cost <= pageCost {
		cost += marks[n].cost
		n++
	}
	return n
}

// yieldEach reads the turns of a page one by one, since one of them cannot be read. That costs a read for each
// turn, and happens for pages with damage or an erasure only.
func (s *Session) yieldEach(page []turnMark, yield func(Turn, error) bool) bool {
	for i := range page {
		turns, err := s.readTurns(page[i : i+1])
		if !yieldPage(page[i:i+1], turns, err, yield) {
			return false
		}
	}
	return true
}

// yieldPage passes on the turns of a page, or the error of a page of one turn. It reports whether
// the sequence goes on.
func yieldPage(page []turnMark, turns []Turn, err error, yield func(Turn, error) bool) bool {
	if err != nil {
		goesOn := errors.Is(err, ErrDropped) || errors.Is(err, ErrDamaged)
		return yield(Turn{Thread: page[0].threadID, Number: page[0].number}, err) && goesOn
	}
	for _, t := range turns {
		if !yield(t, nil) {
			return false
		}
	}
	return true
}

// readTurns returns the marked turns in their order: those that are in memory from there, and the others from
// the journal. It fails with ErrDropped if one of them was erased meanwhile.
func (s *Session) readTurns(marks []turnMark) ([]Turn, error) {
	turns := make([]Turn, len(marks))
	var cold []turnMark
	var places []int
	for i, m := range marks {
		f, now, err := s.warmTurn(m.threadID, m.number)
		switch {
		case err == errCold:
			cold, places = append(cold, turnMark{m.threadID, now}), append(places, i)
		case errors.Is(err, ErrNoThread) || errors.Is(err, ErrNoTurn):
			return nil, ErrDropped // the thread was erased
		case err != nil:
			return nil, err
		default:
			turns[i] = f.turn()
		}
	}
	folded, err := s.foldKept(cold)
	for i, f := range folded {
		turns[places[i]] = f.turn()
	}
	return turns, err
}
