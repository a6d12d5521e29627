package main

import (
	"encoding/json"
	"go/ast"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mayImport is the architecture: which of our packages each may import. What is
// not listed may import none. Tests are free.
var mayImport = map[string][]string{
	"candor/safety/internal/invisible":       inside("lex"),
	"candor/safety/internal/prefilter":       inside("lex"),
	"candor/safety/internal/decode":          inside("invisible lex"),
	"candor/safety/internal/rule":            inside("lex prefilter"),
	"candor/safety/internal/ruletest":        inside("lex rule"),
	"candor/safety/internal/keyvalue":        inside("lex rule"),
	"candor/safety/internal/injection":       inside("lex prefilter rule"),
	"candor/safety/internal/secrets":         inside("decode invisible keyvalue lex prefilter rule"),
	"candor/safety/internal/detect":          inside("decode invisible lex prefilter rule"),
	"candor/safety":                          inside("decode detect injection invisible keyvalue lex prefilter rule secrets"),
	"candor/safety/render":                   {"candor/safety"},
	"candor/session":                         {"candor/safety"},
	"candor/session/sessiontest":             {"candor/safety", "candor/session"},
	"candor/agent":                           {"candor/safety", "candor/session"},
	"candor/agent/provider/offline":          {"candor/agent"},
	"candor/agent/provider/script":           {"candor/agent"},
	"candor/agent/provider/retry":            {"candor/agent", "candor/agent/provider/wire"},
	"candor/agent/provider/retry/replaytest": {"candor/agent"},
	"candor/agent/provider/openai": {"candor/agent", "candor/agent/provider/retry", "candor/agent/provider/wire",
		"candor/agent/provider/wire/chat", "candor/agent/provider/wire/responses"},
	"candor/agent/provider/anthropic": {"candor/agent", "candor/agent/provider/retry", "candor/agent/provider/wire",
		"candor/agent/provider/wire/messages"},
	"candor/agent/provider/wire/chat":      {"candor/agent/provider/wire"},
	"candor/agent/provider/wire/messages":  {"candor/agent/provider/wire"},
	"candor/agent/provider/wire/responses": {"candor/agent/provider/wire"},
	"candor/agent/tool":                    {"candor/agent", "candor/agent/tool/internal/process", "candor/safety"},
	"candor/agent/tool/mcp":                {"candor/agent", "candor/agent/tool/internal/process"},
	"candor/session/export":                {"candor/safety", "candor/safety/render", "candor/session"},
	"candor/web": {
		"candor/session/export", "candor/safety", "candor/safety/render", "candor/session",
		"candor/web/access", "candor/web/problem", "candor/web/sse", "candor/web/view",
	},
	"candor/web/view": {"candor/session/export", "candor/safety", "candor/safety/render", "candor/session"},
	"candor/web/jobs": {
		"candor/safety", "candor/session", "candor/web",
		"candor/web/access", "candor/web/problem", "candor/web/sse", "candor/web/view",
	},
	"candor/web/agui": {
		"candor/safety", "candor/session", "candor/web",
		"candor/web/access", "candor/web/problem", "candor/web/sse",
	},
	"candor/worker":              {"candor/agent", "candor/session"},
	"candor/cmd/candor/terminal": {"candor/web/client"},
	"candor/cmd/candor/app": {
		"candor/agent", "candor/agent/provider/anthropic", "candor/agent/provider/offline",
		"candor/agent/provider/openai", "candor/agent/provider/retry", "candor/agent/provider/script",
		"candor/agent/tool", "candor/agent/tool/mcp", "candor/safety", "candor/session",
		"candor/web", "candor/web/access", "candor/web/agui", "candor/web/client", "candor/web/jobs", "candor/web/ui",
	},
	"candor/cmd/candor/command": {
		"candor/agent", "candor/cmd/candor/app", "candor/cmd/candor/terminal", "candor/safety",
		"candor/session", "candor/web/access", "candor/web/client", "candor/worker",
	},
	"candor/cmd/candor": {"candor/cmd/candor/command"},
}

// inside are packages below safety/internal, named by their last element.
func inside(names string) []string {
	var all []string
	for _, name := range strings.Fields(names) {
		all = append(all, "candor/safety/internal/"+name)
	}
	return all
}

// onlyIn lists the dependencies that exactly one package, or one file, may name.
var onlyIn = map[string]string{
	"github.com/r3labs/sse/v2":                       "candor/web/sse",
	"github.com/labstack/echo/v4":                    "candor/web",
	"github.com/modelcontextprotocol/go-sdk/mcp":     "candor/agent/tool/mcp",
	"github.com/microcosm-cc/bluemonday":             "candor/safety/render",
	"github.com/tidwall/gjson":                       "candor/web/view",
	"github.com/tmaxmax/go-sse":                      "candor/web/client",
	"github.com/clipperhouse/displaywidth":           "candor/cmd/candor/terminal",
	"github.com/yuin/goldmark":                       "candor/safety/render",
	"github.com/urfave/cli/v3":                       "candor/cmd/candor/command",
	"github.com/prometheus/client_golang/prometheus": "candor/cmd/candor/app",
}

type goPackage struct {
	ImportPath, Dir  string
	Imports, GoFiles []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles",
		"candor/...").Output()
	require.NoError(t, err)
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			require.GreaterOrEqual(t, len(all), len(mayImport))
			return all
		}
		all = append(all, p)
	}
}

func TestTheImportGraphIsTheArchitecture(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == "candor/cmd/candor/apptest" {
			continue // the rig of tests, which are free
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(imported, "candor/") {
				assert.Contains(t, mayImport[p.ImportPath], imported, "%s imports it", p.ImportPath)
			}
			if home, ok := onlyIn[imported]; ok {
				assert.Equal(t, home, p.ImportPath, "%s is its only home", imported)
			}
		}
	}
}

func TestOnlyOneFileKnowsTheSSELibrary(t *testing.T) {
	var users []string
	eachFile(t, func(name string, f *ast.File) {
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "r3labs/sse") {
				users = append(users, path.Base(name))
			}
		}
	})
	assert.Equal(t, []string{"sse.go"}, users)
}
