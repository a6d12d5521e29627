package session

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"candor/safety"
)

// MaxOpenJobs is how many jobs of a session may be open at once.
const MaxOpenJobs = 100

// JobState is the stage a job has reached.
type JobState string

// The states of a job. JobCompleted, JobFailed and JobStopped are final until the job
// is restarted.
const (
	JobPending   JobState = "pending"   // no worker has posted yet in this run
	JobRunning   JobState = "running"   // a worker has posted
	JobCompleted JobState = "completed" // the worker reported success
	JobFailed    JobState = "failed"    // the worker reported a failure
	JobStopped   JobState = "cancelled" // the user cancelled the job
)

// Ended reports whether the state is final.
func (s JobState) Ended() bool { return s == JobCompleted || s == JobFailed || s == JobStopped }

// Job is work done by a worker in another process: the fold of the job's events. A
// Job is a snapshot.
type Job struct {
	Session, ID string
	Title       safety.Text
	Prompt      safety.Text
	Metadata    safety.JSON
	State       JobState
	Message     safety.Text // of the latest report or the result
	Failure     safety.Text // why this run failed, whatever was reported afterwards; empty if it did not
	Run         int         // from 1; each restart begins the next run
	Posted      int         // events that workers posted in this run
	Events      int         // events of all runs, including ours
	Calls       int         // highest number of a call, in all runs
	Dropped     int         // the first runs, which were dropped from memory
	Ignored     int         // members of posts that nobody knew, in all runs
	CreatedAt   time.Time
	UpdatedAt   time.Time // time of the job's latest event
	EndedAt     time.Time // zero while the job is open
	Findings    []safety.Finding
}

// Apply returns the job that results from folding e into j. Every Job is built by
// Apply alone, event by event in log order.
func (j Job) Apply(e Event) Job {
	j.UpdatedAt = e.At
	j.Events++
	j.Ignored += e.Ignored
	j.Calls = max(j.Calls, highestCall(e.Body))
	switch b := e.Body.(type) {
	case JobOpened:
		j.Session, j.ID, j.CreatedAt, j.Run = e.Session, e.Job, e.At, 1
		j.Title, j.Prompt, j.Metadata, j.State = b.Title, b.Prompt, b.Metadata, JobPending
	case JobRestarted:
		j.State, j.Run, j.Posted, j.EndedAt, j.Failure = JobPending, j.Run+1, 0, time.Time{}, safety.Text{}
	case JobCancelled:
		j.State, j.EndedAt = JobStopped, e.At
	case JobPrompted:
	case JobEnded:
		j.Posted++
		j.State, j.Message, j.EndedAt = JobCompleted, b.Message, e.At
		if !b.Success {
			j.State = JobFailed
		}
		j.Failure = failureAfter(j.Failure, b)
	case JobReported:
		j.Posted++
		j.State, j.Message, j.Failure = JobRunning, b.Message, failureAfter(j.Failure, b)
	default:
		j.Posted++
		j.State = JobRunning
	}
	j.Findings = Merge(j.Findings, jobFindings(e.Body))
	return j
}

// failureAfter returns the message of a run's failure after an event: that of its result
// or, if the result has none, of the latest report with the state failed or error. A
// result that reports success clears it.
func failureAfter(failure safety.Text, b Body) safety.Text {
	switch b := b.(type) {
	case JobReported:
		if s := b.State.String(); (s == "failed" || s == "error") && !b.Message.Empty() {
			return b.Message
		}
	case JobEnded:
		switch {
		case b.Success:
			return safety.Text{}
		case !b.Message.Empty():
			return b.Message
		}
	}
	return failure
}

// highestCall returns the highest number in the ids of the calls that a job's event is
// about, 0 if there are none.
func highestCall(b Body) int {
	number := func(id string) int {
		n, _ := strconv.Atoi(strings.TrimPrefix(id, "call_"))
		return n
	}
	switch b := b.(type) {
	case JobToolUse:
		return number(b.Call)
	case JobToolResult:
		return number(b.Call)
	case JobReasoned:
		highest := 0
		for _, d := range b.Decisions {
			highest = max(highest, number(d.Call))
		}
		return highest
	}
	return 0
}

