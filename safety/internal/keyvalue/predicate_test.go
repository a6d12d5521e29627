package keyvalue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/lex"
	"candor/safety/internal/ruletest"
)

// predicate is a function of this package that answers yes or no, with texts for
// which it holds and others for which it does not.
type predicate struct {
	holds        func(text string) bool
	hits, misses []string
}

// onCandidate calls a predicate with the first candidate of a line.
func onCandidate(holds func(*candidate) bool) func(string) bool {
	return func(line string) bool { return holds(candidateIn(line)) }
}

// atMark calls a predicate with a text and the place of the ‸ in it.
func atMark(holds func(s string, i int) bool) func(string) bool {
	return func(marked string) bool {
		before, after, _ := strings.Cut(marked, "‸")
		return holds(before+after, len(before))
	}
}

// onName calls a predicate with a text and where the name between two marks stands.
func onName(holds func(s string, left, right int) bool) func(string) bool {
	return func(marked string) bool {
		parts := strings.SplitN(marked, "‸", 3)
		return holds(strings.Join(parts, ""), len(parts[0]), len(parts[0])+len(parts[1]))
	}
}

// candidateIn reads the first name of a line that an operator joins to a value. It
// panics where there is none: such a line is no case for a predicate.
func candidateIn(line string) *candidate {
	for at := range line {
		for _, keyword := range Rule().Keywords {
			if !lex.HasFold(line, at, keyword) {
				continue
			}
			left, right := nameStart(line, at), nameEnd(line, at)
			i, op := joined(line, 0, at, right)
			if op == OpNone {
				continue
			}
			v := ReadValue(line, i)
			text := line[v.From:v.To]
			return &candidate{
				s: line, name: line[left:right], kind: kindInText(line, left, right), op: op, value: v, text: text,
				chars: lex.CountChars(text),
			}
		}
	}
	panic("no name and value in " + line)
}

func TestEachPredicateHoldsForItsHitsOnly(t *testing.T) {
	for name, p := range predicates() {
		t.Run(name, func(t *testing.T) {
			require.NotEmpty(t, p.hits)
			require.NotEmpty(t, p.misses)
			for _, text := range p.hits {
				text = ruletest.Fill(text, 4)
				assert.True(t, p.holds(text), "%q", text)
			}
			for _, text := range p.misses {
				text = ruletest.Fill(text, 4)
				assert.False(t, p.holds(text), "%q", text)
			}
		})
	}
}

func TestEveryPredicateHasCases(t *testing.T) {
	cases := predicates()
	for _, name := range predicateNames(t) {
		assert.Contains(t, cases, name, "add hits and misses of %s", name)
		delete(cases, name)
	}
	assert.Empty(t, cases, "cases of functions that are gone")
}

// predicateNames lists the functions of this package whose only result is a bool.
func predicateNames(t *testing.T) (names []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Type.Results == nil || len(f.Type.Results.List) != 1 {
				continue
			}
			if result, ok := f.Type.Results.List[0].Type.(*ast.Ident); ok && result.Name == "bool" {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

// predicates are the cases of every predicate, file by file.
func predicates() map[string]predicate {
	all := map[string]predicate{}
	for _, group := range []map[string]predicate{
		namePredicates, operatorPredicates, plausiblePredicates, prosePredicates,
		codePredicates, referencePredicates, generatedPredicates, memorablePredicates, backPredicates, ownerPredicates,
	} {
		for name, p := range group {
			all[name] = p
		}
	}
	return all
}
