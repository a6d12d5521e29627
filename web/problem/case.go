package problem

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// Unmarshal decodes JSON into v as encoding/json does, and refuses members whose names differ from
// those of v only in case: encoding/json takes them for the same, and which of two it takes depends on
// their order.
func Unmarshal(raw []byte, v any) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	if name := otherCase(raw, reflect.TypeOf(v)); name != "" {
		return New(http.StatusBadRequest, "unknown_member",
			fmt.Sprintf("A member differs from %s only in case. Write %s.", name, name)).With("expected", name)
	}
	return nil
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// otherCase returns the name of the first member of a type that JSON has in other letters, or "".
func otherCase(raw json.RawMessage, t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return ""
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list) // it was decoded before
		for _, one := range list {
			if name := otherCase(one, t.Elem()); name != "" {
				return name
			}
		}
	case reflect.Struct:
		var members map[string]json.RawMessage
		_ = json.Unmarshal(raw, &members)
		return otherMember(members, t)
	}
	return ""
}

// otherMember is otherCase for the members of an object.
func otherMember(members map[string]json.RawMessage, t reflect.Type) string {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		for member, value := range members {
			if member == name {
				if found := otherCase(value, f.Type); found != "" {
					return found
				}
			} else if strings.EqualFold(member, name) {
				return name
			}
		}
	}
	return ""
}
