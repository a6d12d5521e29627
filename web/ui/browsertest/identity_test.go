package page_test

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest/built"
)

// loginPath returns the path and the fragment of a link that signs a user in once.
func (s *server) loginPath(user string) string {
	s.t.Helper()
	return "/#code=" + s.do(user, http.MethodPost, "/api/login/code", nil)["code"].(string)
}

// neighbour is a server on another port of the host that keeps the cookies it is sent.
type neighbour struct {
	*httptest.Server
	mu      sync.Mutex
	cookies []*http.Cookie
}

func newNeighbour(t *testing.T) *neighbour {
	n := &neighbour{}
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.cookies = append(n.cookies, r.Cookies()...)
		w.Header().Set("Content-Type", "text/html")
	}))
	t.Cleanup(n.Close)
	return n
}

// login returns the cookie of the server's login that the neighbour was sent, or nil.
func (n *neighbour) login() *http.Cookie {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := slices.IndexFunc(n.cookies, func(c *http.Cookie) bool { return strings.HasPrefix(c.Name, "candor") })
	if at < 0 {
		return nil
	}
	return n.cookies[at]
}

// withCookie calls the API as a browser would, and returns the status.
func (s *server) withCookie(method, path string, header http.Header) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader("{}"))
	require.NoError(s.t, err)
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	return resp.StatusCode
}

func TestAnotherPortOfTheHostGetsTheCookieAndCannotUseIt(t *testing.T) {
	s, other := startServer(t), newNeighbour(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	key := eval[string](w, `localStorage.getItem('candor.pagekey')`)
	stolen := w.tab()
	stolen.run(chromedp.Navigate(other.URL))
	cookie := other.login()
	require.NotNil(t, cookie, "the browser sends the cookie to every port")
	assert.Zero(t, eval[int](stolen, `localStorage.length`), "the key stays at its port")

	for _, at := range [][2]string{{"GET", "/api/login"}, {"GET", "/api/chat/threads"}, {"GET", "/api/chat/events"},
		{"POST", "/api/chat/send"}, {"GET", "/api/chat/export"}, {"POST", "/agui"}, {"GET", "/metrics"}} {
		header := http.Header{"Cookie": {cookie.String()}}
		assert.Equal(t, http.StatusUnauthorized, s.withCookie(at[0], at[1], header), "%s %s", at[0], at[1])
	}
	whole := http.Header{"Cookie": {cookie.String()}, "Candor-Page-Key": {key}}
	require.Equal(t, http.StatusOK, s.withCookie("GET", "/api/login", whole), "the cookie itself is good")

	for _, header := range []string{`{}`, `{'Candor-Page-Key': 'guess'}`} {
		read := eval[bool](stolen, `fetch(%s, { credentials: 'include', headers: `+header+` })
			.then((r) => r.ok, () => false)`, s.url+"/api/chat/threads")
		assert.False(t, read, "a page of the other port reads nothing")
	}
}

func TestASiteThatPointsItsNameHereGetsNothing(t *testing.T) {
	s := startServer(t)
	_, port, _ := strings.Cut(s.addr, ":")
	w := window(t)
	w.run(chromedp.Navigate("http://rebound.test:" + port + "/"))
	assert.Contains(t, w.text("body"), "wrong_host")
	status := eval[int](w, `fetch('/api/health').then((r) => r.status)`)
	assert.Equal(t, http.StatusMisdirectedRequest, status)
}

func TestALinkWorksOnceAndSaysSo(t *testing.T) {
	s := startServer(t)
	link := s.url + s.loginPath("ann")
	first := window(t)
	first.run(chromedp.Navigate(link))
	first.shows("#link", "Live")
	for used, want := range map[string]string{
		link:                                "it was used, or is older than ten minutes",
		s.url + "/#token=" + tokenOf("ann"): "Links with a token no longer work",
	} {
		w := window(t)
		w.run(chromedp.Navigate(used))
		w.shows("#signin [role=alert]", want)
		assert.Equal(t, s.url+"/", eval[string](w, `location.href`), "the address keeps nothing")
		assert.Equal(t, "token", eval[string](w, `document.activeElement.id`))
		w.run(chromedp.Navigate(s.url + s.loginPath("ann"))) // the page is open: only the fragment changes
		w.shows("#link", "Live")
		w.until("the form is gone", `!document.querySelector('#signin').checkVisibility()`)
		w.clean()
	}
}

func TestTabsSignInAndOutTogether(t *testing.T) {
	s := startServer(t)
	one := window(t).open(s, "ann")
	one.shows("#link", "Live")
	two := one.tab()
	two.run(chromedp.Navigate(s.url + "/"))
	two.shows("#link", "Live")
	one.click("#account", "Account")
	one.click("#menu [role=menuitem]", "Sign out")
	for _, w := range []*tab{one, two} {
		w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
		assert.Empty(t, eval[string](w, `localStorage.getItem('candor.pagekey') || ''`))
	}
	two.open(s, "ann")
	for _, w := range []*tab{one, two} {
		w.shows("#link", "Live")
		w.until("the form is gone", `!document.querySelector('#signin').checkVisibility()`)
	}
}

func TestAnExportIsSavedAsAFile(t *testing.T) {
	s := startServer(t)
	s.on("about pears", callLook("a green pear", "it may lie there"), reply{Text: "Pears are green."})
	s.say("ann", "", "about pears")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Pears are green.")
	text := w.export("candor-*.md")
	assert.Contains(t, text, "Pears are green.")
	assert.Contains(t, text, "it may lie there")
	assert.NotContains(t, text, "a green pear")
	w.clean()
}

// export saves what is open as Markdown without parameters and results, and returns it.
func (w *tab) export(names string) (text string) {
	w.t.Helper()
	dir := w.t.TempDir()
	_, err := chromedp.CallBrowser(w.ctx, cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir,
		BrowserContextID: chromedp.FromContext(w.ctx).BrowserContextID})
	require.NoError(w.t, err)
	w.click("#export", "Export")
	w.click("#dialog label", "Markdown")
	w.click("#dialog label", "Parameters of calls")
	w.click("#dialog label", "Results of calls")
	w.click("#dialog button", "Save")
	eventually(w.t, "the file is saved", func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, names))
		if len(files) != 1 {
			return false
		}
		raw, err := os.ReadFile(files[0])
		text = string(raw)
		return err == nil && text != ""
	})
	return text
}

