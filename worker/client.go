package worker

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// MaxPost is how many events one Post may have.
const MaxPost = 100

// maxAnswer bounds what a server can make us read.
const maxAnswer = 64 << 20

// Client speaks to a server about one job. It is safe for concurrent use, does
// nothing on its own and never repeats a request: see [Error.Temporary] for when
// that helps. Every method fails with ErrOver when the token is good for nothing,
// with an *Error when the server refuses or does not answer, and with the context's
// error when it has ended.
//
// A client has a name of its own, made up at random, which goes with each request.
// Of several for one job the server hears the one that called Job first of all most
// recently: what another still has under way then comes too late to be taken, and
// is refused with ErrReplaced.
type Client struct {
	base, job, token, name string
	http                   *http.Client
}

// nameHeader is the header with a client's name.
const nameHeader = "Candor-Worker"

// NewClient returns a client for a job of the server at a URL such as
// http://127.0.0.1:8080. It connects only when it is used.
func NewClient(server, jobID, token string) (*Client, error) {
	u, err := url.Parse(server)
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https"):
		return nil, errors.New("the server has to be a URL such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the server's URL may have no user, query or fragment")
	case jobID == "":
		return nil, errors.New("the job's id is missing")
	case token == "":
		return nil, errors.New("the job's token is missing")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("the job's token has characters that no token has")
	}
	return &Client{
		base: strings.TrimSuffix(u.String(), "/"), job: jobID, token: token, name: rand.Text(),
		http: &http.Client{
			Timeout: 30 * time.Second,
			// A token goes to the server it was meant for and nowhere else.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// renamed is the same client as another worker.
func (c *Client) renamed() *Client {
	other := *c
	other.name = rand.Text()
	return &other
}

// Job is what a server tells a worker of its job. Posted is how many events of
// this run it has.
type Job struct {
	ID     string `json:"job_id"`
	Title  string `json:"title"`
	Prompt string `json:"prompt"` // in the user's own words
	State  string `json:"state"`
	Run    int    `json:"run"`
	Posted int    `json:"posted"`
}

// Prompt is a further prompt. Done says that none comes after it; its content may
// then be empty. Number counts from 1 in the job's run.
type Prompt struct {
	Content string `json:"content"`
	Done    bool   `json:"done"`
	Number  int    `json:"number"`
}

// LoggedEvent is an event as the job's log shows it. Kind is an Event's with job_
// before it, or job_started.
type LoggedEvent struct {
	Seq  uint64          `json:"id"`
	Kind string          `json:"event_type"`
	Data json.RawMessage `json:"data"`
}

// Post sends from 1 to MaxPost events, which are taken together or not at all, and
// returns their numbers in the log. An event that the log has by its id already
// keeps the number it has.
func (c *Client) Post(ctx context.Context, events ...Event) ([]uint64, error) {
	raws := make([]json.RawMessage, len(events))
	for i, e := range events {
		if e.ID == "" {
			return nil, fmt.Errorf("event %d has no id: make events with Message, ToolUse and the like", i)
		}
		e.JobID = c.job
		raw, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("event %d cannot be encoded: %T", i, err) // its words may be the event's
		}
		raws[i] = raw
	}
	return c.post(ctx, raws)
}

// post sends encoded events.
func (c *Client) post(ctx context.Context, events []json.RawMessage) ([]uint64, error) {
	if len(events) == 0 || len(events) > MaxPost {
		return nil, fmt.Errorf("a post has from 1 to %d events, not %d", MaxPost, len(events))
	}
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return nil, fmt.Errorf("the events cannot be encoded: %T", err)
	}
	var out struct {
		Seqs []uint64 `json:"seqs"`
	}
	if _, err := c.ask(ctx, http.MethodPost, "/api/jobs/"+url.PathEscape(c.job)+"/events", body, &out); err != nil {
		return nil, err
	}
	if len(out.Seqs) != len(events) {
		return nil, &Error{Status: http.StatusOK, Err: errNotOurs}
	}
	return out.Seqs, nil
}

// Job asks what the job is and where its log stands. From then on the server hears
// this client, and none that called Job before it.
func (c *Client) Job(ctx context.Context) (Job, error) {
	var j Job
	_, err := c.ask(ctx, http.MethodGet, c.path("/job"), nil, &j)
	if err == nil && j.ID != c.job {
		err = &Error{Status: http.StatusOK, Err: errNotOurs}
	}
	return j, err
}

// Prompt fetches the further prompt behind the one with a number; ok is false when
// none waits. The server keeps a prompt until it is asked for the one behind it, by
// whichever worker.
func (c *Client) Prompt(ctx context.Context, after int) (p Prompt, ok bool, err error) {
	status, err := c.ask(ctx, http.MethodGet, c.path("/prompt?after="+strconv.Itoa(after)), nil, &p)
	return p, err == nil && status != http.StatusNoContent, err
}

// Events are the events of the job's current run, after the one with a number, and
// whether there are more than these.
func (c *Client) Events(ctx context.Context, after uint64) (events []LoggedEvent, more bool, err error) {
	var page struct {
		Events []LoggedEvent `json:"events"`
		More   bool          `json:"has_more"`
	}
	_, err = c.ask(ctx, http.MethodGet, c.path("/events?after="+strconv.FormatUint(after, 10)), nil, &page)
	return page.Events, page.More, err
}

// giveUp ends the job as failed by the way that a full job still has.
func (c *Client) giveUp(ctx context.Context, why string) error {
	body, err := json.Marshal(map[string]any{"success": false, "message": why})
	if err != nil {
		return err
	}
	_, err = c.ask(ctx, http.MethodPost, c.path("/complete"), body, &struct{}{})
	return err
}

func (c *Client) path(rest string) string { return "/worker/" + url.PathEscape(c.job) + rest }

var errNotOurs = errors.New("the answer is not one of a Candor server")

// ask sends one request and decodes its answer, unless that has no content.
func (c *Client) ask(ctx context.Context, method, path string, body []byte, out any) (status int, err error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return 0, &Error{Err: errors.New("the request cannot be made")}
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set(nameHeader, c.name)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, unanswered(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return resp.StatusCode, refused(resp)
	}
	if resp.StatusCode == http.StatusNoContent {
		return resp.StatusCode, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, unanswered(ctx, err)
	}
	if json.Unmarshal(raw, out) != nil { // the error's words may be the answer's
		return resp.StatusCode, &Error{Status: http.StatusOK, Err: errNotOurs}
	}
	return resp.StatusCode, nil
}

func unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the URL, which names the job
	}
	return &Error{Err: err}
}

// wordOfCode is what we repeat of a server's answer.
var wordOfCode = regexp.MustCompile(`^[a-z][a-z_]{0,31}$`)

func refused(resp *http.Response) error {
	e := &Error{Status: resp.StatusCode}
	var problem struct {
		Code string `json:"error"`
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err == nil && json.Unmarshal(raw, &problem) == nil && wordOfCode.MatchString(problem.Code) {
		e.Code = problem.Code
	}
	switch {
	case e.Status == http.StatusUnauthorized && e.Code == "replaced":
		return ErrReplaced
	case e.Status == http.StatusUnauthorized:
		return ErrOver
	}
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s > 0 {
		e.RetryAfter = time.Duration(min(s, 3600)) * time.Second
	} else if at, err := http.ParseTime(resp.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = min(max(0, time.Until(at)), time.Hour)
	}
	return e
}
