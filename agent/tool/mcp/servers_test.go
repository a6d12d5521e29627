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

// inside is a server in this process. Each dial gets a new session with it.
type inside struct {
	make func() *sdk.Server

	mu      sync.Mutex
	dials   []time.Time
	broken  error // what dialling gives, if anything
	session *sdk.ServerSession
}

func (i *inside) dial(func(error)) (*line, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.dials = append(i.dials, time.Now())
	if i.broken != nil {
		return nil, i.broken
	}
	ours, theirs := sdk.NewInMemoryTransports()
	session, err := i.make().Connect(context.Background(), theirs, nil)
	if err != nil {
		return nil, err
	}
	i.session = session
	return &line{
		transport: ours, why: func(err error) error { return err }, hangUp: func() {},
		free: func() { _ = session.Close() },
	}, nil
}

func (i *inside) die(because error) {
	i.mu.Lock()
	i.broken = because
	session := i.session
	i.mu.Unlock()
	_ = session.Close()
}

// started has the servers tried, closed at the end of the bubble.
func started(t *testing.T, o Options, dialers map[string]dialer) *Servers {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := newServers(dialers, o)
	require.NoError(t, s.start(t.Context()))
	return s
}

// pass lets time go by in a bubble, and all that is due happen.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func with(tools ...*sdk.Tool) func() *sdk.Server {
	return func() *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		for _, one := range tools {
			if one.InputSchema == nil {
				one.InputSchema = object
			}
			s.AddTool(one, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return text("this is " + r.Params.Name), nil
			})
		}
		return s
	}
}

func TestPausesBetweenRestartsGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inside{broken: failf("not yet")}
		s := started(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Equal(t, []Status{{Name: "test", Fault: failf("not yet")}}, s.Status())
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

func TestToolsOfAServerThatIsDownSayIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inside{make: with(&sdk.Tool{Name: "hello"})}
		changes := 0
		s := started(t, Options{OnChange: func([]agent.Tool) { changes++ }}, map[string]dialer{"test": i.dial})
		defer s.Close()
		hello := s.Tools()[0]
		_, err := hello.Run(t.Context(), nil)
		require.NoError(t, err)

		i.die(failf("out of order"))
		synctest.Wait()
		_, err = hello.Run(t.Context(), nil)
		assert.EqualError(t, err, `the MCP server "test" is down and is being restarted; try again later or do without it`)
		assert.Equal(t, []string{"hello"}, names(s.Tools()), "they stay in the set")

		i.mu.Lock()
		i.broken = nil
		i.mu.Unlock()
		pass(time.Minute)
		got, err := hello.Run(t.Context(), nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[{"type":"text","text":"this is hello"}]}`, string(got))
		assert.Equal(t, 1, changes, "the same tools again are no change")
	})
}

func TestChangesAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := &inside{make: with(&sdk.Tool{Name: "hello"})}, &inside{broken: errors.New("down")}
		two.make = with(&sdk.Tool{Name: "hello"}, &sdk.Tool{Name: "time"})
		var told [][]string
		s := started(t, Options{
			Reserved: []string{"time"},
			OnChange: func(all []agent.Tool) { told = append(told, names(all)) },
		}, map[string]dialer{"one": one.dial, "two": two.dial})
		assert.Equal(t, [][]string{{"hello"}}, told)
		two.mu.Lock()
		two.broken = nil
		two.mu.Unlock()
		pass(time.Minute)
		assert.Equal(t, [][]string{{"hello"}, {"one__hello", "two__hello", "two__time"}}, told)
		got, err := s.Tools()[1].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.Contains(t, string(got), "this is hello", "the server knows it by its own name")
		s.Close()
		s.Close()
		assert.Len(t, told, 2)
		_, err = s.Tools()[1].Run(t.Context(), nil)
		assert.EqualError(t, err, `the MCP server "two" is not running any more`)
	})
}

func TestAToolThatCannotBeUsedIsDroppedAlone(t *testing.T) {
	for want, schema := range map[string]string{
		"its schema is not of type object": `{"type":["object","null"]}`,
		"its schema cannot be resolved":    `{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json"}}}`,
		"its schema cannot be read":        `{"type":"object","properties":[]}`,
		"more than 131072":                 `{"type":"object","description":"` + strings.Repeat("a", 140<<10) + `"}`,
	} {
		var given any
		require.NoError(t, json.Unmarshal([]byte(schema), &given))
		_, err := define(&sdk.Tool{Name: "x", InputSchema: given})
		assert.ErrorContains(t, err, want)
	}
	synctest.Test(t, func(t *testing.T) {
		var log logged
		i := &inside{make: with(&sdk.Tool{Name: "good"}, &sdk.Tool{
			Name: "bad", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/nowhere"}}}`),
		})}
		s := started(t, Options{Log: log.logger()}, map[string]dialer{"test": i.dial})
		defer s.Close()
		assert.Equal(t, []string{"good"}, names(s.Tools()))
		assert.Contains(t, log.String(), `server=test tool=bad error="its schema cannot be resolved"`)
	})
}

// What a server asks of us and we do not offer has to fail, not to hang.
func TestAToolThatNeedsMoreOfUsFails(t *testing.T) {
	asks := map[string]func(context.Context, *sdk.ServerSession) error{
		"elicitation": func(ctx context.Context, s *sdk.ServerSession) error {
			_, err := s.Elicit(ctx, &sdk.ElicitParams{Message: "who?", RequestedSchema: &jsonschema.Schema{Type: "object"}})
			return err
		},
		"sampling": func(ctx context.Context, s *sdk.ServerSession) error {
			//lint:ignore SA1019 servers go on asking for it
			_, err := s.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
			return err
		},
	}
	for about, ask := range asks {
		synctest.Test(t, func(t *testing.T) {
			i := &inside{make: func() *sdk.Server {
				s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
				s.AddTool(&sdk.Tool{Name: "ask", InputSchema: object}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					return text("done"), ask(ctx, r.Session)
				})
				return s
			}}
			s := started(t, Options{}, map[string]dialer{"test": i.dial})
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
		told := make(chan error, 1)
		i := &inside{make: func() *sdk.Server {
			s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s.AddTool(&sdk.Tool{Name: "wait", InputSchema: object}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				<-ctx.Done()
				told <- ctx.Err()
				return nil, ctx.Err()
			})
			return s
		}}
		s := started(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := s.Tools()[0].Run(ctx, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, <-told, context.Canceled)

		began := time.Now()
		_, err = s.Tools()[0].Run(t.Context(), nil)
		require.EqualError(t, err, `the MCP server "test" gave no answer within 10m0s`)
		assert.Equal(t, maxCall, time.Since(began))
	})
}

// Some older servers leave requests unanswered that they do not know.
func TestAServerThatKnowsOnlyTheOldWayToBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		i := &inside{make: func() *sdk.Server {
			s := with(&sdk.Tool{Name: "hello"})()
			s.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
				return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
					if method == "server/discover" {
						select {
						case <-over:
						case <-ctx.Done():
						}
					}
					return next(ctx, method, r)
				}
			})
			return s
		}}
		s := started(t, Options{}, map[string]dialer{"test": i.dial})
		defer s.Close()
		pass(time.Minute)
		assert.True(t, s.Status()[0].Up, "%v", s.Status())
		assert.Len(t, i.dials, 2)
	})
}
