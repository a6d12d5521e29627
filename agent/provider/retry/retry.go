package retry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"candor/agent"
)

// What Options are where they are zero.
const (
	DefaultAttempts = 4
	DefaultBase     = 500 * time.Millisecond
	DefaultMax      = 30 * time.Second
	DefaultPerTry   = 10 * time.Minute
)

// Options bound how long a turn may hang on a provider in trouble.
type Options struct {
	Attempts int           // how often it is asked in all
	Base     time.Duration // the first wait, which doubles with every failure
	Max      time.Duration // the longest wait, the provider's own wish included
	PerTry   time.Duration // how long one answer may take, to its end
	Log      *slog.Logger  // told of each failure, without its words; nil for none
}

// retrying is a provider that is asked again.
type retrying struct {
	provider agent.Provider
	options  Options
}

// New asks again when p fails in a way that may pass. It waits as long as p asks
// for, or longer with every failure, by chance so that not all come back at once,
// but never longer than Options.Max. A conversation that is too long is asked once
// more without its oldest turns. When ctx ends, it stops at once and the error
// wraps ctx's; other errors are p's, with how often it was asked.
func New(p agent.Provider, o Options) agent.Provider {
	o.Attempts = positive(o.Attempts, DefaultAttempts)
	o.Base = positive(o.Base, DefaultBase)
	o.Max = positive(o.Max, DefaultMax)
	o.PerTry = positive(o.PerTry, DefaultPerTry)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &retrying{p, o}
}

func positive[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Respond implements agent.Provider.
func (r *retrying) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	shortened := false
	for attempt := 1; ; {
		resp, err := r.once(ctx, req)
		if err == nil {
			return resp, nil
		}
		if ended := ctx.Err(); ended != nil {
			return agent.Response{}, fmt.Errorf("asking the model: %w", ended)
		}
		failed, told := errors.AsType[*agent.ProviderError](err)
		switch {
		case told && failed.Failure == agent.TooLong && !shortened:
			messages, ok := shorten(req.Messages)
			if !ok {
				return agent.Response{}, err
			}
			r.options.Log.Warn("conversation too long for the model, asking without its oldest turns",
				"messages", len(req.Messages), "kept", len(messages))
			req.Messages, shortened = messages, true
		case told && failed.Failure == agent.Temporary && attempt < r.options.Attempts:
			if err := r.wait(ctx, attempt, failed); err != nil {
				return agent.Response{}, err
			}
			attempt++
		case attempt > 1:
			return agent.Response{}, fmt.Errorf("asked %d times: %w", attempt, err)
		default:
			return agent.Response{}, err
		}
	}
}

// once asks for one answer and no longer than one may take.
func (r *retrying) once(ctx context.Context, req agent.Request) (agent.Response, error) {
	try, cancel := context.WithTimeout(ctx, r.options.PerTry)
	defer cancel()
	resp, err := r.provider.Respond(try, req)
	if err != nil && ctx.Err() == nil && try.Err() != nil {
		err = &agent.ProviderError{
			Failure: agent.Temporary, Err: fmt.Errorf("no whole answer in %s", r.options.PerTry),
		}
	}
	return resp, err
}

// wait holds the next attempt back, or returns ctx's error.
func (r *retrying) wait(ctx context.Context, attempt int, failed *agent.ProviderError) error {
	d := min(max(r.backoff(attempt), failed.RetryAfter), r.options.Max)
	r.options.Log.Warn("the model provider failed, asking again",
		"status", failed.Status, "attempt", attempt, "wait", d)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting to ask the model again: %w", ctx.Err())
	}
}

// backoff is between one half and the whole of the wait that is due.
func (r *retrying) backoff(attempt int) time.Duration {
	due := r.options.Max
	if doubled := min(attempt-1, 30); r.options.Base < r.options.Max>>doubled {
		due = r.options.Base << doubled
	}
	return due/2 + rand.N(due/2+1)
}
