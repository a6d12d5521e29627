package jobs

import (
	"net/http"
	"slices"
	"strings"

	"candor/session"
	"candor/web/problem"
)

// followUp is a further prompt. Done says that none comes after it.
type followUp struct {
	Content string `json:"content"`
	Done    bool   `json:"done"`
	Number  int    `json:"number,omitempty"` // from 1 in the run; sent only to workers that acknowledge

	release func() // gives back what the session is charged for it
}

// promptLog finds the follow-ups of a run in its job's log. The zero value has read nothing.
type promptLog struct {
	upTo uint64   // number of the last event that was read
	seqs []uint64 // of the current run's prompts; the prompt with number n is the n-th
}

// read takes in what the log has since.
func (l *promptLog) read(own *session.Session, job string) {
	for more := true; more; {
		var events []session.Event
		events, more, _ = own.JobEvents(job, l.upTo, maxPage) // a job that is gone has none
		for _, e := range events {
			switch e.Body.(type) {
			case session.JobRestarted:
				l.seqs = nil
			case session.JobPrompted:
				l.seqs = append(l.seqs, e.Seq)
			}
			l.upTo = e.Seq
		}
	}
}

// get returns the follow-up with this number, as the log has it.
func (l *promptLog) get(own *session.Session, job string, number int) (f followUp, ok bool) {
	if number > len(l.seqs) {
		return f, false
	}
	events, _, err := own.JobEvents(job, l.seqs[number-1]-1, 1)
	if err != nil || len(events) == 0 {
		return f, false
	}
	b, ok := events[0].Body.(session.JobPrompted)
	return followUp{Content: b.Text.String(), Done: b.Done, Number: number}, ok
}

// addFollowUp queues a follow-up once record has put it into the job's log: a worker
// fetches only what the log has.
func (r *run) addFollowUp(own *session.Session, job string, f followUp, record func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ended || r.revoked:
		return session.ErrJobEnded
	case len(r.followUps) >= maxFollowUps:
		return jobBusy
	}
	if err := record(); err != nil {
		return err
	}
	r.prompts.read(own, job)
	f.Number = len(r.prompts.seqs)
	r.followUps = append(r.followUps, f)
	return nil
}

// nextFollowUp returns the oldest follow-up that nobody has fetched, without its number. One that another
// process may have sent already is not sent again. The caller is within serve.
func (r *run) nextFollowUp(own *session.Session, job string) (f followUp, ok bool) {
	f, ok = r.followUpAfter(own, job, max(r.fetched, r.before))
	if ok {
		r.fetched = f.Number
		r.dropFetched()
	}
	f.Number = 0
	return f, ok
}

// followUpAfter returns the first follow-up whose number is greater than number, in the user's own
// words if this process has them, and leaves it to be sent again. It drops all earlier ones, since the
// worker has acknowledged them. The caller is within serve.
func (r *run) followUpAfter(own *session.Session, job string, number int) (followUp, bool) {
	r.fetched = max(r.fetched, number)
	r.dropFetched()
	if len(r.followUps) > 0 && r.followUps[0].Number == r.fetched+1 {
		return r.followUps[0], true
	}
	r.prompts.read(own, job)
	return r.prompts.get(own, job, r.fetched+1)
}

// dropFetched drops the follow-ups that a worker has.
func (r *run) dropFetched() {
	for len(r.followUps) > 0 && r.followUps[0].Number <= r.fetched {
		r.takeFirst()
	}
}

// takeFirst removes the oldest follow-up. The list is copied, so that it keeps no others in memory.
func (r *run) takeFirst() {
	f := r.followUps[0]
	r.followUps = slices.Clone(r.followUps[1:])
	giveBack(f.release)
}

// giveBack calls release, which is nil for what was not charged.
func giveBack(release func()) {
	if release != nil {
		release()
	}
}

// prompt handles POST /api/jobs/:id/prompt {content, done}: a further prompt for the
// worker. It answers 202 with a [view.JobInfo] once the prompt is in the log. done says
// that no prompt comes after it, and then content may be blank.
//
// Errors: empty_content, no_job, job_ended; job_busy if maxFollowUps prompts wait.
func (s *Server) prompt(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	var in followUp
	if err := problem.Decode(r, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Content) == "" && !in.Done {
		return problem.New(http.StatusBadRequest, "empty_content",
			"content is missing or blank. Set content or done.")
	}
	j, err := own.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	current := s.runFor(own, j)
	if in.release, err = own.Hold(followUpCost + len(in.Content)); err != nil {
		return err
	}
	text, report := s.safety.Remember(own.Seen()).Mask(in.Content)
	err = current.addFollowUp(own, j.ID, in, func() error {
		j, err = own.ChangeJob(j.ID, session.JobPrompted{Text: text, Done: in.Done, Findings: report.Findings})
		return err
	})
	if err != nil {
		in.release()
		return err
	}
	return problem.WriteJSON(w, r, http.StatusAccepted, s.info(j))
}
