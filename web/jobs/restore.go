package jobs

import (
	"context"
	"errors"
	"slices"

	"candor/session"
)

// runOf returns the run that a worker's token speaks for, with its job. It is nil for a token that is not valid,
// or not any more: the log decides, since a run may have begun or ended in another process. Where the log
// cannot be read, whoever has a token of the job gets the store's error, with which a worker tries again.
func (s *Server) runOf(ctx context.Context, id, token string) (current *run, j session.Job, err error) {
	user, number, ok := s.tokens.read(id, token)
	if !ok {
		return nil, j, nil
	}
	if r := s.registry.current(id); (r == nil || r.user != user) && !s.knows(user) {
		return nil, j, nil // a user who was there when the job began
	}
	own, err := s.store.Open(ctx, user)
	if err != nil {
		return nil, j, err
	}
	j, err = own.Job(id)
	switch {
	case errors.Is(err, session.ErrNoJob) || err == nil && j.Run != number:
		return nil, j, nil
	case err != nil:
		return nil, j, err
	}
	return s.runFor(own, j), j, nil
}

// runFor returns the current run of a job. One that this process has not seen is restored from the log,
// as far as the log has it: what only another process knew begins anew, which is who works on it, when a worker was
// heard, the prompts in the user's own words, and what the run has posted.
func (s *Server) runFor(own *session.Session, j session.Job) *run {
	if r := s.registry.current(j.ID); r != nil && r.number >= j.Run {
		return r
	}
	r := &run{
		user: own.User(), number: j.Run, prompt: j.Prompt.String(),
		ended: j.State.Ended(), revoked: j.State == session.JobStopped,
	}
	events, _, err := own.JobEvents(j.ID, 0, j.Events)
	if err != nil || r.ended {
		r.forget()
		return s.registry.keep(j.ID, r)
	}
	for _, e := range events {
		if _, restarted := e.Body.(session.JobRestarted); restarted {
			r.calls = callTable{}
		}
		r.calls.restore(e)
	}
	r.spent = postCost*j.Posted + callCost*len(r.calls.byNumber)
	r.prompts.read(own, j.ID)
	r.before = len(r.prompts.seqs)
	return s.registry.keep(j.ID, r)
}

// keep makes a restored run the job's current one, unless there is one as late, and returns the current one.
func (g *registry) keep(id string, restored *run) *run {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.runs[id]; r != nil && r.number >= restored.number {
		return r
	}
	if g.runs == nil {
		g.runs = map[string]*run{}
	}
	g.runs[id] = restored
	return restored
}

// restore takes a call over from an event of the log. The log does not have the worker's ids, so the call is
// known by its agent and tool until a post with an id may be about it.
func (t *callTable) restore(e session.Event) {
	switch b := e.Body.(type) {
	case session.JobToolUse:
		t.logged(b.Call, referTo(b.Agent.String(), b.Tool.String(), "", b.Tool)).used = true
	case session.JobToolResult:
		t.logged(b.Call, referTo(b.Agent.String(), b.Tool.String(), "", b.Tool)).ended = true
	case session.JobReasoned:
		for _, d := range b.Decisions {
			c := t.logged(d.Call, referTo(b.Agent.String(), d.Tool.String(), "", d.Tool))
			c.planned = c.planned || d.Outcome == session.Pending
			c.decided = c.decided || d.Outcome != session.Pending
		}
	}
}

// logged returns the call with this id of ours, which it adds if an event is the first about it.
func (t *callTable) logged(id string, ref reference) *call {
	ref.number = ownNumber(id)
	if c := t.byNumber[ref.number]; c != nil {
		return c
	}
	c := t.add(ref)
	t.restored = latest(append(t.restored, c))
	return c
}

// adopt takes the oldest call that was restored without the worker's id, and that fits, for the one that ref
// names: posts with this id are about it from now on. It finds none for an id that other calls have.
func (t *callTable) adopt(ref reference, fits func(*call) bool) identity {
	if len(t.byID[ref.id]) > 0 {
		return identity{}
	}
	for i, c := range t.restored {
		if c.agent == ref.agent && fits(c) {
			t.restored = slices.Delete(t.restored, i, i+1)
			c.id = ref.id
			t.byID[c.id] = []*call{c}
			return identity{call: c, inferred: true}
		}
	}
	return identity{}
}
