//go:build unix

package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shellScript returns the endpoint that runs a shell script.
func shellScript(lines string) Endpoint { return Endpoint{Command: "sh", Args: []string{"-c", lines}} }

func TestProgramsThatAreNotMCPServers(t *testing.T) {
	for about, c := range map[string]struct{ script, fault string }{
		"it prints without end": {
			"yes Welcome", "it writes something else than MCP messages to its output, without end",
		},
		"it ends at once":        {"exit 7", "the process ended: exit status 7"},
		"it ends well, but ends": {"exit 0", "it ended"},
		"it is killed":           {"kill -9 $$", "the process ended: signal: killed"},
		"it refuses": {
			`i=0; while read -r _; do i=$((i+1))
			printf '{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"hostile words"}}\n' $i; done`,
			"it answered with error -32000",
		},
	} {
		s := connected(t, oneServer(shellScript(c.script)), Options{})
		assert.EqualError(t, s.states()[0].fault, c.fault, about)
		assert.Empty(t, s.Tools())
		s.Close()
	}
}

// A wrapper such as npx starts the actual server and waits for it, and may leave other
// processes behind. All hold a named pipe open, so reading it ends when all have ended.
func TestProcessesOfAServerEndWithIt(t *testing.T) {
	for _, dies := range []bool{true, false} {
		fifo := filepath.Join(t.TempDir(), "fifo")
		require.NoError(t, syscall.Mkfifo(fifo, 0o600))
		released := make(chan error, 1)
		go func() {
			_, err := os.ReadFile(fifo)
			released <- err
		}()
		e := self(t)
		e.Args = []string{"-c", `exec 3<&0 4>"$0"; sleep 600 & "$1" <&3 & wait $!`, fifo, e.Command}
		e.Command = "sh"
		s := connected(t, oneServer(e), Options{})
		require.Len(t, s.Tools(), 6)
		if dies {
			_, err := named(t, s, "die").Run(t.Context(), nil)
			require.Error(t, err)
		}
		s.Close()
		select {
		case err := <-released:
			assert.NoError(t, err)
		case <-time.After(time.Minute):
			t.Fatal("what the server started still holds the pipe open")
		}
	}
}

func TestSafeErrorsRepeatNoForeignText(t *testing.T) {
	inURL := func(err error) error {
		return fmt.Errorf("calling: %w", &url.Error{Op: "Post", URL: "https://example.com/?key=hush", Err: err})
	}
	for want, given := range map[string]error{
		"dial tcp: connection refused":        inURL(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}),
		"connection reset by peer":            inURL(syscall.ECONNRESET),
		"it did not answer in time":           inURL(context.DeadlineExceeded),
		"it closed the connection":            fmt.Errorf("hush: %w", io.ErrUnexpectedEOF),
		"the session has ended at the server": fmt.Errorf("session hush: %w", sdk.ErrSessionMissing),
		"it answered with error 7":            fmt.Errorf("x: %w", &jsonrpc.Error{Code: 7, Message: "hush"}),
		"it does not keep to the protocol":    errors.New("hush"),
		"open /no/such: file does not exist":  &fs.PathError{Op: "open", Path: "/no/such", Err: fs.ErrNotExist},
		"it redirects to another origin":      inURL(failf("it redirects to another origin")),
	} {
		assert.EqualError(t, safeError(given), want)
	}
}
