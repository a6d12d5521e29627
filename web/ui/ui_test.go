package ui

import (
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func get(method, at string, edit ...func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, at, nil)
	for _, e := range edit {
		e(r)
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestThePageIsServedWithAPolicyThatAllowsNothingInline(t *testing.T) {
	for at, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/ui/app.js": "text/javascript; charset=utf-8",
		"/ui/base.css": "text/css; charset=utf-8", "/ui/icon.svg": "image/svg+xml",
	} {
		h := get(http.MethodGet, at).Header
		assert.Equal(t, kind, h.Get("Content-Type"), at)
		assert.Equal(t, "no-cache", h.Get("Cache-Control"), at)
		assert.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), at)
		assert.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"), at)
		csp := h.Get("Content-Security-Policy")
		assert.True(t, strings.HasPrefix(csp, "default-src 'none';"), csp)
		for _, source := range []string{"unsafe", "http:", "https:", "*", "data:", "blob:"} {
			assert.NotContains(t, csp, source, at)
		}
	}
}

func TestABrowserThatHasAFileIsToldSo(t *testing.T) {
	tag := get(http.MethodGet, "/").Header.Get("ETag")
	again := get(http.MethodGet, "/", func(r *http.Request) { r.Header.Set("If-None-Match", tag) })
	assert.Equal(t, http.StatusNotModified, again.StatusCode)
	stale := get(http.MethodGet, "/", func(r *http.Request) { r.Header.Set("If-None-Match", `"older"`) })
	assert.Equal(t, http.StatusOK, stale.StatusCode)
}

func TestNothingButThePagesFilesIsServed(t *testing.T) {
	for _, at := range []string{"/ui/", "/ui/ui.go", "/ui/ui_test.go", "/ui/../ui.go", "/ui/none.js", "/index.html", "/ui/app.js/"} {
		assert.Equal(t, http.StatusNotFound, get(http.MethodGet, at).StatusCode, at)
	}
}

// What the page's files name has to be there, and nothing may stand inline.
func TestThePagesFilesAreWholeAndHaveNothingInline(t *testing.T) {
	names, err := files.ReadDir(".")
	require.NoError(t, err)
	attribute := regexp.MustCompile(`\s(?:on\w+|style)\s*=`)
	link := regexp.MustCompile(`(?:src|href)="([^"#]+)"`)
	imported := regexp.MustCompile(`(?:(?m)^\s*(?:import|export)\b[^'"\n]*|\bimport\()['"]\./([^'"]+)['"]`)
	for _, n := range names {
		raw, err := files.ReadFile(n.Name())
		require.NoError(t, err)
		text := string(raw)
		switch path.Ext(n.Name()) {
		case ".html":
			assert.NotRegexp(t, attribute, text, n.Name())
			assert.NotRegexp(t, `<style|<script(?:\s+type="module")?>`, text, n.Name())
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				at := path.Join("/", m[1])
				assert.Equal(t, http.StatusOK, get(http.MethodGet, at).StatusCode, "%s names %s", n.Name(), m[1])
			}
		case ".js":
			for _, m := range imported.FindAllStringSubmatch(text, -1) {
				assert.Equal(t, http.StatusOK, get(http.MethodGet, "/ui/"+m[1]).StatusCode, "%s imports %s", n.Name(), m[1])
			}
		}
	}
}

// maxWeight is how many bytes a visit loads, without compression, before somebody
// opens what few visits need: search, timeline, menus, comparison, a job, sign-in.
const maxWeight = 150_000

func TestThePageIsLight(t *testing.T) {
	names, err := files.ReadDir(".")
	require.NoError(t, err)
	sum, all := 0, 0
	loaded := loadedAtOnce(t)
	for _, n := range names {
		raw, err := files.ReadFile(n.Name())
		require.NoError(t, err)
		all += len(raw)
		if loaded[n.Name()] {
			sum += len(raw)
		}
	}
	assert.Less(t, sum, maxWeight)
	t.Logf("%d bytes of %d in %d files of %d", sum, all, len(loaded), len(names))
}

// loadedAtOnce are the page, what it names, and what that imports.
func loadedAtOnce(t *testing.T) map[string]bool {
	t.Helper()
	named := regexp.MustCompile(`(?:src|href)="/ui/([^"#]+)"|(?m)^(?:import|export)\b[^'"()\n]*['"]\./([^'"]+)['"]`)
	loaded, todo := map[string]bool{}, []string{"index.html"}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		if loaded[name] {
			continue
		}
		loaded[name] = true
		raw, err := files.ReadFile(name)
		require.NoError(t, err)
		for _, m := range named.FindAllStringSubmatch(string(raw), -1) {
			todo = append(todo, m[1]+m[2])
		}
	}
	return loaded
}
