package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os/exec"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
