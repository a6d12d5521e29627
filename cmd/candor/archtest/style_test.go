package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	maxColumns    = 120
	maxFunction   = 60
	maxPercentile = 35 // of the lengths of functions, at p90
	maxFile       = 300
	maxComplexity = 15
	tabWidth      = 4
)

// source is one parsed Go file of the tree.
type source struct {
	path string // within the module, with slashes
	raw  []byte
	fset *token.FileSet
	file *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) lines(n ast.Node) int {
	return s.fset.Position(n.End()).Line - s.fset.Position(n.Pos()).Line + 1
}

// sources parses every Go file of the tree, tests and nested modules included.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	require.NoError(t, filepath.WalkDir(moduleRoot(), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != moduleRoot() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, raw, parser.ParseComments|parser.SkipObjectResolution)
		rel, _ := filepath.Rel(moduleRoot(), name)
		all = append(all, source{filepath.ToSlash(rel), raw, fset, file})
		return err
	}))
	require.Greater(t, len(all), 300)
	return all
}

func TestLinesFitInto120Columns(t *testing.T) {
	for _, s := range sources(t) {
		number := 0
		for line := range bytes.Lines(s.raw) {
			number++
			if columns(line) > maxColumns {
				assert.Fail(t, "a line is too wide", "%s:%d has %d columns", s.path, number, columns(line))
			}
		}
	}
}

// columns is the width of a line, a tab at its start counted as four.
func columns(line []byte) int {
	text := bytes.TrimRight(line, "\n")
	tabs := len(text) - len(bytes.TrimLeft(text, "\t"))
	return utf8.RuneCount(text) + tabs*(tabWidth-1)
}

func TestFilesAndFunctionsAreShort(t *testing.T) {
	var lengths []int
	for _, s := range sources(t) {
		assert.LessOrEqual(t, bytes.Count(s.raw, []byte("\n")), maxFile, "%s is too long", s.path)
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			assert.LessOrEqual(t, s.lines(fn), maxFunction, "%s: %s is too long", s.path, fn.Name)
			if !s.isTest() {
				lengths = append(lengths, s.lines(fn))
			}
		}
	}
	slices.Sort(lengths)
	assert.LessOrEqual(t, lengths[len(lengths)*9/10], maxPercentile, "nine functions in ten are shorter")
}

func TestComplexityIsAtMost15(t *testing.T) {
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				assert.LessOrEqual(t, complexity(fn), maxComplexity, "%s: %s is too complex", s.path, fn.Name)
			}
		}
	}
}

// complexity counts the independent paths through a function: one, and one for each branch, loop, case
// and short circuit in it (McCabe's cyclomatic complexity, as gocyclo counts it).
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

func TestComplexityCountsEachBranch(t *testing.T) {
	const text = `package p
func f(a, b bool, xs []int) int {
	if a && b || a { return 1 }
	for range xs { switch { case a: default: } }
	select { case <-c: default: }
	return 0
}`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", text, 0)
	require.NoError(t, err)
	assert.Equal(t, 7, complexity(file.Decls[0].(*ast.FuncDecl)), "if, &&, ||, for, case, select case, and one")
}

func TestInterfacesHaveOneToThreeMethods(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			if typ, ok := n.(*ast.TypeSpec); ok && !s.isTest() {
				if i, ok := typ.Type.(*ast.InterfaceType); ok {
					assert.LessOrEqual(t, i.Methods.NumFields(), 3, "%s: %s has too many methods", s.path, typ.Name)
				}
			}
			return true
		})
	}
}
