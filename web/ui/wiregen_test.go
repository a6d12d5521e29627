package ui_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/safety/render"
	"candor/session/brief"
)

// generator translates Go types into TypeScript declarations, following encoding/json.
type generator struct {
	t     *testing.T
	decls map[string]string // by name
}

// special are the types that encode differently from what their fields say.
var special = map[reflect.Type]string{
	reflect.TypeFor[time.Time]():       "string",
	reflect.TypeFor[safety.Text]():     "string",
	reflect.TypeFor[safety.JSON]():     "unknown",
	reflect.TypeFor[render.SafeHTML](): "string",
	reflect.TypeFor[brief.Line]():      "string",
}

// typeOf returns the TypeScript type of a value of type t, and declares it if it has
// a name.
func (g *generator) typeOf(t reflect.Type) string {
	if name := special[t]; name != "" {
		return name
	}
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return "number"
	case reflect.String:
		return g.stringType(t)
	case reflect.Interface:
		return "unknown"
	case reflect.Pointer:
		return g.typeOf(t.Elem())
	case reflect.Slice:
		return g.typeOf(t.Elem()) + "[]"
	case reflect.Map:
		return "Record<string, " + g.typeOf(t.Elem()) + ">"
	case reflect.Struct:
		g.declare(t, "")
		return exported(t.Name())
	}
	require.Fail(g.t, "no TypeScript type for "+t.String())
	return ""
}

// stringType declares a named string type as the union of its constants.
func (g *generator) stringType(t reflect.Type) string {
	if t.PkgPath() == "" {
		return "string"
	}
	values := constants(g.t, t)
	for i, v := range values {
		values[i] = "'" + v + "'"
	}
	g.decls[t.Name()] = "export type " + t.Name() + " = " + strings.Join(values, " | ") + ";\n"
	return t.Name()
}

// declare adds a struct. A frame's name is the literal type of its member "type".
func (g *generator) declare(t reflect.Type, frame string) {
	name := exported(t.Name())
	if _, ok := g.decls[name]; ok {
		return
	}
	g.decls[name] = "" // ends recursion
	var b strings.Builder
	b.WriteString("export type " + name + " = {\n")
	for _, f := range fieldsOf(t) {
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch value := g.typeOf(f.Type); {
		case key == "type" && frame != "":
			fmt.Fprintf(&b, "  type: '%s',\n", frame)
		case t.Name() == "JobEventInfo" && key == "data":
			fmt.Fprintf(&b, "  %s: JobFrame,\n", key)
		case strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero"):
			fmt.Fprintf(&b, "  %s?: %s,\n", key, value)
		case f.Type.Kind() == reflect.Pointer:
			fmt.Fprintf(&b, "  %s: %s | null,\n", key, value)
		default:
			fmt.Fprintf(&b, "  %s: %s,\n", key, value)
		}
	}
	g.decls[name] = b.String() + "};\n"
}

// union declares the frames, and their union.
func (g *generator) union(name string, frames map[string]reflect.Type) {
	var members []string
	for _, frame := range slices.Sorted(maps.Keys(frames)) {
		g.declare(frames[frame], frame)
		members = append(members, exported(frames[frame].Name()))
	}
	g.decls[name] = "export type " + name + " =\n  | " + strings.Join(members, "\n  | ") + ";\n"
}

// fieldsOf lists the encoded fields of a struct, those of embedded structs included;
// an outer field hides an inner one of the same key.
func fieldsOf(t reflect.Type) []reflect.StructField {
	var fields []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		inner := []reflect.StructField{f}
		if f.Anonymous && !tagged {
			inner = fieldsOf(f.Type)
		} else if !tagged || tag == "-" {
			continue
		}
		for _, field := range inner {
			fields = slices.DeleteFunc(fields, func(o reflect.StructField) bool { return keyOf(o) == keyOf(field) })
			fields = append(fields, field)
		}
	}
	return fields
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

func exported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// constants returns the values of a string type's constants, in the order of the source.
func constants(t *testing.T, of reflect.Type) []string {
	var values []string
	for _, file := range parse(t, "../../"+strings.TrimPrefix(of.PkgPath(), "candor/")) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == of.Name() && len(spec.Values) == 1 {
				value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				require.NoError(t, err)
				values = append(values, value)
			}
			return true
		})
	}
	require.NotEmpty(t, values, "%s has no constants", of)
	return values
}

// methodReceivers lists the types of a folder that have a method.
func methodReceivers(t *testing.T, dir, method string) []string {
	var names []string
	for _, file := range parse(t, dir) {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
				names = append(names, f.Recv.List[0].Type.(*ast.Ident).Name)
			}
		}
	}
	require.NotEmpty(t, names)
	return names
}

// parse reads the Go files of a folder, without its tests.
func parse(t *testing.T, dir string) []*ast.File {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var parsed []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		parsed = append(parsed, file)
	}
	return parsed
}
