package archtest

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEveryPackageAndExportedNameIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		dir := path.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil
		for _, d := range s.file.Decls {
			assertDocumented(t, s.path, d)
		}
	}
	for dir, ok := range documented {
		assert.True(t, ok, "%s has no package comment", dir)
	}
}

func assertDocumented(t *testing.T, file string, d ast.Decl) {
	t.Helper()
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && hasExportedReceiver(d) {
			assert.NotNil(t, d.Doc, "%s: %s has no comment", file, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
				assert.True(t, d.Doc != nil || s.Doc != nil, "%s: %s has no comment", file, s.Name)
			}
			if s, ok := spec.(*ast.ValueSpec); ok && s.Names[0].IsExported() {
				commented := d.Doc != nil || s.Doc != nil || s.Comment != nil
				assert.True(t, commented, "%s: %s has no comment", file, s.Names[0])
			}
		}
	}
}

func hasExportedReceiver(d *ast.FuncDecl) bool {
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

// TestPanicsOnlyRejectOurOwnSource holds that product code panics only where it rejects a constant of our own
// source before anything is served.
func TestPanicsOnlyRejectOurOwnSource(t *testing.T) {
	allowed := []string{
		"agent/tool/tool.go", "agent/provider/script/script.go", "safety/policy.go",
		"safety/internal/lex/words.go", "safety/internal/secrets/vendorwalk.go", "safety/internal/rule/format.go",
	}
	for _, s := range sources(t) {
		if s.isTest() || slices.Contains(allowed, s.path) || strings.HasPrefix(s.path, "safety/oracle/") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok {
				assert.NotEqual(t, "panic", id.Name, s.path)
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				assert.NotContains(t, []string{"Fatal", "Fatalf", "Fatalln"}, sel.Sel.Name, s.path)
			}
			return true
		})
	}
}
