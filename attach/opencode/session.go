package opencode

import (
	"maps"
	"slices"
	"time"

	"candor/attach"
	"candor/attach/rows"
)

// maxDepth bounds how deep sub-agents are followed to the session that a person speaks to.
const maxDepth = 16

// maxRows bounds the rows of a session that are remembered while they may change. Further ones are given again, which
// changes nothing.
const maxRows = 10_000

// readSession reads what is new in a session. live says that it is one of those that were changed last, whose rows may
// change without a change of the session itself.
func (l *looking) readSession(s *session, live bool) error {
	p := l.known[s.ID]
	if p != nil && p.updated == s.Time.Updated && !live {
		p.rows = nil // if it ever goes on, its last answer is given twice, which changes nothing
		return nil
	}
	p, err := l.progress(p)
	if err != nil {
		return err
	}
	at := l.place(s)
	if p.updated != s.Time.Updated {
		if err := l.give(about(at, s, "")); err != nil {
			return err
		}
	}
	// What is remembered is that of this look alone, so that a session that fails halfway is read again.
	next := &progress{updated: s.Time.Updated, model: p.model, last: p.last, from: p.from, rows: map[string]int64{},
		course: p.course}
	var failed error
	err = l.each(func(r row) bool {
		failed = l.readMessage(s, at, r, p, next)
		return failed == nil
	}, listMessages, rows.MaxRow, s.ID, p.from)
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return err
	}
	l.known[s.ID] = next
	old := l.Settled > 0 && time.Since(s.Time.Updated.time()) > l.Settled
	if !l.Closed && !old {
		return nil
	}
	return l.over(next, func(openTurn) bool { return true })
}

// over gives the ends of turns that nothing in the database ends, those for which is holds, in their order.
func (l *looking) over(p *progress, is func(openTurn) bool) error {
	for _, turn := range slices.Sorted(maps.Keys(p.unended)) {
		one := p.unended[turn]
		if !is(one) {
			continue
		}
		delete(p.unended, turn)
		one.at.Ended = &attach.Ended{Answer: one.spoken}
		if err := l.give([]attach.Sighting{one.at}); err != nil {
			return err
		}
	}
	return nil
}

// follow notes what a message is to its turn. An answer of another turn ends those that had one.
func (l *looking) follow(t *taking, p *progress) error {
	at := t.place.sighting(t.message)
	at.Group = ""
	one, known := p.unended[at.Turn]
	switch {
	case t.message.final():
		delete(p.unended, at.Turn)
		return nil
	case t.message.Role == "user" && (known || len(t.texts) == 0 || t.place.sub != ""):
		return nil
	case t.message.Role == "user":
		one = openTurn{at: at}
	default:
		one = openTurn{at: at, answered: true}
		if !t.calls {
			one.spoken = t.text()
		}
	}
	if len(p.unended) < maxOpen {
		p.unended[at.Turn] = one
	}
	if !one.answered {
		return nil
	}
	return l.over(p, func(o openTurn) bool { return o.answered && o.at.Turn != at.Turn })
}

// maxOpen bounds the turns of a session whose ends are waited for.
const maxOpen = 1000

// progress returns how far a session was read, from its start if what was read last is no longer there.
func (l *looking) progress(p *progress) (*progress, error) {
	if p != nil && p.last != "" {
		there := false
		err := l.each(func(row) bool { there = true; return false }, oneMessage, rows.MaxRow, p.last)
		if there || err != nil {
			return p, err
		}
		l.tell("no longer has the last answer that was read of a session, which is read again from its start")
		return newProgress(), nil
	}
	if p == nil {
		p = newProgress()
	}
	return p, nil
}

// newProgress returns that of a session of which nothing was read.
func newProgress() *progress {
	return &progress{course: &course{unended: map[string]openTurn{}, commands: map[string]bool{}}}
}

// place returns where the facts of a session belong, but for the turn.
func (l *looking) place(s *session) place {
	at := place{channel: attach.File, root: s.ID}
	if s.ParentID != "" {
		at.sub = s.ID
	}
	// The parents of strangers may stand in a circle. One that is gone still has its id, under which its own channels
	// told of it.
	for depth := 0; s.ParentID != "" && depth < maxDepth; depth++ {
		at.root = s.ParentID
		if s = l.sessions[s.ParentID]; s == nil {
			break
		}
	}
	return at
}

// readMessage reads a message with its parts, and yields what changed since p; next remembers what was seen.
func (l *looking) readMessage(s *session, at place, r row, p, next *progress) error {
	changed := next.remember(r, p)
	m, ok := r.decode()
	if changed {
		l.count(r)
	}
	switch {
	// A copy keeps the time of its original, which is before the fork was made.
	case !ok:
		return l.lose(r, changed, &l.report.Malformed)
	case m.Time.Created > 0 && m.Time.Created < s.Time.Created:
		return l.lose(r, changed, &l.report.Copied)
	}
	if m.Role == "assistant" {
		// Whatever stands before the latest answer no longer changes.
		*next = progress{updated: next.updated, model: next.model, last: m.ID, from: r.created,
			rows: map[string]int64{r.id: r.updated}, course: next.course}
		if next.commands[m.ParentID] {
			l.report.Skip("command of the client")
			return nil
		}
		if err := l.tellModel(s, at, &m, next); err != nil {
			return err
		}
	}
	// A person's message may wait while an answer runs, so that the row tells when it was written.
	var err error
	if at.turn, err = l.turn(s, &m, millis(r.created)); err != nil {
		return err
	}
	return l.parts(&taking{place: at, message: &m, names: &next.names}, changed, p, next)
}

