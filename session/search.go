package session

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"candor/safety"
	"candor/session/journal"
)

// Document is a turn or a job to be searched. Exactly one of Turn and Job is set.
type Document struct {
	At      time.Time // when it began
	Turn    *Turn
	Origin  Origin      // of the turn's thread
	Title   safety.Text // of the turn's thread
	Job     *Job
	Events  []Event // the job's
	Counted bool    // among what the index says that there is
}

// Indexing says how sessions are indexed for searches. With the zero value they are not, and a search reads everything.
type Indexing struct {
	// Open opens the index in a file, "" for one in memory, of a log that ends with the event head.
	Open func(path string, head uint64) (journal.OpenedIndex, error)
	// Path returns the file of a session that is kept in an engine; nil means memory.
	Path func(session string) string
	// Describe returns what is to be found in a document.
	Describe func(Document) journal.IndexDoc
}

const (
	// indexEvery is how many events an index may lack. A search reads what they are about.
	indexEvery = 512
	// indexChunk is how many turns and jobs are recorded in an index at once, while searches wait.
	indexChunk = 16
	// maxCandidates is how many of the best turns and jobs a search reads, and maxLacking how many of the latest that
	// the index lacks.
	maxCandidates = 128
	maxLacking    = 256
)

// indexed is a session's index.
type indexed struct {
	through atomic.Uint64 // the index has what happened up to this event; 0 before it was opened
	running atomic.Bool   // a goroutine records what it lacks

	writing sync.Mutex // held while it is written; comes before the session's mu and before mu

	mu     sync.Mutex
	x      journal.Index // nil if it is not open
	shut   func() error  // closes x
	size   int           // what the session is charged for it
	gone   []Ref         // what was dropped to make room, and has yet to be erased from it
	closed bool
}

// Candidates are what a search has to read: the turns and jobs that the index finds, and those that it lacks.
type Candidates struct {
	Documents iter.Seq2[Document, error] // newest first
	More      bool                       // the index found more than are read
	Behind    bool                       // the index is being made, and lacks more than are read
	Places    int                        // threads and jobs of the session
	Counted   journal.IndexFound         // how much there is in the index
}

// Search returns what may answer one of several queries, of which no Limit is set. Documents that were erased
// meanwhile or are damaged are left out of the sequence; any other error ends it.
func (s *Session) Search(queries ...journal.IndexQuery) (Candidates, error) {
	var c Candidates
	found := map[Ref]bool{}
	through := uint64(0)
	if s.budget.Index.Open != nil {
		x, _ := s.openIndex(false) // without one the latest are searched
		for i, q := range queries {
			if x == nil {
				break
			}
			q.Limit = maxCandidates
			got, err := x.Find(q)
			if err != nil { // it is made anew
				_ = s.dropIndex(err)
				c.Counted, c.More, through = journal.IndexFound{}, false, 0
				clear(found)
				break
			}
			if i == 0 {
				c.Counted, through = got, got.Through
			}
			c.More = c.More || got.More
			for _, r := range got.Refs {
				found[refOf(r)] = true
			}
		}
		s.indexSoon()
	}
	marks, jobs, places := s.lacking(through, found)
	if c.Places = places; s.budget.Index.Open != nil && len(marks)+len(jobs) > maxLacking+len(found) {
		c.Behind = true
		marks, jobs = newest(marks, jobs, found)
	}
	c.Documents = s.newestFirst(marks, jobs, found)
	return c, nil
}

// refOf returns a reference of the index as one of the session. A job has no number.
func refOf(r journal.IndexRef) Ref {
	if r.Number == 0 {
		return Ref{Job: r.Place}
	}
	return Ref{Thread: r.Place, Turn: r.Number}
}

// indexedJob is a job and where its events are in the log.
type indexedJob struct {
	Job
	first, last uint64
}

