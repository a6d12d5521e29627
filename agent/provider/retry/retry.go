package retry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"candor/agent"
	"candor/session/pause"
)

// The values of Options that are zero.
const (
	DefaultAttempts = 4
	DefaultBase     = 500 * time.Millisecond
	DefaultMax      = 30 * time.Second
	DefaultPerTry   = 10 * time.Minute
)

// Options bound how long a turn may wait for a provider that fails.
type Options struct {
	Attempts int           // how many requests are sent in all, the first included
	Base     time.Duration // the first wait, which doubles with every failure
	Max      time.Duration // the longest wait, even if the provider asks for more
	PerTry   time.Duration // how long one answer may take, until it is complete
	Log      *slog.Logger  // gets each failure, without the provider's text; nil for none
}

// retrying repeats the requests of a provider.
type retrying struct {
	provider agent.Provider
	options  Options
}

// New returns a provider that repeats the requests of p which fail temporarily. It
// waits in between, as long as p asks for or longer with every failure, but never
// longer than Options.Max. A request with a conversation that is too long is repeated
// once without its oldest turns. When ctx ends, Respond returns at once with an error
// that wraps ctx's; other errors are those of p, with the number of attempts if there
// were several. The provider is as safe for concurrent use as p is.
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

// positive returns n, or otherwise if n is zero or negative.
func positive[N int | time.Duration](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Respond implements agent.Provider.
func (r *retrying) Respond(ctx context.Context, req agent.Request) (agent.Response, error) {
	discard := trackText(&req)
	shortened := false
	for attempt := 1; ; {
		resp, err := r.once(ctx, req)
		if err == nil {
			return resp, nil
		}
		if ended := ctx.Err(); ended != nil {
			return agent.Response{}, fmt.Errorf("asking the model: %w", ended)
		}
		failed, classified := errors.AsType[*agent.ProviderError](err)
		switch {
		case classified && failed.Failure == agent.TooLong && !shortened:
			messages, ok := shorten(req.Messages)
			if !ok {
				return agent.Response{}, err
			}
			r.options.Log.Warn("conversation too long for the model, asking without its oldest turns",
				"messages", len(req.Messages), "kept", len(messages))
			req.Messages, shortened = messages, true
			discard()
		case classified && failed.Failure == agent.Temporary && attempt < r.options.Attempts:
			if err := r.wait(ctx, attempt, failed); err != nil {
				return agent.Response{}, err
			}
			discard()
			attempt++
		case attempt > 1:
			return agent.Response{}, fmt.Errorf("asked %d times: %w", attempt, err)
		default:
			return agent.Response{}, err
		}
	}
}

// trackText returns a function that declares void what the model has said since the last
// attempt began. It is called before the next attempt and not after the last one, so that
// a turn that fails or is stopped keeps what came.
func trackText(req *agent.Request) (discard func()) {
	onText, said := req.OnText, false
	if onText == nil {
		return func() {}
	}
	req.OnText = func(piece string) {
		said = true
		onText(piece)
	}
	return func() {
		if said {
			onText("")
		}
		said = false
	}
}

// once sends one request and bounds the time of its answer. Running out of that time is
// a temporary failure, unlike the end of ctx.
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

// wait returns when the next attempt is due, or with ctx's error.
func (r *retrying) wait(ctx context.Context, attempt int, failed *agent.ProviderError) error {
	backoff := pause.Backoff{First: r.options.Base, Longest: r.options.Max}
	d := min(max(backoff.After(attempt-1), failed.RetryAfter), r.options.Max)
	r.options.Log.Warn("the model provider failed, asking again",
		"status", failed.Status, "attempt", attempt, "wait", d)
	if err := pause.For(ctx, d); err != nil {
		return fmt.Errorf("waiting to ask the model again: %w", err)
	}
	return nil
}
