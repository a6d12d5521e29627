package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A panic in product code is allowed only where it says that our own source is
// wrong, before anything is served.
func TestNoPanicsInProductCode(t *testing.T) {
	allowed := []string{"agent/tool/tool.go", "agent/provider/script/script.go", "safety/policy.go",
		"safety/internal/rule/format.go", "safety/internal/secrets/vendor.go", "safety/internal/lex/words.go"}
	eachFile(t, func(name string, f *ast.File) {
		if slices.ContainsFunc(allowed, func(a string) bool { return strings.HasSuffix(filepath.ToSlash(name), a) }) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok {
				assert.NotEqual(t, "panic", id.Name, name)
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				assert.NotContains(t, []string{"Fatal", "Fatalf", "Fatalln"}, sel.Sel.Name, name)
			}
			return true
		})
	})
}

func TestEveryPackageAndExportedNameIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	eachFile(t, func(name string, f *ast.File) {
		dir := filepath.Dir(name)
		documented[dir] = documented[dir] || f.Doc != nil
		for _, d := range f.Decls {
			assertDocumented(t, name, d)
		}
	})
	for dir, ok := range documented {
		assert.True(t, ok, "%s has no package comment", dir)
	}
}

func assertDocumented(t *testing.T, file string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			assert.NotNil(t, d.Doc, "%s: %s", file, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
				assert.True(t, d.Doc != nil || s.Doc != nil, "%s: %s", file, s.Name)
			}
			if s, ok := spec.(*ast.ValueSpec); ok && s.Names[0].IsExported() {
				assert.True(t, d.Doc != nil || s.Doc != nil || s.Comment != nil, "%s: %s", file, s.Names[0])
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	id, ok := typ.(*ast.Ident)
	return ok && id.IsExported()
}

// The shape we hold ourselves to: short functions, and files of one thing.
func TestFunctionsAndFilesStaySmall(t *testing.T) {
	const longestFunction, longestFile = 80, 300
	fset := token.NewFileSet()
	walkGo(t, func(name string) {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if !strings.Contains(filepath.Base(name), "rules") { // tables
			assert.LessOrEqual(t, fset.Position(f.End()).Line, longestFile, name)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
				assert.LessOrEqual(t, lines, longestFunction, "%s: %s", name, fn.Name)
			}
		}
	})
}

// eachFile parses every product file, tests and test suites left out.
func eachFile(t *testing.T, visit func(name string, f *ast.File)) {
	t.Helper()
	walkGo(t, func(name string) {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		visit(name, f)
	})
}

func walkGo(t *testing.T, visit func(name string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "sessiontest" ||
			d.Name() == "apptest" || d.Name() == "oracle" || d.Name() == "node_modules"):
			if name != "../.." {
				return filepath.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			visit(name)
		}
		return nil
	}))
}
