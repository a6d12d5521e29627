package mew

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/mew/wire"
	"candor/web/problem"
	"candor/web/sse"
)

// Collector folds what is said in a space. The gateway calls it with the space's lock held,
// in the order of broadcast.
type Collector interface {
	// Admit returns the canonical path of the envelope's context, or a [*wire.Refusal]. It
	// changes nothing.
	Admit(e wire.Envelope) (path string, err error)
	// Observe takes in an admitted envelope. It fails with session.ErrStorage if the storage did not keep what
	// the envelope says; the same envelope may then be observed again.
	Observe(e wire.Envelope, path string) error
	// Expire ends the contexts that have been idle for too long.
	Expire(now time.Time)
}

// Threads tells what the threads and approvals of the owner's session stand for. A Collector
// that implements it lets the owner act from the page.
type Threads interface {
	// Author returns the participant whose thread it is.
	Author(thread string) (participant string, ok bool)
	// Running returns the context of the thread's running turn.
	Running(thread string) (path string, turn session.Ref, ok bool)
	// Proposal returns the proposal that an approval request asks about.
	Proposal(request string) (proposal wire.Envelope, turn session.Ref, ok bool)
}

// Attendance learns which participants are there. A Collector may implement it. The space's lock
// is held.
type Attendance interface {
	// Joined is called when a participant's first socket is there.
	Joined(participant string)
	// Left is called when a participant's last socket is gone.
	Left(participant string)
}

// Options configures a gateway. Fields are required unless marked as optional.
type Options struct {
	Store  session.Store
	Safety *safety.Layer
	Tokens access.Tokens // of users, who own spaces
	Log    *slog.Logger  // gets names of spaces and participants, and no text of theirs

	Guesses *web.Guesses // slows participants whose texts have secrets of others; may be nil

	// Collect returns the collector of a new space.
	Collect func(owner, name string) Collector

	Spaces  Spaces   // that exist from the start; may be empty
	Drafts  bool     // read the spellings before v0.4, too
	Origins []string // pages that may open sockets, besides the server's own; may be empty

	Rate, ContextRate       int           // messages a second; 0 means the defaults
	Heartbeat, WriteTimeout time.Duration // of event streams; 0 means 15 and 10 seconds
	JoinTime                time.Duration // for a socket to say whose it is; 0 means 10 seconds
}

// Server is the gateway of all spaces. It implements no handler of its own: package web
// mounts its Routes.
type Server struct {
	options Options
	streams *sse.Server
	ctx     context.Context // ends with Close; sockets outlive their requests' contexts
	cancel  context.CancelFunc
	running sync.WaitGroup // sockets, and the goroutine that expires contexts

	mu      sync.Mutex
	closed  bool
	joining []*link           // sockets that have not said whose they are, the oldest first
	spaces  map[string]*space // by spaceKey
	tokens  tokenTable
}

// New returns a gateway with its spaces. The caller closes it.
func New(o Options) (*Server, error) {
	if o.Rate == 0 {
		o.Rate = DefaultRate
	}
	if o.ContextRate == 0 {
		o.ContextRate = DefaultContextRate
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = 10 * time.Second
	}
	s := &Server{options: o, streams: sse.NewServer(o.WriteTimeout), spaces: map[string]*space{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	for _, one := range o.Spaces {
		if _, err := s.addSpace(one); err != nil {
			s.cancel()
			return nil, err
		}
	}
	s.running.Go(s.expire)
	return s, nil
}

// Close ends all spaces and their sockets, and returns when nothing of the gateway runs but
// requests.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	all := s.spaces
	s.spaces = map[string]*space{}
	s.mu.Unlock()
	for _, sp := range all {
		sp.close()
	}
	s.cancel()
	s.running.Wait()
}

// Discard ends the spaces of a user, whose session is removed.
func (s *Server) Discard(user string) {
	s.mu.Lock()
	var gone []*space
	for key, sp := range s.spaces {
		if sp.owner == user {
			gone = append(gone, sp)
			delete(s.spaces, key)
		}
	}
	s.mu.Unlock()
	for _, sp := range gone {
		sp.close()
	}
}

// expire lets the collectors look for contexts that have gone idle, until the gateway ends.
func (s *Server) expire() {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			for _, sp := range s.list("") {
				sp.expire(now)
			}
		}
	}
}