// filesWith returns the files below dir that contain text, plain or as UTF-16.
func filesWith(t *testing.T, dir, text string) (found []string) {
	t.Helper()
	wide := []byte(strings.Join(strings.Split(text, ""), "\x00"))
	require.NoError(t, filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(name)
		if bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, wide) {
			found = append(found, name)
		}
		return err
	}))
	return found
}

// What the browser keeps on disk opens nothing: of links it keeps used codes, of tokens nothing.
func TestABrowsersProfileHoldsNoToken(t *testing.T) {
	s, profile := startServer(t), t.TempDir()
	login := exec.CommandContext(t.Context(), built.Candor(t), "login", "--server", s.url)
	login.Env = append(os.Environ(), "CANDOR_TOKEN="+tokenOf("ann"))
	printed, err := login.Output()
	require.NoError(t, err)
	link := strings.TrimSpace(string(printed))
	require.Regexp(t, regexp.MustCompile(`^`+regexp.QuoteMeta(s.url)+`/#code=[\w-]{26,}$`), link)

	w, quit := windowOf(t, profile)
	w.run(chromedp.Navigate(link))
	w.shows("#link", "Live")
	w.click("#account", "Account")
	w.click("#menu [role=menuitem]", "Sign out")
	w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
	w.focus("#signin input")
	w.write(tokenOf("ann"))
	w.press("Enter")
	w.shows("#link", "Live")
	quit()

	_, code, _ := strings.Cut(link, "=")
	require.NotEmpty(t, filesWith(t, profile, code), "what stands in a link is kept")
	assert.Empty(t, filesWith(t, profile, tokenOf("ann")))
	body := strings.NewReader(`{"code":"` + code + `"}`)
	resp, err := http.Post(s.url+"/api/login", "application/json", body)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, http.StatusUnauthorized, resp.StatusCode, "a code in the profile is a used one")
}

// windowOf starts a browser with a profile of its own; quit ends it as its user would.
func windowOf(t *testing.T, profile string) (w *tab, quit func()) {
	t.Helper()
	options, err := browserOptions()
	require.NoError(t, err)
	allocated, cancel := chromedp.NewExecAllocator(context.Background(),
		append(options, chromedp.UserDataDir(profile))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)
	return watch(t, ctx), func() {
		ended, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		require.NoError(t, chromedp.Cancel(ended))
	}
}
