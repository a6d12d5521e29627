package app_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// apiOf returns the OpenAPI document of an app, as anybody gets it.
func apiOf(t *testing.T) (document apptest.M, raw string) {
	t.Helper()
	s := apptest.Start(t, app.Settings{OpenWOPFixtures: true}, apptest.Answering("x"))
	r := s.Get("", "/api/openapi.json", apptest.WithoutToken)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	return r.JSON(), r.Body
}

func TestTheDocumentOfTheAPIIsOneOfOpenAPI31(t *testing.T) {
	_, raw := apiOf(t)
	f, err := os.Open(filepath.Join(apptest.Root(t), "web", "openapi", "testdata", "openapi-3.1.json"))
	require.NoError(t, err)
	defer f.Close()
	standard, err := jsonschema.UnmarshalJSON(f)
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi.json", standard))
	s, err := c.Compile("openapi.json")
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	require.NoError(t, err)
	require.NoError(t, s.Validate(document))
}

func TestEveryRouteIsDescribed(t *testing.T) {
	document, _ := apiOf(t)
	ids := map[string]bool{}
	count := 0
	for path, item := range document["paths"].(apptest.M) {
		for method, op := range item.(apptest.M) {
			op := op.(apptest.M)
			count++
			assert.NotEmpty(t, op["summary"], "%s %s: describe it where it is registered", method, path)
			assert.NotContains(t, ids, op["operationId"], "%s %s", method, path)
			ids[op["operationId"].(string)] = true
			assert.Greater(t, len(op["responses"].(apptest.M)), 1, "%s %s: what does it answer?", method, path)
		}
	}
	assert.Greater(t, count, 80, "all protocols are mounted")
}

// TestEveryReferenceLeadsSomewhere holds that each component that the document names is in it.
func TestEveryReferenceLeadsSomewhere(t *testing.T) {
	document, raw := apiOf(t)
	schemas := document["components"].(apptest.M)["schemas"].(apptest.M)
	found := regexp.MustCompile(`"#/components/schemas/(\w+)"`).FindAllStringSubmatch(raw, -1)
	require.Greater(t, len(found), 100)
	used := map[string]bool{}
	for _, m := range found {
		assert.Contains(t, schemas, m[1])
		used[m[1]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		assert.True(t, used[name], "nothing refers to %s", name)
	}
}

// TestTheValuesOfTheAPIAreThoseOfThePage compares the values of each type with those in wire.d.ts, which
// a test of web/ui reads from the constants in the source.
func TestTheValuesOfTheAPIAreThoseOfThePage(t *testing.T) {
	document, _ := apiOf(t)
	schemas := document["components"].(apptest.M)["schemas"].(apptest.M)
	wire, err := os.ReadFile(filepath.Join(apptest.Root(t), "web", "ui", "wire.d.ts"))
	require.NoError(t, err)
	unions := regexp.MustCompile(`export type (\w+) = ('.*');`).FindAllStringSubmatch(string(wire), -1)
	require.Greater(t, len(unions), 5)
	for _, union := range unions {
		schema, ok := schemas[union[1]].(apptest.M)
		if union[1] == "Severity" { // encodes itself, as a text
			continue
		}
		require.True(t, ok, "the API has no %s", union[1])
		var values []string
		raw := apptest.JSON(t, schema["enum"])
		require.NoError(t, json.Unmarshal(raw, &values))
		assert.Equal(t, strings.Split(strings.Trim(union[2], "'"), "' | '"), values, union[1])
	}
}

// TestTheDocsOfTheAPIAreCurrent compares docs/api.md with what make api writes.
func TestTheDocsOfTheAPIAreCurrent(t *testing.T) {
	document, _ := apiOf(t)
	apptest.CompareGolden(t, filepath.Join(apptest.Root(t), "docs", "api.md"), apiMarkdown(t, document))
}
