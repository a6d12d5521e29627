package mew

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"candor/web/access"
	"candor/web/mew/wire"
	"candor/web/problem"
)

// Reasons for which the gateway closes a socket.
const (
	closeGone    = "the space or the server has ended"
	closeRemoved = "you were removed from the space"
	closeSlow    = "you read too slowly; connect again and read what you missed with GET or /mew/events"
	closeDenied  = "the join was refused"
)

// link is a participant's socket. Its reader runs in the request's goroutine, its writer in one
// of its own; the reader ends last.
type link struct {
	space  *space
	member *member // set by join
	filter filter
	conn   *websocket.Conn
	queue  *queue
	cancel context.CancelCauseFunc // ends both, once what waits is sent
	cut    context.CancelFunc      // ends both at once
}

// ending is why a socket ends, as the other side is told.
type ending string

// Error implements error.
func (e ending) Error() string { return string(e) }

// send queues a message. A socket that has too much waiting is closed.
func (l *link) send(m outgoing) {
	if !l.queue.push(m) {
		l.end(closeSlow)
	}
}

// end closes the socket for a reason, without waiting. Unless it is too slow, it has a moment to
// take what was queued before.
func (l *link) end(why string) {
	l.cancel(ending(why))
	if why == closeSlow {
		l.cut()
	} else {
		time.AfterFunc(goodbyeTime, l.cut)
	}
}

var (
	foreignOrigin = problem.New(http.StatusForbidden, "cross_origin",
		"Pages of this origin may not open a socket here. To allow them, start the server with --cors-origin ORIGIN.")
	wrongSpace = problem.New(http.StatusForbidden, "wrong_space",
		"The token belongs to a participant of another space. Leave space out, or name that space.")
)

// admitSocket refuses what must not become a socket. A token in the header is checked here; without one,
// the first message has to bring it.
func (s *Server) admitSocket(r *http.Request) (context.Context, string, error) {
	if r.URL.Query().Has("token") {
		return nil, "", problem.TokenInQuery
	}
	if !s.allowsOrigin(r) {
		return nil, "", foreignOrigin
	}
	token := access.Bearer(r)
	if token == "" && r.Header.Get("Authorization") == "" {
		return r.Context(), "", nil
	}
	who, ok := s.tokens.lookup(token)
	if !ok {
		return nil, "", problem.Unauthorized
	}
	if name := r.URL.Query().Get("space"); name != "" && name != who.space.name {
		return nil, "", wrongSpace
	}
	return context.WithValue(r.Context(), readerKey{}, caller{tokenOwner: who}), who.space.owner, nil
}

// allowsOrigin reports whether a request comes from no page, from one of this server, or from
// one of the options' origins.
func (s *Server) allowsOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" || slices.Contains(s.options.Origins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// socket handles GET /mew/ws?space=&context=&type=&view=. It returns when the socket is closed.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
	f, err := parseFilter(r.URL.Query())
	if err != nil {
		return err
	}
	who, known := r.Context().Value(readerKey{}).(caller)
	if err := s.enter(); err != nil {
		return err
	}
	defer s.running.Done()
	// The origin was checked. The library would also let in pages of a host by its name alone.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil // the library has answered
	}
	conn.SetReadLimit(MaxMessage)
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	whole, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	l := &link{filter: f, conn: conn, queue: newQueue(), cancel: cancel, cut: cut}
	if !known {
		s.await(l)
	}
	err = s.begin(ctx, l, who.tokenOwner, r.URL.Query().Get("space"))
	s.joined(l)
	if err != nil {
		l.refuse(ctx, err)
		return nil
	}
	l.run(ctx, whole)
	return nil
}

// enter counts a socket as running.
func (s *Server) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.running.Add(1)
	return nil
}

// await counts a socket as one that has yet to say whose it is. Of too many, the one that has waited longest is
// closed, so that strangers who say nothing keep nobody out who has a token.
func (s *Server) await(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.joining) >= maxJoining {
		s.joining[0].cancel(ending(closeDenied))
		s.joining = s.joining[1:]
	}
	s.joining = append(slices.Clip(s.joining), l)
}

// joined says that a socket has joined, or never will.
func (s *Server) joined(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.joining = slices.DeleteFunc(s.joining, func(o *link) bool { return o == l })
}

// refuse tells a socket that has not joined why, and closes it.
func (l *link) refuse(ctx context.Context, err error) {
	refusal := asRefusal(err)
	e := newNotice("system/error", "", "", map[string]any{"error": refusal.Code, "message": refusal.Message})
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	_ = l.conn.Write(ctx, websocket.MessageText, e.Raw) // the socket may be gone
	_ = l.conn.Close(websocket.StatusPolicyViolation, closeDenied)
}

