package ui

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers lists the folders of the page's modules from the bottom up; "." holds the
// modules beside index.html.
var layers = []string{"lib", "state", "net", "view", "."}

// sources returns the page's files with one of the extensions, embedded or not, but
// not those of the browser tests.
func sources(t *testing.T, extensions ...string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, dir := range append([]string{"css"}, layers...) {
		names, err := filepath.Glob(path.Join(dir, "*"))
		require.NoError(t, err)
		for _, name := range names {
			if slices.ContainsFunc(extensions, func(e string) bool { return strings.HasSuffix(name, e) }) {
				raw, err := os.ReadFile(name)
				require.NoError(t, err)
				texts[name] = string(raw)
			}
		}
	}
	require.NotEmpty(t, texts)
	return texts
}

// importsOf lists the modules that a module imports, now or later.
func importsOf(name, text string) []string {
	var targets []string
	for _, m := range imports.FindAllStringSubmatch(text, -1) {
		targets = append(targets, resolve(name, m[2]))
	}
	return targets
}

func TestNoModuleImportsFromALayerAbove(t *testing.T) {
	for name, text := range sources(t, ".js") {
		layer := slices.Index(layers, path.Dir(name))
		for _, target := range importsOf(name, text) {
			below := slices.Index(layers, path.Dir(target))
			assert.True(t, below >= 0 && below <= layer, "%s imports %s", name, target)
		}
	}
}

// The state is pure: it knows no elements, so Node can test it.
func TestTheStateKnowsNoElements(t *testing.T) {
	for name, text := range sources(t, ".js") {
		if path.Dir(name) == "state" {
			assert.NotContains(t, importsOf(name, text), "lib/dom.js", name)
			assert.NotRegexp(t, `\bdocument\.`, text, name)
		}
	}
}

func TestModulesDoNotImportEachOtherInACycle(t *testing.T) {
	texts := sources(t, ".js")
	done := map[string]bool{}
	var visit func(name string, path []string)
	visit = func(name string, path []string) {
		require.NotContains(t, path, name, "an import cycle")
		if done[name] {
			return
		}
		for _, target := range importsOf(name, texts[name]) {
			visit(target, append(slices.Clone(path), name))
		}
		done[name] = true
	}
	for name := range texts {
		visit(name, nil)
	}
}

func TestFilesLinesAndFunctionsAreShort(t *testing.T) {
	for name, text := range sources(t, ".js", ".css", ".d.ts", ".html") {
		lines := strings.Split(text, "\n")
		generated := name == "wire.d.ts"
		assert.True(t, generated || len(lines) <= 300, "%s has %d lines", name, len(lines))
		for i, line := range lines {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), 120, "%s:%d", name, i+1)
		}
		if path.Ext(name) == ".js" {
			for at, length := range functionLengths(lines) {
				assert.LessOrEqual(t, length, 60, "%s:%d: a function", name, at)
			}
		}
	}
}

// functionLengths returns the lines of each function and method that spans several
// lines, by the line it begins at. It relies on the page's indentation.
func functionLengths(lines []string) map[int]int {
	opening := regexp.MustCompile(`^\s*(?:export )?(?:async )?(?:function )?(?:get )?#?[\w$]+\(.*\) \{$`)
	lengths := map[int]int{}
	for i, line := range lines {
		if !opening.MatchString(line) {
			continue
		}
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		end := slices.Index(lines[i:], indent+"}")
		if end > 0 {
			lengths[i+1] = end + 1
		}
	}
	return lengths
}

// Locals, parameters and imports that nobody uses are found by the type checker.
func TestEveryExportIsUsed(t *testing.T) {
	exports := regexp.MustCompile(`(?m)^export (?:async )?(?:function|class|const|let) (.*)`)
	names := regexp.MustCompile(`(?:^|, )([\w$]+)(?:$|[\s(=])`)
	users := sources(t, ".js", ".d.ts")
	tests, err := filepath.Glob("browsertest/unit/*.js")
	require.NoError(t, err)
	for _, name := range tests {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		users[name] = string(raw)
	}
	words := map[string][]string{} // → the files that have the word
	for user, text := range users {
		for _, word := range regexp.MustCompile(`[\w$]+`).FindAllString(text, -1) {
			if files := words[word]; len(files) == 0 || files[len(files)-1] != user {
				words[word] = append(files, user)
			}
		}
	}
	for name, text := range sources(t, ".js") {
		for _, m := range exports.FindAllStringSubmatch(text, -1) {
			declared, _, _ := strings.Cut(m[1], "(")
			for _, n := range names.FindAllStringSubmatch(declared, -1) {
				elsewhere := slices.ContainsFunc(words[n[1]], func(user string) bool { return user != name })
				assert.True(t, elsewhere, "%s exports %s, which nobody imports", name, n[1])
			}
		}
	}
}

// The wire is typed by wire.d.ts, so nothing that the server sends is of any type.
func TestNothingIsOfAnyType(t *testing.T) {
	untyped := regexp.MustCompile(`[{<:,|(]\s*any\b\s*[}>,;|)\[]`)
	for name, text := range sources(t, ".js", ".d.ts") {
		assert.NotRegexp(t, untyped, text, name)
	}
}
