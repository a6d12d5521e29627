package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/google/uuid"

	"candor/session/journal"
)

// This file has what a session does about damage in its journal. It reads on behind the damage, so that the
// conversations and jobs whose events are whole are there. Of those that may lack events nothing is read, and nothing
// is added to the session, whose numbers could be given out twice.

// pass moves the end of the log behind what a load found missing or altered, and makes it read only.
func (l *Log) pass(d *journal.Damage) {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missed = append(l.missed, d)
	if d.Last > l.head.Load() {
		l.head.Store(d.Last)
	}
}

// isMissed reports whether an error is about damage that the load has found, whose conversations are known.
func (l *Log) isMissed(err error) bool {
	d, ok := errors.AsType[*journal.Damage](err)
	if !ok {
		return false
	}
	for _, m := range l.missed {
		if m.First <= d.First && d.Last <= m.Last {
			return true
		}
	}
	return false
}

// harm returns the damage that the load has found; nil if there is none.
func (l *Log) harm() error {
	if len(l.missed) == 0 {
		return nil
	}
	return storageError(l.missed[0])
}

// suspect blames the conversation or the job of an event that follows damage and lacks an event before it. The caller
// holds mu.
func (s *Session) suspect(e Event) {
	if len(s.log.missed) == 0 {
		return
	}
	begins := false
	if e.Job != "" {
		_, begins = e.Body.(JobOpened)
		begins = begins || s.jobs[e.Job] != nil
	} else if th := s.threads[e.Thread]; th == nil {
		_, begins = e.Body.(ThreadOpened)
	} else if begins = e.Turn <= th.total(); e.Turn == th.total()+1 {
		switch e.Body.(type) {
		case TurnStarted, TurnQueued, Sighted:
			begins = true
		}
	}
	if !begins {
		s.blame(Ref{Thread: e.Thread, Job: e.Job}, s.log.missed[len(s.log.missed)-1])
	}
}

// blame notes that events of a thread or a job are missing. The caller holds mu.
func (s *Session) blame(ref Ref, d *journal.Damage) {
	if s.harmed == nil {
		s.harmed = map[Ref]error{}
	}
	s.harmed[ref] = storageError(d)
}

// blameAll finds out which conversations and jobs lack what the load has missed.
func (s *Session) blameAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.log.missed {
		refs, sure := s.named(d)
		for _, ref := range refs {
			s.blame(ref, d)
		}
		if !sure {
			s.blameOpen(d)
		}
	}
	for ref, err := range s.harmed {
		if th := s.threads[ref.Thread]; th != nil {
			th.harm = err
		}
		if j := s.jobs[ref.Job]; j != nil {
			j.harm = err
		}
	}
}

// blameOpen blames what was going on when events were recorded of which nothing is left. The caller holds mu.
func (s *Session) blameOpen(d *journal.Damage) {
	for id, th := range s.threads {
		for _, m := range th.marks {
			if m.first < d.First && (m.last > d.Last || !th.over(m.number)) {
				s.blame(Ref{Thread: id}, d)
			}
		}
	}
	for id, j := range s.jobs {
		if j.first < d.First && (j.last > d.Last || !j.State.Ended()) {
			s.blame(Ref{Job: id}, d)
		}
	}
}

// named returns the threads and jobs that an altered record names, and whether it tells whose it was at all: what
// names none that is there was all that was recorded of its own. The caller holds mu.
func (s *Session) named(d *journal.Damage) (refs []Ref, sure bool) {
	if len(d.Found) == 0 {
		return nil, false
	}
	r := &decoder{in: string(d.Found)}
	var first Ref
	r.uvarint()
	r.time()
	r.value(reflect.ValueOf(&first).Elem())
	if r.err != nil {
		first = Ref{}
	}
	for id := range s.threads {
		if bytes.Contains(d.Found, []byte(id)) || nearly(first.Thread, id) {
			refs = append(refs, Ref{Thread: id})
		}
	}
	for id := range s.jobs {
		if bytes.Contains(d.Found, []byte(id)) || nearly(first.Job, id) {
			refs = append(refs, Ref{Job: id})
		}
	}
	return refs, len(refs) > 0 || uuid.Validate(first.Thread+first.Job) == nil
}

// nearly reports whether two ids are the same but for one byte.
func nearly(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	other := 0
	for i := range a {
		if a[i] != b[i] {
			other++
		}
	}
	return other <= 1
}

// spares reports whether damage concerns none of the turns that are wanted.
func (s *Session) spares(err error, wanted map[Ref]mark) bool {
	if s.log.isMissed(err) {
		return true
	}
	d, ok := errors.AsType[*journal.Damage](err)
	if !ok {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	refs, sure := s.named(d)
	for of := range wanted {
		for _, ref := range refs {
			sure = sure && ref.Thread != of.Thread
		}
	}
	return sure
}

// Harm returns why nothing is added to the session, with what its storage lost; nil if the load found no damage.
func (s *Session) Harm() error { return s.log.harm() }

// seal makes a session that its storage takes nothing for read only. It returns any other error.
func (s *Session) seal(err error) error {
	d, ok := errors.AsType[*journal.Damage](err)
	if ok {
		s.log.pass(d)
		return nil
	}
	return err
}

// report adds what the load of a session found to the warnings of the status.
func (d *Durable) report(s *Session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := s.Harm(); err != nil {
		d.said[s.ID()] = fmt.Sprintf("%v; conversations that are whole can be read, and nothing is added to the "+
			"session: stop Candor and restore a backup, or take what is whole with candor backup --salvage.", err)
	}
}

// readSnapshot returns the snapshot of a session, and none if it is damaged, since the log itself tells the same.
func readSnapshot(ctx context.Context, from journal.Snapshots, id string) ([]byte, error) {
	data, err := from.Load(ctx, id)
	if errors.Is(err, journal.ErrDamaged) {
		return nil, journal.ErrNoSnapshot
	}
	return data, err
}
