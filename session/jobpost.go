package session

import "time"

// Post is an event that a worker sends. Key makes the post idempotent: a second post
// with the same key in the same run changes nothing. Posts with an empty key are
// always added. Ignored counts the members of the post that nobody knew.
type Post struct {
	Key     string
	Ignored int
	Body    Body
}

// job is a job with its events. Its session's lock guards it.
type job struct {
	Job
	first, last uint64           // numbers of its first and latest event
	openedCost  int              // what the event that opened it is charged; 0 once that was dropped
	events      []Event          // none of an ended job that is not in memory
	harm        error            // why nothing of it is read: events of it are missing
	keys        map[string]Event // the current run's events by key
}

// add folds an event of the log into the job. A restart forgets the keys, as each run
// numbers its posts anew.
func (j *job) add(e Event) {
	j.Job = j.Apply(e)
	j.events = append(j.events, e)
	if j.first == 0 {
		j.first = e.Seq
	}
	j.last = e.Seq
	if b, opens := e.Body.(JobOpened); opens {
		j.openedCost = costOf(b)
	}
	if _, restart := e.Body.(JobRestarted); restart || j.keys == nil {
		j.keys = map[string]Event{}
	}
	if e.Key != "" {
		j.keys[e.Key] = e
	}
}

// PostToJob adds a batch of a worker's posts, either all or none, and returns one
// event for each post: the new one or, if the key is already in the log, the one it
// has there. It fails with ErrNoJob, or with ErrJobEnded if a new post comes after the
// job's end, be that end in the log or in the same batch. It also fails with ErrFull or
// ErrServerFull; a short end always has room.
func (s *Session) PostToJob(id string, posts []Post) (events []Event, err error) {
	known, err := s.Repeats(id, posts)
	if err != nil {
		return nil, err
	}
	var fresh []Post
	for i, p := range posts {
		if !known[i] {
			fresh = append(fresh, p)
		}
	}
	err = s.charged(max(costOfPosts(fresh), 0), func() (int, error) {
		j, err := s.warmJob(id)
		if err != nil {
			return 0, err
		}
		if err := j.checkOpen(posts); err != nil {
			return 0, err
		}
		var added []Post
		events, added, err = s.addPosts(j, id, posts)
		return costOfPosts(added), err
	})
	return events, err
}

// costOfPosts returns what posts of a worker are charged. The end of the job was charged
// before.
func costOfPosts(posts []Post) (n int) {
	for _, p := range posts {
		n += costOf(p.Body)
		if _, ends := p.Body.(JobEnded); ends {
			n -= jobPromise
		}
	}
	return n
}

// addPosts appends the posts that are new, and returns the events of all of them and which
// are new. The caller holds mu.
func (s *Session) addPosts(j *job, id string, posts []Post) (events []Event, fresh []Post, err error) {
	var facts []Event
	for i, repeated := range j.repeats(posts) {
		if p := posts[i]; !repeated {
			fresh = append(fresh, p)
			facts = append(facts, Event{Ref: Ref{Job: id}, Key: p.Key, Ignored: p.Ignored, Body: p.Body})
		}
	}
	added, err := s.log.appendAll(facts)
	if err != nil {
		return nil, nil, err
	}
	s.used = time.Now()
	for _, e := range added {
		j.add(e)
		s.tell(Update{Event: e})
	}
	events = make([]Event, 0, len(posts))
	for _, p := range posts {
		if e, keyed := j.keys[p.Key]; keyed && p.Key != "" {
			events = append(events, e)
			continue
		}
		events = append(events, nextUnkeyed(&added))
	}
	return events, fresh, nil
}

// nextUnkeyed removes events up to and including the first one without a key, and
// returns that one.
func nextUnkeyed(events *[]Event) Event {
	for i, e := range *events {
		if e.Key == "" {
			*events = (*events)[i+1:]
			return e
		}
	}
	return Event{}
}

// checkOpen returns ErrJobEnded if a new post comes after the job's end.
func (j *job) checkOpen(posts []Post) error {
	ended := j.State.Ended()
	for i, repeated := range j.repeats(posts) {
		if repeated {
			continue
		}
		if ended {
			return ErrJobEnded
		}
		_, ended = posts[i].Body.(JobEnded)
	}
	return nil
}

// repeats reports for each post whether its key is already in the run's log or on an
// earlier post of the batch.
func (j *job) repeats(posts []Post) []bool {
	repeated, batch := make([]bool, len(posts)), make(map[string]bool, len(posts))
	for i, p := range posts {
		if p.Key == "" {
			continue
		}
		_, logged := j.keys[p.Key]
		repeated[i], batch[p.Key] = logged || batch[p.Key], true
	}
	return repeated
}

// Repeats reports for each post whether PostToJob would ignore it as a repetition, which
// its key alone decides. It fails as PostToJob would: with ErrNoJob, or with ErrJobEnded.
func (s *Session) Repeats(id string, posts []Post) ([]bool, error) {
	if err := s.warm(id); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	j, err := s.warmJob(id)
	if err != nil {
		return nil, err
	}
	return j.repeats(posts), j.checkOpen(posts)
}
