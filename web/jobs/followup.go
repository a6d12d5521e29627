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

// addFollowUp queues a follow-up once record has put it into the log: a worker
// fetches only what the log has.
func (r *run) addFollowUp(f followUp, record func() error) error {
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
	r.prompted++
	f.Number = r.prompted
	r.followUps = append(r.followUps, f)
	return nil
}

// nextFollowUp removes and returns the oldest follow-up, without its number. The
// caller is within serve.
func (r *run) nextFollowUp() (followUp, bool) {
	if len(r.followUps) == 0 {
		return followUp{}, false
	}
	f := r.takeFirst()
	f.Number = 0
	return f, true
}

// followUpAfter returns the first follow-up whose number is greater than number, and
// leaves it queued. It drops all earlier ones, since the worker has acknowledged them.
// The caller is within serve.
func (r *run) followUpAfter(number int) (followUp, bool) {
	for len(r.followUps) > 0 && r.followUps[0].Number <= number {
		r.takeFirst()
	}
	if len(r.followUps) == 0 {
		return followUp{}, false
	}
	return r.followUps[0], true
}

// takeFirst removes and returns the oldest follow-up. The list is copied, so that it keeps no
// others in memory.
func (r *run) takeFirst() followUp {
	f := r.followUps[0]
	r.followUps = slices.Clone(r.followUps[1:])
	giveBack(f.release)
	return f
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
			"content is missing or blank. Say something, or set done.")
	}
	j, err := own.Job(r.PathValue("id"))
	if err != nil {
		return err
	}
	current := s.registry.current(j.ID)
	if current == nil {
		return session.ErrJobEnded
	}
	if in.release, err = own.Hold(followUpCost + len(in.Content)); err != nil {
		return err
	}
	text, report := s.safety.Remember(own.Seen()).Mask(in.Content)
	err = current.addFollowUp(in, func() error {
		j, err = own.ChangeJob(j.ID, session.JobPrompted{Text: text, Done: in.Done, Findings: report.Findings})
		return err
	})
	if err != nil {
		in.release()
		return err
	}
	return problem.WriteJSON(w, r, http.StatusAccepted, s.info(j))
}
