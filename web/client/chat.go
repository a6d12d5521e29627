package client

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// LoginCode returns a code that logs one browser in as this client's user, once and within
// ten minutes. The page takes it behind its address, as #code=CODE.
func (c *Client) LoginCode(ctx context.Context) (string, error) {
	var out struct{ Code string }
	if err := c.call(ctx, http.MethodPost, "/api/login/code", struct{}{}, &out); err != nil {
		return "", err
	}
	if !loginCode.MatchString(out.Code) {
		return "", c.unreachable(ctx, errNotCandor)
	}
	return out.Code, nil
}

// loginCode matches what a server may send as a code, which is printed as part of a link.
var loginCode = regexp.MustCompile(`^[A-Za-z0-9_-]{16,256}$`)

// Send sends a message to the agent. With an empty thread it goes to the thread used
// last, or to a new one. Send returns once the server has accepted the message,
// before its turn has run.
func (c *Client) Send(ctx context.Context, thread, content string) (Sent, error) {
	var out Sent
	body := map[string]string{"content": content, "thread_id": thread}
	err := c.call(ctx, http.MethodPost, "/api/chat/send", body, &out)
	return out, err
}

// Interrupt stops the running turn of a thread and drops the messages that wait
// behind it. It returns before they have ended. It fails with code not_running if
// nothing runs.
func (c *Client) Interrupt(ctx context.Context, thread string) error {
	return c.call(ctx, http.MethodPost, "/api/chat/interrupt", map[string]string{"thread_id": thread}, &struct{}{})
}

// Approve answers a pending approval by its request id. action is approve, always or
// deny; always also approves later calls of the same tool. It fails with code
// no_approval if the approval is no longer pending.
func (c *Client) Approve(ctx context.Context, request, action string) error {
	body := map[string]string{"request_id": request, "action": action}
	return c.call(ctx, http.MethodPost, "/api/chat/approval", body, &struct{}{})
}

// ApproveEdited answers a pending approval with approve or always, and with parameters in place of the
// call's, which are one JSON object. It fails as Approve does, with code bad_arguments or
// denied_arguments if they are refused, and with no_edit where they cannot be changed; the approval
// is then still pending. A server that does not know how fails with no_route.
func (c *Client) ApproveEdited(ctx context.Context, request, action string, parameters json.RawMessage) error {
	body := map[string]any{"request_id": request, "action": action, "arguments": parameters}
	return c.call(ctx, http.MethodPost, "/api/chat/approval/edit", body, &struct{}{})
}

// Decide answers a pending approval of a decision with another decision than the agent's. It
// fails with code no_approval if the approval is no longer pending, and with bad_value if the
// call is no decision.
func (c *Client) Decide(ctx context.Context, request, decision string) error {
	body := map[string]string{"request_id": request, "action": "approve", "value": decision}
	return c.call(ctx, http.MethodPost, "/api/chat/approval", body, &struct{}{})
}

// Deny denies a pending approval and says why, in words that the model gets to read. It fails as
// Approve does, and with bad_value if the words are too long.
func (c *Client) Deny(ctx context.Context, request, why string) error {
	body := map[string]string{"request_id": request, "action": "deny", "value": why}
	return c.call(ctx, http.MethodPost, "/api/chat/approval", body, &struct{}{})
}

// Rate says what the user thinks of a decision: good or bad, with a note of why, which may be empty, or
// none, which withdraws the rating before. It fails with code no_call if the turn has no such call.
func (c *Client) Rate(ctx context.Context, thread string, turn int, call, rating, note string) error {
	body := map[string]any{
		"thread_id": thread, "turn_number": turn, "call_id": call, "rating": rating, "note": note,
	}
	return c.call(ctx, http.MethodPost, "/api/chat/feedback", body, &struct{}{})
}

// NewThread opens an empty thread.
func (c *Client) NewThread(ctx context.Context) (Thread, error) {
	var out Thread
	err := c.call(ctx, http.MethodPost, "/api/chat/thread/new", struct{}{}, &out)
	return out, err
}

