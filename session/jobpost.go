package session

import "time"

// Post is an event that a worker sends. Posting one with a key that the job's run
// has seen changes nothing. An empty key is never seen.
type Post struct {
	Key  string
	Body Body
}

// job is what a session keeps of one; its session guards it.
type job struct {
	Job
	events []Event
	keys   map[string]Event // of this run
}

func (j *job) add(e Event) {
	j.Job = j.Apply(e)
	j.events = append(j.events, e)
	if _, again := e.Body.(JobRestarted); again || j.keys == nil {
		j.keys = map[string]Event{}
	}
	if e.Key != "" {
		j.keys[e.Key] = e
	}
}

// PostToJob adds what a worker sent, all of it or nothing, and returns each post's
// event: the one it became now or, for a repeated key, then. It fails with ErrNoJob
// or ErrJobEnded; a post behind the one that ends the job is such a failure.
func (s *Session) PostToJob(id string, posts []Post) ([]Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, ok := s.jobs[id]
	if !ok {
		return nil, ErrNoJob
	}
	if err := j.takes(posts); err != nil {
		return nil, err
	}
	return s.addPosts(j, id, posts)
}

// addPosts appends what is new of the posts, and gives the events of all. The
// caller holds mu.
func (s *Session) addPosts(j *job, id string, posts []Post) ([]Event, error) {
	fresh := make([]Post, 0, len(posts))
	for i, again := range j.repeats(posts) {
		if !again {
			fresh = append(fresh, posts[i])
		}
	}
	added, err := s.log.appendAll(Ref{Job: id}, fresh)
	if err != nil {
		return nil, err
	}
	s.used = time.Now()
	events := make([]Event, 0, len(posts))
	for _, e := range added {
		j.add(e)
	}
	for _, p := range posts {
		if e, seen := j.keys[p.Key]; seen && p.Key != "" {
			events = append(events, e)
			continue
		}
		events = append(events, nextUnkeyed(&added))
	}
	return events, nil
}

// nextUnkeyed takes the first event without a key.
func nextUnkeyed(events *[]Event) Event {
	for i, e := range *events {
		if e.Key == "" {
			*events = (*events)[i+1:]
			return e
		}
	}
	return Event{}
}

// takes checks that every new post finds the job open.
func (j *job) takes(posts []Post) error {
	ended := j.State.Ended()
	for i, again := range j.repeats(posts) {
		if again {
			continue
		}
		if ended {
			return ErrJobEnded
		}
		_, ended = posts[i].Body.(JobEnded)
	}
	return nil
}

// repeats says of each post whether adding it would change nothing: its key is one
// of the run's, or of a post before it.
func (j *job) repeats(posts []Post) []bool {
	again, queued := make([]bool, len(posts)), make(map[string]bool, len(posts))
	for i, p := range posts {
		if p.Key == "" {
			continue
		}
		_, seen := j.keys[p.Key]
		again[i], queued[p.Key] = seen || queued[p.Key], true
	}
	return again
}

// Repeats says of each post, by its key alone, whether PostToJob would find that it
// is there: the job's run has its key, or a post before it has. It fails with
// ErrNoJob.
func (s *Session) Repeats(id string, posts []Post) ([]bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	j, ok := s.jobs[id]
	if !ok {
		return nil, ErrNoJob
	}
	return j.repeats(posts), nil
}
