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

// DefaultCallTimeout is how long a call may take, so that a server that never answers cannot
// hold a turn for ever.
const DefaultCallTimeout = 2 * time.Minute

// remoteTool is a tool of a server under the name that we gave it. It outlives sessions:
// while its server is down, calls fail.
type remoteTool struct {
	spec  agent.Spec
	owner *supervisor
}

// Spec implements agent.Tool.
func (t *remoteTool) Spec() agent.Spec { return t.spec }

// Run implements agent.Tool. A call that fails may still have taken effect; it is never
// made again.
func (t *remoteTool) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, asTask, err := t.owner.current(t.spec.Origin.Tool, t.spec.Origin.Definition)
	if err != nil {
		return nil, err
	}
	// Servers expect an object, also for tools without arguments.
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	// The call ends with its turn, after its server's limit, or with the session.
	call, cancel := context.WithTimeout(ctx, t.owner.limit)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	answer, err := t.call(call, s, args, asTask)
	switch {
	case err != nil:
		return nil, t.explain(ctx, call, s, err)
	case answer.NeedsInput():
		return nil, fmt.Errorf("the MCP server %q asks back before it runs this tool, and Candor does not answer: "+
			"the tool was not run", t.owner.name)
	}
	return convert(answer, maxResult)
}

// maxRounds bounds how often a call is sent whose server is busy.
const maxRounds = 3

// call sends a call. A server of the newer revisions may answer that the call is to be sent again: at once, since it is
// busy, or with something of the client's, which we do not offer. asTask says that the call has to be a task.
func (t *remoteTool) call(
	ctx context.Context, s *session, args json.RawMessage, asTask bool,
) (*sdk.CallToolResult, error) {
	params := &sdk.CallToolParams{Name: t.spec.Origin.Tool, Arguments: args}
	offers := s.offerTasks(ctx, params, asTask)
	for round := 1; ; round++ {
		answer, err := s.client.CallTool(offers, params)
		if err != nil {
			return nil, err
		}
		if !answer.NeedsInput() || len(answer.InputRequests) > 0 || round == maxRounds {
			return s.await(ctx, answer)
		}
		params.RequestState = answer.RequestState
	}
}

// explain returns the error of a failed call, as the model sees it. Only an error that the
// server sent for this call has the server's words.
func (t *remoteTool) explain(ctx, call context.Context, s *session, err error) error {
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() == context.DeadlineExceeded:
		return fmt.Errorf("the MCP server %q gave no answer within %s", t.owner.name, t.owner.limit)
	case errors.As(err, &refused) && !isSDKError(refused.Code):
		words := refused.Message
		if data := bytes.TrimSpace(refused.Data); len(data) > 0 && string(data) != "null" {
			words += ": " + string(data) // which often says what would be right
		}
		return errors.New(cut(valid(words), maxError))
	case !s.ends():
		return fmt.Errorf("the MCP server %q gave no answer that can be used: %w", t.owner.name, safeError(err))
	}
	return fmt.Errorf("the connection to the MCP server %q broke during this call, "+
		"which may have taken effect or not; the server is being restarted", t.owner.name)
}
