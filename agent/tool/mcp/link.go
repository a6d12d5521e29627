package mcp

import (
	"context"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxStart is how long a server may take to be ready: npx may have to fetch it.
const maxStart = 30 * time.Second

// initialize is the last version of the protocol that begins with this request.
// Newer ones begin with another, which some older servers leave unanswered.
const initialize = "2025-11-25"

// settle is how long the end of a session may take to be known everywhere.
const settle = 200 * time.Millisecond

// line is a way to a server, good for one session.
type line struct {
	transport sdk.Transport
	why       func(error) error // what is known of how it ended, else the error given
	hangUp    func()            // breaks it off at once, if need be
	free      func()            // ends what it started and waits for that
}

// link is a session with a server.
type link struct {
	line    *line
	session *sdk.ClientSession
	parent  context.Context         // ends with the server's time
	ctx     context.Context         // ends with the session
	cancel  context.CancelCauseFunc // ends it, with the reason
	relist  chan struct{}           // the tools have changed
	waiting sync.WaitGroup
}

// dialer opens a line. It calls lost, if at all, when it learns that the far end
// is gone before the session does.
type dialer func(lost func(error)) (*line, error)

// connect opens a session over a fresh line, which ends with ctx. Protocol is the
// version to begin with, the newest when empty; version is our own.
func connect(ctx context.Context, dial dialer, version, protocol string) (*link, error) {
	l := &link{parent: ctx, relist: make(chan struct{}, 1)}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	var err error
	if l.line, err = dial(l.cancel); err != nil {
		l.cancel(err)
		return nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "candor", Version: version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { l.nudge() },
	})
	start, stop := context.WithTimeout(l.ctx, maxStart)
	defer stop()
	// Not all that the SDK waits for while it connects ends with start.
	release := context.AfterFunc(start, l.line.hangUp)
	tapped := &tap{Transport: l.line.transport}
	l.session, err = client.Connect(start, tapped, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	release()
	if err != nil {
		// The SDK does not close what it opened in each case.
		tapped.close()
		err = l.reason(err)
		l.cancel(err)
		l.line.free()
		return nil, err
	}
	l.waiting.Go(func() { l.cancel(l.session.Wait()) })
	return l, nil
}

// nudge asks for the tools to be listed again. Several at once are one.
func (l *link) nudge() {
	select {
	case l.relist <- struct{}{}:
	default:
	}
}

// changed waits until the tools should be listed again, but gap at least, so that
// a server cannot keep us busy. It reports whether the link still holds.
func (l *link) changed(gap time.Duration) bool {
	select {
	case <-l.ctx.Done():
		return false
	case <-time.After(gap):
	}
	select {
	case <-l.ctx.Done():
		return false
	case <-l.relist:
	case <-time.After(relistAnyway):
	}
	return true
}

// over reports whether the session has ended. Calls learn of it a little before
// the link does, so it waits a moment.
func (l *link) over() bool {
	select {
	case <-l.ctx.Done():
		return true
	case <-time.After(settle):
		return false
	}
}

// reason is why the link ended, err if nothing better is known.
func (l *link) reason(err error) error {
	if l.parent.Err() != nil {
		return l.parent.Err() // we end it ourselves
	}
	if cause := context.Cause(l.ctx); cause != nil && cause != context.Canceled {
		err = cause
	}
	return words(l.line.why(err))
}

// close ends the calls that run, then the session, then the line, and waits.
func (l *link) close() {
	l.cancel(context.Canceled)
	// A session waits for what it is sending, which a stuck server may not take.
	stuck := time.AfterFunc(patience, l.line.hangUp)
	_ = l.session.Close()
	stuck.Stop()
	l.waiting.Wait()
	l.line.free()
}

// tap remembers the connection of a transport.
type tap struct {
	sdk.Transport
	conn sdk.Connection
}

func (t *tap) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	t.conn = conn
	return conn, err
}

func (t *tap) close() {
	if t.conn != nil {
		_ = t.conn.Close()
	}
}
