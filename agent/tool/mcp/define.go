package mcp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
