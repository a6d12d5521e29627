package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// compiledSchema is a tool's schema, prepared.
type compiledSchema struct {
	given    *jsonschema.Schema   // as the tool has it
	shown    *jsonschema.Schema   // with the rationale, as models see it
	resolved *jsonschema.Resolved // nil if validation could run for ever
	tree     *schemaTree
	cost     int

	ownsRationale, ownsConfidence bool // the schema has such a property of its own
}

// compile prepares a schema: resolved for validation, and with the rationale as its first
// property unless it has such a property itself. A nil schema allows any object.
func compile(given *jsonschema.Schema, requireRationale bool) (*compiledSchema, error) {
	s := &compiledSchema{given: given}
	if given == nil {
		given = &jsonschema.Schema{Type: "object"}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	if s.tree, s.cost, err = readSchema(raw); err != nil {
		return nil, err
	}
	if s.resolved, err = given.CloneSchemas().Resolve(nil); err != nil {
		return nil, err
	}
	if !s.tree.finite() {
		s.resolved, s.tree = nil, nil
	}
	s.shown = given
	_, s.ownsConfidence = given.Properties[confidenceProperty]
	if _, s.ownsRationale = given.Properties[rationaleProperty]; !s.ownsRationale {
		s.shown = withRationale(given, requireRationale)
	}
	return s, nil
}

// maxCachedSchemas bounds what the compiled schemas cost that are kept for the next turn.
const maxCachedSchemas = 32 << 20

// schemaCache keeps the compiled schemas of front ends' tools: a front end sends the same ones
// with each run. One schema is compiled at a time, so many requests at once take no more memory
// than one. The zero value is empty and ready to use.
type schemaCache struct {
	compiling sync.Mutex

	mu    sync.Mutex
	known map[[sha256.Size]byte]*compiledSchema
	order [][sha256.Size]byte // the one that was compiled first is dropped first
	cost  int
}

// compileOnce returns the compiled schema of a front end's tool. pay is called with its cost before
// it is compiled, and may refuse. The error's text quotes nothing of the schema.
func (c *schemaCache) compileOnce(
	ctx context.Context, f FrontEndTool, pay func(cost int) error,
) (*compiledSchema, error) {
	key := sha256.Sum256(f.Parameters)
	if s := c.get(key); s != nil {
		return s, pay(s.cost)
	}
	c.compiling.Lock()
	defer c.compiling.Unlock()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if s := c.get(key); s != nil {
		return s, pay(s.cost)
	}
	if len(f.Parameters) > 0 {
		cost, err := SchemaCost(f.Parameters)
		if err != nil {
			return nil, err
		}
		if err := pay(cost); err != nil {
			return nil, err
		}
	}
	schema, err := f.parseSchema()
	if err != nil {
		return nil, errNoSchema
	}
	s, err := compile(schema, false)
	if err != nil {
		return nil, errNoSchema
	}
	c.put(key, s)
	return s, nil
}

// get returns the schema with a key, nil if it is not kept.
func (c *schemaCache) get(key [sha256.Size]byte) *compiledSchema {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known[key]
}

// put keeps a schema, and drops those that have no room beside it.
func (c *schemaCache) put(key [sha256.Size]byte, s *compiledSchema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[[sha256.Size]byte]*compiledSchema{}
	}
	c.known[key], c.order = s, append(c.order, key)
	for c.cost += s.cost; c.cost > maxCachedSchemas; c.order = c.order[1:] {
		c.cost -= c.known[c.order[0]].cost
		delete(c.known, c.order[0])
	}
}
