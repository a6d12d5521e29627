package archtest

import (
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onlyIn names the package in which a library is known, or the two of which each knows a half of it.
func onlyIn() map[string]string {
	return map[string]string{
		"github.com/r3labs/sse/v2":                   "web/sse",
		"github.com/modelcontextprotocol/go-sdk/mcp": "agent/tool/mcp, web/ask", // its client, its server
		"github.com/microcosm-cc/bluemonday":         "safety/render",
		"github.com/yuin/goldmark":                   "safety/render",
		"github.com/tidwall/gjson":                   "session/brief",
		"github.com/clipperhouse/displaywidth":       "cmd/candor/terminal",
		"github.com/urfave/cli/v3":                   "cmd/candor/command",
		"github.com/nats-io/nats.go":                 "session/journal/jetstream",
		"github.com/nats-io/nats.go/jetstream":       "session/journal/jetstream",
		"modernc.org/sqlite":                         "session/journal/sqlite, attach/opencode", // ours, others'
		"google.golang.org/protobuf/proto":           "session/otlp",
	}
}

func TestALibraryIsKnownInOnePackage(t *testing.T) {
	homes := onlyIn()
	seen := map[string]bool{}
	for _, p := range typedPackages(t) {
		for imported := range p.Imports {
			if home, ok := homes[imported]; ok {
				seen[imported] = true
				assert.Contains(t, strings.Split(home, ", "), strings.TrimPrefix(p.PkgPath, module),
					"%s is to be known in one package", imported)
			}
		}
	}
	for library := range homes {
		assert.True(t, seen[library], "%s is used nowhere", library)
	}
}

func TestOneFileKnowsTheLibraryOfEventStreams(t *testing.T) {
	var users []string
	for _, s := range sources(t) {
		for _, i := range s.file.Imports {
			if !s.isTest() && strings.Contains(i.Path.Value, "r3labs/sse") {
				users = append(users, s.path)
			}
		}
	}
	assert.Equal(t, []string{"web/sse/frame.go"}, users)
}

// TestOnlyTheCodecRestoresTexts holds that no other file makes a cleaned text of bytes that did not
// pass the safety layer again.
func TestOnlyTheCodecRestoresTexts(t *testing.T) {
	users := map[string]bool{}
	for _, s := range sources(t) {
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Restore" || strings.HasPrefix(s.path, "safety/") && s.isTest() {
				return true
			}
			if of, ok := sel.X.(*ast.Ident); ok && of.Name == "safety" {
				users[s.path] = true
			}
			return true
		})
	}
	assert.Equal(t, map[string]bool{"session/codec.go": true}, users)
}

// TestEveryDependencyEarnsItsPlace holds that ARCHITECTURE.md's list names each module that a
// go.mod requires directly or runs as a tool and each package that a package.json requires, with a
// reason, and no other.
func TestEveryDependencyEarnsItsPlace(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(moduleRoot(), "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(text), "\n## Dependencies\n")
	require.True(t, ok)
	var named []string
	for _, entry := range regexp.MustCompile(`(?m)^- |\n\n`).Split(list, -1) {
		names, reason, _ := strings.Cut(entry, "): ")
		for _, m := range regexp.MustCompile(`(\S+)(?: v\d+)? \((?:[A-Z]|npm)`).FindAllStringSubmatch(names, -1) {
			named = append(named, m[1])
			assert.NotEmpty(t, strings.TrimSpace(reason), "%s: why it is there", m[1])
		}
	}
	needed := append(goModules(t), npmPackages(t)...)
	require.Greater(t, len(needed), 30)
	assert.ElementsMatch(t, needed, named, "the list of ARCHITECTURE.md and what the repository requires")
}

// goModules returns the modules that the go.mod files require directly or for a tool, as the list
// writes them.
func goModules(t *testing.T) []string {
	var names []string
	for _, file := range []string{"go.mod", "safety/oracle/go.mod"} {
		raw, err := os.ReadFile(filepath.Join(moduleRoot(), file))
		require.NoError(t, err)
		required := regexp.MustCompile(`(?m)^\t(\S+) v\S+$|^\t(\S+)/cmd/\w+$`)
		for _, m := range required.FindAllStringSubmatch(string(raw), -1) {
			name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(m[1]+m[2], "")
			names = append(names, strings.TrimPrefix(name, "github.com/"))
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "candor" })
}

// npmPackages returns the packages that the package.json files of the repository require, once each.
func npmPackages(t *testing.T) []string {
	var names []string
	for _, dir := range []string{"agent/provider/aimocktest", "agent/tool/mcp/peertest", "attach/claude/realtest",
		"attach/dialect/realtest", "attach/gemini/realtest", "attach/opencode/realtest", "attach/wrapper/realtest",
		"web/agui/testdata/client",
		"web/ui", "web/ui/browsertest", "worker/testdata/posting"} {
		raw, err := os.ReadFile(filepath.Join(moduleRoot(), dir, "package.json"))
		require.NoError(t, err)
		var in struct{ Dependencies, DevDependencies map[string]string }
		require.NoError(t, json.Unmarshal(raw, &in))
		assert.Empty(t, in.Dependencies, "%s serves a package from npm", dir)
		for name, version := range in.DevDependencies {
			if alias, ok := strings.CutPrefix(version, "npm:"); ok {
				name = alias[:strings.LastIndex(alias, "@")]
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
