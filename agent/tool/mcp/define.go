package mcp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// definition is a tool as its server describes it.
type definition struct {
	name        string // the server's own
	description string
	schema      *jsonschema.Schema
	readOnly    bool // as the server says: it changes nothing, and deals with nothing outside

	digest [sha256.Size]byte // of the schema as the server sent it
	cost   int               // of the schema, compiled
}

// catalog checks the tools of one list of a server's.
type catalog struct {
	known map[string]definition // as listed before, by name
	cost  int                   // of the schemas so far
}

// define checks a tool as its server describes it. A schema that has not changed is not
// converted again, and keeps its identity, so nobody compiles it again.
func (c *catalog) define(t *sdk.Tool) (definition, error) {
	if len(t.Description) > maxDefinition {
		return definition{}, fmt.Errorf("its description has %d bytes, more than %d", len(t.Description), maxDefinition)
	}
	raw, err := json.Marshal(t.InputSchema)
	if err != nil {
		return definition{}, err
	}
	d := definition{
		name: t.Name, description: valid(t.Description), readOnly: isReadOnly(t.Annotations),
		digest: sha256.Sum256(raw),
	}
	pay := func(cost int) error {
		d.cost = cost
		return c.pay(cost)
	}
	if known, ok := c.known[t.Name]; ok && known.digest == d.digest {
		d.schema = known.schema
		return d, pay(known.cost)
	}
	d.schema, err = schemaOf(raw, pay)
	return d, err
}

// pay adds a schema's cost to those of the tools before it, unless the sum exceeds maxSchemas.
func (c *catalog) pay(cost int) error {
	if c.cost+cost > maxSchemas {
		return fmt.Errorf("its schema does not fit: compiled, the schemas of the server's tools together "+
			"would take more than %d MiB", maxSchemas>>20)
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
