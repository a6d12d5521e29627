package problem

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strings"
)

// Problem is the body of an answer that is not a success, and an error that a
// handler returns to send it. A Problem is immutable, so package-level ones may be
// shared between requests: [Problem.With] returns a copy.
type Problem struct {
	Status  int            `json:"-"`       // the HTTP status
	Code    string         `json:"error"`   // stable and machine-readable, such as no_thread
	Message string         `json:"message"` // what was wrong and what to do; never repeats input
	Details map[string]any `json:"details"` // never nil, so that it encodes as an object
}

// New returns a problem without details. message must not contain any input,
// which may hold a secret.
func New(status int, code, message string) *Problem {
	return &Problem{Status: status, Code: code, Message: message, Details: map[string]any{}}
}

// Error implements error.
func (p *Problem) Error() string { return p.Code + ": " + p.Message }

// With returns a copy of p with one more detail.
func (p *Problem) With(key string, value any) *Problem {
	out := *p
	out.Details = maps.Clone(p.Details)
	out.Details[key] = value
	return &out
}

// Problems of authentication, which every room that admits requests answers alike.
var (
	// Unauthorized answers a missing or unknown token. It does not say which.
	Unauthorized = New(http.StatusUnauthorized, "unauthorized",
		"Invalid or missing auth token. Send it as Authorization: Bearer <token>.")
	// TokenInQuery answers a token in the URL of a route that is not a stream. It
	// says so explicitly because the token is now in the logs of every proxy.
	TokenInQuery = New(http.StatusBadRequest, "token_in_query",
		"A token in the URL ends up in logs, so it is accepted on event streams only. "+
			"Send it as Authorization: Bearer <token>, and replace this one.")
)

// prettyIndent indents answers to requests with ?pretty in their URL.
const prettyIndent = "  "

// WriteJSON answers with v as JSON, as every route of package web does. If v
// cannot be encoded, it returns the error with nothing written, so that the error
// can still become the answer.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, v any) error {
	indent := ""
	if r.URL.Query().Has("pretty") {
		indent = prettyIndent
	}
	var body bytes.Buffer
	if err := EncodeJSON(&body, v, indent); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err := w.Write(body.Bytes())
	return err
}

// EncodeJSON writes v and a newline, each level indented by indent. Clients put
// text into text nodes, so < > & are not escaped: escapes would only make it
// longer and harder to read.
func EncodeJSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}

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
