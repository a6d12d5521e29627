package session

import (
	"context"

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
func (s *Session) mend(ctx context.Context, alive func(context.Context, uuid.UUID) bool) error {
	if len(s.unfinished) > 0 {
		for _, e := range s.unfinished {
			if err := s.clear(ctx, e); err != nil {
				return err
			}
		}
		s.unfinished = nil
		if err := s.Save(ctx); err != nil {
			return err
		}
	}
	return s.interruptLost(ctx, alive)
}

// interruption returns the facts that end a turn whose process is gone: its open questions are
// withdrawn, its pending calls cancelled, its steps ended.
func (t Turn) interruption() (facts []Event) {
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
	add("", TurnInterrupted{})
	return facts
}

// Save makes the storage keep a snapshot of the session, so that it opens quickly. It does nothing
// for a session without a journal, or one that has not changed.
func (s *Session) Save(ctx context.Context) error {
	if s.snapshots == nil || s.Head() == s.saved.Load() {
		return nil
	}
	k := s.takeSnapshot()
	if err := s.snapshots.Save(ctx, s.ID(), k.record()); err != nil {
		return storageError(err)
	}
	s.saved.Store(k.Seq)
	return nil
}
