package openapi

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type mood string

type inner struct {
	Hidden string `json:"name"`
	Deep   int    `json:"deep"`
}

type leaf struct {
	Next *leaf `json:"next"`
}

type answered struct {
	Name     string             `json:"name"`
	inner                       // whose member of this name is hidden
	Maybe    *int               `json:"maybe"`
	Left     *leaf              `json:"left,omitempty"`
	Zero     time.Time          `json:"zero,omitzero"`
	Mood     mood               `json:"mood"`
	List     []leaf             `json:"list"`
	By       map[string]float64 `json:"by"`
	Any      any                `json:"any"`
	Raw      json.RawMessage    `json:"raw"`
	Spoken   texted             `json:"spoken"`
	On       bool               `json:"on"`
	Unnamed  struct{ X int }    `json:"unnamed"`
	Internal string             `json:"-"`
	private  string
}

type texted struct{ text string }

func (t texted) MarshalText() ([]byte, error) { return []byte(t.text), nil }

// failure is the form of errors here.
type failure struct {
	Error string `json:"error"`
}

// documented returns the document of one operation, and what it says of it.
func documented(t *testing.T, method, path string, op Operation) (document, operation object) {
	t.Helper()
	d := New("Test", "1", failure{})
	d.Enum([]mood{"glad", "sad"})
	d.Add(method, path, op)
	require.NoError(t, json.Unmarshal(d.JSON(), &document))
	item := document["paths"].(object)[PathOf(path)].(object)
	return document, item[strings.ToLower(method)].(object)
}

// schema returns a component of a document as JSON.
func schema(t *testing.T, document object, name string) string {
	t.Helper()
	raw, err := json.Marshal(document["components"].(object)["schemas"].(object)[name])
	require.NoError(t, err)
	return string(raw)
}

func TestATypeIsDescribedAsItIsEncoded(t *testing.T) {
	_ = answered{private: ""}
	document, _ := documented(t, "GET", "/a", Operation{Summary: "a", Answers: []Answer{JSON(200, answered{})}})
	assert.JSONEq(t, `{
		"type": "object",
		"required": ["deep", "name", "maybe", "mood", "list", "by", "any", "raw", "spoken", "on", "unnamed"],
		"properties": {
			"deep": {"type": "integer"},
			"name": {"type": "string"},
			"maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
			"left": {"$ref": "#/components/schemas/Leaf"},
			"zero": {"type": "string", "format": "date-time"},
			"mood": {"$ref": "#/components/schemas/Mood"},
			"list": {"type": "array", "items": {"$ref": "#/components/schemas/Leaf"}},
			"by": {"type": "object", "additionalProperties": {"type": "number"}},
			"any": {}, "raw": {},
			"spoken": {"type": "string"},
			"on": {"type": "boolean"},
			"unnamed": {"type": "object", "required": ["X"], "properties": {"X": {"type": "integer"}}}
		}}`, schema(t, document, "Answered"))
	assert.JSONEq(t, `{"type": "object", "required": ["next"], "properties": {
		"next": {"anyOf": [{"$ref": "#/components/schemas/Leaf"}, {"type": "null"}]}}}`, schema(t, document, "Leaf"))
	assert.JSONEq(t, `{"type": "string", "enum": ["glad", "sad"]}`, schema(t, document, "Mood"))
}

func TestTypesOfOneNameAreTwoComponents(t *testing.T) {
	type leaf struct {
		Other int `json:"other"`
	}
	d := New("Test", "1", failure{})
	d.Add("GET", "/a", Operation{Summary: "a", Answers: []Answer{JSON(200, answered{}), JSON(201, leaf{})}})
	assert.Equal(t, []string{"Answered", "Failure", "Leaf", "OpenapiLeaf"}, d.Components())
}

func TestARequestMayLeaveOutWhatItsOperationDoesNotRequire(t *testing.T) {
	_, op := documented(t, "POST", "/a/:id/b/*", Operation{
		Summary: "a", Text: "More.", Access: JobOnly, Body: inner{}, Required: []string{"deep"},
		Query:   []Parameter{{Name: "q", Text: "Words.", Many: true, Values: []string{"x"}}},
		Headers: []Parameter{{Name: "H"}},
		Answers: []Answer{{Status: 204, Text: "Done"}},
	})
	raw, err := json.Marshal(op)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"operationId": "postAIdBRest", "summary": "a", "description": "More.", "security": [{"job": []}],
		"parameters": [
			{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
			{"name": "rest", "in": "path", "required": true, "schema": {"type": "string"}},
			{"name": "q", "in": "query", "description": "Words.",
				"schema": {"type": "array", "items": {"type": "string", "enum": ["x"]}}},
			{"name": "H", "in": "header", "schema": {"type": "string"}}],
		"requestBody": {"required": true, "content": {"application/json": {"schema": {
			"type": "object", "required": ["deep"],
			"properties": {"name": {"type": "string"}, "deep": {"type": "integer"}}}}}},
		"responses": {
			"204": {"description": "Done"},
			"default": {"description": "The request failed",
				"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}}}}`, string(raw))
}

func TestAStatusMayHaveSeveralForms(t *testing.T) {
	_, op := documented(t, "GET", "/a", Operation{Summary: "a", Access: Nobody, Answers: []Answer{
		JSON(200, inner{}), JSON(200, leaf{}), JSON(200, Anything{}),
		{Status: 200, Kind: "text/event-stream", Events: map[string]any{"grown": leaf{}}},
		{Body: []leaf{}},
	}})
	raw, err := json.Marshal(op["responses"])
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"200": {"description": "Success", "content": {
			"application/json": {"schema": {"anyOf": [
				{"$ref": "#/components/schemas/Inner"}, {"$ref": "#/components/schemas/Leaf"}, {}]}},
			"text/event-stream": {"schema": {"type": "string"},
				"x-events": {"grown": {"$ref": "#/components/schemas/Leaf"}}}}},
		"2XX": {"description": "Success", "content": {"application/json": {"schema": {"type": "array",
			"items": {"$ref": "#/components/schemas/Leaf"}}}}},
		"default": {"description": "The request failed",
			"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Failure"}}}}}`, string(raw))
	assert.Empty(t, op["security"], "everybody may call it")
}

func TestPathsAreWrittenAsOpenAPIWritesThem(t *testing.T) {
	for path, want := range map[string]string{
		"/jobs/:id": "/jobs/{id}", "/ui/*": "/ui/{rest}", `/runs\:cancel`: "/runs:cancel", "/": "/",
	} {
		assert.Equal(t, want, PathOf(path))
	}
}

// TestADocumentIsOneOfOpenAPI31 checks a document against the schema that the OpenAPI Initiative
// publishes.
func TestADocumentIsOneOfOpenAPI31(t *testing.T) {
	document, _ := documented(t, "POST", "/a/:id", Operation{
		Summary: "a", Body: answered{}, Query: []Parameter{{Name: "q", Many: true}},
		Answers: []Answer{JSON(200, answered{}), {Status: 201, Kind: "text/plain"}},
	})
	valid := openAPISchema(t)
	require.NoError(t, valid.Validate(document))
	delete(document["paths"].(object)["/a/{id}"].(object)["post"].(object)["responses"].(object)["200"].(object),
		"description")
	assert.Error(t, valid.Validate(document), "an answer needs a description")
}

// openAPISchema returns the schema of OpenAPI 3.1.
func openAPISchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open("testdata/openapi-3.1.json")
	require.NoError(t, err)
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi-3.1.json", doc))
	s, err := c.Compile("openapi-3.1.json")
	require.NoError(t, err)
	return s
}
