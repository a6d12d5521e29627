package worker

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"candor/agent"
)

// Runtime works on one job: its prompt first and, if told to, the prompts that
// follow. The fields are set before Run and not changed.
type Runtime struct {
	Client     *Client
	Dispatcher *agent.Dispatcher
	Log        *slog.Logger // gets no text that a model, tool or user wrote

	FollowUps bool          // wait for further prompts until one is marked as done
	Poll      time.Duration // between looks at the job, and for prompts; 0 means DefaultPoll
	Grace     time.Duration // to post what is left once the context has ended; 0 means DefaultGrace
	SpillDir  string        // for what memory does not hold; "" is the system's for such files

	fetched int // the number of the prompt that a run fetched last

	// Bounds and pauses; 0 means those of the documentation. Tests make them small.
	held, heldBytes int
	pauses          backoff
}

// What a Runtime does unless told otherwise.
const (
	DefaultPoll  = 2 * time.Second
	DefaultGrace = 10 * time.Second
)

// Run works on the job until it has ended and everything is posted. When ctx ends it
// stops the turn and its tools, posts what it can within Grace, and leaves the job
// open: another Run goes on with it. It fails with ErrOver when the job was ended or
// cancelled by somebody else, with ErrReplaced (which is one) when another Run took
// the job over, with ErrFailed when the job's result is a failure, and otherwise with
// what kept it from working or posting.
func (r *Runtime) Run(ctx context.Context) error {
	run := *r
	run.Client = r.Client.renamed() // what an earlier Run has under way comes too late
	return run.work(ctx)
}

func (r *Runtime) work(ctx context.Context) error {
	s, err := r.stand(ctx)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancelCause(agent.WithUser(ctx, s.job.ID))
	defer cancel(nil)
	p := &poster{
		to: r.Client, run: s.job.Run, last: s.job.Posted, backoff: r.pauses, log: r.Log, onStop: cancel,
		queue: queue{dir: r.SpillDir, maxEvents: cmp.Or(r.held, maxHeld), maxBytes: cmp.Or(r.heldBytes, maxHeldBytes)},
	}
	p.start()
	looking, lookAway := context.WithCancel(running)
	var watching sync.WaitGroup
	watching.Go(func() { r.watch(looking, cancel) })

	w := &work{Runtime: r, due: s.due, open: s.open, journal: &journal{poster: p, past: s.past}}
	worked := w.do(running, s.job.Posted > 0)
	lookAway() // from here on the job may be over because its result was taken
	watching.Wait()
	late, release := graceAfter(running, cmp.Or(r.Grace, DefaultGrace))
	defer release()
	posted := p.Close(late)
	stopped := worked != nil && !errors.Is(worked, ErrFailed)
	switch {
	case errors.Is(posted, ErrOver):
		return over(posted)
	case stopped && errors.Is(context.Cause(running), ErrOver):
		return over(context.Cause(running))
	case full(posted):
		const why = "The job has posted as much as a run of it may."
		return errors.Join(ErrFailed, posted, r.Client.giveUp(late, why))
	case posted != nil:
		return posted
	}
	return worked
}

// watch looks whether the token is still good, and ends the work when it is not:
// that is how a worker learns of a cancel while a tool runs.
func (r *Runtime) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	for pause(ctx, r.poll()) == nil {
		if _, err := r.Client.Job(ctx); errors.Is(err, ErrOver) && ctx.Err() == nil {
			cancel(err)
			return
		}
	}
}

func (r *Runtime) poll() time.Duration { return cmp.Or(r.Poll, DefaultPoll) }
