package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/agent"
)

// maxCall is how long a call may take where its context sets no end: a server
// that never answers must not hold a turn for good.
const maxCall = 10 * time.Minute

// definition is a tool as its server describes it.
type definition struct {
	name        string // the server's own
	description string
	schema      *jsonschema.Schema
}

// tool is a definition under the name that we gave it. It outlives sessions.
type tool struct {
	spec   agent.Spec
	server *server
	remote string
}

func (t *tool) Spec() agent.Spec { return t.spec }

func (t *tool) Run(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l, err := t.server.current()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	// One context for all that ends the call: the turn, the limit, the session.
	call, cancel := context.WithTimeout(ctx, maxCall)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	answer, err := l.session.CallTool(call, &sdk.CallToolParams{Name: t.remote, Arguments: args})
	if err != nil {
		return nil, t.explain(ctx, call, l, err)
	}
	return digest(answer, maxResult)
}

// explain says why a call gave no answer.
func (t *tool) explain(ctx, call context.Context, l *link, err error) error {
	var refused *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case call.Err() == context.DeadlineExceeded:
		return fmt.Errorf("the MCP server %q gave no answer within %s", t.server.name, maxCall)
	case errors.As(err, &refused) && !ours(refused.Code):
		return errors.New(cut(valid(refused.Message), maxError))
	case !l.over():
		return fmt.Errorf("the MCP server %q gave no answer that can be used: %w", t.server.name, words(err))
	}
	return fmt.Errorf("the connection to the MCP server %q broke during this call, which may have taken effect or not; "+
		"the server is being restarted", t.server.name)
}
