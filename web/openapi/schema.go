package openapi

import (
	"cmp"
	"encoding"
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
)

// object is a JSON object of the document.
type object = map[string]any

// schemas makes the components of a document.
type schemas struct {
	enums      map[reflect.Type][]string
	components object
	names      map[string]reflect.Type // of components
}

// Types with a form of their own.
var (
	timeType      = reflect.TypeFor[time.Time]()
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// of returns the schema of a value of type t, and adds the components that it refers to.
func (s *schemas) of(t reflect.Type) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t == timeType:
		return object{"type": "string", "format": "date-time"}
	case t.Implements(jsonMarshaler) || t.Implements(textMarshaler):
		return encoded(t)
	case s.enums[t] != nil:
		return s.component(t, func() object { return object{"type": "string", "enum": s.enums[t]} })
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return object{"type": "integer"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.component(t, func() object { return s.object(t, true) })
	}
	return object{} // any value
}

// encoded returns the schema of a type that encodes itself. Its zero value shows how: one that is written as a
// text is a text always, and of one that is written as null, or as nothing that is JSON, any value may come.
func encoded(t reflect.Type) object {
	raw, err := json.Marshal(reflect.Zero(t).Interface())
	if err == nil && strings.HasPrefix(string(raw), `"`) {
		return object{"type": "string"}
	}
	return object{}
}

// component returns a reference to the component of a type, which has to be made if it is new. A
// type without a name is no component. Of two types of one name, the second to come is called by its package
// as well, so whoever adds routes does so in an order of their own, the same each time.
func (s *schemas) component(t reflect.Type, schema func() object) object {
	if t.Name() == "" {
		return schema()
	}
	name := exported(t.Name())
	if other := s.names[name]; other != nil && other != t {
		name = exported(path.Base(t.PkgPath())) + name
	}
	if s.names[name] == nil {
		s.names[name] = t // before its members, which may refer to it
		s.components[name] = schema()
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// object returns the schema of a struct. answered says that its members are there unless they may be
// left out.
func (s *schemas) object(t reflect.Type, answered bool) object {
	properties, required := object{}, []string{}
	for _, f := range fieldsOf(t) {
		name := nameOf(f)
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		schema := s.of(f.Type)
		switch {
		case strings.Contains(options, "omitempty"), strings.Contains(options, "omitzero"), !answered:
		case f.Type.Kind() == reflect.Pointer:
			required, schema = append(required, name), object{"anyOf": []object{schema, {"type": "null"}}}
		default:
			required = append(required, name)
		}
		properties[name] = schema
	}
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

// fieldsOf lists the members of a struct as encoding/json writes them: those of embedded structs
// stand among the outer ones, which hide inner ones of the same name.
func fieldsOf(t reflect.Type) (fields []reflect.StructField) {
	var own []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		switch tag := f.Tag.Get("json"); {
		case f.Anonymous && tag == "":
			fields = append(fields, fieldsOf(f.Type)...)
		case f.IsExported() && tag != "-":
			own = append(own, f)
		}
	}
	for _, f := range own {
		fields = slices.DeleteFunc(fields, func(inner reflect.StructField) bool { return nameOf(inner) == nameOf(f) })
		fields = append(fields, f)
	}
	return fields
}

// nameOf returns the name of a member.
func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return cmp.Or(name, f.Name)
}

// exported returns a name with a capital.
func exported(name string) string {
	r := []rune(name)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}
