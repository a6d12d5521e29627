package openwop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/openwop"
)

// schemas are those of testdata/schema, by version and name. They were written from a description
// of OpenWOP by somebody who had not seen this package.
type schemas map[string]*jsonschema.Schema

// newSchemas returns all of them.
func newSchemas(t testing.TB) schemas {
	t.Helper()
	all, err := compiled()
	require.NoError(t, err)
	require.Greater(t, len(all), 20)
	return all
}

// compiled compiles the schemas, once.
var compiled = sync.OnceValues(func() (schemas, error) {
	files, err := filepath.Glob(filepath.Join("testdata", "schema", "v?", "*.schema.json"))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	all := schemas{}
	for _, file := range files {
		if all[file], err = compiler.Compile(file); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// check returns what is wrong with a document, nil if nothing is.
func (s schemas) check(v openwop.Version, name string, document []byte) error {
	schema := s[filepath.Join("testdata", "schema", fmt.Sprintf("v%d", v), name+".schema.json")]
	if schema == nil {
		return fmt.Errorf("there is no schema %s of version %d", name, v)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// valid requires that a value fits a schema, and returns its JSON.
func (s schemas) valid(t testing.TB, v openwop.Version, name string, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	require.NoError(t, s.check(v, name, raw), "version %d: %s", v, raw)
	return raw
}

// The schemas refuse what they should, so that fitting them says something.
func TestTheSchemasTellRightDocumentsFromWrongOnes(t *testing.T) {
	all := newSchemas(t)
	for _, v := range []openwop.Version{openwop.V1, openwop.V2} {
		raw, err := os.ReadFile(filepath.Join("testdata", "schema", fmt.Sprintf("v%d", v), "documents.json"))
		require.NoError(t, err)
		var documents []struct {
			Schema string
			Valid  bool
			Doc    json.RawMessage
		}
		require.NoError(t, json.Unmarshal(raw, &documents))
		require.Greater(t, len(documents), 100)
		for i, d := range documents {
			if d.Valid {
				assert.NoError(t, all.check(v, d.Schema, d.Doc), "version %d, document %d", v, i)
			} else {
				assert.Error(t, all.check(v, d.Schema, d.Doc), "version %d, document %d: %s", v, i, d.Doc)
			}
		}
	}
}
