package archtest

import (
	"go/ast"
	"go/constant"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// limit is a row of the table in docs/limits.md.
type limit struct{ what, value, flag, seen, place, test string }

// limitRows reads the table. Rows that only begin a section are left out.
func limitRows(t *testing.T) (rows []limit) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(moduleRoot(), "docs", "limits.md"))
	require.NoError(t, err)
	_, table, found := strings.Cut(string(raw), "<!-- limits -->")
	require.True(t, found)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 6 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "what" {
			assert.NotContains(t, line, "| Test", "a row of another length")
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[1] != "" {
			rows = append(rows, limit{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]})
		}
	}
	require.Greater(t, len(rows), 60)
	return rows
}

// units are what numbers of the table are counted in; times are in nanoseconds.
var units = map[string]float64{
	"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	"s": float64(time.Second), "min": float64(time.Minute), "h": float64(time.Hour), "d": float64(24 * time.Hour),
}

// valueOf returns a number of the table, such as "1,000" or "32 KiB".
func valueOf(t *testing.T, cell string) float64 {
	t.Helper()
	number, unit, _ := strings.Cut(cell, " ")
	n, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	require.NoError(t, err, cell)
	require.Contains(t, units, unit, cell)
	return n * units[unit]
}

// numberOf returns the value of a constant; ok is false if it is no number.
func numberOf(v constant.Value) (n float64, ok bool) {
	if v == nil || v.Kind() != constant.Int && v.Kind() != constant.Float {
		return 0, false
	}
	n, _ = constant.Float64Val(v)
	return n, true
}

func TestTheTableOfLimitsIsTrue(t *testing.T) {
	all, flags, tests := typedPackages(t), flagDefaults(t), testNames(t)
	listed := map[string]bool{}
	for _, row := range limitRows(t) {
		want := valueOf(t, row.value)
		if row.place != "" {
			listed[row.place] = true
			got, ok := constantAt(all, row.place)
			if assert.True(t, ok, "%s: there is no constant %s", row.what, row.place) {
				assert.InDelta(t, got, want, 0, "%s: %s", row.what, row.place)
			}
		}
		if row.flag != "" {
			got, ok := flags[row.flag]
			if assert.True(t, ok, "%s: there is no flag --%s", row.what, row.flag) {
				assert.InDelta(t, got, want, 0, "%s: --%s", row.what, row.flag)
			}
		}
		assert.True(t, row.place != "" || row.flag != "", "%s: neither a constant nor a flag", row.what)
		assert.NotEmpty(t, row.seen, row.what)
		assert.Contains(t, tests, row.test, "%s: there is no such test", row.what)
	}
	for _, name := range boundsOf(all) {
		assert.True(t, listed[name] || slices.Contains(notOthers, name), "docs/limits.md has no row for %s", name)
	}
}

// notOthers are constants called max… that bound nothing that others could make us hold: they
// choose words, or belong to a search for tools and secrets among our own files.
var notOthers = []string{
	"agent/tool.maxFound", "agent/tool.maxLine", "agent/tool.maxNamed", "agent/tool.maxPrivate",
	"agent/tool.maxRedirects", "agent/tool.maxSearchSize", "agent/tool.maxSearched",
	"agent/tool/mcp.maxConfig", "agent/tool/mcp.maxName", "agent/tool/mcp.maxRedirects", "agent/tool/mcp.maxStart",
	"agent/provider/wire.maxIdentifier", "web/jobs.maxDuration", "web/jobs.maxMemberName", "web/jobs.maxNames",
	"web/mew.maxFile", "web/view.maxNearText", "web/view.maxShared", "web/view.maxTitle", "web/view.maxTypo",
	"cmd/candor/command.maxWaits", "cmd/candor/command.maxShownKinds", "worker.MaxPost", "worker.maxRefusal",
	"worker.maxResync", "worker.maxRetryAfter",
}

// bounded are the packages whose constants the table lists.
var bounded = []string{
	"agent", "agent/tool", "agent/tool/mcp", "attach/claude", "attach/transcript", "attach/wrapper",
	"agent/provider/wire", "session",
	"web", "web/access", "web/agui",
	"web/jobs", "web/mew", "web/mew/wire", "web/openwop", "web/sse", "web/view", "worker",
	"worker/mew", "cmd/candor/command",
}

var boundName = regexp.MustCompile(`^[mM]ax[A-Z]`)

// boundsOf returns the constants of these packages that are called max….
func boundsOf(all []*packages.Package) (names []string) {
	for _, p := range all {
		dir := strings.TrimPrefix(p.PkgPath, "candor/")
		if !slices.Contains(bounded, dir) {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			if _, ok := p.Types.Scope().Lookup(name).(*types.Const); ok && boundName.MatchString(name) {
				names = append(names, dir+"."+name)
			}
		}
	}
	return names
}

// constantAt returns the value of a constant such as web/agui.maxState.
func constantAt(all []*packages.Package, place string) (value float64, ok bool) {
	dir, name := path.Dir(place), path.Base(place)
	pkg, name, _ := strings.Cut(name, ".")
	for _, p := range all {
		if p.PkgPath != path.Join("candor", dir, pkg) {
			continue
		}
		if c, isConst := p.Types.Scope().Lookup(name).(*types.Const); isConst {
			return numberOf(c.Val())
		}
	}
	return 0, false
}

// flagDefaults returns the defaults of the command's flags by name, as far as they are numbers
// or times.
func flagDefaults(t *testing.T) map[string]float64 {
	t.Helper()
	defaults := map[string]float64{}
	for _, p := range typedPackages(t) {
		if p.PkgPath != "candor/cmd/candor/command" {
			continue
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok {
					name := member(p.TypesInfo, lit, "Name")
					n, ok := numberOf(member(p.TypesInfo, lit, "Value"))
					if ok && name != nil && name.Kind() == constant.String {
						defaults[constant.StringVal(name)] = n
					}
				}
				return true
			})
		}
	}
	return defaults
}

// member returns the constant that a composite literal gives a field; nil if there is none.
func member(info *types.Info, lit *ast.CompositeLit, field string) constant.Value {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == field {
				return info.Types[kv.Value].Value
			}
		}
	}
	return nil
}

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.isTest() && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
