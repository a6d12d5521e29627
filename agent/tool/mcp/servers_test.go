package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// inProcess is a server in this process. Each dial opens a new session with it.
type inProcess struct {
	make func() *sdk.Server

	mu      sync.Mutex
	dials   []time.Time
	broken  error // fails the next dials, if not nil
	serving *sdk.ServerSession
}

func (i *inProcess) dial(func(error), func()) (*connection, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dials = append(i.dials, time.Now())
	if i.broken != nil {
		return nil, i.broken
	}
	ours, theirs := sdk.NewInMemoryTransports()
	serving, err := i.make().Connect(context.Background(), theirs, nil)
	if err != nil {
		return nil, err
	}
	i.serving = serving
	return &connection{
		transport: ours, explain: func(err error) error { return err }, abort: func() { _ = serving.Close() },
		release: func() { _ = serving.Close() },
	}, nil
}

// die ends the session, and fails the next dials with cause.
func (i *inProcess) die(cause error) {
	i.mu.Lock()
	i.broken = cause
	serving := i.serving
	i.mu.Unlock()
	_ = serving.Close()
}

// startServers starts servers, which the test closes within its bubble.
func startServers(t *testing.T, o Options, dialers map[string]dialer) *Servers {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := newServers(dialers, o)
	s.start()
	s.Await(t.Context())
	return s
}

// pass advances the fake time of a bubble, and waits for what that causes.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// with returns a function that makes a server with these tools.
func with(tools ...*sdk.Tool) func() *sdk.Server {
	return func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		for _, one := range tools {
			if one.InputSchema == nil {
				one.InputSchema = object
			}
			s.AddTool(one, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return textAnswer("this is " + r.Params.Name), nil
			})
		}
		return s
	}
}

func TestPausesBetweenRestartsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inProcess{broken: failf("not yet")}
		s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Equal(t, []state{{name: "test", fault: failf("not yet")}}, s.states())
		pass(5 * time.Minute)
		var pauses []time.Duration
		for n := 1; n < len(i.dials); n++ {
			pauses = append(pauses, i.dials[n].Sub(i.dials[n-1]))
		}
		ms, sec := time.Millisecond, time.Second
		assert.Equal(t, []time.Duration{
			0, 500 * ms, sec, 2 * sec, 4 * sec, 8 * sec, 16 * sec, 32 * sec, time.Minute, time.Minute, time.Minute,
		}, pauses)
	})
}

func TestToolsOfAServerThatIsDownFailWithAReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inProcess{make: with(&sdk.Tool{Name: "hello"})}
		changes := 0
		var log logged
		s := startServers(t, Options{Log: log.logger(), OnChange: func([]agent.Tool) { changes++ }},
			map[string]dialer{"test": i.dial})
		defer s.Close()
		hello := s.Tools()[0]
		_, err := hello.Run(t.Context(), nil)
		require.NoError(t, err)

		i.die(failf("out of order"))
		synctest.Wait()
		_, err = hello.Run(t.Context(), nil)
		assert.EqualError(t, err,
			`the MCP server "test" is down and is being restarted; try again later or do without it`)
		assert.Equal(t, []string{"hello"}, toolNames(s.Tools()), "the tools stay in the set")
		assert.Contains(t, log.String(), `level=WARN msg="an MCP server is down" server=test`)

		i.mu.Lock()
		i.broken = nil
		i.mu.Unlock()
		pass(time.Minute)
		got, err := hello.Run(t.Context(), nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[{"type":"text","text":"this is hello"}]}`, string(got))
		assert.Equal(t, 1, changes, "the same tools again are not a change")
	})
}

func TestOnChangeIsCalledInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := &inProcess{make: with(&sdk.Tool{Name: "hello"})}, &inProcess{broken: errors.New("down")}
		two.make = with(&sdk.Tool{Name: "hello"}, &sdk.Tool{Name: "time"})
		var seen [][]string
		s := startServers(t, Options{
			Reserved: []string{"time"},
			OnChange: func(all []agent.Tool) { seen = append(seen, toolNames(all)) },
		}, map[string]dialer{"one": one.dial, "two": two.dial})
		assert.Equal(t, [][]string{{"hello"}}, seen)
		two.mu.Lock()
		two.broken = nil
		two.mu.Unlock()
		pass(time.Minute)
		assert.Equal(t, [][]string{{"hello"}, {"one__hello", "two__hello", "two__time"}}, seen)
		got, err := s.Tools()[1].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.Contains(t, string(got), "this is hello", "the server is called with its own name for the tool")
		s.Close()
		s.Close()
		assert.Len(t, seen, 2)
		_, err = s.Tools()[1].Run(t.Context(), nil)
		assert.EqualError(t, err, `the MCP server "two" is not running any more`)
	})
}

// Whoever is told that a server is up can call its tools: they have been offered.
func TestAServerIsUpOnceItsToolsAreOffered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := &inProcess{make: with(&sdk.Tool{Name: "hello"})}
		offer := make(chan struct{})
		s := newServers(map[string]dialer{"one": one.dial}, Options{
			Log: slog.New(slog.DiscardHandler), OnChange: func([]agent.Tool) { <-offer },
		})
		s.start()
		defer s.Close()
		synctest.Wait()
		assert.Equal(t, State{Server: "one", Name: "one", Listed: true, Tools: 1}, s.States()[0])
		close(offer)
		synctest.Wait()
		assert.True(t, s.States()[0].Up)
	})
}

func TestAnInvalidToolIsDroppedAlone(t *testing.T) {
	large := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("a", 140<<10) + `"}`)
	for want, tool := range map[string]*sdk.Tool{
		"more than 131072": {Name: "x", InputSchema: large}, "it cannot be read, or has no name": {InputSchema: object},
	} {
		_, err := (&catalog{clean: asItIs}).define(tool)
		assert.ErrorContains(t, err, want)
	}
	synctest.Test(t, func(t *testing.T) {
		var log logged
		i := &inProcess{make: with(&sdk.Tool{Name: "good"}, &sdk.Tool{Name: "bad tool\n", InputSchema: large})}
		s := startServers(t, Options{Log: log.logger()}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Equal(t, []string{"good"}, toolNames(s.Tools()))
		assert.Contains(t, log.String(), `server=test count=1 first="bad_tool_: its schema has 143394 bytes`)
	})
}

