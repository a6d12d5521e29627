package agent

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// What a schema costs in bytes once it is compiled, as SchemaCost estimates it.
const (
	objectCost  = 4 << 10 // of an object or a boolean, which may be a schema of its own
	falseCost   = 4 << 10 // of false in addition: it is a schema within a schema
	valueCost   = 128     // of any other value, and of any value for each level above it
	pathCost    = 4       // of a byte of the path that leads to an object
	textCost    = 16      // of a byte of the whole text
	parseCost   = 128     // of a byte of a regular expression
	instCost    = 160     // of an instruction of a regular expression
	runeCost    = 8       // of a bound of a character class, for each instruction
	classWeight = 500     // how many bytes of an expression a named class counts as
)

// maxPattern bounds a regular expression before it is parsed, in bytes, where a class such as
// \pL, which stands for hundreds of ranges, counts as classWeight.
const maxPattern = 8 << 10

// SchemaCost estimates how many bytes a schema takes once it is compiled, without compiling
// anything. It fails if the schema is nested too deeply, or if one of its regular expressions
// is too long to be looked at.
//
// The estimate is generous, and bounds time as well: compiling takes time in proportion.
func SchemaCost(raw []byte) (int, error) {
	_, cost, err := readSchema(raw)
	return cost, err
}

// schemaTree is a schema as plain JSON, with the sizes of its regular expressions.
type schemaTree struct {
	root     any
	patterns map[string]int // instructions of each, 0 for one that cannot be parsed
}

// readSchema parses a schema and estimates its cost.
func readSchema(raw []byte) (t *schemaTree, cost int, err error) {
	if err := checkDepth(raw); err != nil {
		return nil, 0, err
	}
	t = &schemaTree{patterns: map[string]int{}}
	if err := json.Unmarshal(raw, &t.root); err != nil {
		return nil, 0, errNoSchema
	}
	cost, err = t.cost(t.root, 1, 0)
	return t, cost + textCost*len(raw), err
}

// cost returns the cost of a value and of all below it. depth is its level, path the length of
// the path to it.
func (t *schemaTree) cost(node any, depth, path int) (total int, err error) {
	total = valueCost * depth
	switch node := node.(type) {
	case bool:
		if total += objectCost + pathCost*path; !node {
			total += falseCost
		}
	case []any:
		for _, v := range node {
			one, err := t.cost(v, depth+1, path+8)
			if total += one; err != nil {
				return total, err
			}
		}
	case map[string]any:
		total += objectCost + pathCost*path
		for name, v := range node {
			one, err := t.memberCost(name, v, depth, path)
			if total += one; err != nil {
				return total, err
			}
		}
	}
	return total, nil
}

// memberCost returns the cost of a member of an object, and of the expressions that it has.
func (t *schemaTree) memberCost(name string, v any, depth, path int) (total int, err error) {
	var patterns []string
	if text, ok := v.(string); ok && name == "pattern" {
		patterns = append(patterns, text)
	}
	if members, ok := v.(map[string]any); ok && name == "patternProperties" {
		for p := range members {
			patterns = append(patterns, p)
		}
	}
	for _, p := range patterns {
		size, cost, err := patternCost(p)
		if err != nil {
			return 0, err
		}
		t.patterns[p] = size
		total += cost
	}
	below, err := t.cost(v, depth+1, path+len(name)+1)
	return total + below, err
}

// patternCost returns how many instructions a regular expression has once it is compiled, and
// their cost. Both are 0 for an expression that cannot be parsed, which is not compiled either.
//
// Only the counts of nested repetitions are multiplied, as the compiler copies what they repeat.
// The parser itself expands nothing but named classes, which are counted before.
func patternCost(p string) (size, cost int, err error) {
	long := len(p) + classWeight*(strings.Count(p, `\p`)+strings.Count(p, `\P`))
	if strings.Contains(p, "(?") && strings.Contains(p, "i") {
		long += 3 * (long - len(p)) // perhaps each class is to be folded
	}
	if long > maxPattern {
		return 0, 0, fmt.Errorf("a pattern of its schema is longer than %d bytes, "+
			"where a class such as \\pL counts as %d", maxPattern, classWeight)
	}
	re, err := syntax.Parse(p, syntax.Perl)
	if err != nil {
		return 0, 0, nil
	}
	size, runes := patternSize(re)
	return size, instCost*size + runeCost*runes + parseCost*long, nil
}

// patternSize returns the number of instructions of a parsed expression, and the number of the
// bounds of their character classes.
func patternSize(re *syntax.Regexp) (size, runes int) {
	size = 2 // for whatever joins the parts
	for _, sub := range re.Sub {
		n, r := patternSize(sub)
		size, runes = size+n+1, runes+r
	}
	switch re.Op {
	case syntax.OpLiteral:
		return size + len(re.Rune), runes + len(re.Rune)
	case syntax.OpCharClass:
		return size, runes + len(re.Rune)
	case syntax.OpRepeat:
		times := max(re.Min, re.Max, 1)
		return size * times, runes * times
	}
	return size, runes
}

// costOf is the sum of what the schemas of several tools cost.
type costOf struct{ spent, limit int }

// add adds a schema's cost. It fails once the sum exceeds the limit.
func (c *costOf) add(cost int) error {
	if c.spent += cost; c.spent > c.limit {
		return fmt.Errorf("its schema does not fit: compiled, the schemas of all tools together "+
			"would take more than %d MiB; use smaller repetitions in patterns, or fewer objects", c.limit>>20)
	}
	return nil
}

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
