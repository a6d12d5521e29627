package openapi

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Document is an OpenAPI document in the making. It is not safe for concurrent use.
type Document struct {
	title, version string
	schemas        schemas
	paths          object
	failure        object // the answer to a request that failed
}

// New returns a document without routes. failure is a value of the type that every answer which is
// not a success has.
func New(title, version string, failure any) *Document {
	d := &Document{title: title, version: version, paths: object{}, schemas: schemas{
		enums: map[reflect.Type][]string{}, components: object{}, names: map[string]reflect.Type{},
	}}
	d.failure = object{
		"description": "The request failed",
		"content":     object{"application/json": object{"schema": d.schemas.of(reflect.TypeOf(failure))}},
	}
	return d
}

// Enum says which values a type of strings has; there is at least one. It is called before Add.
func (d *Document) Enum(values any) {
	v := reflect.ValueOf(values)
	var names []string
	for i := range v.Len() {
		names = append(names, v.Index(i).String())
	}
	d.schemas.enums[v.Type().Elem()] = names
}

// Add describes a route, whose path is written as Echo writes it, such as /jobs/:id. A route that is added
// twice is described as it was last.
func (d *Document) Add(method, path string, op Operation) {
	path = PathOf(path)
	item, ok := d.paths[path].(object)
	if !ok {
		item = object{}
		d.paths[path] = item
	}
	item[strings.ToLower(method)] = d.operation(method, path, op)
}

// A parameter of a path, as Echo and OpenAPI write it.
var (
	echoParameter = regexp.MustCompile(`:([a-zA-Z]+)`)
	parameter     = regexp.MustCompile(`\{([a-zA-Z]+)\}`)
)

// PathOf returns a path of Echo's, such as /jobs/:id, as OpenAPI writes it: /jobs/{id}. A rest of
// any length, *, is called rest.
func PathOf(path string) string {
	path = strings.ReplaceAll(path, `\:`, "\x00")
	path = strings.ReplaceAll(echoParameter.ReplaceAllString(path, "{$1}"), "*", "{rest}")
	return strings.ReplaceAll(path, "\x00", ":")
}

