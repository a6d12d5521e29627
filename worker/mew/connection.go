package mew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"candor/safety"
	"candor/session/pause"

	"github.com/coder/websocket"
)

// ErrRefused means that the gateway does not let the participant into the space: the token is
// not valid there, or there is no such space.
var ErrRefused = errors.New("the gateway refused the participant: is the token valid for this space?")

var errNotNow = errors.New("the gateway refused the participant for now")

const (
	maxIncoming  = 4 << 20 // bytes of a message of the gateway
	joinTime     = 15 * time.Second
	pingInterval = 30 * time.Second
	slowTime     = 250 * time.Millisecond
)

// address returns the URL to connect to: /mew/ws of the gateway, unless its URL has a path.
func (p *Participant) address() (string, error) {
	u, err := url.Parse(p.Gateway)
	switch {
	case err != nil || u.Host == "":
		return "", errors.New("the gateway must be a URL such as http://127.0.0.1:8080")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return "", errors.New("the gateway's URL must not have a user, query or fragment")
	case p.Space == "":
		return "", errors.New("the name of the space is missing")
	case p.Token == "" || strings.ContainsFunc(p.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", errors.New("the participant's token is missing or has invalid characters")
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	case "ws", "wss":
	default:
		return "", errors.New("the gateway's URL must begin with http, https, ws or wss")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/mew/ws"
	}
	u.RawQuery = url.Values{"space": {p.Space}}.Encode()
	return u.String(), nil
}

// defaultBackoff is the pause between attempts to connect unless a test wants shorter ones.
var defaultBackoff = pause.Backoff{First: 200 * time.Millisecond, Longest: 30 * time.Second}

// stayConnected keeps a connection to the gateway until ctx ends. It begins none once working
// has ended. It returns an error if the gateway refuses the participant.
func (m *member) stayConnected(ctx, working context.Context, address string) error {
	for attempt := 0; working.Err() == nil; attempt++ {
		welcomed, err := m.connect(ctx, address)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrRefused):
			return err
		case welcomed:
			attempt = 0
		}
		next := cmp.Or(m.backoff, defaultBackoff).After(attempt)
		m.Log.Warn("not connected to the gateway", "next_attempt", next, "cause", causeOf(err))
		_ = pause.For(working, next)
	}
	return nil
}

// causeOf returns why a connection ended, without the words of the other side.
func causeOf(err error) string {
	errno, failed := errors.AsType[syscall.Errno](err)
	switch status := websocket.CloseStatus(err); {
	case status != -1:
		return fmt.Sprintf("closed by the gateway with status %d", status)
	case failed:
		return errno.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "the connection broke, or the answer is none of a MEW gateway"
}

// connect takes part over one connection until it is lost. welcomed says whether the gateway
// had let the participant in.
func (m *member) connect(ctx context.Context, address string) (welcomed bool, err error) {
	dialing, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	conn, resp, err := websocket.Dial(dialing, address, &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + m.Token}},
		// A redirect could carry the token to another server.
		HTTPClient: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}},
	})
	if err != nil {
		if resp != nil && slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound},
			resp.StatusCode) {
			return false, fmt.Errorf("%w (HTTP %d)", ErrRefused, resp.StatusCode)
		}
		return false, err
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxIncoming)
	if err := m.join(dialing, conn); err != nil {
		return false, err
	}
	return true, m.converse(ctx, conn)
}

// join asks to be let in, in the dialect of MEW's own gateway, which looks neither at the header
// nor at the URL, and waits for the welcome.
func (m *member) join(ctx context.Context, conn *websocket.Conn) error {
	request := object{"type": "join", "space": m.Space, "token": m.Token, "capabilities": []any{}}
	if m.ID != "" {
		request["participantId"] = m.ID
	}
	raw, err := safety.Marshal(request)
	if err != nil {
		return err
	}
	if err := conn.Write(ctx, websocket.MessageText, raw); err != nil {
		return refusal(err)
	}
	for {
		_, raw, err := conn.Read(ctx)
		if err != nil {
			return refusal(err)
		}
		e, ok := decode(raw)
		switch {
		case ok && e.Kind == "system/error":
			return joinRefusal(e)
		case ok && e.Kind == "system/welcome":
			if present, mine := m.welcome(e); mine {
				m.meet(present)
				return nil
			}
		}
	}
}

// joinRefusal returns why the gateway did not let the participant in. Only a token that is not
// valid cannot become so; a gateway that is full may have room later.
func joinRefusal(e envelope) error {
	var why struct{ Error, Code string }
	e.read(&why)
	if why.Error == "unauthorized" || why.Code == "unauthorized" {
		return ErrRefused
	}
	return errNotNow
}

// refusal returns ErrRefused if the gateway closed the connection for a reason of policy, which
// another attempt would not change.
func refusal(err error) error {
	if websocket.CloseStatus(err) == websocket.StatusPolicyViolation {
		return ErrRefused
	}
	return err
}

// converse receives and sends until the connection is lost or ctx ends. It reads on while the
// connection is being closed, so that nothing that was sent is lost.
func (m *member) converse(ctx context.Context, conn *websocket.Conn) error {
	m.Log.Info("taking part", "space", m.Space)
	m.out.connected(true)
	defer m.out.connected(false)
	writing, stopWriting := context.WithCancel(ctx)
	reading, stopReading := context.WithCancel(context.WithoutCancel(ctx))
	var writer sync.WaitGroup
	writer.Go(func() {
		defer stopReading()
		m.write(writing, conn)
	})
	defer writer.Wait()
	defer stopWriting()
	m.askEverybodyForTools()
	for {
		_, raw, err := conn.Read(reading)
		if err != nil {
			return refusal(err)
		}
		if e, ok := decode(raw); ok { // everything else, such as frames of streams, is for other readers
			m.receive(e)
		}
	}
}

// write sends what the outbox has until the connection is lost or ctx ends. When ctx ends it
// closes the connection.
func (m *member) write(ctx context.Context, conn *websocket.Conn) {
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for {
		if m.flush(ctx, conn) != nil {
			return
		}
		select {
		case <-m.out.wake:
		case <-ping.C:
			if m.ping(ctx, conn) != nil {
				return
			}
		case <-ctx.Done():
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return
		}
	}
}

// flush sends what may be sent. It pauses first if the gateway finds the participant too fast.
func (m *member) flush(ctx context.Context, conn *websocket.Conn) error {
	if m.out.isTooFast() {
		_ = pause.For(ctx, slowTime)
	}
	for p, ok := m.out.next(); ok; p, ok = m.out.next() {
		if err := conn.Write(ctx, websocket.MessageText, p.raw); err != nil {
			return err
		}
	}
	signal(m.out.moved)
	return nil
}

// ping finds out whether the gateway is still there.
func (m *member) ping(ctx context.Context, conn *websocket.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	return conn.Ping(ctx)
}