// Routes returns the routes of the protocol, below /mew, and of the owner's API.
func (s *Server) Routes() []web.Route {
	return web.Describe(append([]web.Route{
		{Method: http.MethodGet, Path: "/mew/health", CountsItself: true, Admit: admitAll, Serve: s.health},
		{Method: http.MethodGet, Path: "/mew/ws", CountsItself: true, Admit: s.admitSocket, Serve: s.socket},
		{Method: http.MethodGet, Path: "/mew/events", CountsItself: true, Admit: s.admitReader, Serve: s.events},
		s.readersRoute(http.MethodGet, "/mew/participants", s.participants),
		s.readersRoute(http.MethodPost, "/mew/participants/:id/messages", s.postMessage),
		s.readersRoute(http.MethodGet, "/mew/participants/:id/messages", s.messages),
	}, s.ownerRoutes()...), operations)
}

// readersRoute returns a route of participants and owners. It counts the requests of each, so that
// one participant cannot use up what the owner of the space may have.
func (s *Server) readersRoute(
	method, path string, serve func(http.ResponseWriter, *http.Request, access.Caller) error,
) web.Route {
	return web.Route{
		Method: method, Path: path, CountsItself: true, Admit: s.admitReader,
		Serve: func(w http.ResponseWriter, r *http.Request, who access.Caller) error {
			from := readerOf(r)
			if !from.space.beginRequest(from.participant) {
				return errTooManyRequests
			}
			defer from.space.endRequest(from.participant)
			return serve(w, r, who)
		},
	}
}

// admitAll lets everybody ask whether the gateway runs.
func admitAll(r *http.Request) (context.Context, string, error) { return r.Context(), "", nil }

// health answers with what a load balancer or a client that looks for a gateway needs.
func (s *Server) health(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	return problem.WriteJSON(w, r, http.StatusOK, gatewayHealth{
		Status: "ok", Protocol: wire.Protocol, Features: []string{"capabilities", "context", "streams", "events"},
	})
}

// errClosed is returned once the gateway stops.
var errClosed = problem.New(http.StatusServiceUnavailable, "shutting_down",
	"The server is stopping. Connect again once it is back.")

// addSpace opens a space. Its tokens are admitted from now on.
func (s *Server) addSpace(defined Space) (*space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := spaceKey(defined.Owner, defined.Name)
	owned := 0
	for _, sp := range s.spaces {
		if sp.owner == defined.Owner {
			owned++
		}
	}
	switch {
	case s.closed:
		return nil, errClosed
	case s.spaces[key] != nil:
		return nil, errSpaceExists
	case owned >= maxSpaces:
		return nil, errTooManySpaces
	}
	sp := newSpace(s, defined)
	for _, p := range defined.Participants {
		sp.members[p.ID] = sp.newMember(p.ID, p.Capabilities)
		s.tokens.add(p.Token, sp, p.ID)
	}
	sp.refresh()
	s.spaces[key] = sp
	return sp, nil
}

// spaceKey names a space among those of all users, whose names may be the same.
func spaceKey(owner, name string) string { return owner + "\x00" + name }

// list returns the spaces of an owner, or of all if there is none.
func (s *Server) list(owner string) (all []*space) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sp := range s.spaces {
		if owner == "" || sp.owner == owner {
			all = append(all, sp)
		}
	}
	return all
}

// find returns an owner's space.
func (s *Server) find(owner, name string) (*space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sp := s.spaces[spaceKey(owner, name)]; sp != nil {
		return sp, nil
	}
	return nil, errNoSpace
}

var storageFailed = &wire.Refusal{Code: wire.CodeStorage,
	Message: "Reading or writing the storage failed, so the message was not passed on. Send it again with its id."}

// asRefusal returns the refusal that an error is. Errors of the owner's session become one.
func asRefusal(err error) *wire.Refusal {
	if refusal, ok := errors.AsType[*wire.Refusal](err); ok {
		return refusal
	}
	if errors.Is(err, session.ErrStorage) {
		return storageFailed
	}
	return &wire.Refusal{Code: wire.CodeSpaceFull,
		Message: "The space's owner holds as much as the server allows. Let something end, and send again."}
}
