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

// asServer makes the test program a server over stdio instead of running tests.
const asServer = "CANDOR_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		_ = testServer(nil).Run(context.Background(), &sdk.StdioTransport{})
		return
	}
	goleak.VerifyTestMain(m)
}

// object is the schema of a tool that takes anything.
var object = json.RawMessage(`{"type":"object"}`)

// testServer has tools that answer, wait, die, and change the tools. Whoever
// waits, waits until the call is cancelled or it is over.
func testServer(over <-chan struct{}) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	add := func(name string, h sdk.ToolHandler) {
		s.AddTool(&sdk.Tool{Name: name, Description: "It is " + name + ".", InputSchema: object}, h)
	}
	add("echo", func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(string(r.Params.Arguments)), nil
	})
	add("fail", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out := text("no such city")
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
		return text(strings.Join(os.Environ(), "\n")), nil
	})
	add("grow", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("done"), nil
	})
	return s
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// self is this program as a server over stdio.
func self(t testing.TB, env ...string) Endpoint {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	e := Endpoint{Command: program, Env: map[string]string{
		asServer: "1", "GORACE": "atexit_sleep_ms=0", // the race detector would let it end late
	}}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		e.Env[name] = value
	}
	return e
}

// connected has the servers up, closed at the end of the test.
func connected(t testing.TB, c Config, o Options) *Servers {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s, err := Connect(t.Context(), c, o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func named(t testing.TB, s *Servers, name string) agent.Tool {
	t.Helper()
	all := s.Tools()
	at := slices.IndexFunc(all, func(a agent.Tool) bool { return a.Spec().Name == name })
	require.GreaterOrEqual(t, at, 0, "%s is not among %v", name, names(all))
	return all[at]
}

func names(all []agent.Tool) (out []string) {
	for _, a := range all {
		out = append(out, a.Spec().Name)
	}
	return out
}

// logged is what was logged, line by line.
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

const soon, often = 20 * time.Second, 10 * time.Millisecond
