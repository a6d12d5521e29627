package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// browser is started once, for all tests; each gets windows that share nothing.
var browser struct {
	once   sync.Once
	ctx    context.Context
	cancel []context.CancelFunc
	err    error
}

func closeBrowser() {
	for _, cancel := range slices.Backward(browser.cancel) {
		cancel()
	}
}

// chromium is the browser's program.
func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("these tests need chromium on the PATH; make browser installs it")
}

func startBrowser() {
	path, err := chromium()
	if err != nil {
		browser.err = err
		return
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("no-first-run", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	browser.cancel = append(browser.cancel, cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	browser.cancel = append(browser.cancel, cancel)
	browser.ctx, browser.err = ctx, chromedp.Do(ctx)
}

// tab is one of a window's tabs, and what happened in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // URLs that were asked for
	trouble  []string // exceptions, dialogs, what the policy refused
}

// window opens a window that shares nothing with others, with one tab.
func window(t *testing.T) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	require.NoError(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return watch(t, ctx)
}

// tab opens a further tab of the same window, which shares its cookies.
func (w *tab) tab() *tab {
	ctx, cancel := chromedp.NewContext(w.ctx)
	w.t.Cleanup(cancel)
	return watch(w.t, ctx)
}

func watch(t *testing.T, ctx context.Context) *tab {
	t.Helper()
	w := &tab{t: t, ctx: ctx}
	require.NoError(t, chromedp.Do(ctx))
	require.NoError(t, chromedp.Listen(ctx, w.note))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	w.run(chromedp.EmulateViewport(1280, 800))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the page says:\n%s\ntrouble: %q", w.text("body"), w.troubles())
		}
	})
	return w
}

// note takes down what happens in the tab.
func (w *tab) note(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		w.trouble = append(w.trouble, "exception: "+describe(e.ExceptionDetails))
	case *page.EventJavascriptDialogOpening:
		w.trouble = append(w.trouble, "dialog: "+e.Message)
		go func() {
			_, _ = chromedp.Call(w.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{})
		}()
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceSecurity || strings.Contains(e.Entry.Text, "Content Security Policy") {
			w.trouble = append(w.trouble, "policy: "+e.Entry.Text)
		}
	}
}

func describe(e *runtime.ExceptionDetails) string {
	if e.Exception != nil {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}

func (w *tab) troubles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.trouble)
}

// clean fails if anything ran or was refused that should not have been tried.
func (w *tab) clean() {
	w.t.Helper()
	require.Empty(w.t, w.troubles())
}

// fetched are the requests that did not go to the server.
func (w *tab) fetched(server string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.requests), func(u string) bool { return strings.HasPrefix(u, server+"/") })
}

func (w *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	require.NoError(w.t, chromedp.Do(ctx, actions...))
}

// open goes to the page as a user, logged in by the URL's token.
func (w *tab) open(s *server, user string) *tab {
	w.t.Helper()
	w.run(chromedp.Navigate(s.url + "/#token=" + url.QueryEscape(tokenOf(user))))
	return w
}

// eval is the value of a JavaScript expression, awaited if it is a promise.
func eval[T any](w *tab, js string, args ...any) T {
	w.t.Helper()
	var raw []any
	for _, a := range args {
		quoted, err := json.Marshal(a)
		require.NoError(w.t, err)
		raw = append(raw, string(quoted))
	}
	if len(raw) > 0 {
		js = fmt.Sprintf(js, raw...)
	}
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	require.NoError(w.t, err, js)
	return out
}

// text is what an element shows, "" when there is none.
func (w *tab) text(css string) string {
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	quoted, _ := json.Marshal(css)
	out, _ := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ''`, quoted)))
	return out
}

// until waits for a JavaScript condition.
func (w *tab) until(what, js string, args ...any) {
	w.t.Helper()
	eventually(w.t, what, func() bool { return eval[bool](w, "!!("+js+")", args...) })
}

// shows waits until an element that matches shows this text.
func (w *tab) shows(css, text string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s shows %q", css, text),
		`[...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.innerText.includes(%s))`, css, text)
}

// gone waits until no element that matches shows this text.
func (w *tab) gone(css, text string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s no longer shows %q", css, text),
		`![...document.querySelectorAll(%s)].some((e) => e.checkVisibility() && e.innerText.includes(%s))`, css, text)
}

// click clicks the visible element that matches and shows the text, with the mouse.
func (w *tab) click(css, text string) {
	w.t.Helper()
	w.shows(css, text)
	at := eval[[]float64](w, `(() => { const e = [...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && e.innerText.includes(%s));
		e.scrollIntoView({ block: 'center', behavior: 'instant' }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, css, text)
	w.run(chromedp.MouseClickXY(at[0], at[1]))
}

// write types into the element that has the focus.
func (w *tab) write(text string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(w.t, err)
}

// press presses keys, one after another: letters, or names such as Enter and Tab. A
// name may have Shift+ before it.
func (w *tab) press(keys ...string) {
	w.t.Helper()
	for _, k := range keys {
		name, shifted := strings.CutPrefix(k, "Shift+")
		down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: name, Text: name, WindowsVirtualKeyCode: keyCodes[name].code}
		if known, ok := keyCodes[name]; ok {
			down.Text, down.Code = known.text, name
		}
		if shifted {
			down.Modifiers = 8
		}
		up := down
		up.Type, up.Text = input.DispatchKeyEventTypeKeyUp, ""
		for _, e := range []input.DispatchKeyEventParams{down, up} {
			_, err := chromedp.Call(w.ctx, input.DispatchKeyEvent, e)
			require.NoError(w.t, err)
		}
	}
}

// keyCodes are the keys that are no letters.
var keyCodes = map[string]struct {
	code int64
	text string
}{
	"Enter": {13, "\r"}, "Tab": {9, ""}, "Escape": {27, ""}, "ArrowDown": {40, ""}, "ArrowUp": {38, ""}, "Home": {36, ""}, "End": {35, ""},
}

// send writes a message into the composer and sends it.
func (w *tab) send(message string) {
	w.t.Helper()
	w.until("the composer is there", `document.querySelector('#composer textarea')?.checkVisibility()`)
	eval[bool](w, `(document.querySelector('#composer textarea').focus(), true)`)
	w.write(message)
	w.press("Enter")
}
