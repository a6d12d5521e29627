package mcp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
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

// maxNativeName bounds a tool's name as its server has it, in bytes.
const maxNativeName = 1 << 10

// definition is a tool as its server describes it.
type definition struct {
	name        string // the server's own, as it came
	label       string // the same, fit to be shown
	description string // cleaned
	schema      *jsonschema.Schema
	readOnly    bool   // as the server says: it changes nothing, and deals with nothing outside
	asTask      bool   // a call of it has to be a task
	digest      string // of the server's name, and of the tool's name, description and schema as they came
	cost        int    // of the schema, compiled
	odd         string // why the tool, or a part of it, is offered as taking anything; empty if it is not
}

// catalog checks the tools of one list of a server's.
type catalog struct {
	server string                // its key
	clean  func(string) string   // makes the server's text fit to be shown
	known  map[string]definition // as listed before, by name
	cost   int                   // of the schemas so far
	limit  int                   // of cost; 0 means maxSchemas
}

// define checks a tool as its server describes it, and cleans what is shown of it. A tool that
// has not changed is not converted again, and its schema keeps its identity, so nobody compiles
// it again.
func (c *catalog) define(t *sdk.Tool) (definition, error) {
	if t.Name == "" {
		return definition{}, errors.New("it cannot be read, or has no name")
	}
	if len(t.Name) > maxNativeName {
		return definition{}, fmt.Errorf("its name has %d bytes, more than %d", len(t.Name), maxNativeName)
	}
	if len(t.Description) > maxDefinition {
		return definition{}, fmt.Errorf("its description has %d bytes, more than %d", len(t.Description), maxDefinition)
	}
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return definition{}, err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %s", c.server, t.Name, t.Description, raw))
	d := definition{name: t.Name, readOnly: isReadOnly(t.Annotations), digest: hex.EncodeToString(sum[:])}
	d.asTask = t.Meta[requiresTask] == true
	if known, ok := c.known[t.Name]; ok && known.digest == d.digest {
		known.readOnly, known.asTask = d.readOnly, d.asTask
		return known, c.pay(known.cost)
	}
	d.label, d.description = shown(t.Name, c.clean), c.clean(valid(t.Description))
	pay := func(cost int) error {
		d.cost = cost
		return c.pay(cost)
	}
	d.schema, err = schemaOf(raw, c.clean, pay)
	if odd, ok := errors.AsType[*oddSchema](err); ok {
		// The server still checks its arguments itself, so the tool can be called all the same.
		d.odd, err = odd.Error(), nil
		if d.schema == nil {
			d.schema = &jsonschema.Schema{Type: "object"}
		}
	}
	return d, err
}

// pay adds a schema's cost to those of the tools before it, unless the sum exceeds maxSchemas.
func (c *catalog) pay(cost int) error {
	if limit := cmp.Or(c.limit, maxSchemas); c.cost+cost > limit {
		return fmt.Errorf("its schema does not fit: compiled, the schemas of the server's tools together "+
			"would take more than %d MiB", limit>>20)
	}
	c.cost += cost
	return nil
}

// isReadOnly reports whether a server says that its tool changes nothing and deals with a
// closed world. A tool that only reads, but from the network, may carry data away, and one
// without these hints may do anything.
func isReadOnly(hints *sdk.ToolAnnotations) bool {
	return hints != nil && hints.ReadOnlyHint && hints.OpenWorldHint != nil && !*hints.OpenWorldHint
}
