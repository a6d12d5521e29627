package ui

import (
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func get(method, target string, edit ...func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, target, nil)
	for _, e := range edit {
		e(r)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

// embedded returns the embedded files by name.
func embedded(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(files, name)
		texts[name] = string(raw)
		return err
	}))
	require.NotEmpty(t, texts)
	return texts
}

// served returns the embedded files as a browser gets them.
func served(t *testing.T) map[string]string {
	t.Helper()
	texts := embedded(t)
	for name := range texts {
		raw, err := io.ReadAll(get(http.MethodGet, Prefix+name).Body)
		require.NoError(t, err)
		texts[name] = string(raw)
	}
	return texts
}

// boundary matches the end of a line after which a comment may begin, unlike in the middle of a
// template literal.
var boundary = regexp.MustCompile(`(^|[;{}(\[,]|=>)$`)

func TestCommentLinesAreSentEmpty(t *testing.T) {
	got := withoutComments([]byte("// a\n  // b\nlet c; // d\n/** e\n * f */\n/* g */\n/* h */ let i;\n" +
		"let j = 1 /* k\n*/;\n"))
	assert.Equal(t, "\n\nlet c; // d\n\n\n\n/* h */ let i;\nlet j = 1 /* k\n*/;\n", string(got))
	all, sent := embedded(t), served(t)
	for name, text := range all {
		lines, kept, last := strings.Split(text, "\n"), strings.Split(sent[name], "\n"), ""
		require.Len(t, kept, len(lines), name)
		for i := range lines {
			indented := !strings.HasSuffix(name, ".css") && hasLongTemplate([]byte(text))
			same := kept[i] == lines[i] || !indented && kept[i] == strings.TrimLeft(lines[i], " \t")
			assert.True(t, same || boundary.MatchString(last), "%s:%d: this may be no comment", name, i+1)
			if kept[i] != "" {
				last, _, _ = strings.Cut(kept[i], " // ")
			}
		}
	}
}

func TestThePolicyAllowsNothingInline(t *testing.T) {
	for target, contentType := range map[string]string{
		"/": "text/html; charset=utf-8", "/ui/app.js": "text/javascript; charset=utf-8",
		"/ui/lib/dom.js": "text/javascript; charset=utf-8", "/ui/css/base.css": "text/css; charset=utf-8",
		"/ui/icon.svg": "image/svg+xml",
	} {
		h := get(http.MethodGet, target).Header
		assert.Equal(t, contentType, h.Get("Content-Type"), target)
		assert.Equal(t, "no-cache", h.Get("Cache-Control"), target)
		assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), target)
		assert.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"), target)
		csp := h.Get("Content-Security-Policy")
		assert.True(t, strings.HasPrefix(csp, "default-src 'none';"), csp)
		for _, source := range []string{"unsafe", "http:", "https:", "*", "data:", "blob:"} {
			assert.NotContains(t, csp, source, target)
		}
	}
}

func TestAnUnchangedFileIsNotSentAgain(t *testing.T) {
	tag := get(http.MethodGet, "/").Header.Get("ETag")
	again := get(http.MethodGet, "/", func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	assert.Equal(t, http.StatusNotModified, again.StatusCode)
	stale := get(http.MethodGet, "/", func(r *http.Request) { r.Header.Set("If-None-Match", `"older"`) })
	assert.Equal(t, http.StatusOK, stale.StatusCode)
}

func TestOnlyThePagesFilesAreServed(t *testing.T) {
	for _, target := range []string{
		"/ui/", "/ui/lib", "/ui/lib/", "/ui/ui.go", "/ui/ui_test.go", "/ui/state/types.d.ts",
		"/ui/package.json", "/ui/browsertest/package.json", "/ui/../ui.go", "/ui/none.js", "/index.html", "/ui/app.js/",
	} {
		assert.Equal(t, http.StatusNotFound, get(http.MethodGet, target).StatusCode, target)
	}
}

// Who writes a client in TypeScript takes the types from the server that it talks to.
func TestTheTypesOfTheAPIAreServed(t *testing.T) {
	r := get(http.MethodGet, "/ui/wire.d.ts")
	require.Equal(t, http.StatusOK, r.StatusCode)
	assert.Equal(t, "text/plain; charset=utf-8", r.Header.Get("Content-Type"))
	assert.Contains(t, embedded(t)["wire.d.ts"], "export type TurnInfo = {")
}

func TestTheShellHasNothingInlineAndNamesOnlyFilesThatExist(t *testing.T) {
	text := embedded(t)["index.html"]
	assert.NotRegexp(t, `\s(?:on\w+|style)\s*=`, text)
	assert.NotRegexp(t, `<style|<script(?:\s+type="module")?>`, text)
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(text, -1) {
		assert.Equal(t, http.StatusOK, get(http.MethodGet, path.Join("/", m[1])).StatusCode, m[1])
	}
}

func TestEveryImportNamesAFileThatExists(t *testing.T) {
	for name, text := range embedded(t) {
		for _, m := range imports.FindAllStringSubmatch(text, -1) {
			target := resolve(name, m[2])
			assert.Equal(t, http.StatusOK, get(http.MethodGet, Prefix+target).StatusCode, "%s imports %s", name, m[2])
		}
	}
}

// imports matches static imports and, in group 1, the parenthesis of dynamic ones;
// group 2 is the path. JSDoc comments, which begin with an asterisk, do not match.
var imports = regexp.MustCompile(`(?m)^(?:(?:import|export)\b[^'"()]*|[^*\n]*\bimport(\())['"](\.[^'"]+)['"]`)

// resolve returns the file that a relative import in from names.
func resolve(from, target string) string { return path.Join(path.Dir(from), target) }

// maxWeight bounds the bytes of a visit, uncompressed, before anybody opens what few
// visits need: search, timeline, menus, comparison, a job, the sign-in form.
const maxWeight = 200_000

func TestAFirstVisitIsLight(t *testing.T) {
	texts := served(t)
	initial, all := 0, 0
	loaded := loadedAtOnce(texts)
	for name, text := range texts {
		all += len(text)
		if slices.Contains(loaded, name) {
			initial += len(text)
		}
	}
	assert.Less(t, initial, maxWeight)
	t.Logf("%d bytes of %d in %d files of %d", initial, all, len(loaded), len(texts))
}

// loadedAtOnce lists the shell, the files it names, and their static imports.
func loadedAtOnce(texts map[string]string) []string {
	named := regexp.MustCompile(`(?:src|href)="` + Prefix + `([^"#]+)"`)
	loaded := []string{"index.html"}
	add := func(name string) {
		if !slices.Contains(loaded, name) {
			loaded = append(loaded, name)
		}
	}
	for i := 0; i < len(loaded); i++ {
		name := loaded[i]
		for _, m := range named.FindAllStringSubmatch(texts[name], -1) {
			add(m[1])
		}
		for _, m := range imports.FindAllStringSubmatch(texts[name], -1) {
			if m[1] == "" {
				add(resolve(name, m[2]))
			}
		}
	}
	return loaded
}

func TestScriptsAreServedWithoutIndentationButInTemplatesOfSeveralLines(t *testing.T) {
	served := load(fstest.MapFS{
		"short.js": {Data: []byte("if (a) {\n  b(`one`);\n}\n")},
		"long.js":  {Data: []byte("if (a) {\n  b(`one\n  two`);\n}\n")},
	})
	assert.Equal(t, "if (a) {\nb(`one`);\n}\n", string(served[Prefix+"short.js"].data))
	assert.Equal(t, "if (a) {\n  b(`one\n  two`);\n}\n", string(served[Prefix+"long.js"].data))
}
