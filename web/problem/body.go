package problem

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"unicode/utf8"
)

// NotJSON answers a body that is not labelled as JSON.
var NotJSON = New(http.StatusUnsupportedMediaType, "not_json",
	"Send a JSON object with Content-Type: application/json.")

// IsJSON reports whether the request's Content-Type is application/json.
func IsJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// Decode reads one JSON value from the request's body into v. Its errors are
// [*Problem] values.
func Decode(r *http.Request, v any) error {
	body, err := ReadBody(r)
	if err != nil {
		return err
	}
	if err := Unmarshal(body, v); err != nil {
		return BadJSON(err)
	}
	return nil
}

// ReadBody returns the request's body, which is not empty, labelled as JSON and
// valid UTF-8, but not necessarily valid JSON. It sets no limit of its own: the
// caller wraps r.Body, for instance with [http.MaxBytesReader]. Its errors are
// [*Problem] values, and a Problem returned by r.Body passes through.
func ReadBody(r *http.Request) ([]byte, error) {
	if !IsJSON(r) {
		return nil, NotJSON
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, New(http.StatusRequestEntityTooLarge, "body_too_large",
				"The body is larger than this path takes. Send less.").With("max_bytes", large.Limit)
		}
		if p, ok := errors.AsType[*Problem](err); ok {
			return nil, p
		}
		return nil, New(http.StatusBadRequest, "body_unreadable",
			"The body ended early. Send it again.")
	}
	switch {
	case len(body) == 0:
		return nil, New(http.StatusBadRequest, "empty_body", "The body is empty. Send a JSON object.")
	case !utf8.Valid(body):
		return nil, New(http.StatusBadRequest, "invalid_utf8", "The body is not valid UTF-8.")
	}
	return body, nil
}

// BadJSON turns an error of encoding/json into a problem that says where the body
// is wrong without repeating any of it. One that is a problem stays as it is.
func BadJSON(err error) *Problem {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	p := New(http.StatusBadRequest, "invalid_json", "The body is not a JSON object of the expected form.")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return p.With("offset", syntax.Offset)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return p.With("offset", wrong.Offset).With("expected", kindInJSON(wrong.Type))
	}
	return p
}

// kindInJSON returns how JSON calls values of a type.
func kindInJSON(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindInJSON(t.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return "number"
}