// A server that asks back gets no answer, and the model hears that nothing was done. One that is busy is asked again.
func TestACallThatIsAnsweredWithAQuestionIsOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var states []string
		i := &inProcess{make: func() *sdk.Server {
			s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s.AddTool(&sdk.Tool{Name: "ask", InputSchema: object},
				func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": &sdk.ElicitParams{
						Message: "who?", RequestedSchema: &jsonschema.Schema{Type: "object"}}}}, nil
				})
			s.AddTool(&sdk.Tool{Name: "busy", InputSchema: object},
				func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					if states = append(states, r.Params.RequestState); len(states) == 1 {
						return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{}, RequestState: "later"}, nil
					}
					return textAnswer("done"), nil
				})
			return s
		}}
		s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		_, err := s.Tools()[0].Run(t.Context(), nil)
		assert.ErrorContains(t, err, `"test" asks back before it runs this tool`)
		got, err := s.Tools()[1].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[{"type":"text","text":"done"}]}`, string(got))
		assert.Equal(t, []string{"", "later"}, states)
	})
}

// A request for a feature that we do not offer must fail, not hang.
func TestToolsThatNeedClientFeaturesFail(t *testing.T) {
	asks := map[string]func(context.Context, *sdk.ServerSession) error{
		"elicitation": func(ctx context.Context, s *sdk.ServerSession) error {
			schema := &jsonschema.Schema{Type: "object"}
			_, err := s.Elicit(ctx, &sdk.ElicitParams{Message: "who?", RequestedSchema: schema})
			return err
		},
		"sampling": func(ctx context.Context, s *sdk.ServerSession) error {
			//lint:ignore SA1019 servers still ask for it
			_, err := s.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
			return err
		},
	}
	for about, ask := range asks {
		synctest.Test(t, func(t *testing.T) {
			i := &inProcess{make: func() *sdk.Server {
				s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
				handler := func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return textAnswer("done"), ask(ctx, r.Session)
				}
				s.AddTool(&sdk.Tool{Name: "ask", InputSchema: object}, handler)
				return s
			}}
			s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
			defer s.Close()
			began := time.Now()
			_, err := s.Tools()[0].Run(t.Context(), nil)
			assert.Error(t, err, about)
			assert.Less(t, time.Since(began), time.Second, about)
		})
	}
}

func TestAnInterruptReachesTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancelled := make(chan error, 1)
		i := &inProcess{make: func() *sdk.Server {
			s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			handler := func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				<-ctx.Done()
				cancelled <- ctx.Err()
				return nil, ctx.Err()
			}
			s.AddTool(&sdk.Tool{Name: "wait", InputSchema: object}, handler)
			return s
		}}
		s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := s.Tools()[0].Run(ctx, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, <-cancelled, context.Canceled)
		assert.Equal(t, time.Second, time.Since(began), "the call ends with its context")

		began = time.Now()
		_, err = s.Tools()[0].Run(t.Context(), nil)
		require.EqualError(t, err, `the MCP server "test" gave no answer within 2m0s`)
		assert.Equal(t, DefaultCallTimeout, time.Since(began))
	})
}

// answersOnly returns a server that answers no first request but that of this method.
func answersOnly(first string, over <-chan struct{}) *sdk.Server {
	s := with(&sdk.Tool{Name: "hello"})()
	s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
			if method != first && (method == "server/discover" || method == "initialize") {
				select {
				case <-over:
				case <-ctx.Done():
				}
			}
			return next(ctx, method, r)
		}
	})
	return s
}

// Some older servers never answer requests that they do not know.
func TestAServerThatKnowsOnlyTheOlderProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		i := &inProcess{make: func() *sdk.Server { return answersOnly("initialize", over) }}
		s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		pass(time.Minute)
		assert.True(t, s.states()[0].up, "%v", s.states())
		assert.Len(t, i.dials, 2)
	})
}
