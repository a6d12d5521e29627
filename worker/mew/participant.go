package mew

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"candor/agent"
	"candor/safety"
	"candor/session/pause"
)

// Participant takes part in one space as an agent. Its fields must not change once Run was
// called.
type Participant struct {
	Gateway    string // the gateway's URL, with http, https, ws or wss
	Space      string
	ID         string // the participant to be; empty for the one that the token is bound to
	Token      string
	Dispatcher *agent.Dispatcher // Run extends its Approval
	Log        *slog.Logger      // receives nothing that a model, a tool or a participant wrote

	AddressedOnly bool     // answer only what is addressed to the participant or mentions it
	Approvers     []string // participants who may approve calls; without any, calls that need it are rejected

	// Times that tests make shorter; 0 means the defaults.
	backoff pause.Backoff
	grace   time.Duration // for saying the last words
	patience
}

// patience is how long a participant waits for others; 0 means the defaults.
type patience struct{ answer, approval time.Duration }

// Defaults of a Participant's times.
const (
	answerTime   = 2 * time.Minute // for another participant's answer to a call
	approvalTime = agent.DefaultApprovalTimeout
	graceTime    = 5 * time.Second
)

// errLeave ends a Run because the participant was told to leave.
var errLeave = errors.New("the participant was told to leave the space")

// Run takes part in the space until ctx ends or somebody shuts the participant down, which is no
// error. It connects again whenever the connection is lost. A turn that runs when ctx ends is
// stopped, and says so before Run returns.
//
// Run fails with ErrRefused if the gateway does not let the participant in.
func (p *Participant) Run(ctx context.Context) error {
	address, err := p.address()
	if err != nil {
		return err
	}
	m := &member{
		Participant: p, seen: safety.NewSeenSecrets(), out: newOutbox(), wake: make(chan struct{}, 1),
		peers: map[string]*peer{}, listings: map[string]string{}, awaited: map[string]*ownCall{},
	}
	return m.run(ctx, address)
}

// member is a participant that takes part.
type member struct {
	*Participant
	seen *safety.SeenSecrets // what the texts of the space have named
	out  *outbox
	wake chan struct{}   // receives a token when a turn may begin, if there is room
	serv sync.WaitGroup  // calls of others that run
	ctx  context.Context // of what the participant does; parent of every turn's
	stop context.CancelCauseFunc

	mu       sync.Mutex // guards the fields below
	id       string     // as the gateway calls the participant
	may      capabilities
	handled  recent // messages that were acted upon
	memory   memory
	waiting  []envelope // chats that wait for their turn
	unopened unopened
	running  *turn
	paused   bool
	serving  int                 // calls of others that run
	peers    map[string]*peer    // participants that were asked for their tools, by id
	listings map[string]string   // requests for tools, by id, and whom they went to
	awaited  map[string]*ownCall // by the ids of their proposals and requests
}

// run takes part in the space. It owns two goroutines besides its own, one for the connection
// and one for turns, and those of calls that it serves, and awaits them all.
func (m *member) run(ctx context.Context, address string) error {
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m.ctx, m.stop = working, stop
	m.proposeOwnCalls()
	online, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	defer hangUp()
	var connection, turns sync.WaitGroup
	var refused error
	connection.Go(func() {
		refused = m.stayConnected(online, working, address)
		stop(refused)
	})
	turns.Go(func() { m.runTurns(working) })
	<-working.Done()
	turns.Wait()
	m.serv.Wait()
	late, release := context.WithTimeout(online, cmp.Or(m.grace, graceTime))
	defer release()
	m.out.drain(late)
	hangUp()
	connection.Wait()
	switch cause := context.Cause(working); {
	case refused != nil:
		return refused
	case errors.Is(cause, errLeave):
		return nil
	}
	return ctx.Err()
}

// proposeOwnCalls makes the calls of the participant's own tools need an approval in a space that
// lets it propose calls and not request them. Calls of others' tools are proposed in any case.
func (m *member) proposeOwnCalls() {
	inner := m.Dispatcher.Approval
	m.Dispatcher.Approval = func(spec agent.Spec) agent.Approval {
		m.mu.Lock()
		_, foreign := m.peers[spec.Origin.Server]
		m.mu.Unlock()
		call := object{"method": "tools/call", "params": object{"name": spec.Name}}
		switch {
		case !foreign && !m.maySend("mcp/request", call) && m.maySend("mcp/proposal", call):
			return agent.ApprovalAlways
		case inner != nil:
			return inner(spec)
		}
		return spec.Approval
	}
}

// layer returns the dispatcher's layer with the memory of the space.
func (m *member) layer() *safety.Layer { return m.Dispatcher.Safety.Remember(m.seen) }

// say sends a message of the participant to the space: it is cleaned already. A kind that the
// participant may not send is dropped. The id is that of the message, and empty if it was not
// sent.
func (m *member) say(e envelope) (id string) {
	m.mu.Lock()
	allowed := m.may.allow(e.Kind, e.Payload)
	e.From = m.id
	m.mu.Unlock()
	if !allowed {
		m.Log.Debug("a message was left out: the space does not allow the participant its kind", "kind", e.Kind)
		return ""
	}
	raw, err := safety.Marshal(e)
	if err == nil {
		err = m.out.add(parcel{id: e.ID, kind: e.Kind, raw: raw})
	}
	if err != nil {
		m.Log.Warn("a message was dropped", "kind", e.Kind, "error", err)
		return ""
	}
	return e.ID
}

// maySend reports whether the space allows the participant a message.
func (m *member) maySend(kind string, payload any) bool {
	raw, err := safety.Marshal(payload)
	if err != nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.may.allow(kind, raw)
}

// tell sends a message with a payload, refers to others, and is addressed to some.
func (m *member) tell(kind, context string, to []string, payload any, about ...string) (id string) {
	e, err := newEnvelope(kind, payload)
	if err != nil {
		m.Log.Warn("a message could not be written", "kind", kind, "error", err)
		return ""
	}
	e.To = to
	return m.say(e.inContext(context).about(about...))
}
