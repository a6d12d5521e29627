package session

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"time"

	"candor/safety"
	"candor/session/journal"
)

// snapshot is the fold of a session's log up to an event, without the turns: of those that had
// ended it has the marks, and those that had not are folded anew. It saves reading the whole
// journal, and is never needed: one that does not fit the journal is ignored.
type snapshot struct {
	Seq         uint64 // the latest event; 0 for no snapshot
	Sum         string // of that event's frame
	At          time.Time
	Gone        uint64
	Active      string
	Approved    []string
	DroppedJobs int
	Threads     []threadState
	Jobs        []jobState
}

// threadState is what a snapshot has of a thread. Its turns that are open are not in it: they are folded
// anew from the event with the number Open on.
type threadState struct {
	ID               string
	Opened, Entered  uint64
	Created, Updated time.Time
	Origin           Origin
	Attached         Attached
	Keys             []string // of the turns up to the first open one, of an attached agent
	Title            safety.Text
	Dropped, Ratings int
	Marks            string // of the ended turns before the first that is open
	Open             uint64 // number of the first event of the first turn that is open; 0 if none is
}

// jobState is what a snapshot has of a job. One that is open is folded anew from its first event on,
// so that the keys of its posts are known.
type jobState struct {
	Job         Job
	First, Last uint64
	Cost        int // of the event that opened it
	Open        bool
}

// openJob reports whether the job with an id was open.
func (k snapshot) openJob(id string) bool {
	return slices.ContainsFunc(k.Jobs, func(j jobState) bool { return j.Open && j.Job.ID == id })
}

// takeSnapshot returns a snapshot of the session as it is. whole is false while the storage may
// still have something that was erased.
func (s *Session) takeSnapshot() (k snapshot, whole bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.unfinished) > 0 {
		return snapshot{}, false
	}
	head, sum := s.log.journal.End()
	k = snapshot{
		Seq: head, Sum: string(sum[:]), At: s.log.lastTime(),
		Gone: s.Gone(), Active: s.active, DroppedJobs: s.droppedJobs,
	}
	for grant := range s.approved {
		k.Approved = append(k.Approved, grant)
	}
	for _, th := range s.threads {
		k.Threads = append(k.Threads, th.state())
	}
	for _, j := range s.jobs {
		k.Jobs = append(k.Jobs, jobState{
			Job: j.Job, First: j.first, Last: j.last, Cost: j.openedCost, Open: !j.State.Ended(),
		})
	}
	return k, true
}

// state returns what a snapshot has of the thread. The ended turns behind the first that is not settled, which
// observed threads can have, are not among its marks, since they are folded anew as well.
func (th *thread) state() threadState {
	closed := th.cold + th.settled() - th.dropped
	t := threadState{
		ID: th.id, Opened: th.opened, Entered: th.entered, Created: th.created, Updated: th.updated, Origin: th.origin,
		Title: th.title, Dropped: th.dropped, Ratings: th.ratings, Marks: packMarks(th.marks[:closed]),
	}
	t.Attached, t.Keys = th.attached, slices.Clone(th.keys[:min(len(th.keys), th.dropped+closed)])
	if closed > 0 {
		t.Title = th.describe().Title
	}
	if closed < len(th.marks) {
		t.Open = th.marks[closed].first
	}
	return t
}

// restore sets a session that has nothing to what a snapshot has.
func (s *Session) restore(k snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active, s.droppedJobs = k.Active, k.DroppedJobs
	for _, grant := range k.Approved {
		s.approved[grant] = true
	}
	for _, t := range k.Threads {
		marks := unpackMarks(t.Marks, t.Dropped)
		s.threads[t.ID] = &thread{
			id: t.ID, opened: t.Opened, entered: t.Entered, created: t.Created, updated: t.Updated, origin: t.Origin,
			title: t.Title, dropped: t.Dropped, ratings: t.Ratings, cold: t.Dropped + len(marks), marks: marks,
			attached: t.Attached, keys: t.Keys,
		}
	}
	for _, j := range k.Jobs {
		if !j.Open {
			s.jobs[j.Job.ID] = &job{Job: j.Job, first: j.First, last: j.Last, openedCost: j.Cost}
		}
	}
	s.log.begin(k)
}

// begin sets a log that has nothing to the position of a snapshot.
func (l *Log) begin(k snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cold, l.last = k.Seq, k.At
	l.head.Store(k.Seq)
	l.gone.Store(k.Gone)
	var sum journal.Sum
	copy(sum[:], k.Sum)
	l.journal.Advance(k.Seq, sum)
}

// lastTime returns the time of the latest event.
func (l *Log) lastTime() time.Time {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.last
}

// packMarks encodes marks, each as its distance from the one before.
func packMarks(marks []mark) string {
	var buf []byte
	before := mark{}
	for _, m := range marks {
		buf = binary.AppendVarint(buf, int64(m.first-before.first))
		buf = binary.AppendUvarint(buf, m.last-m.first)
		buf = binary.AppendVarint(buf, m.created.UnixMicro()-before.micros())
		buf = binary.AppendUvarint(buf, uint64(m.cost))
		before = m
	}
	return string(buf)
}

// micros returns when the turn began, in microseconds, and 0 for the mark before the first.
func (m mark) micros() int64 {
	if m.created.IsZero() {
		return 0
	}
	return m.created.UnixMicro()
}

// unpackMarks reads marks back. The first of them is that of the turn after the dropped ones.
func unpackMarks(packed string, dropped int) (marks []mark) {
	d := &decoder{in: packed}
	before := mark{number: dropped}
	for d.in != "" {
		m := mark{number: before.number + 1, first: before.first + uint64(d.varint())}
		m.last = m.first + d.uvarint()
		m.created = time.UnixMicro(before.micros() + d.varint()).UTC()
		m.cost = int(d.uvarint())
		marks, before = append(marks, m), m
	}
	return marks
}

// snapshotVersion is the first byte of every snapshot. One of another version is ignored.
const snapshotVersion = 1

// record returns the snapshot's bytes, with a checksum.
func (k snapshot) record() []byte {
	data := encode([]byte{snapshotVersion}, reflect.ValueOf(k))
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// decodeSnapshot reads a snapshot back. ok is false if it is none of this version, or damaged.
func decodeSnapshot(data []byte) (k snapshot, ok bool) {
	at := len(data) - sha256.Size
	if at < 1 || data[0] != snapshotVersion {
		return snapshot{}, false
	}
	if sum := sha256.Sum256(data[:at]); !bytes.Equal(sum[:], data[at:]) {
		return snapshot{}, false
	}
	d := &decoder{in: string(data[1:at])}
	d.value(reflect.ValueOf(&k).Elem())
	return k, d.err == nil && d.in == ""
}

// loadSnapshot returns the engine's snapshot of a session, or the empty one if there is none that
// fits the journal.
func loadSnapshot(ctx context.Context, from journal.Snapshots, id string, j *journal.Journal) (snapshot, error) {
	data, err := readSnapshot(ctx, from, id)
	if errors.Is(err, journal.ErrNoSnapshot) {
		return snapshot{}, nil
	}
	if err != nil {
		return snapshot{}, storageError(err)
	}
	k, ok := decodeSnapshot(data)
	if !ok || k.Seq == 0 {
		return snapshot{}, nil
	}
	for b, err := range j.Read(ctx, k.Seq, nil) {
		if err == nil && b.Last == k.Seq && string(b.Sum[:]) == k.Sum {
			return k, nil
		}
		break
	}
	return snapshot{}, nil
}
