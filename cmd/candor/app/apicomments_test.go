package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// commentsOf reads what the source says of the types of some packages.
func commentsOf(t *testing.T, dirs ...string) map[string]comment {
	all := map[string]comment{}
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(apptest.Root(t), dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, d := range parsed.Decls {
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
					readComments(all, g)
				}
			}
		}
	}
	return all
}

// readComments reads those of a declaration of types.
func readComments(all map[string]comment, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		typ := spec.(*ast.TypeSpec)
		doc := typ.Doc
		if doc == nil && len(g.Specs) == 1 {
			doc = g.Doc
		}
		c := comment{text: sentence(doc.Text()), fields: map[string]string{}}
		if s, ok := typ.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				if f.Tag != nil {
					tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
					name, _, _ := strings.Cut(tag, ",")
					c.fields[name] = sentence(f.Comment.Text())
				}
			}
		}
		name := strings.ToUpper(typ.Name.Name[:1]) + typ.Name.Name[1:]
		if _, known := all[name]; !known {
			all[name] = c
		}
	}
}

// sentence returns a comment as a line of Markdown, without links to Go.
func sentence(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("[view.", "", "[", "", "]", "", "<", "&lt;").Replace(text)
}