// operation returns what the document says of a route. Its errors are those of every route, under the
// status "default".
func (d *Document) operation(method, path string, op Operation) object {
	out := object{
		"operationId": operationID(method, path), "summary": op.Summary, "responses": d.answers(op),
		"security": security(op.Access), "parameters": parametersOf(path, op),
	}
	if op.Text != "" {
		out["description"] = op.Text
	}
	if op.Body != nil { // a struct
		schema := object{}
		if t := reflect.TypeOf(op.Body); t != reflect.TypeFor[Anything]() {
			schema = d.schemas.object(t, false)
		}
		if len(op.Required) > 0 {
			schema["required"] = op.Required
		}
		out["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schema}}}
	}
	return out
}

// answers returns the answers to a route by status. Those of one status are gathered in one, by media type,
// under the last text that was given for any of them. An answer for any success is under "2XX", which counts
// only where the status has none of its own.
func (d *Document) answers(op Operation) object {
	out := object{"default": d.failure}
	for _, a := range op.Answers {
		key := strconv.Itoa(a.Status)
		if a.Status == 0 {
			key = "2XX"
		}
		response, ok := out[key].(object)
		if !ok {
			response = object{"description": "Success"}
			out[key] = response
		}
		if a.Text != "" {
			response["description"] = a.Text
		}
		if a.Body != nil || a.Kind != "" {
			contents, _ := response["content"].(object)
			if contents == nil {
				contents = object{}
				response["content"] = contents
			}
			d.content(contents, a)
		}
	}
	return out
}

// content adds the form of an answer to those of its status. A second form in JSON stands beside the first, and
// an answer has one of them; other media types stand apart.
func (d *Document) content(contents object, a Answer) {
	if a.Kind == "" {
		media := object{"schema": d.schemas.of(reflect.TypeOf(a.Body))}
		if known, ok := contents["application/json"].(object); ok { // one of several forms
			forms, ok := known["schema"].(object)["anyOf"].([]object)
			if !ok {
				forms = []object{known["schema"].(object)}
			}
			media = object{"schema": object{"anyOf": append(forms, media["schema"].(object))}}
		}
		contents["application/json"] = media
		return
	}
	media := object{"schema": object{"type": "string"}}
	if len(a.Events) > 0 {
		events := object{}
		for name, data := range a.Events {
			events[name] = d.schemas.of(reflect.TypeOf(data))
		}
		media["x-events"] = events
	}
	contents[a.Kind] = media
}

// security returns the schemes that let somebody in, of which each is enough by itself; none for everybody.
// An empty list, and not an absent one, is how OpenAPI says that a route needs no token.
func security(a Access) []object {
	out := []object{}
	for _, name := range schemes[a] {
		out = append(out, object{name: []string{}})
	}
	return out
}

// parametersOf returns the parameters of a route: those of its path, of its query, and headers. A path's
// are always there and always texts, since a handler says for itself which of them it takes; so they are
// read from the path, and no operation names them.
func parametersOf(path string, op Operation) []object {
	out := []object{}
	for _, m := range parameter.FindAllStringSubmatch(path, -1) {
		out = append(out, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range op.Query {
		out = append(out, p.object("query"))
	}
	for _, p := range op.Headers {
		out = append(out, p.object("header"))
	}
	return out
}

// object returns what the document says of a parameter.
func (p Parameter) object(in string) object {
	schema := object{"type": "string"}
	if len(p.Values) > 0 {
		schema["enum"] = p.Values
	}
	if p.Many {
		schema = object{"type": "array", "items": schema}
	}
	out := object{"name": p.Name, "in": in, "schema": schema}
	if p.Text != "" {
		out["description"] = p.Text
	}
	return out
}

// word matches a part of a path that becomes a part of an operation's id.
var word = regexp.MustCompile(`[A-Za-z0-9]+`)

// operationID returns the id of a route, such as getApiJobsId.
func operationID(method, path string) string {
	id := strings.ToLower(method)
	for _, part := range word.FindAllString(path, -1) {
		id += exported(part)
	}
	return id
}

// JSON returns the document. Its members are in the same order each time.
func (d *Document) JSON() []byte {
	bearer := func(text string) object {
		return object{"type": "http", "scheme": "bearer", "description": text}
	}
	raw, err := json.Marshal(object{
		"openapi": "3.1.0",
		"info":    object{"title": d.title, "version": d.version},
		"paths":   d.paths,
		"components": object{
			"schemas": d.schemas.components,
			"securitySchemes": object{
				"token":       bearer("A token of the server's, which speaks for a user."),
				"job":         bearer("The token of a job, which the answer to POST /api/jobs shows once."),
				"participant": bearer("The token of a participant in a space."),
				"login": object{"type": "apiKey", "in": "cookie", "name": "candor",
					"description": "The cookie of a login, with its page key in the header Candor-Page-Key."},
			},
		},
	})
	if err != nil { // cannot happen: all of it is made of maps, slices and texts
		return []byte("{}")
	}
	return raw
}

// Components returns the names of the schemas that operations refer to, in order.
func (d *Document) Components() []string { return slices.Sorted(maps.Keys(d.schemas.components)) }

// Operation describes a route. Summary is all that it needs; the zero value of each other field says that
// the route has no such thing.
type Operation struct {
	Summary string // a few words, without a full stop
	Text    string // more, in sentences; may be empty
	Access  Access
	Query   []Parameter
	Headers []Parameter

	// Body is a value of the struct that the request's JSON is decoded into; nil if there is none.
	Body     any
	Required []string // members that a body must have

	Answers []Answer // of success; errors are the same everywhere
}

// Access says who may call a route.
type Access int

// The kinds of access.
const (
	Token   Access = iota // users, by a token or a login
	Nobody                // everybody
	JobOnly               // the worker of a job, by the job's token
	SpaceOf               // the participants of a space, by their tokens, and its owner
)

// schemes are the names of security schemes by access.
var schemes = map[Access][]string{Token: {"token", "login"}, JobOnly: {"job"}, SpaceOf: {"participant", "token"}}

// Parameter is a parameter of the query or a header. It is a text, and optional.
type Parameter struct {
	Name, Text string
	Values     []string // all that it may be; nil for any
	Many       bool     // it may be repeated
}

// Answer is an answer of success. Several of one status are the forms that it may have.
type Answer struct {
	Status int // 0 for any success
	Text   string

	// Body is a value of the type that is encoded as JSON, or nil.
	Body any
	// Kind is the media type of an answer that is not JSON, such as text/event-stream.
	Kind string
	// Events has a value of the type of each event's data, by name, for a stream.
	Events map[string]any
}

// JSON returns an answer with a body like this one.
func JSON(status int, body any) Answer { return Answer{Status: status, Body: body} }

// Anything is a body of any form, for answers whose form another specification gives.
type Anything struct{}

// MarshalJSON implements json.Marshaler, which makes a schema of it that admits everything.
func (Anything) MarshalJSON() ([]byte, error) { return []byte("null"), nil }
