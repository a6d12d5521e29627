package worker

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"time"

	"candor/agent"
	"candor/safety"
	"candor/session/pause"
)

// Runtime works on one job: on its prompt and, if FollowUps is set, on the prompts that
// follow. Its fields must not change once Run was called.
type Runtime struct {
	Client     *Client
	Dispatcher *agent.Dispatcher
	Log        *slog.Logger // receives nothing that a model, tool or user wrote

	FollowUps bool          // wait for further prompts until one is marked as the last
	Poll      time.Duration // how often to ask for prompts and cancellation; 0 means DefaultPoll
	Grace     time.Duration // for posting what is left after the context ended; 0 means DefaultGrace
	SpillDir  string        // for events that do not fit in memory; "" means the system's temporary folder

	fetched int // number of the prompt that Run fetched last

	// Bounds and pauses that tests make smaller; 0 means the defaults.
	heldEvents, heldBytes int
	backoff               pause.Backoff
}

// Defaults of a Runtime.
const (
	DefaultPoll  = 2 * time.Second
	DefaultGrace = 10 * time.Second
)

// Run works on the job until it has ended and everything is posted.
//
// If ctx ends first, Run stops the turn and its tools, posts what it can within Grace
// and returns the error of ctx. The job stays open, and another Run can resume it.
//
// Run returns ErrOver if somebody else ended or cancelled the job, ErrReplaced if
// another Run took it over, ErrFailed if the job's result is a failure, and otherwise
// the error that kept it from working or posting.
func (r *Runtime) Run(ctx context.Context) error {
	run := *r
	own := *r.Client
	own.name = rand.Text() // another worker: an earlier Run's late requests must not be taken for ours
	run.Client = &own
	return run.run(ctx)
}

// run is Run on a copy of the Runtime with a client of its own.
func (r *Runtime) run(ctx context.Context) error {
	at, err := r.resume(ctx)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancelCause(agent.WithUser(ctx, at.job.ID))
	defer cancel(nil)
	u := r.newUploader(at.job, cancel)
	u.start()
	polling, stopPolling := context.WithCancel(running)
	var poller sync.WaitGroup
	poller.Go(func() { r.pollJob(polling, cancel) })

	loop := &promptLoop{
		Runtime: r, due: at.due, open: at.open,
		journal: &journal{uploader: u, history: at.history, seen: safety.NewSeenSecrets()},
	}
	worked := loop.run(running, at.job.Posted > 0)
	stopPolling() // from here on the job may be over because its result was accepted
	poller.Wait()
	late, release := withGrace(running, cmp.Or(r.Grace, DefaultGrace))
	defer release()
	posted := u.Close(late)
	return r.conclude(late, worked, posted, context.Cause(running))
}

// newUploader returns an uploader that continues the numbers of the job's run and
// cancels the work if it cannot go on.
func (r *Runtime) newUploader(j Job, cancel context.CancelCauseFunc) *uploader {
	return &uploader{
		to: r.Client, run: j.Run, last: j.Posted, backoff: r.backoff, log: r.Log, onStop: cancel,
		queue: queue{
			dir: r.SpillDir, maxEvents: cmp.Or(r.heldEvents, maxHeld), maxBytes: cmp.Or(r.heldBytes, maxHeldBytes),
		},
	}
}

// conclude returns the error of a run whose loop ended with worked and whose uploader
// ended with posted. cause says why the work was cancelled, if it was. A job whose log
// is full is ended here, as no event can do it.
func (r *Runtime) conclude(ctx context.Context, worked, posted, cause error) error {
	stopped := worked != nil && !errors.Is(worked, ErrFailed)
	switch {
	case errors.Is(posted, ErrOver):
		return bareOver(posted)
	case stopped && errors.Is(cause, ErrOver):
		return bareOver(cause)
	case isFull(posted):
		const message = "The job's log is full: its run may post no more events."
		return errors.Join(ErrFailed, posted, r.Client.fail(ctx, message))
	case posted != nil:
		return posted
	}
	return worked
}

// pollJob asks for the job until ctx ends, and cancels the work once the token is no
// longer valid. That is how a worker learns of a cancellation while a tool runs.
func (r *Runtime) pollJob(ctx context.Context, cancel context.CancelCauseFunc) {
	for pause.For(ctx, r.pollInterval()) == nil {
		if _, err := r.Client.Job(ctx); errors.Is(err, ErrOver) && ctx.Err() == nil {
			cancel(err)
			return
		}
	}
}

// pollInterval returns Poll or its default.
func (r *Runtime) pollInterval() time.Duration { return cmp.Or(r.Poll, DefaultPoll) }
