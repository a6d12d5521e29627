package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxStart is how long a server may take to be ready. It is long because npx may have to
// download the server first.
const maxStart = 30 * time.Second

// initialize is the last version of the protocol that begins with an initialize request.
// Newer versions begin with another request, which some older servers never answer.
const initialize = "2025-11-25"

// settleTime is how long we wait for the end of a session to be noticed after a call has
// failed.
const settleTime = 200 * time.Millisecond

// connection is the transport to a server, for one session. Both kinds of endpoint
// provide one: startProcess and openHTTP.
type connection struct {
	transport sdk.Transport
	explain   func(error) error // returns a better cause for an error, if it knows one
	abort     func()            // breaks the connection at once
	release   func()            // ends what the connection started, and waits for that
}

// dialer opens a connection. The connection may call lost once when it notices that the
// server is gone before the session does, and noise when the server sends something else than
// messages.
type dialer func(lost func(error), noise func()) (*connection, error)

// session is an MCP session with a server.
type session struct {
	conn    *connection
	client  *sdk.ClientSession
	parent  context.Context         // ends when we stop the server
	ctx     context.Context         // ends with the session
	cancel  context.CancelCauseFunc // ends the session, with the reason
	relist  chan struct{}           // has an element if the tools have changed
	waiting sync.WaitGroup

	// The SDK keeps each page of the tools under its cursor until the server says that they
	// changed.
	cursors map[string]bool // of the latest list
	kept    int             // bytes of pages whose cursors were not in the list before
}

// connect opens a session over a new connection. The session ends with ctx. protocol is
// the protocol version to begin with, the newest if empty; version is our own version.
func connect(ctx context.Context, dial dialer, noise func(), version, protocol string) (*session, error) {
	s := &session{parent: ctx, relist: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	var err error
	if s.conn, err = dial(s.cancel, noise); err != nil {
		s.cancel(err)
		return nil, err
	}
	// Empty capabilities: the SDK would otherwise offer servers our roots.
	client := sdk.NewClient(&sdk.Implementation{Name: "candor", Version: version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		MultiRoundTrip:         &sdk.MultiRoundTripOptions{Disabled: true}, // see remoteTool.call
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { s.requestRelist() },
	})
	if err = knowTasks(client); err != nil {
		s.cancel(err)
		s.conn.release()
		return nil, err
	}
	start, stop := context.WithTimeout(s.ctx, maxStart)
	defer stop()
	// Some operations of the SDK's Connect ignore their context, so break the connection.
	unhook := context.AfterFunc(start, s.conn.abort)
	transport := &closableTransport{Transport: s.conn.transport}
	s.client, err = client.Connect(start, transport, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	unhook()
	if err != nil {
		// When Connect fails, the SDK does not always close what it opened.
		transport.close()
		if start.Err() != nil && s.ctx.Err() == nil {
			err = start.Err() // not what breaking the connection looked like
		}
		err = s.cause(err)
		s.cancel(err)
		s.conn.release()
		return nil, err
	}
	// From here on the session ends its context itself, whichever side closes it.
	s.waiting.Go(func() { s.cancel(s.client.Wait()) })
	return s, nil
}

// requestRelist asks for the tools to be listed again. Requests that were not served yet
// are merged.
func (s *session) requestRelist() {
	select {
	case s.relist <- struct{}{}:
	default:
	}
}

// waitForRelist waits until the tools should be listed again, but at least gap, so that a
// server cannot keep us busy. It returns false if the session has ended.
func (s *session) waitForRelist(gap time.Duration) bool {
	select {
	case <-s.ctx.Done():
		return false
	case <-time.After(gap):
	}
	select {
	case <-s.ctx.Done():
		return false
	case <-s.relist:
	case <-time.After(relistInterval):
	}
	return true
}

// ends reports whether the session has ended, or does so within settleTime: a call may
// notice the end slightly before the session does.
func (s *session) ends() bool {
	select {
	case <-s.ctx.Done():
		return true
	case <-time.After(settleTime):
		return false
	}
}

// cause returns why the session ended, in our own words. It is err if nothing better is
// known.
func (s *session) cause(err error) error {
	if s.parent.Err() != nil {
		return s.parent.Err() // we ended it ourselves
	}
	if cause := context.Cause(s.ctx); cause != nil && cause != context.Canceled {
		err = cause
	}
	return safeError(s.conn.explain(err))
}

// close ends the running calls, then the session, then the connection, and waits for all.
func (s *session) close() {
	s.cancel(context.Canceled)
	// Closing waits for messages that are being sent, and a stuck server may not read them.
	stuck := time.AfterFunc(stopTimeout, s.conn.abort)
	_ = s.client.Close()
	stuck.Stop()
	s.waiting.Wait()
	s.conn.release()
}

// closableTransport is a transport whose connection can be closed from outside.
type closableTransport struct {
	sdk.Transport
	conn sdk.Connection
}

// Connect implements sdk.Transport.
func (t *closableTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	t.conn = conn
	return conn, err
}

// close closes the connection if there is one.
func (t *closableTransport) close() {
	if t.conn != nil {
		_ = t.conn.Close()
	}
}

// isSDKError reports whether the SDK uses a code for failures of its own, which are not
// answers of the server.
func isSDKError(code int64) bool { return -32005 <= code && code <= -32003 }

// errNoAnswer says that a server did not answer its first request in time.
var errNoAnswer = failf("it did not answer in time")

// safeError returns err for logs and for the model, in words of ours and of the operating
// system only. A server's words are not trusted, and the SDK's errors repeat them together
// with URLs and session ids, which may be secret.
func safeError(err error) error {
	var (
		notFound *exec.Error
		path     *fs.PathError
		exit     *exec.ExitError
		network  *net.OpError
		errno    syscall.Errno
		own      *failure
		answer   *jsonrpc.Error
	)
	// The order matters: the causes that say most come first.
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return own
	case errors.As(err, &notFound):
		return notFound
	case errors.As(err, &path):
		return path
	case errors.As(err, &exit):
		return fmt.Errorf("the process ended: %s", exit.ProcessState)
	case errors.As(err, &network):
		return network
	case errors.As(err, &errno):
		return errno
	case errors.Is(err, context.DeadlineExceeded):
		return errNoAnswer
	case errors.Is(err, sdk.ErrSessionMissing):
		return errors.New("the session has ended at the server")
	case errors.As(err, &answer) && !isSDKError(answer.Code):
		return fmt.Errorf("it answered with error %d", answer.Code)
	case errors.Is(err, io.EOF), errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection")
	}
	return errors.New("it does not keep to the protocol")
}

// failure is an error in our own words, which safeError keeps.
type failure struct{ text string }

// Error implements error.
func (f *failure) Error() string { return f.text }

// failf formats a failure. Its arguments must not contain a server's words.
func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }
