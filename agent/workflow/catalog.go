package workflow

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"candor/safety"
)

// Chat is the id of the workflow that is the agent's own loop: its runs are turns of a
// conversation. agentType is the type of its one node.
const (
	Chat      = "chat"
	agentType = "candor.agent"
)

//go:embed definitions/*.json
var definitions embed.FS

// Catalog is the workflows that a server offers. It never changes.
type Catalog struct{ byID map[string]*Definition }

// Load reads and checks the definitions of this package. Without fixtures the catalog has only
// the workflows that are of use outside of tests. The layer cleans what clients are shown.
func Load(layer *safety.Layer, fixtures bool) (*Catalog, error) {
	return load(definitions, layer, fixtures)
}

func load(files fs.FS, layer *safety.Layer, fixtures bool) (*Catalog, error) {
	c := &Catalog{map[string]*Definition{}}
	names, err := fs.Glob(files, "definitions/*.json")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		raw, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		id := strings.TrimSuffix(path.Base(name), ".json")
		d, err := parse(raw)
		if err == nil && d.id != id {
			err = fmt.Errorf("its id is %q; it has to be that of its file", d.id)
		}
		if err != nil {
			return nil, fmt.Errorf("workflow %s: %w", id, err)
		}
		d.json, _ = layer.CleanJSON(raw)
		if fixtures || !d.isFixture() {
			c.byID[id] = d
		}
	}
	return c, nil
}

// List returns the ids of the workflows, sorted.
func (c *Catalog) List() []string { return slices.Sorted(maps.Keys(c.byID)) }

// Get returns the workflow with this id and whether there is one.
func (c *Catalog) Get(id string) (*Definition, bool) {
	d, ok := c.byID[id]
	return d, ok
}
