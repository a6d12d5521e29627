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

// ours reports whether the SDK uses a code for failures of its own, which are
// no answer of the server.
func ours(code int64) bool { return -32005 <= code && code <= -32003 }

var errNoAnswer = failf("it did not answer in time")

// words is an error for logs and statuses. It is made of our words and those of
// the system only: a server's words are hostile, and the SDK's repeat them,
// along with URLs and session ids, which may be secret.
func words(err error) error {
	var (
		notFound *exec.Error
		path     *fs.PathError
		exit     *exec.ExitError
		network  *net.OpError
		errno    syscall.Errno
		own      *failure
		answer   *jsonrpc.Error
	)
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
	case errors.As(err, &answer) && !ours(answer.Code):
		return fmt.Errorf("it answered with error %d", answer.Code)
	case errors.Is(err, io.EOF), errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it closed the connection")
	}
	return errors.New("it does not keep to the protocol")
}

// failure is an error in our own words.
type failure struct{ text string }

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error { return &failure{fmt.Sprintf(format, args...)} }
