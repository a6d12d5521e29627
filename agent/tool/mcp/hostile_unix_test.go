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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func script(lines string) Endpoint { return Endpoint{Command: "sh", Args: []string{"-c", lines}} }

func TestServersThatAreNone(t *testing.T) {
	const neither = "it ended, or has something else than MCP messages in its output"
	for about, c := range map[string]struct{ script, fault string }{
		"it prints a banner":     {"echo Welcome to the server; cat", neither},
		"it ends at once":        {"exit 7", "the process ended: exit status 7"},
		"it ends well, but ends": {"exit 0", neither},
		"it is killed":           {"kill -9 $$", "the process ended: signal: killed"},
		"it refuses": {
			`i=0; while read -r _; do i=$((i+1))
			printf '{"jsonrpc":"2.0","id":%d,"error":{"code":-32000,"message":"hostile words"}}\n' $i; done`,
			"it answered with error -32000",
		},
	} {
		s := connected(t, oneServer(script(c.script)), Options{})
		assert.EqualError(t, s.Status()[0].Fault, c.fault, about)
		assert.Empty(t, s.Tools())
		s.Close()
	}
}

func TestASilentServerHoldsUpNobodyForLong(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := Connect(ctx, oneServer(script("sleep 600")), Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 3*patience, "it heeds no end of input, but a signal")
}

// What a server started ends with it, when it dies and when we close it.
func TestNothingOfAServerStaysBehind(t *testing.T) {
	for _, dies := range []bool{true, false} {
		file := filepath.Join(t.TempDir(), "pid")
		e := self(t)
		e.Args = []string{file, e.Command}
		// A wrapper such as npx: it starts the server and waits for it.
		e.Args = append([]string{"-c", `"$1" <&3 & echo $! > "$0"; wait`}, e.Args...)
		e.Args[1] = "exec 3<&0; " + e.Args[1]
		e.Command = "sh"
		s := connected(t, oneServer(e), Options{})
		require.Len(t, s.Tools(), 6)
		id := processID(t, file)
		if dies {
			_, err := named(t, s, "die").Run(t.Context(), nil)
			require.Error(t, err)
		}
		s.Close()
		assert.Eventually(t, func() bool { return syscall.Kill(id, 0) != nil || zombie(id) }, soon, often)
	}
}

func processID(t *testing.T, file string) (id int) {
	t.Helper()
	require.Eventually(t, func() bool {
		raw, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		id, err = strconv.Atoi(strings.TrimSpace(string(raw)))
		return err == nil
	}, soon, often)
	return id
}

// zombie reports whether a process is dead, but nobody there reaps it.
func zombie(id int) bool {
	state, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	return err == nil && strings.Contains(string(state), ") Z ")
}

func TestWordsRepeatNothingOfOthers(t *testing.T) {
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
		assert.EqualError(t, words(given), want)
	}
}
