package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/agent"
)

// asServer is the variable that makes the test program an MCP server over stdio.
const asServer = "CANDOR_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		_ = testServer(nil).Run(context.Background(), &sdk.StdioTransport{})
		return
	}
	goleak.VerifyTestMain(m)
}

// object is the schema of a tool that accepts any object.
var object = json.RawMessage(`{"type":"object"}`)

// testServer returns a server whose tools answer, fail, wait, exit, and add a tool. The
// tool that waits ends when the call is cancelled or over is closed.
func testServer(over <-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, Description: "It is " + name + ".", InputSchema: object}, h)
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return textAnswer(string(r.Params.Arguments)), nil
	})
	add("fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out := textAnswer("no such city")
		out.IsError = true
		return out, nil
	})
	add("wait", func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		select {
		case <-ctx.Done():
		case <-over:
		}
		return nil, ctx.Err()
	})
	add("die", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	add("environ", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.Stderr.WriteString("\x1b[31mhostile words\n")
		return textAnswer(strings.Join(os.Environ(), "\n")), nil
	})
	add("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return textAnswer("new"), nil
		})
		return textAnswer("done"), nil
	})
	return s
}

// textAnswer returns an answer with one text.
func textAnswer(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// self returns the endpoint that runs this program as a server over stdio.
func self(t testing.TB, variables ...string) Endpoint {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	e := Endpoint{Command: program, Env: map[string]string{
		asServer: "1", "GORACE": "atexit_sleep_ms=0", // otherwise the race detector delays its exit
	}}
	for _, kv := range variables {
		name, value, _ := strings.Cut(kv, "=")
		e.Env[name] = value
	}
	return e
}

// connected connects to servers, and closes them at the end of the test.
func connected(t testing.TB, c Config, o Options) *Servers {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := Connect(c, o)
	t.Cleanup(s.Close)
	s.Await(t.Context())
	return s
}

// named returns the tool with a name, which must exist.
func named(t testing.TB, s *Servers, name string) agent.Tool {
	t.Helper()
	all := s.Tools()
	at := slices.IndexFunc(all, func(a agent.Tool) bool { return a.Spec().Name == name })
	require.GreaterOrEqual(t, at, 0, "%s is not among %v", name, toolNames(all))
	return all[at]
}

// asItIs cleans nothing.
func asItIs(text string) string { return text }

// toolNames returns the tools' names, in order.
func toolNames(all []agent.Tool) (out []string) {
	for _, a := range all {
		out = append(out, a.Spec().Name)
	}
	return out
}

// logged collects log lines. It is safe for concurrent use.
type logged struct {
	mu    sync.Mutex
	lines strings.Builder
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// await returns once cond is true. It has no deadline of its own, so that its outcome does
// not depend on the machine's speed; the test binary's time limit ends it.
func await(t testing.TB, cond func() bool) {
	t.Helper()
	for !cond() {
		select {
		case <-t.Context().Done():
			t.Fatal("the test ended first")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// state is what a supervisor knows about its server.
type state struct {
	name  string
	up    bool
	tools int
	fault error
}

// states returns the servers' states, sorted by name.
func (s *Servers) states() (out []state) {
	for _, one := range s.all {
		one.mu.Lock()
		out = append(out, state{one.name, one.session != nil, len(one.tools), one.fault})
		one.mu.Unlock()
	}
	return out
}
