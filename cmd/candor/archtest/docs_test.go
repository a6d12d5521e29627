package archtest

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// minComments is how many lines of comment stand beside a hundred lines of code, at least, in all
// of the tree; minInPackage in each package.
const (
	minComments  = 20
	minInPackage = 13
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

// TestCommentsStandBesideTheCode holds the share of comments in the tree and in each package.
// Whether they are right and plain is for a reader to judge.
func TestCommentsStandBesideTheCode(t *testing.T) {
	type counts struct{ comments, code int }
	packages, all := map[string]counts{}, counts{}
	for _, s := range sources(t) {
		if s.isTest() {
			continue
		}
		comments, code := commentLines(s)
		c := packages[path.Dir(s.path)]
		packages[path.Dir(s.path)] = counts{c.comments + comments, c.code + code}
		all = counts{all.comments + comments, all.code + code}
	}
	assert.GreaterOrEqual(t, all.comments*100, all.code*minComments, "%d lines of comment beside %d of code",
		all.comments, all.code)
	for dir, c := range packages {
		assert.GreaterOrEqual(t, c.comments*100, c.code*minInPackage, "%s has %d lines of comment beside %d of code",
			dir, c.comments, c.code)
	}
	t.Logf("%d lines of comment beside %d of code", all.comments, all.code)
}

// commentLines counts the lines of a file that hold only a comment, and those that hold code.
func commentLines(s source) (comments, code int) {
	var scan scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile(s.path, fset.Base(), len(s.raw))
	scan.Init(file, s.raw, nil, scanner.ScanComments)
	hasCode, hasComment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, lit := scan.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		first := file.Line(pos)
		for i := range 1 + strings.Count(lit, "\n") {
			if tok == token.COMMENT {
				hasComment[first+i] = true
			} else {
				hasCode[first+i] = true
			}
		}
	}
	for line := range hasComment {
		if !hasCode[line] {
			comments++
		}
	}
	return comments, len(hasCode)
}

// TestPanicsOnlyRejectOurOwnSource holds that product code panics only where it rejects a constant of our own
// source before anything is served.
func TestPanicsOnlyRejectOurOwnSource(t *testing.T) {
	allowed := []string{
		"agent/tool/tool.go", "agent/provider/script/script.go", "safety/policy.go",
		"safety/internal/lex/words.go", "safety/internal/secrets/vendor.go", "safety/internal/rule/format.go",
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
