package agent

import (
	"context"
	"errors"
	"fmt"

	"candor/session"
)

// Interrupt stops a thread's running turn together with its tools, and drops the
// messages that wait; each of them becomes an interrupted turn. It returns the running
// turn without waiting for its end; if that is just being recorded, the first of the messages that waited. An empty
// threadID means the active thread. It fails with session.ErrNoThread or session.ErrNotRunning.
func (c *Chat) Interrupt(ctx context.Context, user, threadID string) (session.Ref, error) {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Ref{}, err
	}
	if threadID == "" {
		threadID = s.Active()
	}
	if _, err := s.Thread(threadID); err != nil {
		return session.Ref{}, err
	}
	ref, err := c.interruptHere(threadID)
	if err == nil {
		_, _ = c.interruptElsewhere(ctx, s, threadID, nil)
		return ref, nil
	}
	return c.interruptElsewhere(ctx, s, threadID, err)
}

// interruptHere is Interrupt for the turns that this process runs.
func (c *Chat) interruptHere(threadID string) (session.Ref, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.runners[threadID]
	if !ok {
		return session.Ref{}, fmt.Errorf("thread %s: %w", threadID, session.ErrNotRunning)
	}
	for _, p := range r.waiting {
		p.dropped = true
	}
	switch {
	case !r.ending:
		r.cancel()
		return r.current, nil
	case len(r.waiting) > 0:
		return r.waiting[0].event.Ref, nil
	}
	return session.Ref{}, fmt.Errorf("thread %s: %w", threadID, session.ErrNotRunning)
}

// Cancel stops exactly one turn of a user, together with its tools. A turn that waits becomes an
// interrupted one when its time comes; the others of its thread go on. Cancel returns without
// waiting for the end. It fails with session.ErrNoThread, ErrNoTurn or ErrDropped, with
// session.ErrTurnEnded, and with session.ErrNotRunning for a turn that no agent of ours works on.
func (c *Chat) Cancel(ctx context.Context, user string, ref session.Ref) error {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return err
	}
	err = c.cancelHere(s, ref)
	if errors.Is(err, session.ErrNotRunning) {
		return c.sendTo(ctx, ref, turnCommand{Drop: true}, err)
	}
	return err
}

// cancelHere is Cancel for a turn that this process runs.
func (c *Chat) cancelHere(s *session.Session, ref session.Ref) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, err := s.Turn(ref.Thread, ref.Turn)
	switch {
	case err != nil:
		return err
	case t.State.Ended():
		return fmt.Errorf("turn %d: %w", ref.Turn, session.ErrTurnEnded)
	}
	if r, ok := c.runners[ref.Thread]; ok && r.drop(ref.Turn) {
		return nil
	}
	return fmt.Errorf("turn %d: %w", ref.Turn, session.ErrNotRunning)
}

// ends decides that the running turn ends as it is about to, unless it was stopped. From then on nobody can stop it,
// however long the log takes to record its end: a stop that was acknowledged is one that holds.
func (c *Chat) ends(ctx context.Context, ref session.Ref) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	if r, ok := c.runners[ref.Thread]; ok && r.current == ref {
		r.ending = true
	}
	return true
}

// drop stops the thread's turn with a number, which waits or runs. It reports whether there is
// one that can be stopped. The caller holds the chat's lock. Of two with one number the turn that waits is meant: the
// thread of the other was deleted right after its end.
func (r *runner) drop(turn int) bool {
	for _, p := range r.waiting {
		if p.event.Turn == turn {
			p.dropped = true
			return true
		}
	}
	if r.current.Turn == turn && !r.ending {
		r.cancel()
		return true
	}
	return false
}
