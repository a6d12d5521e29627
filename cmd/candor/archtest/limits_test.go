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

// bound is a line of testdata/limits.txt: a constant, a flag or both, the tests that hold it, and the row of
// docs/limits.md that says what its user meets; "-" if nobody meets it.
type bound struct {
	constant, flag, row string
	tests               []string
}

// bounds reads testdata/limits.txt.
func bounds(t *testing.T) (all []bound) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "limits.txt"))
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		b, words := bound{}, strings.Fields(line)
		for i, word := range words {
			if flag, ok := strings.CutPrefix(word, "--"); ok {
				b.flag = flag
			} else if strings.HasPrefix(word, "Test") {
				b.tests = append(b.tests, word)
			} else if i == 0 {
				b.constant = word
			} else {
				b.row = strings.Join(words[i:], " ")
				break
			}
		}
		require.True(t, len(b.tests) > 0 && b.row != "" && b.constant+b.flag != "", line)
		all = append(all, b)
	}
	require.Greater(t, len(all), 300)
	return all
}

// limitRows returns what the tables of docs/limits.md say: the limit by what it limits, and the flags that the rest of
// the row names.
func limitRows(t *testing.T) (limits map[string]string, flags map[string][]string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(moduleRoot(), "docs", "limits.md"))
	require.NoError(t, err)
	_, tables, found := strings.Cut(string(raw), "<!-- limits -->")
	require.True(t, found)
	limits, flags = map[string]string{}, map[string][]string{}
	for line := range strings.Lines(tables) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "---") || strings.TrimSpace(cells[0]) == "what" {
			assert.NotRegexp(t, `^\| [^-w]`, line, "a row of another length")
			continue
		}
		what := strings.TrimSpace(cells[0])
		assert.NotContains(t, limits, what, "two rows")
		limits[what] = strings.TrimSpace(cells[1])
		for _, m := range regexp.MustCompile("`--([a-z-]+)`").FindAllStringSubmatch(cells[2], -1) {
			flags[what] = append(flags[what], m[1])
		}
	}
	require.Greater(t, len(limits), 60)
	return limits, flags
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

// TestTheTableOfLimitsIsTrue holds that every bound of the source has a line in testdata/limits.txt with tests that
// there are, that a bound which an operator can set is on the page, and that a row of the page has the value of the
// constants and flags behind it.
func TestTheTableOfLimitsIsTrue(t *testing.T) {
	all, defaults, tests := typedPackages(t), flagDefaults(t), testNames(t)
	limits, flags := limitRows(t)
	listed, behind := map[string]bool{}, map[string]bool{}
	for _, b := range bounds(t) {
		name := strings.TrimSpace(b.constant + " " + b.flag)
		values := map[string]float64{}
		if b.constant != "" {
			listed[b.constant] = true
			got, ok := constantAt(all, b.constant)
			assert.True(t, ok, "there is no constant %s", b.constant)
			values[b.constant] = got
		}
		if b.flag != "" {
			got, ok := defaults[b.flag]
			assert.True(t, ok, "there is no flag --%s", b.flag)
			values["--"+b.flag] = got
			assert.NotEqual(t, "-", b.row, "%s can be set, so the page has to name it", name)
			assert.Contains(t, flags[b.row], b.flag, "the row of %s has to name it", name)
		}
		for _, test := range b.tests {
			assert.Contains(t, tests, test, "%s: there is no such test", name)
		}
		if b.row == "-" {
			continue
		}
		behind[b.row] = true
		if assert.Contains(t, limits, b.row, "docs/limits.md has no row for %s", name) {
			for of, got := range values {
				assert.InDelta(t, got, valueOf(t, limits[b.row]), 0, "%s: %s", b.row, of)
			}
		}
	}
	for row := range limits {
		assert.True(t, behind[row], "no line of testdata/limits.txt is behind the row %q", row)
	}
	for _, name := range boundsOf(all) {
		assert.True(t, listed[name] || slices.Contains(notOthers, name), "testdata/limits.txt has no line for %s", name)
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

// bounded are the packages of whose constants called max… each has a line.
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