// jobFindings returns what safety found in a job's event.
func jobFindings(b Body) []safety.Finding {
	switch b := b.(type) {
	case JobOpened:
		return b.Findings
	case JobPrompted:
		return b.Findings
	case JobMessage:
		return b.Findings
	case JobToolUse:
		return b.Findings
	case JobToolResult:
		return b.Findings
	case JobReasoned:
		return b.Findings
	case JobReported:
		return b.Findings
	case JobEnded:
		return b.Findings
	}
	return nil
}

// OpenJob creates a job and returns it. It fails with ErrTooManyJobs if MaxOpenJobs
// jobs are open; ended jobs do not count. It also fails with ErrFull or ErrServerFull.
func (s *Session) OpenJob(b JobOpened) (opened Job, err error) {
	n := costOf(b) + jobPromise
	err = s.charged(n, func() (int, error) {
		open := 0
		for _, j := range s.jobs {
			if !j.State.Ended() {
				open++
			}
		}
		if open >= MaxOpenJobs {
			return 0, fmt.Errorf("%w: %d", ErrTooManyJobs, open)
		}
		id := s.nextID("job")
		j := &job{}
		s.jobs[id] = j
		if _, _, err := s.addPosts(j, id, []Post{{Body: b}}); err != nil {
			delete(s.jobs, id)
			return 0, err
		}
		opened = j.Job
		return n, nil
	})
	return opened, err
}

// ChangeJob records a user's action on a job and returns the changed job. JobPrompted
// and JobCancelled need an open job, JobRestarted an ended one. It fails with
// ErrNoJob, ErrJobEnded or ErrJobOpen, and with ErrFull or ErrServerFull; a job can always be
// cancelled.
func (s *Session) ChangeJob(id string, b Body) (changed Job, err error) {
	_, restart := b.(JobRestarted)
	if restart {
		j, err := s.Job(id)
		if err != nil {
			return Job{}, err
		}
		b = JobRestarted{Opened: JobOpened{Title: j.Title, Prompt: j.Prompt, Metadata: j.Metadata}}
	}
	if err := s.warm(id); err != nil {
		return Job{}, err
	}
	n := changeCost(b)
	err = s.charged(max(n, 0), func() (int, error) {
		j, err := s.warmJob(id)
		switch {
		case err != nil:
			return 0, err
		case restart && !j.State.Ended():
			return 0, ErrJobOpen
		case !restart && j.State.Ended():
			return 0, ErrJobEnded
		}
		if r, ok := b.(JobRestarted); ok {
			r.Run = j.Run + 1
			b = r
		}
		_, _, err = s.addPosts(j, id, []Post{{Body: b}})
		changed = j.Job
		return n, err
	})
	return changed, err
}

// changeCost returns what a user's action on a job is charged: the end of a run is charged when
// it begins.
func changeCost(b Body) int {
	switch b.(type) {
	case JobRestarted:
		return costOf(b) + jobPromise
	case JobCancelled:
		return costOf(b) - jobPromise
	}
	return costOf(b)
}

// Job returns a snapshot of one job. It fails with ErrNoJob.
func (s *Session) Job(id string) (Job, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if j, ok := s.jobs[id]; ok {
		return j.Job, nil
	}
	return Job{}, ErrNoJob
}

// DroppedJobs returns how many ended jobs were dropped from memory as a whole.
func (s *Session) DroppedJobs() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.droppedJobs
}

// Jobs returns snapshots of all jobs, newest first.
func (s *Session) Jobs() []Job {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make([]Job, 0, len(s.jobs))
	for _, j := range s.jobs {
		all = append(all, j.Job)
	}
	slices.SortFunc(all, func(a, b Job) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// JobEvents returns up to limit events of a job with numbers greater than after,
// oldest first, and whether there are more. It has none of the runs that were dropped. It fails
// with ErrNoJob.
func (s *Session) JobEvents(id string, after uint64, limit int) (events []Event, more bool, err error) {
	if err := s.warm(id); err != nil {
		return nil, false, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	j, err := s.warmJob(id)
	if err != nil {
		return nil, false, err
	}
	from, _ := slices.BinarySearchFunc(j.events, after+1, func(e Event, seq uint64) int {
		return cmp.Compare(e.Seq, seq)
	})
	end := min(len(j.events), from+limit)
	return j.events[from:end:end], end < len(j.events), nil
}
