package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/tmaxmax/go-sse"
)

// Send says something to the agent. An empty thread means the one used last, or a
// new one. It returns before the turn has run.
func (c *Client) Send(ctx context.Context, thread, content string) (Sent, error) {
	var out Sent
	err := c.call(ctx, http.MethodPost, "/api/chat/send", map[string]string{"content": content, "thread_id": thread}, &out)
	return out, err
}

// Interrupt stops the turn that runs in a thread and what waits behind it. It
// returns before they have ended, and fails with code not_running where none runs.
func (c *Client) Interrupt(ctx context.Context, thread string) error {
	return c.call(ctx, http.MethodPost, "/api/chat/interrupt", map[string]string{"thread_id": thread}, &struct{}{})
}

// Approve answers an approval: approve, always or deny.
func (c *Client) Approve(ctx context.Context, request, action string) error {
	body := map[string]string{"request_id": request, "action": action}
	return c.call(ctx, http.MethodPost, "/api/chat/approval", body, &struct{}{})
}

// NewThread opens a conversation.
func (c *Client) NewThread(ctx context.Context) (Thread, error) {
	var out Thread
	err := c.call(ctx, http.MethodPost, "/api/chat/thread/new", struct{}{}, &out)
	return out, err
}

// Threads are the user's conversations, the one used last first. active is the one
// that a message without a thread would go to, empty for none.
func (c *Client) Threads(ctx context.Context) (threads []Thread, active string, err error) {
	var out struct {
		Threads []Thread `json:"threads"`
		Active  string   `json:"active_thread"`
	}
	err = c.call(ctx, http.MethodGet, "/api/chat/threads", nil, &out)
	return out.Threads, out.Active, err
}

// MaxPage is how many turns a page of history may have.
const MaxPage = 200

// History gives up to limit turns, at most MaxPage, that were made before a page's
// Oldest; the last ones for "".
func (c *Client) History(ctx context.Context, thread string, limit int, before string) (Page, error) {
	q := url.Values{"thread_id": {thread}, "limit": {strconv.Itoa(limit)}}
	if before != "" {
		q.Set("before", before)
	}
	var out Page
	err := c.call(ctx, http.MethodGet, "/api/chat/history?"+q.Encode(), nil, &out)
	return out, err
}

// Turns yields a thread's turns, the newest first, page by page as they are asked
// for, so that a thread of any length costs what is read of it. It ends after an
// error.
func (c *Client) Turns(ctx context.Context, thread string) iter.Seq2[Turn, error] {
	return func(yield func(Turn, error) bool) {
		for limit, before := 20, ""; ; limit = MaxPage {
			p, err := c.History(ctx, thread, limit, before)
			if err != nil {
				yield(Turn{}, err)
				return
			}
			for _, t := range slices.Backward(p.Turns) {
				if !yield(t, nil) {
					return
				}
			}
			if !p.HasMore || p.Oldest == "" || p.Oldest == before {
				return
			}
			before = p.Oldest
		}
	}
}

// Turn finds a turn by its number. found is false where the thread has none.
func (c *Client) Turn(ctx context.Context, thread string, number int) (t Turn, found bool, err error) {
	q := url.Values{"thread_id": {thread}, "turn": {strconv.Itoa(number)}}
	err = c.call(ctx, http.MethodGet, "/api/chat/turn?"+q.Encode(), nil, &t)
	if Is(err, "no_turn") {
		return Turn{}, false, nil
	}
	return t, err == nil, err
}

// Status describes the server and who the token speaks for.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var out Status
	err := c.call(ctx, http.MethodGet, "/api/gateway/status", nil, &out)
	return out, err
}

// Formats are what a thread can be exported as.
var Formats = []string{"md", "jsonl", "html"}

// Export writes a thread, reasons included, as one of Formats.
func (c *Client) Export(ctx context.Context, thread, format string, w io.Writer) error {
	q := url.Values{"thread_id": {thread}, "format": {format}}
	resp, err := c.open(ctx, http.MethodGet, "/api/chat/export?"+q.Encode(), nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return c.unreachable(ctx, err)
	}
	return nil
}

// JobPage is a part of a job's log, oldest event first. Events after EventID are not
// in it.
type JobPage struct {
	Events  []Event
	EventID string
}

// JobLog yields a job's log page by page. It ends after an error.
func (c *Client) JobLog(ctx context.Context, job string) iter.Seq2[JobPage, error] {
	return func(yield func(JobPage, error) bool) {
		for after := uint64(0); ; {
			var in struct {
				Events []struct {
					ID   uint64          `json:"id"`
					Data json.RawMessage `json:"data"`
				} `json:"events"`
				HasMore bool   `json:"has_more"`
				EventID string `json:"event_id"`
			}
			path := "/api/jobs/" + url.PathEscape(job) + "/events?after=" + strconv.FormatUint(after, 10)
			if err := c.call(ctx, http.MethodGet, path, nil, &in); err != nil {
				yield(JobPage{}, err)
				return
			}
			page := JobPage{EventID: in.EventID}
			for _, e := range in.Events {
				if e, ok := decodeEvent(sse.Event{Data: string(e.Data)}); ok {
					page.Events = append(page.Events, e)
				}
				after = max(after, e.ID)
			}
			if !yield(page, nil) || !in.HasMore || len(in.Events) == 0 {
				return
			}
		}
	}
}