// run reads and writes until the socket or its space ends. It ends with ctx once what waits is
// sent, and at once with whole: the library closes a socket whose context ends without a word.
func (l *link) run(ctx, whole context.Context) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		l.write(ctx, whole)
	}()
	l.read(ctx, whole)
	l.space.leave(l)
	l.cancel(nil)
	<-written
}

// read takes the messages of the socket until it is closed.
func (l *link) read(ctx, whole context.Context) {
	for {
		kind, raw, err := l.conn.Read(whole)
		if err != nil {
			return
		}
		if err := l.handle(kind, raw); err != nil && !l.slowDown(ctx, err) {
			return
		}
	}
}

// handle takes one message. A refusal goes to this socket alone.
func (l *link) handle(kind websocket.MessageType, raw []byte) error {
	var e wire.Envelope
	var err error
	switch {
	case len(raw) > 0 && raw[0] == '#':
		err = l.space.frame(l.member, outgoing{raw, kind == websocket.MessageBinary})
	case isJoin(raw):
		err = l.space.server.checkJoin(l, raw)
	default:
		_, e, err = l.space.say(l.member, raw)
	}
	if err != nil {
		complaint := l.space.complaint(l.member, e, asRefusal(err))
		l.send(outgoing{bytes: complaint.Raw})
	}
	return err
}

// slowDown makes a socket that is too fast wait, so that it cannot keep the server busy with
// refusals. It returns false if ctx ends.
func (l *link) slowDown(ctx context.Context, err error) bool {
	if asRefusal(err).Code != wire.CodeRate {
		return true
	}
	pause := time.NewTimer(time.Second / paceStep)
	defer pause.Stop()
	select {
	case <-pause.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// paceStep is how many refused messages a second a socket that is too fast can send.
const paceStep = 20

// write sends what is queued and pings a socket that is silent, until ctx ends or the socket
// does not take a message in time. Then it closes the socket.
func (l *link) write(ctx, whole context.Context) {
	silence := time.NewTicker(pingTime)
	defer silence.Stop()
	for alive := true; alive; {
		select {
		case <-ctx.Done():
			l.sayGoodbye(ctx, whole)
			return
		case <-silence.C:
			alive = within(whole, l.conn.Ping)
		case <-l.queue.ready:
			alive = l.flush(whole)
		}
	}
	_ = l.conn.CloseNow() // it may be closed already
}

// flush writes what is queued. It returns false if the socket does not take it.
func (l *link) flush(whole context.Context) bool {
	for _, m := range l.queue.pop() {
		if !within(whole, func(ctx context.Context) error { return l.conn.Write(ctx, m.kind(), m.bytes) }) {
			return false
		}
	}
	return true
}

// within reports whether f succeeds within sendTime.
func within(ctx context.Context, f func(context.Context) error) bool {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	return f(ctx) == nil
}

// sayGoodbye sends what is queued and closes the socket with the reason for which it was ended.
func (l *link) sayGoodbye(ctx, whole context.Context) {
	why, ok := context.Cause(ctx).(ending)
	switch {
	case !ok || !l.flush(whole):
		_ = l.conn.CloseNow() // it may be closed already
	case why == closeGone:
		_ = l.conn.Close(websocket.StatusGoingAway, string(why))
	default:
		_ = l.conn.Close(websocket.StatusPolicyViolation, string(why))
	}
}

// kind returns how a message is sent: as it came.
func (m outgoing) kind() websocket.MessageType {
	if m.binary {
		return websocket.MessageBinary
	}
	return websocket.MessageText
}

// outgoing is a message on its way to a socket.
type outgoing struct {
	bytes  []byte // shared by all readers
	binary bool   // it is a frame that came as binary data
}

// queue holds what waits for one socket. Adding never blocks: a queue that is full stays
// full, and its socket is closed.
type queue struct {
	mu    sync.Mutex
	items []outgoing
	size  int
	ready chan struct{} // has an element if something may wait
}

// newQueue returns a queue in which nothing waits.
func newQueue() *queue { return &queue{ready: make(chan struct{}, 1)} }

// push adds a message. It returns false if there is no room; a queue that is empty has room
// for any.
func (q *queue) push(m outgoing) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 && (len(q.items) >= maxQueued || q.size+len(m.bytes) > maxQueuedBytes) {
		return false
	}
	q.items = append(q.items, m)
	q.size += len(m.bytes)
	q.wake()
	return true
}

// wake tells the writer that something waits. One element is enough, since it takes all.
func (q *queue) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// pop returns what waits.
func (q *queue) pop() (items []outgoing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	items, q.items, q.size = q.items, nil, 0
	return items
}