// lacking returns the turns and jobs that have events after one, or that were found, and counts the places.
func (s *Session) lacking(through uint64, found map[Ref]bool) (marks []turnMark, jobs []indexedJob, places int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for id, th := range s.threads {
		if len(th.marks) > 0 {
			places++
		}
		for _, m := range th.marks {
			if m.last > through {
				marks = append(marks, turnMark{id, m})
			}
		}
	}
	for id, j := range s.jobs {
		if places++; j.last > through || found[Ref{Job: id}] {
			jobs = append(jobs, indexedJob{j.Job, j.first, j.last})
		}
	}
	for r := range found {
		if th := s.threads[r.Thread]; th != nil {
			if m := th.mark(r.Turn); m != nil && m.last <= through {
				marks = append(marks, turnMark{r.Thread, *m})
			}
		}
	}
	return marks, jobs, places
}

// newest returns those that were found, and the latest of the others.
func newest(marks []turnMark, jobs []indexedJob, found map[Ref]bool) ([]turnMark, []indexedJob) {
	slices.SortFunc(marks, func(a, b turnMark) int { return cmp.Compare(b.last, a.last) })
	slices.SortFunc(jobs, func(a, b indexedJob) int { return cmp.Compare(b.last, a.last) })
	n := 0
	marks = slices.DeleteFunc(marks, func(m turnMark) bool {
		n++
		return n > maxLacking && !found[Ref{Thread: m.threadID, Turn: m.number}]
	})
	n = 0
	jobs = slices.DeleteFunc(jobs, func(j indexedJob) bool {
		n++
		return n > maxLacking && !found[Ref{Job: j.ID}]
	})
	return marks, jobs
}

