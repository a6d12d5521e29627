// Package mcp_test runs package mcp's client against the reference server "everything",
// which has every feature of the protocol, over stdio and over HTTP. It needs Node and npm.
package mcp_test

import (
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/agent"
	"candor/agent/tool/mcp"
)

// await returns once cond is true. It has no deadline but the test binary's time limit.
func await(t *testing.T, cond func() bool) {
	t.Helper()
	for !cond() {
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended first")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestMain checks that no goroutine is left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// install returns the server's program, which npm downloads once.
var install = sync.OnceValues(func() (string, error) {
	entry, err := filepath.Abs("node_modules/@modelcontextprotocol/server-everything/dist/index.js")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(entry); err == nil {
		return entry, nil
	}
	cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	_, err = os.Stat(entry)
	return entry, err
})

// program returns the server's program, and fails without Node.
func program(t *testing.T) string {
	t.Helper()
	_, err := exec.LookPath("node")
	require.NoError(t, err, "these tests need Node 20 or later and npm on the PATH")
	entry, err := install()
	require.NoError(t, err, "npm ci in agent/tool/mcp/peertest failed")
	return entry
}

// everything is the reference server over one of the transports.
type everything struct {
	endpoint mcp.Endpoint
	kill     func() // ends it by force
	revive   func() // starts it again, unless our client does
}

// ways returns the functions that start the server, by transport.
func ways(t *testing.T) map[string]func(*testing.T) everything {
	t.Helper()
	entry := program(t)
	all := map[string]func(*testing.T) everything{
		"stdio": func(t *testing.T) everything { return overStdio(t, entry) },
		"http":  func(t *testing.T) everything { return overHTTP(t, entry) },
	}
	if testing.Short() {
		delete(all, "stdio") // package mcp has its tests over stdio
	}
	return all
}

// overStdio runs the server in a shell that writes its process id first, for kill.
func overStdio(t *testing.T, entry string) everything {
	t.Helper()
	pid := filepath.Join(t.TempDir(), "pid")
	return everything{
		endpoint: mcp.Endpoint{
			Command: "sh", Args: []string{"-c", `echo $$ > "$PID_FILE"; exec node "$0" stdio`, entry},
			Env: map[string]string{"PID_FILE": pid},
		},
		kill: func() {
			raw, err := os.ReadFile(pid)
			require.NoError(t, err)
			id, err := strconv.Atoi(strings.TrimSpace(string(raw)))
			require.NoError(t, err)
			p, err := os.FindProcess(id)
			require.NoError(t, err)
			require.NoError(t, p.Kill())
		},
		revive: func() {},
	}
}

// overHTTP starts the server on a free port.
func overHTTP(t *testing.T, entry string) everything {
	t.Helper()
	port := freePort(t)
	var cmd *exec.Cmd
	kill := func() {
		if cmd != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			cmd = nil
		}
	}
	start := func() {
		cmd = exec.Command("node", entry, "streamableHttp")
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "PORT=" + port}
		require.NoError(t, cmd.Start())
		await(t, func() bool {
			resp, err := new(http.Client).Get("http://127.0.0.1:" + port + "/mcp")
			if err == nil {
				resp.Body.Close()
			}
			return err == nil
		})
		http.DefaultClient.CloseIdleConnections()
	}
	t.Cleanup(kill)
	start()
	return everything{endpoint: mcp.Endpoint{URL: "http://127.0.0.1:" + port + "/mcp"}, kill: kill, revive: start}
}

// freePort returns a TCP port that was free a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// connect connects to the server, and closes the connection at the end of the test.
func connect(t *testing.T, e everything) *mcp.Servers {
	t.Helper()
	s := mcp.Connect(mcp.Config{Servers: map[string]mcp.Endpoint{"everything": e.endpoint}},
		mcp.Options{Log: slog.New(slog.DiscardHandler)})
	s.Await(t.Context())
	t.Cleanup(func() {
		s.Close()
		goleak.VerifyNone(t)
	})
	require.NotEmpty(t, s.Tools(), "the server is up")
	return s
}

// withheld are tools that need sampling, elicitation or roots. The server lists them only
// to clients that offer these.
var withheld = []string{
	"get-roots-list", "trigger-elicitation-request", "trigger-elicitation-request-async",
	"trigger-sampling-request", "trigger-sampling-request-async", "trigger-url-elicitation",
}

// offered are the tools that the server lists to us.
var offered = []string{
	"echo", "get-annotated-message", "get-env", "get-resource-links", "get-resource-reference",
	"get-structured-content", "get-sum", "get-tiny-image", "gzip-file-as-resource", "simulate-research-query",
	"toggle-simulated-logging", "toggle-subscriber-updates", "trigger-long-running-operation",
}

func TestEveryToolIsListedAndAnswers(t *testing.T) {
	for way, open := range ways(t) {
		t.Run(way, func(t *testing.T) {
			s := connect(t, open(t))
			var listed []string
			for _, one := range s.Tools() {
				listed = append(listed, one.Spec().Name)
				callOne(t, one)
			}
			assert.ElementsMatch(t, offered, listed)
			for _, name := range withheld {
				assert.NotContains(t, listed, name)
			}
			assert.NoError(t, new(agent.Toolbox).Replace(s.Tools()...), "a toolbox accepts them")
		})
	}
}
