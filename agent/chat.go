package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"candor/session"
)

// Chat takes users' messages and runs their turns: one at a time in each thread,
// the rest waiting in order. It owns one goroutine per thread that has something
// to do, and Close awaits them.
type Chat struct {
	store      session.Store
	dispatcher *Dispatcher
	questions  questions
	errands    errands
	opaque     opaqueStore
	sealer     sealer

	ctx  context.Context // of every turn
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu      sync.Mutex
	runners map[string]*runner // by thread id
	closing bool
}

// runner is one thread's turns. Chat.mu guards its fields.
type runner struct {
	waiting []*pending
	cancel  context.CancelFunc // ends the turn that runs now
	current session.Ref
}

// pending is an accepted message. The raw words live here and in the turn only.
type pending struct {
	session *session.Session
	user    string
	event   session.Event // TurnStarted or TurnQueued
	raw     string
	options TurnOptions
	dropped bool // interrupted before it began
}

// TurnOptions is what a turn is given besides the words that begin it. None of it is kept.
type TurnOptions struct {
	Tools   []FrontEndTool // tools that only this turn has
	Context []Message      // messages the model sees before the user's
}

// DefaultApprovalTimeout is how long a call waits for a person or for a front end.
const DefaultApprovalTimeout = 5 * time.Minute

// NewChat returns a service without turns. Close it when done. Questions about
// calls, and calls that a front end runs, expire after patience; 0 means
// DefaultApprovalTimeout.
func NewChat(store session.Store, d *Dispatcher, patience time.Duration) *Chat {
	if patience == 0 {
		patience = DefaultApprovalTimeout
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Chat{
		store: store, dispatcher: d, questions: questions{patience: patience},
		errands: errands{patience: patience}, sealer: newSealer(),
		ctx: ctx, stop: stop, runners: map[string]*runner{},
	}
}

// Send accepts a message and returns the event that gave it its turn, before the
// turn has run. An empty thread means the active one, or a new one if there is
// none. It fails with session.ErrNoThread, session.ErrBusy or session.ErrClosed; then
// nothing was started.
func (c *Chat) Send(ctx context.Context, user, threadID, content string) (session.Event, error) {
	return c.SendWith(ctx, user, threadID, content, TurnOptions{})
}

// Post is Send with what else the turn is given. It fails with a *ToolError, too.
func (c *Chat) SendWith(ctx context.Context, user, threadID, content string, options TurnOptions) (session.Event, error) {
	if err := c.dispatcher.checkTools(options.Tools); err != nil {
		return session.Event{}, err
	}
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Event{}, err
	}
	input, report := c.dispatcher.Safety.Mask(content)

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return session.Event{}, session.ErrClosed
	}
	if threadID, err = pickThread(s, threadID); err != nil {
		return session.Event{}, err
	}
	// Under the lock, so that turns queue in the order of their numbers.
	e, err := s.Accept(threadID, input, report.Findings)
	if err != nil {
		return session.Event{}, err
	}
	c.enqueue(&pending{session: s, user: user, event: e, raw: content, options: options})
	return e, nil
}

func (o TurnOptions) tools() []Tool {
	tools := make([]Tool, len(o.Tools))
	for i, t := range o.Tools {
		tools[i] = t
	}
	return tools
}

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

// enqueue hands a message to its thread's runner, starting one where none is.
// The caller holds mu.
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
			c.turn(ctx, p)
		}
	})
}

// begin makes p the turn that runs now. The caller holds mu.
func (c *Chat) begin(r *runner, p *pending) context.Context {
	ctx, cancel := context.WithCancel(WithUser(c.ctx, p.user))
	r.cancel, r.current = cancel, p.event.Ref
	if p.dropped {
		cancel()
	}
	return ctx
}

// next takes the first message that waits; without one the runner is over, under
// the same lock that lets Send see that it has to start another.
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

// turn runs one message to its end.
func (c *Chat) turn(ctx context.Context, p *pending) {
	rec := recorder{chat: c, session: p.session, user: p.user, ref: p.event.Ref}
	log := c.dispatcher.Log.With("session", p.session.ID(), "thread", p.event.Thread, "turn", p.event.Turn)
	if ctx.Err() != nil {
		c.note(log, rec.Record(session.TurnInterrupted{}))
		return
	}
	if q, waited := p.event.Body.(session.TurnQueued); waited {
		c.note(log, rec.Record(session.TurnStarted(q)))
	}
	log.Info("turn started")
	h, err := p.session.History(p.event.Thread, session.Page{})
	c.note(log, err)
	messages := append(Conversation(h.Turns, c.opaque.get), p.options.Context...)
	messages = append(messages, Message{Role: RoleUser, Text: p.raw})
	err = c.dispatcher.Run(ctx, rec, messages, p.options.tools()...)
	t, _ := p.session.Turn(p.event.Thread, p.event.Turn)
	log.Info("turn ended", "state", t.State, "took", t.EndedAt.Sub(t.StartedAt), "cause", cause(err))
}

func (c *Chat) note(log *slog.Logger, err error) {
	if err != nil {
		log.Warn("turn not recorded", "error", err)
	}
}

// cause names an error for the log without its words, which may be a model's.
func cause(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, ErrTooManySteps):
		return "too many steps"
	}
	return "provider"
}

// Interrupt stops the turn that runs in a thread, and with it the tools that
// run, and drops the messages that wait; each becomes an interrupted turn. It
// returns the turn that was running, without waiting for its end. An empty
// thread means the active one. It fails with session.ErrNoThread or
// session.ErrNotRunning.
func (c *Chat) Interrupt(ctx context.Context, user, threadID string) (session.Ref, error) {
	s, err := c.store.Open(ctx, user)
	if err != nil {
		return session.Ref{}, err
	}
	if threadID == "" {
		threadID = s.Active()
	}
	if _, err := s.Thread(threadID); err != nil {
		return session.Ref{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.runners[threadID]
	if !ok {
		return session.Ref{}, fmt.Errorf("thread %s: %w", threadID, session.ErrNotRunning)
	}
	for _, p := range r.waiting {
		p.dropped = true
	}
	r.cancel()
	return r.current, nil
}

// Approve answers the question whether a call may run: Approve, Always or Deny. It
// fails with session.ErrNoApproval if the user has no such question open, and with
// session.ErrNotAlways if "always" is no answer to it.
func (c *Chat) Approve(_ context.Context, user, request string, answer session.Answer) (session.Ref, error) {
	return c.questions.answer(user, request, answer)
}

// Close takes no more messages and waits for the turns that run and wait. When
// ctx ends first it interrupts them, and still waits until they are recorded.
func (c *Chat) Close(ctx context.Context) {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	defer context.AfterFunc(ctx, c.stop)()
	c.wg.Wait()
	c.stop()
}
