package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	maxColumns = 120
	tabWidth   = 4
)

// source is one parsed Go file of the tree.
type source struct {
	path string // within the module, with slashes
	raw  []byte
	fset *token.FileSet
	file *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// sources parses every Go file of the tree, tests and nested modules included.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	require.NoError(t, filepath.WalkDir(moduleRoot(), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != moduleRoot() &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "bin"):
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
