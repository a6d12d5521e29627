package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport is the architecture: which of our packages each may import. What is
// not listed may import none. Tests are free.
var mayImport = map[string][]string{
	"candor/session":                {"candor/safety"},
	"candor/session/sessiontest":    {"candor/safety", "candor/session"},
	"candor/agent":                  {"candor/safety", "candor/session"},
	"candor/agent/provider/offline": {"candor/agent"},
	"candor/agent/provider/script":  {"candor/agent"},
	"candor/agent/tool":             {"candor/agent", "candor/safety"},
	"candor/web":                    {"candor/safety", "candor/session"},
}

// onlyIn lists the dependencies that exactly one package, or one file, may name.
var onlyIn = map[string]string{
	"github.com/r3labs/sse/v2":           "candor/web",
	"github.com/labstack/echo/v4":        "candor/web",
	"github.com/microcosm-cc/bluemonday": "candor/safety",
	"github.com/urfave/cli/v3":           "candor/cmd/candor",
}

type goPackage struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "candor/...").Output()
	require.NoError(t, err)
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			require.GreaterOrEqual(t, len(all), len(mayImport))
			return all
		}
		all = append(all, p)
	}
}

func TestTheImportGraphIsTheArchitecture(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "candor/cmd/candor" {
			continue // the one place that knows everything
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "candor/") {
				assert.Contains(t, mayImport[p.ImportPath], imported, "%s imports it", p.ImportPath)
			}
			if home, ok := onlyIn[imported]; ok {
				assert.Equal(t, home, p.ImportPath, "%s is its only home", imported)
			}
		}
	}
}

func TestOnlyOneFileKnowsTheSSELibrary(t *testing.T) {
	var users []string
	eachFile(t, func(name string, f *ast.File) {
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "r3labs/sse") {
				users = append(users, path.Base(name))
			}
		}
	})
	assert.Equal(t, []string{"stream.go"}, users)
}

// A panic in product code is allowed only where it says that our own source is
// wrong, before anything is served.
func TestNoPanicsInProductCode(t *testing.T) {
	allowed := []string{"agent/tool/tool.go", "agent/provider/script/script.go", "safety/format.go"}
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
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "sessiontest" || d.Name() == "oracle" || d.Name() == "node_modules"):
			if name != "../.." {
				return filepath.SkipDir
			}
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			visit(name)
		}
		return nil
	}))
}
