package client

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/tmaxmax/go-sse"
)

// Job is a task for a worker and what became of it.
type Job struct {
	ID        string     `json:"job_id"`
	Title     string     `json:"title"`
	State     string     `json:"state"` // pending, running, completed, failed or cancelled
	Run       int        `json:"run"`   // from 1; a restart begins the next
	Error     string     `json:"error"` // why the run failed, whatever was posted afterwards
	WorkerAt  *time.Time `json:"worker_seen_at"`
	CreatedAt time.Time  `json:"created_at"`
	EndedAt   *time.Time `json:"ended_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// Waits reports whether no worker has asked for the job in its current run.
func (j Job) Waits() bool { return j.State == "pending" && j.WorkerAt == nil }

// Job returns a job of the user's. It fails with code no_job if there is none.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	var out Job
	err := c.call(ctx, http.MethodGet, "/api/jobs/"+url.PathEscape(id), nil, &out)
	return out, err
}

// Jobs returns the user's jobs, the newest first.
func (c *Client) Jobs(ctx context.Context) (jobs []Job, err error) {
	for before := ""; ; {
		var out struct {
			Jobs    []Job `json:"jobs"`
			HasMore bool  `json:"has_more"`
		}
		if err := c.call(ctx, http.MethodGet, "/api/jobs"+before, nil, &out); err != nil {
			return nil, err
		}
		jobs = append(jobs, out.Jobs...)
		if !out.HasMore || len(out.Jobs) == 0 {
			return jobs, nil
		}
		last := out.Jobs[len(out.Jobs)-1].CreatedAt
		before = "?before=" + url.QueryEscape(last.Format(time.RFC3339Nano))
	}
}

// ExportJob writes the turns of a job with their reasons to w in one of Formats. When it fails, w may hold a part of
// them.
func (c *Client) ExportJob(ctx context.Context, id, format string, w io.Writer) error {
	return c.export(ctx, "/api/jobs/"+url.PathEscape(id)+"/export?"+url.Values{"format": {format}}.Encode(), w)
}

// Base returns the address of the server, as a program on this machine may be told it.
func (c *Client) Base() string { return c.base }

// JobPage is a part of the log of a job, the oldest event first. EventID is the
// cursor to continue with: an event after it is not in the page.
type JobPage struct {
	Events  []Event
	EventID string
}

// JobLog yields the log of a job page by page. After an error it ends.
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

// JobTurns returns what the workers of a job did about its prompts, as turns, the oldest
// first. It fails with code no_job if there is none.
func (c *Client) JobTurns(ctx context.Context, id string) (turns []Turn, err error) {
	for before := ""; ; {
		var page struct {
			Turns   []Turn `json:"turns"`
			HasMore bool   `json:"has_more"`
			Before  string `json:"before"`
		}
		if err := c.call(ctx, http.MethodGet, "/api/jobs/"+url.PathEscape(id)+before, nil, &page); err != nil {
			return nil, err
		}
		turns = joinTurns(page.Turns, turns)
		if !page.HasMore || page.Before == "" || len(page.Turns) == 0 {
			return turns, nil
		}
		before = "?before=" + url.QueryEscape(page.Before)
	}
}

// joinTurns returns the turns of two pages that follow one another. A turn that was cut between
// them is put together again.
func joinTurns(older, newer []Turn) []Turn {
	n := len(older)
	if n == 0 || len(newer) == 0 || older[n-1].Number != newer[0].Number {
		return append(older, newer...)
	}
	var whole Turn
	if raw := joinParts(older[n-1].Raw, newer[0].Raw); json.Unmarshal(raw, &whole) != nil {
		whole = newer[0]
	}
	return append(append(older[:n-1], whole), newer[1:]...)
}

// members are the members of a JSON object.
type members map[string]json.RawMessage

// joinParts returns the later part of a turn with the calls of the earlier one before its own. It
// joins members, not Turn values, since Turn.Raw is to have those that Turn does not know, too.
func joinParts(earlier, later json.RawMessage) json.RawMessage {
	a, b := object(earlier), object(later)
	b["tool_calls"] = concat(a["tool_calls"], b["tool_calls"])
	before, reasons := object(a["reasoning"]), object(b["reasoning"])
	for _, list := range []string{"tool_decisions", "narratives"} {
		if joined := concat(before[list], reasons[list]); len(joined) > 0 {
			reasons[list] = joined
		}
	}
	for name, value := range before {
		if _, ok := reasons[name]; !ok {
			reasons[name] = value
		}
	}
	if raw, err := json.Marshal(reasons); err == nil && len(reasons) > 0 {
		b["reasoning"] = raw
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return later
	}
	return raw
}

// object returns the members of an object, none for any other value.
func object(raw json.RawMessage) members {
	var m members
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return members{}
	}
	return m
}

// concat joins two arrays. What a step said before its calls is in both parts if the step was
// cut; it is taken once.
func concat(a, b json.RawMessage) json.RawMessage {
	var x, y []json.RawMessage
	if json.Unmarshal(a, &x) != nil || len(x) == 0 {
		return b
	}
	if json.Unmarshal(b, &y) != nil || len(y) == 0 {
		return a
	}
	if bytes.Equal(x[len(x)-1], y[0]) {
		y = y[1:]
	}
	raw, err := json.Marshal(append(x, y...))
	if err != nil {
		return b
	}
	return raw
}
