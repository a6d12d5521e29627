package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Retention says what a store keeps. A zero field keeps everything. What it does not keep is erased for
// good, as if its user had deleted it, and no event says more than that it expired.
type Retention struct {
	Age   time.Duration // turns and jobs that ended longer ago are erased
	Bytes int           // above this conversations and jobs are erased, of those users first of whom there is most
}

// Retain erases what the retention does not keep, of all users, and returns how many conversations and
// jobs that concerned. What is open is kept, but for what attached agents left open. It fails with
// ErrStorage, or ErrDamaged for sessions that cannot be opened, and goes on with the others.
func (d *Durable) Retain(ctx context.Context, r Retention) (erased int, err error) {
	if r.Age > 0 {
		before := time.Now().Add(-r.Age)
		err = d.each(ctx, func(s *Session) error {
			n, err := s.expire(ctx, before)
			erased += n
			return err
		})
	}
	if r.Bytes > 0 && d.Status().Bytes > int64(r.Bytes) {
		n, over := d.shrink(ctx, int64(r.Bytes))
		return erased + n, errors.Join(err, over)
	}
	return erased, err
}

// each calls do with the session of every user. One that was not open is forgotten afterwards, unless
// somebody has opened it meanwhile.
func (d *Durable) each(ctx context.Context, do func(*Session) error) (failed error) {
	for entry, err := range d.engine.Users(ctx) {
		if err != nil {
			return errors.Join(failed, storageError(err))
		}
		o, mine, err := d.slot(entry.User)
		if err != nil {
			return errors.Join(failed, err)
		}
		s, err := d.await(ctx, entry.User, o, mine)
		if err == nil && s != nil {
			err = do(s)
		}
		if mine && err == nil && s.retire(time.Time{}) {
			err = s.Save(ctx)
			d.release(entry.User, o)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}

// expire erases what was last changed before a time and is over: threads and jobs as a whole, and of
// other threads their first turns.
func (s *Session) expire(ctx context.Context, before time.Time) (n int, err error) {
	for _, p := range s.conversations() {
		var failed error
		switch {
		case p.updated.Before(before):
			failed = s.erase(ctx, p.Ref, true)
		case p.Thread != "":
			through := s.olderTurns(p.Thread, before)
			if through == 0 {
				continue
			}
			failed = s.dropTurns(ctx, p.Thread, through)
		default:
			continue
		}
		if failed == nil {
			n++
		}
		err = errors.Join(err, unlessInUse(failed))
	}
	return n, err
}

// unlessInUse returns an error of an erasure, nil if it only says that somebody has gone on with the
// conversation meanwhile, or has erased it.
func unlessInUse(err error) error {
	for _, use := range []error{ErrTurnOpen, ErrJobOpen, ErrNoThread, ErrNoJob} {
		if errors.Is(err, use) {
			return nil
		}
	}
	return err
}

// conversation is a thread or a job, and when something was last recorded in it.
type conversation struct {
	Ref
	updated time.Time
}

// conversations lists the threads and the jobs of the session that are not open. Whether one of an attached agent is,
// nobody may ever tell.
func (s *Session) conversations() (all []conversation) {
	for _, t := range s.Threads() {
		if t.State.Ended() || t.Origin.Attached() {
			all = append(all, conversation{Ref{Thread: t.ID}, t.UpdatedAt})
		}
	}
	for _, j := range s.Jobs() {
		if j.State.Ended() {
			all = append(all, conversation{Ref{Job: j.ID}, j.UpdatedAt})
		}
	}
	return all
}

// olderTurns returns the number of the last turn of a thread that had ended before a time, 0 if none
// has. It looks at marks only, so that nothing is read from the storage for what stays there. A turn
// has ended when the next one of its thread was begun and is over itself. The last two turns of a thread
// therefore stay until the thread as a whole is old enough.
func (s *Session) olderTurns(threadID string, before time.Time) (through int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	th := s.threads[threadID]
	if th == nil || th.origin.Observed() {
		return 0
	}
	for i := 1; i < len(th.marks) && th.marks[i].created.Before(before) && th.over(th.marks[i].number); i++ {
		through = th.marks[i-1].number
	}
	return through
}

// dropTurns erases the first turns of a thread, up to a number, and tells every reader.
func (s *Session) dropTurns(ctx context.Context, threadID string, through int) error {
	notice := Dropped{Threads: []DroppedTurns{{Thread: threadID, Turns: through}}}
	err := s.charged(0, func() (int, error) {
		if _, err := s.lookup(threadID); err != nil {
			return 0, err
		}
		added, err := s.log.appendAll([]Event{{Body: notice}})
		if err != nil {
			return 0, err
		}
		before := s.charge()
		s.unfinished = append(s.unfinished, s.drop(notice, added[0].Seq)...)
		return s.charge() - before, nil
	})
	if err != nil {
		return err
	}
	return s.Save(ctx)
}

// holder is a user, how much the engine has of theirs, and what can be erased of it, oldest first.
type holder struct {
	user, session string
	size          int64
	conversations []conversation
}

// shrink erases conversations and jobs until the engine uses less than a number of bytes: the oldest of the
// user of whom it has most, again and again, and nothing of users within an equal share. What is open counts, and is
// not erased. It asks the engine after each, and stops when that cannot say what it uses: erasing too little is
// mended an hour later, and erasing too much never.
func (d *Durable) shrink(ctx context.Context, bytes int64) (n int, err error) {
	holders, err := d.holders(ctx)
	for used := d.Status().Bytes; used > bytes; used = d.Status().Bytes {
		share := float64(bytes) / float64(used) / float64(len(holders)) // of all that users have
		all := 0.0
		for _, h := range holders {
			all += float64(h.size)
		}
		var most *holder
		for _, h := range holders {
			if float64(h.size) > share*all && len(h.conversations) > 0 && (most == nil || h.size > most.size) {
				most = h
			}
		}
		if most == nil {
			break
		}
		oldest := most.conversations[0]
		most.conversations = most.conversations[1:]
		s, failed := d.Open(ctx, most.user)
		if failed == nil {
			failed = s.erase(ctx, oldest.Ref, true)
		}
		if failed == nil {
			n++
			most.size, failed = d.engine.Size(ctx, most.session)
		}
		err = errors.Join(err, unlessInUse(failed))
	}
	return n, err
}

// holders returns all users with what the engine has of theirs.
func (d *Durable) holders(ctx context.Context) (all []*holder, err error) {
	if d.engine.Size == nil {
		return nil, nil
	}
	err = d.each(ctx, func(s *Session) error {
		size, err := d.engine.Size(ctx, s.ID())
		h := &holder{user: s.user, session: s.ID(), size: size, conversations: s.conversations()}
		slices.SortFunc(h.conversations, func(a, b conversation) int {
			return cmp.Or(a.updated.Compare(b.updated), cmp.Compare(a.Thread+a.Job, b.Thread+b.Job))
		})
		all = append(all, h)
		return storageError(err)
	})
	return all, err
}
