package mcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
)

func TestClosingEndsTheRunningCallsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &inProcess{make: func() *sdk.Server {
			s := with()()
			s.AddTool(&sdk.Tool{Name: "wait", InputSchema: object},
				func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
					<-ctx.Done()
					return nil, ctx.Err()
				})
			return s
		}}
		s := startServers(t, Options{}, map[string]dialer{"test": i.dial})
		failed := make(chan error, 1)
		go func() {
			_, err := s.Tools()[0].Run(t.Context(), nil)
			failed <- err
		}()
		synctest.Wait()
		began := time.Now()
		s.Close()
		assert.Zero(t, time.Since(began), "nothing waits for an answer")
		assert.ErrorContains(t, <-failed, "broke during this call")
	})
}

// TestAnErrorOfTheProtocolIsToldWhole holds that a model reads what a server says of a call that it refuses, with the
// details.
func TestAnErrorOfTheProtocolIsToldWhole(t *testing.T) {
	for want, refused := range map[string]error{
		`bad id: {"hint":"use a uuid"}`: &jsonrpc.Error{Code: -32602, Message: "bad id",
			Data: []byte(`{"hint":"use a uuid"}`)},
		"bad id": &jsonrpc.Error{Code: -32602, Message: "bad id", Data: []byte("null")},
	} {
		tool := &remoteTool{owner: &supervisor{name: "one"}}
		assert.EqualError(t, tool.explain(t.Context(), t.Context(), nil, refused), want)
	}
}
