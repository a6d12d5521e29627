package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxResync is how often the log is read again while new prompts keep arriving.
const maxResync = 50

// resumePoint is the state of a run when a worker takes it up.
type resumePoint struct {
	job     Job
	history history
	due     []Prompt // prompts without an answer, oldest first
	open    bool     // more prompts may come
}

// resume reads from the server everything that is needed to continue a run, or to begin
// one.
func (r *Runtime) resume(ctx context.Context) (at resumePoint, err error) {
	if at.job, err = retry(ctx, r, r.Client.Job); err != nil {
		return at, err
	}
	events, err := r.readLog(ctx)
	if err != nil {
		return at, err
	}
	all := []Prompt{{Content: at.job.Prompt}}
	if r.FollowUps {
		var fetched []Prompt
		if events, fetched, err = r.syncPrompts(ctx, events); err != nil {
			return at, err
		}
		all = append(all, loggedPrompts(events)...)
		// The fetched prompts are the last ones of the log, in the user's own words.
		all = append(all[:max(1, len(all)-len(fetched))], fetched...)
	}
	for _, p := range all {
		at.history.prompts = append(at.history.prompts, p.Content)
	}
	// Calls are numbered through all runs of the job. The server keeps an id of this form,
	// call_N, unless N is taken, so the log has the ids under which calls were posted.
	at.history.calls = at.job.Calls
	for _, e := range events {
		at.history.add(e)
	}
	at.due, at.open = all[min(at.history.turns, len(all)):], r.FollowUps && !all[len(all)-1].Done
	return at, nil
}

// syncPrompts fetches prompts and reads the log until no prompt arrives in between. The
// fetched prompts are then the last ones in the log. Earlier ones went to a worker
// before this one, and the server no longer has them in the user's own words.
func (r *Runtime) syncPrompts(ctx context.Context, events []Event) (log []Event, fetched []Prompt, err error) {
	for range maxResync {
		more, err := r.fetchWaiting(ctx)
		if err != nil {
			return nil, nil, err
		}
		fetched = append(fetched, more...)
		now, err := r.readLog(ctx)
		if err != nil {
			return nil, nil, err
		}
		same := len(loggedPrompts(now)) == len(loggedPrompts(events))
		if events = now; same {
			break
		}
	}
	return events, fetched, nil
}

// loggedPrompts returns the further prompts in the log, cleaned as they are there.
func loggedPrompts(events []Event) (prompts []Prompt) {
	for _, e := range events {
		if e.Kind == KindMessage && e.Role == "user" {
			prompts = append(prompts, Prompt{Content: e.Content, Done: e.Done})
		}
	}
	return prompts
}

// fetchWaiting fetches the prompts that wait at the server.
func (r *Runtime) fetchWaiting(ctx context.Context) (prompts []Prompt, err error) {
	for {
		p, ok, err := r.fetchPrompt(ctx)
		if err != nil || !ok {
			return prompts, err
		}
		prompts = append(prompts, p)
	}
}

// fetchPrompt fetches the prompt after the one it fetched before; ok is false if there
// is none yet.
func (r *Runtime) fetchPrompt(ctx context.Context) (p Prompt, ok bool, err error) {
	type result struct {
		Prompt
		ok bool
	}
	got, err := retry(ctx, r, func(ctx context.Context) (result, error) {
		p, ok, err := r.Client.Prompt(ctx, r.fetched)
		return result{p, ok}, err
	})
	r.fetched = max(r.fetched, got.Number)
	return got.Prompt, got.ok, err
}

// readLog returns all events of the run in the form in which they are posted.
func (r *Runtime) readLog(ctx context.Context) (log []Event, err error) {
	type page struct {
		events []LoggedEvent
		more   bool
	}
	for after := uint64(0); ; {
		got, err := retry(ctx, r, func(ctx context.Context) (page, error) {
			events, more, err := r.Client.Events(ctx, after)
			return page{events, more}, err
		})
		if err != nil {
			return nil, fmt.Errorf("reading the job's log: %w", err)
		}
		for _, logged := range got.events {
			var e Event
			if json.Unmarshal(logged.Data, &e) != nil {
				return nil, errors.New("reading the job's log: an event cannot be decoded")
			}
			e.Kind, after = strings.TrimPrefix(logged.Kind, "job_"), logged.Seq
			log = append(log, e)
		}
		if !got.more || len(got.events) == 0 {
			return log, nil
		}
	}
}

// retry repeats a request until its answer is final.
func retry[T any](ctx context.Context, r *Runtime, request func(context.Context) (T, error)) (T, error) {
	for attempt := 0; ; attempt++ {
		v, err := request(ctx)
		e, again := asTemporary(err)
		if !again {
			return v, err
		}
		if attempt == warnAfter {
			r.Log.Warn("the server does not answer; the worker waits for it", "error", err)
		}
		if err := waitAgain(ctx, r.backoff, attempt, e.RetryAfter); err != nil {
			return v, err
		}
	}
}
