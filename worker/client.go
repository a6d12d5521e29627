package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// MaxPost is how many events one Post may contain.
const MaxPost = 100

// Client makes requests about one job. It is safe for concurrent use, starts no
// goroutine and never repeats a request; [Error.Temporary] says when repeating helps.
//
// Every method fails with ErrOver if the token is no longer valid, with an *Error if
// the server refuses the request or does not answer, and with the context's error if
// the context has ended.
//
// Each client sends a random name with its requests. If several clients work on one
// job, the server accepts only the one whose first call of Job was the latest;
// requests of the others, even those still on their way, fail with ErrReplaced.
type Client struct {
	base, job, token, name string
	http                   *http.Client
}

// NewClient returns a client for one job of the server at a URL such as
// http://127.0.0.1:8080. It does not connect yet.
func NewClient(server, jobID, token string) (*Client, error) {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, errors.New("the server must be a URL such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the server's URL must not have a user, query or fragment")
	case jobID == "":
		return nil, errors.New("the job's id is missing")
	case token == "":
		return nil, errors.New("the job's token is missing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the job's token has invalid characters")
	}
	return &Client{
		base: strings.TrimSuffix(u.String(), "/"), job: jobID, token: token, name: rand.Text(),
		http: &http.Client{
			Timeout: 30 * time.Second,
			// A redirect could carry the token to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Job describes a job to its worker.
type Job struct {
	ID     string `json:"job_id"`
	Title  string `json:"title"`
	Prompt string `json:"prompt"` // as the user wrote it, not cleaned
	State  string `json:"state"`
	Run    int    `json:"run"`    // from 1; each restart begins the next run
	Posted int    `json:"posted"` // events of this run in the log
	Calls  int    `json:"calls"`  // highest number of a call in the job, of all runs
}

// Prompt is a further prompt of the job's user.
type Prompt struct {
	Content string `json:"content"` // may be empty if Done
	Done    bool   `json:"done"`    // no prompt comes after this one
	Number  int    `json:"number"`  // from 1 in the job's run
}

// LoggedEvent is an event as the job's log shows it.
type LoggedEvent struct {
	Seq  uint64          `json:"id"`
	Kind string          `json:"event_type"` // an Event's kind after "job_", or job_started
	Data json.RawMessage `json:"data"`
}

// Post sends from 1 to MaxPost events, which are accepted as a whole or not at all, and
// returns their numbers in the log. An event whose id is already in the log is not
// added again and keeps its number.
func (c *Client) Post(ctx context.Context, events ...Event) ([]uint64, error) {
	raws := make([]json.RawMessage, len(events))
	for i, e := range events {
		if e.ID == "" {
			return nil, fmt.Errorf("event %d has no id: make events with Message, ToolUse and the like", i)
		}
		e.JobID = c.job
		raw, err := json.Marshal(e)
		if err != nil {
			// The error's text could repeat the event's.
			return nil, fmt.Errorf("event %d cannot be encoded: %T", i, err)
		}
		raws[i] = raw
	}
	return c.post(ctx, raws)
}

// post sends encoded events.
func (c *Client) post(ctx context.Context, events []json.RawMessage) ([]uint64, error) {
	if len(events) == 0 || len(events) > MaxPost {
		return nil, fmt.Errorf("a post must have 1 to %d events, not %d", MaxPost, len(events))
	}
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return nil, fmt.Errorf("the events cannot be encoded: %T", err)
	}
	var answer struct {
		Seqs []uint64 `json:"seqs"`
	}
	path := "/api/jobs/" + url.PathEscape(c.job) + "/events"
	if _, err := c.do(ctx, http.MethodPost, path, body, &answer); err != nil {
		return nil, err
	}
	if len(answer.Seqs) != len(events) {
		return nil, &Error{Status: http.StatusOK, Err: errForeignAnswer}
	}
	return answer.Seqs, nil
}

// Job returns the job and the position of its log. From this call on the server accepts
// requests of this client and refuses those of every client that called Job before.
func (c *Client) Job(ctx context.Context) (Job, error) {
	var j Job
	_, err := c.do(ctx, http.MethodGet, c.path("/job"), nil, &j)
	if err == nil && j.ID != c.job {
		err = &Error{Status: http.StatusOK, Err: errForeignAnswer}
	}
	return j, err
}

// Prompt returns the prompt that follows the one with the given number; ok is false if
// there is none yet. The server keeps a prompt until some worker asks for the one after
// it, so a prompt whose answer was lost can be asked for again.
func (c *Client) Prompt(ctx context.Context, after int) (p Prompt, ok bool, err error) {
	status, err := c.do(ctx, http.MethodGet, c.path("/prompt?after="+strconv.Itoa(after)), nil, &p)
	return p, err == nil && status != http.StatusNoContent, err
}

// Events returns a page of the events of the job's current run with numbers greater
// than after, oldest first, and whether there are more.
func (c *Client) Events(ctx context.Context, after uint64) (events []LoggedEvent, more bool, err error) {
	var page struct {
		Events []LoggedEvent `json:"events"`
		More   bool          `json:"has_more"`
	}
	_, err = c.do(ctx, http.MethodGet, c.path("/events?after="+strconv.FormatUint(after, 10)), nil, &page)
	return page.Events, page.More, err
}

// fail ends the job as failed without an event, which works even if the log is full.
func (c *Client) fail(ctx context.Context, message string) error {
	body, err := json.Marshal(map[string]any{"success": false, "message": message})
	if err != nil {
		return err
	}
	_, err = c.do(ctx, http.MethodPost, c.path("/complete"), body, &struct{}{})
	return err
}

// path returns the path of one of the routes that only workers use.
func (c *Client) path(route string) string { return "/worker/" + url.PathEscape(c.job) + route }
