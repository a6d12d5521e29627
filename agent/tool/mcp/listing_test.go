package mcp

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"

	"candor/agent"
)

// paged returns a function that makes a server whose list of tools is what pages returns.
func paged(pages func(cursor string) *sdk.ListToolsResult) func() *sdk.Server {
	return func() *sdk.Server {
		s := with(&sdk.Tool{Name: "hello"})()
		s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				if list, ok := r.GetParams().(*sdk.ListToolsParams); ok {
					return pages(list.Cursor), nil
				}
				return next(ctx, method, r)
			}
		})
		return s
	}
}

// One that lists tools without end gave 105,242 warnings and kept all others from starting.
func TestAListWithoutEndIsCut(t *testing.T) {
	tool := func(name string) *sdk.Tool { return &sdk.Tool{Name: name, InputSchema: object} }
	hundred := func(name func(i int) string) (tools []*sdk.Tool) {
		for i := range 100 {
			tools = append(tools, tool(name(i)))
		}
		return tools
	}
	for name, tt := range map[string]struct {
		page  func(n int) []*sdk.Tool
		kept  int
		bytes bool
	}{
		"new tools": {func(n int) []*sdk.Tool {
			return hundred(func(i int) string { return fmt.Sprint("t", n, "_", i) })
		}, maxTools, false},
		"the same tool again": {func(int) []*sdk.Tool {
			return hundred(func(int) string { return "same" })
		}, 1, false},
		"no tools": {func(int) []*sdk.Tool { return nil }, 0, false},
		"large tools": {func(n int) []*sdk.Tool {
			one := tool(fmt.Sprint("t", n))
			one.Description = strings.Repeat("x", maxDefinition)
			return []*sdk.Tool{one, {Name: "no object", InputSchema: map[string]any{"type": "string"}}}
		}, 33, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int64
			i := &inProcess{make: paged(func(string) *sdk.ListToolsResult {
				n := int(asked.Add(1))
				return &sdk.ListToolsResult{Tools: tt.page(n), NextCursor: fmt.Sprint(n)}
			})}
			good := &inProcess{make: with(&sdk.Tool{Name: "hello"})}
			var log logged
			s := startServers(t, Options{Log: log.logger()}, map[string]dialer{"endless": i.dial, "good": good.dial})
			defer s.Close()
			assert.Len(t, s.Tools(), tt.kept+1, name)
			assert.LessOrEqual(t, asked.Load(), int64(maxPages), name)
			pass(21 * time.Minute)
			assert.Contains(t, log.String(), "an MCP server lists more tools than it may; the rest is dropped")
			assert.Less(t, strings.Count(log.String(), "\n"), 20, "%s\n%s", name, log.String())
			if tt.bytes {
				assert.Contains(t, log.String(), "it listed more than 16777216 bytes of tools")
			}
		})
	}
}

func TestServersJoinAsTheyAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		mute := &inProcess{make: func() *sdk.Server { return answersOnly("nothing", over) }}
		good := &inProcess{make: with(&sdk.Tool{Name: "hello"})}
		var log logged
		changes := 0
		none := &inProcess{make: with()}
		s := newServers(map[string]dialer{"mute": mute.dial, "good": good.dial, "none": none.dial}, Options{
			Log: log.logger(), OnChange: func([]agent.Tool) { changes++ },
		})
		s.start()
		defer s.Close()
		synctest.Wait()
		assert.Equal(t, []string{"hello"}, toolNames(s.Tools()), "the others do not wait for a server that is silent")
		assert.Equal(t, []State{
			{Server: "good", Name: "good", Up: true, Tried: true, Listed: true, Tools: 1},
			{Server: "mute", Name: "mute"},
			{Server: "none", Name: "none", Up: true, Tried: true, Listed: true},
		}, s.States())
		assert.Equal(t, 2, changes, "also for a server that has no tools")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		s.Await(ctx)
		assert.Equal(t, time.Second, time.Since(began), "one was not tried yet")
		pass(maxStart)
		s.Await(t.Context())
		assert.Equal(t, State{Server: "mute", Name: "mute", Tried: true}, s.States()[1])
		assert.Contains(t, log.String(), `msg="an MCP server is starting" server=mute`)
		assert.Contains(t, log.String(), `msg="an MCP server is down" server=mute error="it did not answer in time"`)
		pass(24 * time.Hour)
		assert.Equal(t, 3, strings.Count(log.String(), `"an MCP server is down"`), "repeated warnings are counted")
		assert.Contains(t, log.String(), "times=100")
	})
}

func TestToolsOfAServerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		tools := make([]*sdk.Tool, maxTools+1)
		for n := range tools {
			tools[n] = &sdk.Tool{Name: fmt.Sprintf("tool_%03d", n)}
		}
		i := &inProcess{make: with(tools...)}
		s := startServers(t, Options{Log: log.logger()}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Len(t, s.Tools(), maxTools)
		assert.Contains(t, log.String(), "an MCP server lists more tools than it may; the rest is dropped")
	})
}
