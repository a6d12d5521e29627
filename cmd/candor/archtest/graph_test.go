package archtest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "draw the graphs of imports anew")

const module = "candor/"

// graph maps each node to the nodes it imports.
type graph map[string]map[string]bool

func (g graph) add(from, to string) {
	if g[from] == nil {
		g[from] = map[string]bool{}
	}
	if to != "" && to != from {
		g[from][to] = true
	}
}

// floor returns the length of the longest way down from a node; a node that imports none is on floor 0.
func (g graph) floor(node string, above ...string) int {
	if slices.Contains(above, node) {
		return len(g) // a cycle: higher than any floor
	}
	highest := 0
	for below := range g[node] {
		highest = max(highest, 1+g.floor(below, append(above, node)...))
	}
	return min(highest, len(g))
}

// byFloor returns the nodes from the top floor to the ground, those of a floor by name.
func (g graph) byFloor() []string {
	return slices.SortedFunc(maps.Keys(g), func(a, b string) int {
		if d := g.floor(b) - g.floor(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

// drawn writes a line for each node: its floor, its name, and what it imports.
func (g graph) drawn(nodes []string) string {
	width := 0
	for _, n := range nodes {
		width = max(width, len(n))
	}
	var b strings.Builder
	for _, n := range nodes {
		line := fmt.Sprintf("    %2d  %-*s", g.floor(n), width, n)
		if len(g[n]) > 0 {
			line += "  ▶  " + strings.Join(slices.Sorted(maps.Keys(g[n])), ", ")
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return wrapped(b.String(), width)
}

// wrapped breaks the lines of a drawing where they would be wider than a line of code may be.
func wrapped(drawing string, indent int) string {
	var b strings.Builder
	for line := range strings.Lines(drawing) {
		for len([]rune(line)) > maxColumns {
			at := strings.LastIndex(string([]rune(line)[:maxColumns]), ", ") + 1
			b.WriteString(line[:at] + "\n")
			line = strings.Repeat(" ", indent+13) + strings.TrimLeft(line[at:], " ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// graphs reads the imports of the tree: between packages, and between the rooms they stand in.
func graphs(t *testing.T) (rooms, packages graph) {
	t.Helper()
	rooms, packages = graph{}, graph{}
	for _, p := range typedPackages(t) {
		from := strings.TrimPrefix(p.PkgPath, module)
		if from == "cmd/candor/archtest" {
			continue
		}
		packages.add(from, "")
		rooms.add(room(from), "")
		for path := range p.Imports {
			if to, ours := strings.CutPrefix(path, module); ours {
				packages.add(from, to)
				rooms.add(room(from), room(to))
			}
		}
	}
	return rooms, packages
}

func room(path string) string {
	top, _, _ := strings.Cut(path, "/")
	return top
}

// TestTheGraphOfImportsIsTheArchitecture holds that ARCHITECTURE.md shows the graph of rooms as it is, and
// testdata/packages.txt that of packages, so that no arrow comes or goes unseen. With -update it draws both anew.
func TestTheGraphOfImportsIsTheArchitecture(t *testing.T) {
	rooms, packages := graphs(t)
	name := filepath.Join(moduleRoot(), "ARCHITECTURE.md")
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	const begin, end = "<!-- graph -->\n", "<!-- end of graph -->\n"
	before, rest, ok := strings.Cut(string(raw), begin)
	require.True(t, ok, "ARCHITECTURE.md has no place for the graph")
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok, "the graph in ARCHITECTURE.md has no end")
	for name, want := range map[string]string{
		name: before + begin + "\n" + rooms.drawn(rooms.byFloor()) + "\n" + end + after,
		filepath.Join("testdata", "packages.txt"): packages.drawn(packages.byFloor()),
	} {
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
		}
		is, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, string(is), "draw it anew: go test ./cmd/candor/archtest -run Graph -update")
	}
}

// TestArrowsPointDown holds what a drawing alone does not forbid.
func TestArrowsPointDown(t *testing.T) {
	rooms, packages := graphs(t)
	assert.Equal(t, []string{"agent", "attach", "cmd", "safety", "session", "web", "worker"},
		slices.Sorted(maps.Keys(rooms)))
	assert.Empty(t, rooms["attach"], "what others' agents do is known without the rest of Candor")
	for name, g := range map[string]graph{"rooms": rooms, "packages": packages} {
		for from, imports := range g {
			for to := range imports {
				assert.Greater(t, g.floor(from), g.floor(to), "%s: %s and %s are part of a cycle", name, from, to)
			}
		}
	}
	assert.Empty(t, rooms["safety"])
	assert.NotContains(t, rooms["web"], "agent", "web names the methods it needs instead")
	assert.NotContains(t, rooms["agent"], "web")
	for from, imports := range rooms {
		assert.NotContains(t, imports, "cmd", "%s imports a command", from)
	}
	for _, p := range []string{"session", "agent"} {
		assert.NotContains(t, packages[p], "safety/render", "%s compiles no Markdown", p)
	}
}

func TestACycleIsSeenInAGraph(t *testing.T) {
	g := graph{}
	g.add("a", "b")
	g.add("b", "c")
	assert.Equal(t, []string{"a", "b"}, g.byFloor()[:2])
	assert.Equal(t, 2, g.floor("a"))
	g.add("c", "a")
	assert.Equal(t, g.floor("a"), g.floor("c"), "no floor is above another in a cycle")
}
