package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"candor/session"
	"candor/session/journal"
)

// DefaultApprovalTimeout is how long a call waits for a person or for a front end
// unless NewChat is given another value.
const DefaultApprovalTimeout = 5 * time.Minute

// Chat accepts users' messages and runs their turns: one at a time in each thread, the
// others waiting in order. It owns one goroutine per thread that has turns to run, and
// Close waits for them all. It is safe for concurrent use.
type Chat struct {
	store         session.Store
	dispatcher    *Dispatcher
	approvals     pendingApprovals
	frontEndCalls frontEndCalls
	opaque        opaqueStore
	encrypter     encrypter
	commands      journal.Commands // of the processes that share the sessions; nil if there are none

	ctx  context.Context // parent of every turn's context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	runners map[string]*runner // by thread id
	closing bool
}

// runner runs the turns of one thread. Chat.mu guards its fields.
type runner struct {
	waiting []*pending
	cancel  context.CancelFunc // stops the running turn
	current session.Ref        // the running turn
	ending  bool               // the running turn's outcome is decided, and only has to be recorded
}

// pending is an accepted message. Its raw text is held here and in the turn only.
type pending struct {
	session *session.Session
	user    string
	event   session.Event // its body is TurnStarted or TurnQueued
	raw     string
	options TurnOptions
	dropped bool // interrupted before its turn began
	held    *heldMemory
	unserve func() // ends the commands of other processes
}

// NewChat returns a Chat without turns, whose turns are stored in store and run by d.
// Requests for approval and calls of front-end tools expire after approvalTimeout; 0
// means DefaultApprovalTimeout. The caller must Close the Chat, and only then the store.
func NewChat(store session.Store, d *Dispatcher, approvalTimeout time.Duration) *Chat {
	if approvalTimeout == 0 {
		approvalTimeout = DefaultApprovalTimeout
	}
	ctx, stop := context.WithCancelCause(context.Background())
	return &Chat{
		store: store, dispatcher: d, approvals: pendingApprovals{timeout: approvalTimeout},
		frontEndCalls: frontEndCalls{timeout: approvalTimeout}, encrypter: newEncrypter([]byte(rand.Text())),
		ctx: ctx, stop: func() { stop(errClosing) }, runners: map[string]*runner{},
	}
}

// Send accepts a message and returns at once, without waiting for its turn to run. The
// event it returns, TurnStarted or TurnQueued, identifies the turn. An empty threadID
// means the user's active thread, or a new one if there is none. Send fails with
// session.ErrNoThread, ErrBusy, ErrFull, ErrServerFull or ErrClosed, and then starts nothing.
func (c *Chat) Send(ctx context.Context, user, threadID, content string) (session.Event, error) {
	return c.SendWith(ctx, user, threadID, content, TurnOptions{})
}

// SendWith is Send with options. It also fails with a *ToolError if the turn cannot
// have one of options.Tools, and with ErrThreshold.
func (c *Chat) SendWith(
	ctx context.Context, user, threadID, content string, options TurnOptions,
) (session.Event, error) {
	if err := c.dispatcher.checkTools(ctx, options.Tools); err != nil {
		return session.Event{}, err
	}
	if err := options.check(); err != nil {
		return session.Event{}, err
	}
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Event{}, err
	}
	p := &pending{session: s, user: user, raw: content, options: options, held: &heldMemory{}}
	if err := p.held.hold(s, options.size(content)); err != nil {
		return session.Event{}, err
	}
	if err := c.accept(p, threadID); err != nil {
		p.held.release()
		return session.Event{}, err
	}
	return p.event, nil
}

// accept makes a message the next turn of its thread and enqueues it.
func (c *Chat) accept(p *pending, threadID string) error {
	input, report := c.dispatcher.Safety.Remember(p.session.Seen()).Mask(p.raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return session.ErrClosed
	}
	threadID, err := pickThread(p.session, threadID)
	if err != nil {
		return err
	}
	// Accepting under the lock keeps the queue in the order of the turns' numbers.
	if name := p.options.Message; name != "" {
		p.event, err = p.session.AcceptNamed(threadID, name, input, report.Findings)
	} else {
		p.event, err = p.session.AcceptRun(threadID, input, report.Findings, p.options.Workflow)
	}
	if err != nil {
		return err
	}
	p.unserve = c.serveTurn(p.event.Ref)
	c.enqueue(p)
	return nil
}

// pickThread returns id, or the active thread if id is empty, or a new thread.
func pickThread(s *session.Session, id string) (string, error) {
	if id == "" {
		id = s.Active()
	}
	if id != "" {
		return id, nil
	}
	e, err := s.OpenThread()
	return e.Thread, err
}

// enqueue adds a message to its thread's runner, and starts a runner if the thread has
// none. The caller holds mu.
func (c *Chat) enqueue(p *pending) {
	id := p.event.Thread
	if r, ok := c.runners[id]; ok {
		r.waiting = append(r.waiting, p)
		return
	}
	r := &runner{}
	c.runners[id] = r
	ctx := c.begin(r, p)
	c.wg.Go(func() {
		for ; p != nil; p, ctx = c.next(id, r) {
			c.runPending(ctx, p)
		}
	})
}

// begin makes p the running turn and returns its context, which is cancelled already
// if p was dropped. The caller holds mu.
func (c *Chat) begin(r *runner, p *pending) context.Context {
	ctx, cancel := context.WithCancel(WithUser(c.ctx, p.user))
	r.cancel, r.current, r.ending = cancel, p.event.Ref, false
	if p.dropped {
		cancel()
	}
	return ctx
}

