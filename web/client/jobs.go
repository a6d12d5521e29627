package client

import (
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
