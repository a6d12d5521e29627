package archtest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onlyIn names the one package in which a library is known.
func onlyIn() map[string]string {
	return map[string]string{
		"github.com/r3labs/sse/v2":                   "web/sse",
		"github.com/modelcontextprotocol/go-sdk/mcp": "agent/tool/mcp",
		"github.com/microcosm-cc/bluemonday":         "safety/render",
		"github.com/yuin/goldmark":                   "safety/render",
		"github.com/tidwall/gjson":                   "web/view",
		"github.com/clipperhouse/displaywidth":       "cmd/candor/terminal",
		"github.com/urfave/cli/v3":                   "cmd/candor/command",
	}
}

func TestALibraryIsKnownInOnePackage(t *testing.T) {
	homes := onlyIn()
	seen := map[string]bool{}
	for _, p := range typedPackages(t) {
		for imported := range p.Imports {
			if home, ok := homes[imported]; ok {
				seen[imported] = true
				assert.Equal(t, module+home, p.PkgPath, "%s is to be known in one package", imported)
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
			if strings.Contains(i.Path.Value, "r3labs/sse") {
				users = append(users, path.Dir(s.path))
			}
		}
	}
	assert.Equal(t, []string{"web/sse"}, users)
}

// TestEveryDependencyEarnsItsPlace holds that ARCHITECTURE.md's table names each module that go.mod requires directly,
// and no other.
func TestEveryDependencyEarnsItsPlace(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(moduleRoot(), "go.mod"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(moduleRoot(), "ARCHITECTURE.md"))
	require.NoError(t, err)
	_, table, ok := strings.Cut(string(text), "\n## Dependencies\n")
	require.True(t, ok)
	modules := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1)
	require.Greater(t, len(modules), 10)
	for _, m := range modules {
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(m[1], "")
		name = strings.TrimPrefix(name, "github.com/")
		assert.Contains(t, table, name, "ARCHITECTURE.md does not say why %s is needed", m[1])
	}
}