// next takes the first waiting message and begins its turn. If none waits, it removes
// the runner and returns nil; since Send looks for the runner under the same lock, no
// message can be left behind.
func (c *Chat) next(id string, r *runner) (*pending, context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.cancel()
	if len(r.waiting) == 0 {
		delete(c.runners, id)
		return nil, nil
	}
	p := r.waiting[0]
	r.waiting = r.waiting[1:]
	return p, c.begin(r, p)
}

// runPending runs the turn of one message to its end.
func (c *Chat) runPending(ctx context.Context, p *pending) {
	defer p.held.release()
	defer p.unserve()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	rec := chatRecorder{
		stop: stop, chat: c, session: p.session, user: p.user, ref: p.event.Ref, held: p.held,
		threshold: p.options.Threshold,
	}
	if p.options.Workflow.Spoken {
		rec.parts = &atomic.Int64{}
	}
	log := c.dispatcher.Log.With("session", p.session.ID(), "thread", p.event.Thread, "turn", p.event.Turn)
	defer c.settle(p, rec)
	var early error // nobody knows whether the turns before this one have ended
	if c.commands != nil && ctx.Err() == nil {
		early = p.session.AwaitTurn(ctx, p.event.Ref)
		warnUnrecorded(log, early)
	}
	if early != nil && ctx.Err() == nil {
		return // the thread or the session is gone; else settle ends the turn
	}
	if ctx.Err() != nil {
		warnUnrecorded(log, rec.Record(interruption(ctx)))
		return
	}
	if q, waited := p.event.Body.(session.TurnQueued); waited {
		warnUnrecorded(log, rec.Record(session.TurnStarted{Message: q.Message, Input: q.Input, Findings: q.Findings}))
	}
	log.Info("turn started")
	earlier, err := c.earlier(p.session, p.event.Thread)
	warnUnrecorded(log, err)
	messages := append(earlier, p.options.Context...)
	if rec.Hold(conversationSize(messages)) != nil {
		log.Warn("turn failed", "cause", "no memory left for its conversation")
		warnUnrecorded(log, rec.Record(session.TurnFailed{Error: noRoom}))
		return
	}
	messages = append(messages, Message{Role: RoleUser, Text: p.raw})
	err = p.options.run(ctx, c.dispatcher, rec, messages)
	t, _ := p.session.Turn(p.event.Thread, p.event.Turn)
	log.Info("turn ended", "state", t.State, "took", tookSoFar(t, time.Now()), "cause", causeOf(err))
}

// tookSoFar returns how long a turn has run: up to now if its end is not recorded yet, which settle sees to, and 0 if
// it never began.
func tookSoFar(t session.Turn, now time.Time) time.Duration {
	if t.StartedAt.IsZero() {
		return 0
	}
	if t.EndedAt.IsZero() {
		t.EndedAt = now
	}
	return t.EndedAt.Sub(t.StartedAt)
}

// errClosing is why the context of a turn ended if the chat was closed.
var errClosing = errors.New("the chat is closing")

// interruption returns the end of a turn whose context has ended.
func interruption(ctx context.Context) session.TurnInterrupted {
	return session.TurnInterrupted{Restart: errors.Is(context.Cause(ctx), errClosing)}
}

// Forget drops the opaque reasoning of a thread that was deleted.
func (c *Chat) Forget(thread string) { c.opaque.forget(thread) }

// warnUnrecorded logs an error of the session, if there is one. The turn goes on.
func warnUnrecorded(log *slog.Logger, err error) {
	if err != nil {
		log.Warn("turn not recorded", "error", err)
	}
}

// causeOf classifies an error for the log without its text, which a model may have
// written.
func causeOf(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, ErrTooManySteps):
		return "too many steps"
	}
	if _, ok := errors.AsType[runnerError](err); ok {
		return "runner"
	}
	return "provider"
}

// Close refuses new messages and waits until the running and waiting turns have ended.
// If ctx ends first, Close interrupts them and still waits until that is recorded, which
// takes a few seconds if a tool ignores that its turn was stopped.
func (c *Chat) Close(ctx context.Context) {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	defer context.AfterFunc(ctx, c.stop)()
	c.wg.Wait()
	c.stop()
}

// Load is what a Chat has to do at a moment.
type Load struct {
	Running   int // turns that run
	Waiting   int // messages that wait for an earlier turn of their thread
	Approvals int // calls that wait for a person
}

// Load returns what the chat has to do now, of all users.
func (c *Chat) Load() Load {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := Load{Running: len(c.runners), Approvals: c.approvals.count()}
	for _, r := range c.runners {
		l.Waiting += len(r.waiting)
	}
	return l
}

// count returns how many requests are open.
func (p *pendingApprovals) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.open)
}

type userKey struct{}

// WithUser returns a context in which tools run on behalf of user.
func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// User returns the user on whose behalf a tool runs. If ok is false there is none, and
// a tool that stores anything per user must refuse to run.
func User(ctx context.Context) (user string, ok bool) {
	user, ok = ctx.Value(userKey{}).(string)
	return user, ok
}

// Rate records what a user thinks of a decision: session.Good or Bad, with a note of why, which may be
// empty, or session.Unrated, which withdraws the rating before. The log gets the note masked, as it
// gets the user's messages. The models never see it.
//
// Rate fails as [session.Session.Rate] does.
func (c *Chat) Rate(
	ctx context.Context, user string, ref session.Ref, call string, rating session.Rating, note string,
) error {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return err
	}
	rated := session.DecisionRated{Call: call, Rating: rating}
	if rating != session.Unrated {
		text, report := c.dispatcher.Safety.Remember(s.Seen()).Mask(note)
		rated.Note, rated.Findings = text, report.Findings
	}
	return s.Rate(session.Ref{Thread: ref.Thread, Turn: ref.Turn}, rated)
}
