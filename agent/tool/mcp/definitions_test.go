package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
)

// What a person approved, or the model was shown, is what is called.
func TestAToolThatChangedIsNotCalled(t *testing.T) {
	changes := map[string]func(*sdk.Tool){
		"description": func(s *sdk.Tool) { s.Description = "It deletes." },
		"schema": func(s *sdk.Tool) {
			s.InputSchema = json.RawMessage(`{"type":"object","properties":{"force":{"type":"boolean"}}}`)
		},
		"name":    func(s *sdk.Tool) { s.Name = "deploy-2" },
		"nothing": func(*sdk.Tool) {},
	}
	for what, change := range changes {
		synctest.Test(t, func(t *testing.T) {
			tool := &sdk.Tool{Name: "deploy", Description: "It looks.", InputSchema: object}
			i := &inProcess{make: func() *sdk.Server { return with(tool)() }}
			s := startServers(t, Options{}, map[string]dialer{"one": i.dial})
			defer s.Close()
			before := s.Tools()[0]
			changed := *tool
			change(&changed)
			tool = &changed
			i.die(nil)
			pass(time.Minute)
			after := s.Tools()[0]
			same := before.Spec().Origin.Definition == after.Spec().Origin.Definition
			assert.Equal(t, what == "nothing", same, what)
			_, err := before.Run(t.Context(), nil)
			if what == "nothing" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `the MCP server "one" has changed or removed this tool`, what)
			_, err = after.Run(t.Context(), nil)
			require.NoError(t, err)
		})
	}
	one, err := (&catalog{server: "one", clean: asItIs}).define(&sdk.Tool{Name: "x", InputSchema: object})
	require.NoError(t, err)
	two, err := (&catalog{server: "two", clean: asItIs}).define(&sdk.Tool{Name: "x", InputSchema: object})
	require.NoError(t, err)
	assert.NotEqual(t, one.digest, two.digest, "the server is part of what a tool is")
}

// Whatever a server calls itself or its tools, everybody sees it cleaned.
func TestNamesAndDescriptionsAreCleaned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		masked := func(text string) string {
			return strings.ReplaceAll(strings.ReplaceAll(text, "hush1", "[MASKED]"), "hush2", "[MASKED]")
		}
		broken := json.RawMessage(`{"type":"object","pattern":"` + strings.Repeat("a", 9000) + `"}`)
		i := &inProcess{make: with(&sdk.Tool{Name: "get_hush1", Description: "Send hush1."},
			&sdk.Tool{Name: "get_hush2"}, &sdk.Tool{Name: "bad_hush1", InputSchema: broken})}
		var log logged
		var seen []string
		s := startServers(t, Options{Log: log.logger(), Clean: masked, OnChange: func(all []agent.Tool) {
			seen = append(seen, toolNames(all)...)
		}}, map[string]dialer{"srv-hush1": i.dial})
		defer s.Close()
		require.Len(t, s.Tools(), 2)
		names := toolNames(s.Tools())
		assert.NotEqual(t, names[0], names[1], "they stay distinct")
		spec := s.Tools()[0].Spec()
		assert.Equal(t, "Send [MASKED].", spec.Description)
		assert.Equal(t, "get_hush1", spec.Origin.Tool, "a rule may name it as the server does")
		got, err := s.Tools()[0].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.Contains(t, string(got), "this is get_hush1", "the server is called with its own name")
		shown := fmt.Sprint(names, seen, spec.Origin.Names, spec.Description, log.String(), s.States()[0].Name)
		assert.NotContains(t, shown, "hush")
		i.die(failf("down"))
		synctest.Wait()
		_, err = s.Tools()[0].Run(t.Context(), nil)
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hush")
	})
}

func TestACallHasTheTimeLimitOfItsServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		make := func() *sdk.Server {
			s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s.AddTool(&sdk.Tool{Name: "wait", InputSchema: object},
				func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
			return s
		}
		s := newServers(map[string]dialer{"one": (&inProcess{make: make}).dial, "two": (&inProcess{make: make}).dial},
			Options{Log: slog.New(slog.DiscardHandler), CallTimeout: time.Minute})
		s.limitCalls(Config{Servers: map[string]Endpoint{"one": {CallTimeout: time.Second}, "two": {}}})
		s.start()
		defer s.Close()
		s.Await(t.Context())
		for i, want := range []time.Duration{time.Second, time.Minute} {
			began := time.Now()
			_, err := s.Tools()[i].Run(t.Context(), nil)
			require.ErrorContains(t, err, fmt.Sprintf("gave no answer within %s", want))
			assert.Equal(t, want, time.Since(began))
		}
	})
}
