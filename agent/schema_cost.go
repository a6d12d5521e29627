package agent

import (
	"encoding/json"
	"fmt"
	"regexp/syntax"
	"strings"
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