// newestFirst yields turns and jobs in reverse order of when they began, each read when its turn comes.
func (s *Session) newestFirst(marks []turnMark, jobs []indexedJob, counted map[Ref]bool) iter.Seq2[Document, error] {
	slices.SortFunc(marks, func(a, b turnMark) int { return b.created.Compare(a.created) })
	slices.SortFunc(jobs, func(a, b indexedJob) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return func(yield func(Document, error) bool) {
		jobs, goesOn := jobs, true
		yieldJobs := func(after time.Time) {
			for ; goesOn && len(jobs) > 0 && jobs[0].CreatedAt.After(after); jobs = jobs[1:] {
				j := jobs[0]
				if events, err := s.eventsOf(j); err == nil {
					goesOn = yield(Document{At: j.CreatedAt, Job: &j.Job, Events: events,
						Counted: counted[Ref{Job: j.ID}]}, nil)
				}
			}
		}
		s.yieldTurns(marks, func(t Turn, err error) bool {
			if errors.Is(err, ErrDropped) || errors.Is(err, ErrDamaged) {
				return true
			}
			if err != nil {
				yield(Document{}, err)
				goesOn = false
				return false
			}
			yieldJobs(t.CreatedAt)
			d := Document{At: t.CreatedAt, Turn: &t, Counted: counted[Ref{Thread: t.Thread, Turn: t.Number}]}
			if th, err := s.Thread(t.Thread); err == nil {
				d.Origin, d.Title = th.Origin, th.Title
			}
			goesOn = goesOn && yield(d, nil)
			return goesOn
		})
		yieldJobs(time.Time{})
	}
}

// eventsOf returns the events of a job, and does not keep those that are not in memory.
func (s *Session) eventsOf(j indexedJob) ([]Event, error) {
	s.mu.RLock()
	if j := s.jobs[j.ID]; j != nil && !j.cold() {
		defer s.mu.RUnlock()
		return slices.Clone(j.events), nil
	}
	s.mu.RUnlock()
	events, err := s.log.between(j.first, j.last+1)
	return slices.DeleteFunc(events, func(e Event) bool { return e.Job != j.ID }), err
}

// openIndex returns the session's index, and makes it if there is none and make says so.
func (s *Session) openIndex(make bool) (journal.Index, error) {
	i := &s.indexed
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil, ErrEvicted
	}
	if i.x != nil {
		return i.x, nil
	}
	path := s.indexPath()
	if !make {
		if _, err := os.Stat(path); path == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	opened, err := s.budget.Index.Open(path, s.Head())
	if err != nil {
		return nil, err
	}
	i.x, i.shut = opened.Index, opened.Close
	i.through.Store(opened.Through)
	return i.x, nil
}

// indexPath returns the file of the session's index, "" if it is in memory.
func (s *Session) indexPath() string {
	if s.log.journal == nil || s.budget.Index.Path == nil {
		return ""
	}
	return s.budget.Index.Path(s.ID())
}

// dropIndex closes an index that failed, so that the next one who needs it opens it anew, and returns the error.
func (s *Session) dropIndex(failed error) error {
	i := &s.indexed
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.x != nil {
		failed = errors.Join(failed, i.shut())
		i.x = nil
		i.through.Store(0)
		s.budget.give(s, i.size)
		i.size = 0
	}
	return failed
}

// closeIndex closes the index for good.
func (s *Session) closeIndex() {
	i := &s.indexed
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed = true; i.x != nil {
		_ = i.shut() // what it has not kept is recorded again
		i.x = nil
	}
}

// indexSoon begins to record what the index lacks, if that is much.
func (s *Session) indexSoon() {
	i := &s.indexed
	if s.budget.Index.Open == nil || s.Head() < i.through.Load()+indexEvery || !i.running.CompareAndSwap(false, true) {
		return
	}
	s.budget.indexing.Go(func() {
		defer i.running.Store(false)
		for s.indexMore() {
		}
	})
}

// indexMore records some of what the index lacks, and reports whether there may be more. It keeps the index from being
// erased from meanwhile, so that nothing is recorded that has just been erased.
func (s *Session) indexMore() (more bool) {
	i := &s.indexed
	i.writing.Lock()
	defer i.writing.Unlock()
	x, err := s.openIndex(true)
	if err != nil || s.forgetDropped(x) != nil {
		return false
	}
	head := s.Head()
	marks, jobs, _ := s.lacking(i.through.Load(), nil)
	ends := make([]uint64, 0, len(marks)+len(jobs))
	for _, m := range marks {
		ends = append(ends, m.last)
	}
	for _, j := range jobs {
		ends = append(ends, j.last)
	}
	slices.Sort(ends)
	through := head
	if more = len(ends) > indexChunk; more {
		through = ends[indexChunk-1]
	}
	marks = slices.DeleteFunc(marks, func(m turnMark) bool { return m.last > through })
	jobs = slices.DeleteFunc(jobs, func(j indexedJob) bool { return j.last > through })
	var docs []journal.IndexDoc
	for d, err := range s.newestFirst(marks, jobs, nil) {
		if err != nil {
			return false
		}
		docs = append(docs, s.budget.Index.Describe(d))
	}
	slices.Reverse(docs)
	size, err := x.Put(docs, through)
	if err != nil {
		_ = s.dropIndex(err) // a search reads what is missing, and says so if that is too much
		return false
	}
	s.chargeIndex(size)
	i.through.Store(through)
	return more
}

// forgetDropped erases from the index what a session in memory has dropped to make room.
func (s *Session) forgetDropped(x journal.Index) error {
	i := &s.indexed
	i.mu.Lock()
	gone := i.gone
	i.gone = nil
	i.mu.Unlock()
	for _, of := range gone {
		size, err := x.Erase(of.Thread+of.Job, of.Turn)
		if err != nil {
			return s.dropIndex(err)
		}
		s.chargeIndex(size)
	}
	return nil
}

// dropIndexed notes what was dropped to make room.
func (s *Session) dropIndexed(d Dropped) {
	i := &s.indexed
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.x == nil {
		return
	}
	for _, t := range d.Threads {
		i.gone = append(i.gone, Ref{Thread: t.Thread, Turn: t.Turns})
	}
	for _, j := range d.Jobs {
		if j.Whole {
			i.gone = append(i.gone, Ref{Job: j.Job})
		}
	}
}

// chargeIndex charges the session for an index in memory.
func (s *Session) chargeIndex(size int) {
	s.indexed.mu.Lock()
	defer s.indexed.mu.Unlock()
	s.budget.put(s, size-s.indexed.size)
	s.indexed.size = size
}

// eraseIndexed erases a thread, its first turns or a job from the index.
func (s *Session) eraseIndexed(of Ref) error {
	if s.budget.Index.Open == nil {
		return nil
	}
	s.indexed.writing.Lock()
	defer s.indexed.writing.Unlock()
	x, err := s.openIndex(false)
	if err != nil || x == nil {
		return storageError(err)
	}
	size, err := x.Erase(of.Thread+of.Job, of.Turn)
	if err != nil {
		return storageError(s.dropIndex(err))
	}
	s.chargeIndex(size)
	return nil
}
