package jobs

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"candor/safety"
	"candor/session"
	"candor/web/problem"
	"candor/web/view"
)

// JobRequest is the body of POST /api/jobs. The log keeps cleaned copies of its texts;
// only the run has the raw prompt, for its worker.
type JobRequest struct {
	Title    string            `json:"title"`
	Prompt   string            `json:"prompt"` // must not be blank
	Metadata json.RawMessage   `json:"metadata"`
	Events   []json.RawMessage `json:"events,omitempty"` // what a worker would post, at most 100
}

// OpenedJob is the answer to POST /api/jobs: the job with its token, and where its events are in the log, in their
// order.
type OpenedJob struct {
	view.JobInfo
	Posted []PostedEvent `json:"posted,omitempty"`
}

// maxTitle bounds short texts, such as a job's title or a tool's name, in bytes.
const maxTitle = 512

// open handles POST /api/jobs. It answers 201 with an [OpenedJob]. No other
// request shows the job's token; a user who loses it has to cancel the job and restart it,
// which gives it a new one. With events the job is opened and they are posted to it, or nothing happens: the
// errors are those of a post, too.
//
// Errors: empty_prompt if the prompt is blank; too_many_jobs; rate_limited.
func (s *Server) open(w http.ResponseWriter, r *http.Request, own *session.Session) error {
	var in JobRequest
	if err := problem.Decode(r, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Prompt) == "" {
		return problem.New(http.StatusBadRequest, "empty_prompt",
			"prompt is missing or blank. Write what the worker should do.")
	}
	release, err := own.Hold(len(in.Prompt))
	if err != nil {
		return err
	}
	c := &workerCall{Server: s, w: w, r: r, own: own}
	drafts, err := c.prepare(in)
	if err != nil {
		release()
		return err
	}
	j, err := own.OpenJob(c.opened(in))
	if err != nil {
		release()
		return err
	}
	s.registry.prune(own.User(), func(id string) bool { _, err := own.Job(id); return err == nil })
	s.registry.open(j.ID, own.User(), j.Run, in.Prompt, release)
	out := OpenedJob{}
	if len(drafts) > 0 {
		c.id, c.run = j.ID, s.registry.current(j.ID)
		if out.Posted, err = c.begin(drafts); err != nil {
			return err
		}
		if j, err = own.Job(j.ID); err != nil {
			return err
		}
	}
	out.JobInfo = s.info(j)
	out.Token = s.tokens.of(j.ID, own.User(), j.Run)
	return problem.WriteJSON(w, r, http.StatusCreated, out)
}

// opened returns the cleaned texts of a request, of which prepare has been called.
func (c *workerCall) opened(in JobRequest) (b session.JobOpened) {
	layer := c.layer()
	var reports [3]safety.Report
	b.Title, reports[0] = layer.Limit(maxTitle).Mask(in.Title)
	b.Prompt, reports[1] = layer.Mask(in.Prompt)
	if len(in.Metadata) > 0 {
		b.Metadata, reports[2] = layer.CleanJSON(in.Metadata)
	}
	b.Findings = session.Merge(reports[0].Findings, reports[1].Findings, reports[2].Findings)
	return b
}

// prepare checks the events that come with a new job, and converts them. The texts of the job are cleaned before and
// after them, since either may use a secret that only the others name.
func (c *workerCall) prepare(in JobRequest) ([]draft, error) {
	c.layer().Mask(in.Prompt)
	c.layer().CleanJSON(in.Metadata)
	if len(in.Events) == 0 {
		return nil, nil
	}
	body, err := json.Marshal(in.Events)
	if err != nil {
		return nil, problem.BadJSON(err)
	}
	drafts, err := c.drafts(body)
	if err != nil {
		return nil, err
	}
	cost := 0
	for _, d := range drafts {
		cost += d.cost
	}
	if cost > maxRunCost {
		return nil, jobFull
	}
	return drafts, nil
}

// begin posts the events of a new job. A job that cannot have them is removed again.
func (c *workerCall) begin(drafts []draft) ([]PostedEvent, error) {
	events, err := c.appendPosts(drafts)
	if err != nil {
		if _, stopped := c.own.ChangeJob(c.id, session.JobCancelled{}); stopped == nil {
			_ = c.own.EraseJob(c.r.Context(), c.id) // what is left of it has no event and is cancelled
		}
		c.registry.revoke(c.id)
		return nil, err
	}
	posted := make([]PostedEvent, len(events))
	for i, e := range events {
		posted[i] = postedEvent(e)
	}
	return posted, nil
}

// tokens makes the tokens of runs, and reads them back. A token says whose job it is and which run, and
// is signed together with the job's id: nothing has to be kept for it, so it holds in each process with the
// same key.
type tokens struct{ key []byte }

// maxToken is the length of the longest token that is read, in bytes.
const maxToken = 4096

// of returns the token of a run: run.base64(user).base64(mac).
func (t tokens) of(job, user string, number int) string {
	mac := base64.RawURLEncoding.EncodeToString(t.mac(job, user, number))
	return strconv.Itoa(number) + "." + base64.RawURLEncoding.EncodeToString([]byte(user)) + "." + mac
}

func (t tokens) mac(job, user string, number int) []byte {
	mac := hmac.New(sha256.New, t.key)
	fmt.Fprintf(mac, "%d:%s%d:%s%d", len(job), job, len(user), user, number)
	return mac.Sum(nil)
}

// read returns whose job a token is for, and which run of it. ok is false for a token that [tokens.of] did not
// make for the job. It takes as long for a job that does not exist as for one that does.
func (t tokens) read(job, token string) (user string, number int, ok bool) {
	parts := strings.Split(token[:min(len(token), maxToken)], ".")
	if len(parts) != 3 {
		return "", 0, false
	}
	name, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", 0, false
	}
	if number, err = strconv.Atoi(parts[0]); err != nil {
		return "", 0, false
	}
	if want := t.of(job, string(name), number); !hmac.Equal([]byte(token), []byte(want)) {
		return "", 0, false
	}
	return string(name), number, true
}