// DeleteThread deletes a thread and its turns for good. It fails with code turn_open while a turn of
// it runs or waits. Where the storage is not cleared yet, the server goes on with that.
func (c *Client) DeleteThread(ctx context.Context, thread string) error {
	resp, err := c.open(ctx, http.MethodDelete, "/api/chat/threads/"+url.PathEscape(thread), nil, nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Threads returns the user's threads, the one used last first. active is the id of
// the thread that a message without one goes to, empty for none.
func (c *Client) Threads(ctx context.Context) (threads []Thread, active string, err error) {
	for before := ""; ; {
		var out struct {
			Threads []Thread `json:"threads"`
			Active  string   `json:"active_thread"`
			HasMore bool     `json:"has_more"`
		}
		if err := c.call(ctx, http.MethodGet, "/api/chat/threads"+before, nil, &out); err != nil {
			return nil, "", err
		}
		threads, active = append(threads, out.Threads...), out.Active
		if !out.HasMore || len(out.Threads) == 0 {
			return threads, active, nil
		}
		last := out.Threads[len(out.Threads)-1].UpdatedAt
		before = "?before=" + url.QueryEscape(last.Format(time.RFC3339Nano))
	}
}

// MaxPage is the largest number of turns in a page of history.
const MaxPage = 200

// History returns up to limit turns of a thread, at most MaxPage: those just before
// the Oldest of another page, or the last ones for "".
func (c *Client) History(ctx context.Context, thread string, limit int, before string) (Page, error) {
	q := url.Values{"thread_id": {thread}, "limit": {strconv.Itoa(limit)}}
	if before != "" {
		q.Set("before", before)
	}
	var out Page
	err := c.call(ctx, http.MethodGet, "/api/chat/history?"+q.Encode(), nil, &out)
	return out, err
}

// Recent is History for the last turns of a thread, as many as limit says: it joins pages where
// one has no room for them all.
func (c *Client) Recent(ctx context.Context, thread string, limit int) (Page, error) {
	all, err := c.History(ctx, thread, limit, "")
	for err == nil && all.HasMore && len(all.Turns) < limit {
		var older Page
		if older, err = c.History(ctx, all.ThreadID, limit-len(all.Turns), all.Oldest); err != nil {
			break
		}
		if len(older.Turns) == 0 {
			break
		}
		all.Turns, all.HasMore, all.Oldest = append(older.Turns, all.Turns...), older.HasMore, older.Oldest
	}
	return all, err
}

// Turns yields the turns of a thread, the newest first. Pages are fetched as they
// are needed, so a long thread costs only what is read of it. After an error it
// ends.
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

// Turn returns a turn by its number. found is false if the thread has no such turn,
// which is no error.
func (c *Client) Turn(ctx context.Context, thread string, number int) (t Turn, found bool, err error) {
	q := url.Values{"thread_id": {thread}, "turn": {strconv.Itoa(number)}}
	err = c.call(ctx, http.MethodGet, "/api/chat/turn?"+q.Encode(), nil, &t)
	if Is(err, "no_turn") {
		return Turn{}, false, nil
	}
	return t, err == nil, err
}

// Status describes the server and whom the token belongs to.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var out Status
	err := c.call(ctx, http.MethodGet, "/api/gateway/status", nil, &out)
	return out, err
}

// Formats are the formats that a thread can be exported in.
var Formats = []string{"md", "jsonl", "html"}

// Export writes a thread with its reasons to w in one of Formats. When it fails, w
// may hold a part of it.
func (c *Client) Export(ctx context.Context, thread, format string, w io.Writer) error {
	q := url.Values{"thread_id": {thread}, "format": {format}}
	return c.export(ctx, "/api/chat/export?"+q.Encode(), w)
}

// export writes the document at a path to w.
func (c *Client) export(ctx context.Context, path string, w io.Writer) error {
	resp, err := c.open(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(w, resp.Body); err != nil {
		return c.unreachable(ctx, err)
	}
	return nil
}

// Confident has what an agent said about a call beside its reason: how sure it was, and, if the
// call is a decision, what it decides.
type Confident struct {
	Confidence *Confidence `json:"confidence"` // nil if the agent did not say
	Decides    bool        `json:"decides"`    // the call is a decision, and touches nothing
	Decided    string      `json:"decision"`   // cut; empty unless the call is a decision
}

// Confidence is how sure an agent said it was of a call, and the threshold below which a person
// is asked. Both are between 0 and 1. Suppressed says that the operator lets such calls run.
type Confidence struct {
	Stated     float64 `json:"stated"`
	Threshold  float64 `json:"threshold"`
	Suppressed bool    `json:"suppressed"`
}

// Low reports whether the agent was less sure than the threshold asks for.
func (c Confidence) Low() bool { return c.Stated < c.Threshold }

// Workflow says that a turn is the run of a workflow.
type Workflow struct {
	ID       string   `json:"id"`
	ReplayOf *TurnRef `json:"replay_of"` // the turn that it repeats; nil if it repeats none
}

// TurnRef is the address of a turn.
type TurnRef struct {
	ThreadID   string `json:"thread_id"`
	TurnNumber int    `json:"turn_number"`
}
