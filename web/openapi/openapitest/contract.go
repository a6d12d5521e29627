package openapitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// object is a JSON object of a document.
type object = map[string]any

// contract is a document to check answers against. It is safe for concurrent use. Compiling a schema
// takes milliseconds and checking an answer microseconds, so schemas are compiled when the first
// answer needs them and then kept: a test of one route pays for one.
type contract struct {
	paths object

	mu      sync.Mutex // held while a schema is compiled, which the compiler does for one at a time
	schemas *jsonschema.Compiler
	known   map[string]*jsonschema.Schema // by place in the document
}

// contracts has a *contract for each document.
var contracts sync.Map

// contractOf returns the contract of the document that a server answers with.
func contractOf(server http.Handler) (*contract, error) {
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/api/openapi.json", nil))
	if w.Code != http.StatusOK {
		return nil, fmt.Errorf("GET /api/openapi.json: status %d", w.Code)
	}
	if c, ok := contracts.Load(w.Body.String()); ok {
		return c.(*contract), nil
	}
	c, err := read(w.Body.Bytes())
	if err != nil {
		return nil, err
	}
	contracts.Store(w.Body.String(), c)
	return c, nil
}

// read makes the contract of a document.
func read(document []byte) (*contract, error) {
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	whole, ok := decoded.(object)
	if !ok {
		return nil, fmt.Errorf("the document is no object")
	}
	paths, _ := whole["paths"].(object)
	forbidOthers(whole["components"])
	forbidOthers(paths)
	c := &contract{paths: paths, schemas: jsonschema.NewCompiler(), known: map[string]*jsonschema.Schema{}}
	c.schemas.AssertFormat()
	return c, c.schemas.AddResource("openapi.json", whole)
}

// forbidOthers closes every object schema below v to members that it does not name.
func forbidOthers(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			forbidOthers(item)
		}
	case object:
		for _, item := range v {
			forbidOthers(item)
		}
		_, isSchema := v["properties"].(object)
		if isSchema && v["type"] == "object" && v["additionalProperties"] == nil {
			v["additionalProperties"] = false
		}
	}
}

// answer is an answer, or an event of one.
type answer struct {
	method, path string
	status       int
	kind         string // the media type
	event        string // its name; "" for the answer as a whole
	body         []byte
}

// check returns what is wrong with an answer.
func (c *contract) check(a answer) error {
	place, described := c.placeOf(a)
	if !described {
		return fmt.Errorf("%s %s, status %d: the document does not have this answer", a.method, a.path, a.status)
	}
	if place == "" {
		return nil
	}
	schema, err := c.schemaAt(place)
	if err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		return fmt.Errorf("%s %s, status %d, %s: %w", a.method, a.path, a.status, a.event, err)
	}
	return nil
}

// placeOf returns the place of an answer's schema in the document, "" if it needs none. described is
// false if the document should have one. An answer needs none if it is a file, or an event whose form
// another specification has. At a path that the document does not have, only problems may come.
func (c *contract) placeOf(a answer) (place string, described bool) {
	path, operation := c.operation(a.method, a.path)
	if operation == nil { // a path that the server does not have, or not with this method
		return "#/components/schemas/Problem", a.status >= http.StatusBadRequest
	}
	status := strconv.Itoa(a.status)
	responses, _ := operation["responses"].(object)
	switch {
	case responses[status] != nil:
	case a.status >= http.StatusBadRequest:
		status = "default"
	case responses["2XX"] != nil:
		status = "2XX"
	default:
		return "", false
	}
	content, _ := responses[status].(object)["content"].(object)
	media, ok := content[a.kind].(object)
	switch {
	case !ok:
		return "", false
	case a.event == "" && a.kind != "application/json":
		return "", true
	}
	place = strings.Join([]string{"#", "paths", path, strings.ToLower(a.method), "responses", status, "content",
		a.kind}, "\x00")
	if a.event == "" {
		return pointer(place + "\x00schema"), true
	}
	events, ok := media["x-events"].(object)
	if !ok {
		return "", true // another specification has them
	}
	_, ok = events[a.event]
	return pointer(place + "\x00x-events\x00" + a.event), ok
}

// pointer returns a JSON pointer of parts with \x00 between them.
func pointer(parts string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "\x00", "/", "{", "%7B", "}", "%7D").Replace(parts)
}

// operation returns what the document says of a request, and the path in the document. Of several paths
// that fit, it takes the one with the fewest parameters.
func (c *contract) operation(method, path string) (pattern string, operation object) {
	fewest := -1
	for candidate, item := range c.paths {
		found, ok := item.(object)[strings.ToLower(method)].(object)
		if n := strings.Count(candidate, "{"); ok && fits(candidate, path) && (fewest < 0 || n < fewest) {
			pattern, operation, fewest = candidate, found, n
		}
	}
	return pattern, operation
}

// fits reports whether a path is one of a pattern such as /jobs/{id}.
func fits(pattern, path string) bool {
	if before, ok := strings.CutSuffix(pattern, "{rest}"); ok {
		return strings.HasPrefix(path, before)
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] != have[i] && (!strings.HasPrefix(want[i], "{") || have[i] == "") {
			return false
		}
	}
	return true
}

// schemaAt compiles the schema at a place in the document, or finds it compiled.
func (c *contract) schemaAt(place string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[place]; s != nil {
		return s, nil
	}
	s, err := c.schemas.Compile("openapi.json" + place)
	if err != nil {
		return nil, err
	}
	c.known[place] = s
	return s, nil
}

// compact returns JSON for a message, shortened.
func compact(raw []byte) string {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		out = *bytes.NewBuffer(raw)
	}
	return out.String()[:min(out.Len(), 400)]
}
