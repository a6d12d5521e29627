package openwop_test

import (
	"bytes"
	"crypto/sha256"
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
	return fitting.check(schema, document)
}

// fitting are documents that fit their schemas. Most views show the same documents, and each is judged
// once.
var fitting = judged{}

type judged struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]bool
}

// maxJudged bounds what fitting remembers while a target is fuzzed.
const maxJudged = 100_000

func (j *judged) check(schema *jsonschema.Schema, document []byte) error {
	key := sha256.Sum256(append([]byte(schema.Location+"\n"), document...))
	if j.has(key) {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return err
	}
	if err = schema.Validate(value); err == nil {
		j.add(key)
	}
	return err
}

func (j *judged) has(key [sha256.Size]byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.known[key]
}

func (j *judged) add(key [sha256.Size]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.known == nil || len(j.known) >= maxJudged {
		j.known = map[[sha256.Size]byte]bool{}
	}
	j.known[key] = true
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
