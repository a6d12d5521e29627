package session

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"candor/safety"
)

// erasure is a thread or a job that was erased, with the numbers between which its events are. If its
// Ref has a turn, only the thread's turns up to that one were erased.
type erasure struct {
	Ref
	first, last uint64
}

// covers reports whether an event was erased.
func (of erasure) covers(e Event) bool {
	if e.Thread != of.Thread || e.Job != of.Job {
		return false
	}
	return of.Turn == 0 || e.Turn > 0 && e.Turn <= of.Turn
}

// unknownEnd is the error of a call that ran when its process ended.
var unknownEnd = safety.Literal("Candor stopped while this call ran, so nobody knows what became of it.")

// mend ends what the process before left unfinished: it clears what was erased from the storage,
// and interrupts the turns of processes that are not alive, which nil says of all.
func (s *Session) mend(ctx context.Context, others func(context.Context, uuid.UUID) bool) error {
	if len(s.unfinished) > 0 {
		if err := s.Save(ctx); err != nil {
			return err
		}
	}
	return s.interruptLost(ctx, others)
}

// interruption returns the facts that end a turn whose process is gone, and that was last heard of then: its open
// questions are withdrawn, its pending calls cancelled, its steps ended.
func (t Turn) interruption(heard time.Time) (facts []Event) {
	ref := Ref{Thread: t.Thread, Turn: t.Number}
	add := func(agent string, b Body) {
		ref.Agent = agent
		facts = append(facts, Event{Ref: ref, Body: b})
	}
	for _, s := range t.Steps {
		for _, c := range s.Calls {
			if c.Outcome != Pending {
				continue
			}
			if c.Approval != nil && c.Approval.Answer == "" {
				add(s.Agent, ApprovalAnswered{Request: c.Approval.Request, Call: c.ID, Answer: Withdrawn})
			}
			add(s.Agent, ToolReturned{Call: c.ID, Outcome: Cancelled, Error: unknownEnd})
		}
		if !s.Ended && !s.Answer {
			add(s.Agent, StepEnded{Step: s.Number})
		}
	}
	add("", TurnInterrupted{Restart: true, Heard: heard})
	return facts
}

// Save makes the storage keep a snapshot of the session, so that it opens quickly. Before that it
// clears what was erased, since the next process does not look for erasures in front of a
// snapshot. It does nothing for a session without a journal, or one that has not changed.
func (s *Session) Save(ctx context.Context) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	if s.snapshots == nil || s.Head() == s.saved.Load() {
		return nil
	}
	k, whole := snapshot{}, false
	for !whole {
		if err := s.finish(ctx); err != nil {
			return err
		}
		k, whole = s.takeSnapshot()
	}
	if err := s.snapshots.Save(ctx, s.ID(), k.record()); err != nil {
		return storageError(err)
	}
	s.saved.Store(k.Seq)
	return nil
}

// finish clears what was erased from the storage, and gives threads whose first turns were erased
// the titles of those that are left. The caller holds saving.
func (s *Session) finish(ctx context.Context) error {
	s.mu.RLock()
	todo := slices.Clone(s.unfinished)
	s.mu.RUnlock()
	for _, e := range todo {
		if err := s.clear(ctx, e); err != nil {
			return err
		}
		if err := s.retitle(e.Thread); err != nil {
			return err
		}
	}
	if len(todo) > 0 {
		if err := s.measure(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unfinished = slices.Clone(s.unfinished[len(todo):])
	return nil
}

// retitle gives a thread the title that its first turn has, if the turn that had it was erased and
// the next one is not in memory.
func (s *Session) retitle(threadID string) error {
	number, missing := s.untitled(threadID)
	if !missing {
		return nil
	}
	t, err := s.Turn(threadID, number)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if th := s.threads[threadID]; th != nil && th.dropped+1 == number && th.title.Empty() && th.cold >= number {
		th.title = t.Input
		s.budget.put(s, titleCost(th.title))
	}
	return nil
}

// untitled returns the number of the first turn that a thread still has, and whether the thread
// lacks a title that this turn would give it.
func (s *Session) untitled(threadID string) (number int, missing bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th := s.threads[threadID]
	if th == nil {
		return 0, false
	}
	return th.dropped + 1, th.title.Empty() && th.cold > th.dropped
}

// detach makes Save leave the storage alone from now on, and waits until it does.
func (s *Session) detach() {
	s.saving.Lock()
	defer s.saving.Unlock()
	s.snapshots = nil
}