// remember notes the state of a row, and reports whether it is another one than that in p.
func (next *progress) remember(r row, p *progress) (changed bool) {
	was, seen := p.rows[r.id]
	if len(next.rows) < maxRows {
		next.rows[r.id] = r.updated
	}
	return !seen || was != r.updated
}

// lose counts a message with its parts that is not given. Without the message nobody knows who said its parts, nor in
// which turn, so that they are lost with it.
func (l *looking) lose(r row, changed bool, count *int) error {
	if !changed {
		return nil
	}
	if r.data == nil {
		count = &l.report.TooLong
	}
	*count++
	return l.each(func(its row) bool {
		l.count(its)
		*count++
		return true
	}, listParts, rows.MaxRow, r.id)
}

// tellModel says, once, which model answers in a session that a person speaks to.
func (l *looking) tellModel(s *session, at place, m *message, next *progress) error {
	if m.Model == "" || m.Model == next.model || at.sub != "" {
		return nil
	}
	next.model = m.Model
	return l.give(about(at, &session{Time: s.Time}, m.Model))
}

// parts reads the parts of a message and yields those that changed; all of them, if the message itself did: whether a
// text is whole, and whether it is the answer, only the message says.
func (l *looking) parts(t *taking, all bool, p, next *progress) error {
	index, changed, lost := -1, all, 0
	var failed error
	err := l.each(func(r row) bool {
		index++
		isNew := next.remember(r, p)
		t.report = &rows.Report{} // what was counted before
		if isNew {
			l.count(r)
			t.report, changed = &l.report, true
		}
		// Each part is read, since its texts may be those of the answer, and given only if it is news.
		list := l.factsOf(t, r, index)
		lost += t.report.Malformed + t.report.TooLong
		if isNew || all {
			failed = l.give(list)
		}
		return failed == nil
	}, listParts, rows.MaxRow, t.message.ID)
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return err
	}
	if t.byClient && len(t.texts) == 0 && len(next.commands) < maxOpen {
		next.commands[t.message.ID] = true
	}
	if changed {
		// The end of a message depends on all of its parts.
		t.report, t.whole = &l.report, lost == 0
		if err := l.give(t.close()); err != nil {
			return err
		}
	}
	return l.follow(t, next)
}

// factsOf returns the sightings of the row of a part. One that is none is counted.
func (l *looking) factsOf(t *taking, r row, index int) []attach.Sighting {
	if r.data == nil {
		t.report.TooLong++
		return nil
	}
	in, ok := decodePart(r.data)
	if !ok {
		t.report.Malformed++
		if t.message.Role != "assistant" {
			return nil
		}
		s := t.place.sighting(t.message)
		s.Index, s.Said = index, &attach.Said{Lost: true}
		return []attach.Sighting{s}
	}
	return t.facts(&in, index)
}

// turn returns the person's message that a message of a session belongs to; "" if that is not known. at is when the
// message was written.
func (l *looking) turn(s *session, m *message, at millis) (string, error) {
	id, from := m.ID, int64(at)
	if m.Role == "assistant" {
		id = m.ParentID
	}
	for depth := 0; depth < maxDepth; depth++ {
		if s.ParentID == "" {
			return id, nil
		}
		// What began a sub-agent is a call, so it happened while an answer with that call was the latest one above.
		began, err := l.beganAt(id, from)
		if err != nil {
			return "", err
		}
		caller, when, err := l.answerAt(s.ParentID, began)
		if caller == "" || err != nil {
			return "", err
		}
		if s = l.sessions[s.ParentID]; s == nil {
			return "", nil
		}
		id, from = caller, when
	}
	return "", nil
}

// beganAt returns when a person's message was written, or else a time.
func (l *looking) beganAt(id string, otherwise int64) (at int64, err error) {
	at = otherwise
	err = l.each(func(r row) bool { at = r.created; return false }, oneMessage, 0, id)
	return at, err
}

// The program does not note in which turn a sub-agent was asked; it notes when. One session has one answer at a time,
// so that the time tells the answer.

// answerAt returns the person's message that the latest answer of a session belonged to at a time, and when that
// answer began.
func (l *looking) answerAt(id string, at int64) (turn string, when int64, err error) {
	err = l.each(func(r row) bool {
		m, ok := r.decode()
		if ok && m.Role == "assistant" {
			turn, when = m.ParentID, r.created
		}
		return turn == ""
	}, latestMessages, rows.MaxRow, id, at)
	return turn, when, err
}
