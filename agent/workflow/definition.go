package workflow

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"candor/safety"
)

const (
	// fixturePrefix begins the ids of the workflows that may have nodes for tests.
	fixturePrefix = "conformance-"
	// fixtureTypes begins the types of such nodes.
	fixtureTypes = "core.conformance."

	maxNodes = 32
)

// Definition is a workflow: nodes that run one after the other. It never changes.
type Definition struct {
	id    string
	nodes []node // in the order in which they run; none if the agent's own loop is the run
	json  safety.JSON
}

// isFixture reports whether the workflow exists for tests of clients only.
func (d *Definition) isFixture() bool { return strings.HasPrefix(d.id, fixturePrefix) }

// JSON returns the definition as clients see it.
func (d *Definition) JSON() safety.JSON { return d.json }

// node is a node of a workflow with what it does.
type node struct {
	id, typeID string
	agent      string // that works on it; "" if that is nobody, or the host's own
	work       worker
}

// file is the JSON of a definition.
type file struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Version     string          `json:"version"`
	Description string          `json:"description"`
	Nodes       []fileNode      `json:"nodes"`
	Edges       []fileEdge      `json:"edges"`
	Variables   json.RawMessage `json:"variables"` // what the run's inputs are, for its clients
}

type fileNode struct {
	ID     string          `json:"id"`
	TypeID string          `json:"typeId"`
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	Agent  *fileAgent      `json:"agent"`
}

// fileAgent says which agent works on a node.
type fileAgent struct {
	ID    string `json:"agentId"`
	Class string `json:"modelClass"`
}

type fileEdge struct {
	ID     string `json:"id"`
	Source string `json:"sourceNodeId"`
	Target string `json:"targetNodeId"`
}

var goodID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// parse reads and checks a definition. Its errors name the node that is wrong.
func parse(raw []byte) (*Definition, error) {
	var f file
	if err := decodeStrictly(raw, &f); err != nil {
		return nil, err
	}
	switch {
	case !goodID.MatchString(f.ID):
		return nil, fmt.Errorf("the id %q is not made of small letters, digits and single hyphens", f.ID)
	case len(f.Nodes) == 0 || len(f.Nodes) > maxNodes:
		return nil, fmt.Errorf("it has %d nodes; a workflow has 1 to %d", len(f.Nodes), maxNodes)
	}
	ordered, err := order(f.Nodes, f.Edges)
	if err != nil {
		return nil, err
	}
	d := &Definition{id: f.ID}
	if f.ID == Chat && len(ordered) == 1 && ordered[0].TypeID == agentType {
		return d, nil
	}
	agents := 0
	for _, n := range ordered {
		work, err := newWorker(f.ID, n)
		if err != nil {
			return nil, fmt.Errorf("node %q: %w", n.ID, err)
		}
		switch work.(type) {
		case *mockAgent, *approvalGate:
			agents++
		}
		of := node{id: n.ID, typeID: n.TypeID, work: work}
		if n.Agent != nil {
			if of.agent = n.Agent.ID; !agentID.MatchString(of.agent) {
				return nil, fmt.Errorf("node %q: %q is no agent's id", n.ID, of.agent)
			}
		}
		d.nodes = append(d.nodes, of)
	}
	if agents > 1 {
		return nil, errors.New("it has two agents; a run numbers the calls of one")
	}
	return d, nil
}

// newWorker returns what a node does, which its type and its config say.
func newWorker(workflow string, n fileNode) (worker, error) {
	if strings.HasPrefix(n.TypeID, fixtureTypes) && !strings.HasPrefix(workflow, fixturePrefix) {
		return nil, fmt.Errorf("the type %s exists for tests: only workflows whose id begins with %q may have it",
			n.TypeID, fixturePrefix)
	}
	var w worker
	switch n.TypeID {
	case "core.noop":
		w = &noop{}
	case "core.identity":
		w = &identity{}
	case "core.delay":
		w = &delay{}
	case "core.approvalGate":
		w = &approvalGate{}
	case "core.conformance.mock-agent":
		w = &mockAgent{}
	case "core.conformance.messages":
		w = &reducer{}
	case "core.conformance.failure":
		w = &failure{}
	default:
		return nil, fmt.Errorf("there is no type %q", n.TypeID)
	}
	if len(n.Config) > 0 {
		if err := decodeStrictly(n.Config, w); err != nil {
			return nil, fmt.Errorf("config: %w", err)
		}
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return w, nil
}

// order returns the nodes in the order of the edges, which have to make one line of them all.
func order(nodes []fileNode, edges []fileEdge) ([]fileNode, error) {
	byID := make(map[string]fileNode, len(nodes))
	for _, n := range nodes {
		if !goodID.MatchString(n.ID) {
			return nil, fmt.Errorf("a node's id %q is not made of small letters, digits and single hyphens", n.ID)
		}
		if _, taken := byID[n.ID]; taken {
			return nil, fmt.Errorf("two nodes are called %q", n.ID)
		}
		byID[n.ID] = n
	}
	next, entered := map[string]string{}, map[string]bool{}
	for _, e := range edges {
		_, from := byID[e.Source]
		_, to := byID[e.Target]
		switch {
		case !from || !to:
			return nil, fmt.Errorf("the edge %q leads from %q to %q, which are not both nodes",
				e.ID, e.Source, e.Target)
		case next[e.Source] != "" || entered[e.Target]:
			return nil, fmt.Errorf("the edge %q makes a fork or a join; nodes run one after the other", e.ID)
		}
		next[e.Source], entered[e.Target] = e.Target, true
	}
	return line(nodes, byID, next, entered)
}

// line follows the edges from the one node that no edge enters.
func line(nodes []fileNode, byID map[string]fileNode, next map[string]string, entered map[string]bool) (
	ordered []fileNode, err error,
) {
	for _, first := range nodes {
		if entered[first.ID] {
			continue
		}
		if ordered != nil {
			return nil, fmt.Errorf("no edge leads to %q", first.ID)
		}
		for id := first.ID; id != ""; id = next[id] {
			ordered = append(ordered, byID[id])
		}
	}
	if len(ordered) < len(nodes) {
		return nil, errors.New("its edges make a circle")
	}
	return ordered, nil
}

// decodeStrictly decodes exactly one value. Unknown members are errors: a definition is
// written by hand, and a typing error has to be noticed.
func decodeStrictly(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows after its end")
	}
	return nil
}

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
