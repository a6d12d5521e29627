package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// maxDrain is how often the log is read again while prompts keep coming.
const maxDrain = 50

// standing is where a run stands when a worker comes to it.
type standing struct {
	job  Job
	past past
	due  []Prompt // what no turn has ended for, oldest first
	open bool     // more may come
}

// stand asks the server for everything that is needed to go on with a run.
func (r *Runtime) stand(ctx context.Context) (s standing, err error) {
	var events []Event
	var drained []Prompt
	if s.job, err = retry(ctx, r, r.Client.Job); err != nil {
		return s, err
	}
	if events, err = r.read(ctx); err != nil {
		return s, err
	}
	all := []Prompt{{Content: s.job.Prompt}}
	if r.FollowUps {
		if events, drained, err = r.settle(ctx, events); err != nil {
			return s, err
		}
		all = append(all, prompts(events)...)
		// What the server has not forgotten is there in the user's own words.
		all = append(all[:max(1, len(all)-len(drained))], drained...)
	}
	for _, p := range all {
		s.past.prompts = append(s.past.prompts, p.Content)
	}
	for _, e := range events {
		s.past.add(e)
	}
	s.due, s.open = all[min(s.past.turns, len(all)):], r.FollowUps && !all[len(all)-1].Done
	return s, nil
}

// settle fetches prompts and reads the log until none came between. What it fetched
// is then the end of what the log has; prompts before that are ones that a worker
// before us had, and let the server forget.
func (r *Runtime) settle(ctx context.Context, events []Event) (all []Event, drained []Prompt, err error) {
	for range maxDrain {
		more, err := r.drain(ctx)
		if err != nil {
			return nil, nil, err
		}
		drained = append(drained, more...)
		now, err := r.read(ctx)
		if err != nil {
			return nil, nil, err
		}
		same := len(prompts(now)) == len(prompts(events))
		if events = now; same {
			break
		}
	}
	return events, drained, nil
}

// prompts are the further prompts that the log has, in their cleaned words.
func prompts(events []Event) (all []Prompt) {
	for _, e := range events {
		if e.Kind == KindMessage && e.Role == "user" {
			all = append(all, Prompt{Content: e.Content, Done: e.Done})
		}
	}
	return all
}

// drain fetches the prompts that wait.
func (r *Runtime) drain(ctx context.Context) (all []Prompt, err error) {
	for {
		p, ok, err := r.prompt(ctx)
		if err != nil || !ok {
			return all, err
		}
		all = append(all, p)
	}
}

func (r *Runtime) prompt(ctx context.Context) (p Prompt, ok bool, err error) {
	type answer struct {
		Prompt
		ok bool
	}
	a, err := retry(ctx, r, func(ctx context.Context) (answer, error) {
		p, ok, err := r.Client.Prompt(ctx, r.fetched)
		return answer{p, ok}, err
	})
	r.fetched = max(r.fetched, a.Number)
	return a.Prompt, a.ok, err
}

// read gives the run's log, in the shape in which its events were posted.
func (r *Runtime) read(ctx context.Context) (all []Event, err error) {
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
				return nil, errors.New("reading the job's log: an event is not as it should be")
			}
			e.Kind, after = strings.TrimPrefix(logged.Kind, "job_"), logged.Seq
			all = append(all, e)
		}
		if !got.more || len(got.events) == 0 {
			return all, nil
		}
	}
}

// retry asks until there is an answer that is final.
func retry[T any](ctx context.Context, r *Runtime, ask func(context.Context) (T, error)) (T, error) {
	for try := 0; ; try++ {
		v, err := ask(ctx)
		e, again := temporary(err)
		if !again {
			return v, err
		}
		if try == 3 {
			r.Log.Warn("the server does not answer; the worker waits for it", "error", err)
		}
		if err := r.pauses.wait(ctx, try, e.RetryAfter); err != nil {
			return v, err
		}
	}
}
