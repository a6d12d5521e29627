package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/agent"
)

// maxCall limits a call whose context has no deadline, so that a server that never
// answers cannot hold a turn for ever.
const maxCall = 10 * time.Minute

// remoteTool is a tool of a server under the name that we gave it. It outlives sessions:
// while its server is down, calls fail.
type remoteTool struct {
	spec       agent.Spec
	owner      *supervisor
	nativeName string // the server's own name for it
}

// Spec implements agent.Tool.
func (t *remoteTool) Spec() agent.Spec { return t.spec }

// Run implements agent.Tool. A call that fails may still have taken effect; it is never
// made again.
func (t *remoteTool) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := t.owner.current()
	if err != nil {
		return nil, err
	}
	// Servers expect an object, also for tools without arguments.
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	// The call ends with its turn, after maxCall, or with the session.
	call, cancel := context.WithTimeout(ctx, maxCall)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	answer, err := s.client.CallTool(call, &sdk.CallToolParams{Name: t.nativeName, Arguments: args})
	if err != nil {
		return nil, t.explain(ctx, call, s, err)
	}
	return convert(answer, maxResult)
}

// explain returns the error of a failed call, as the model sees it. Only an error that the
// server sent for this call has the server's words.
func (t *remoteTool) explain(ctx, call context.Context, s *session, err error) error {
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() == context.DeadlineExceeded:
		return fmt.Errorf("the MCP server %q gave no answer within %s", t.owner.name, maxCall)
	case errors.As(err, &refused) && !isSDKError(refused.Code):
		return errors.New(cut(valid(refused.Message), maxError))
	case !s.ends():
		return fmt.Errorf("the MCP server %q gave no answer that can be used: %w", t.owner.name, safeError(err))
	}
	return fmt.Errorf("the connection to the MCP server %q broke during this call, "+
		"which may have taken effect or not; the server is being restarted", t.owner.name)
}
