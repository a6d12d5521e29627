package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// browser is started once for all tests; windows share nothing.
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

// chromium returns the path of the browser.
func chromium() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("these tests need chromium on the PATH; make browser installs it")
}

func startBrowser() {
	options, err := browserOptions()
	if err != nil {
		browser.err = err
		return
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	browser.cancel = append(browser.cancel, cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	browser.cancel = append(browser.cancel, cancel)
	browser.ctx, browser.err = ctx, chromedp.Do(ctx)
}

// browserOptions returns how the browser is started: it reaches this machine only.
func browserOptions() ([]chromedp.ExecAllocatorOption, error) {
	path, err := chromium()
	if err != nil {
		return nil, err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("host-resolver-rules", "MAP rebound.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if *storyScreens != "" {
		options = append(options, mouse)
	}
	for _, flag := range []string{
		"disable-quic", "disable-component-update", "disable-sync", "no-first-run", "disable-dev-shm-usage",
		"hide-scrollbars", "disable-background-networking", "no-proxy-server",
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	return options, nil
}

// tab is one of a window's tabs, with a record of what happened in it.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string                      // URLs
	waiting  map[network.RequestID]request // requests without an answer, but for streams, which have no end
	trouble  []string                      // exceptions, dialogs, violations of the policy
}

// request is a request of the page that a loader made.
type request struct {
	url string
	of  cdp.LoaderID
}

// window opens a window with one tab that shares nothing with other windows.
func window(t *testing.T) *tab {
	t.Helper()
	browser.once.Do(startBrowser)
	require.NoError(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	return watch(t, ctx)
}

// tab opens another tab of the same window, which shares its cookies.
func (w *tab) tab() *tab {
	ctx, cancel := chromedp.NewContext(w.ctx)
	w.t.Cleanup(cancel)
	return watch(w.t, ctx)
}

func watch(t *testing.T, ctx context.Context) *tab {
	t.Helper()
	w := &tab{t: t, ctx: ctx, waiting: map[network.RequestID]request{}}
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

// note records an event of the tab.
func (w *tab) note(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, e.Request.URL)
		if !strings.Contains(e.Request.URL, "/events") {
			w.waiting[e.RequestID] = request{e.Request.URL, e.LoaderID}
		}
	case *network.EventLoadingFinished:
		delete(w.waiting, e.RequestID)
	case *network.EventLoadingFailed:
		delete(w.waiting, e.RequestID)
	case *page.EventFrameNavigated:
		maps.DeleteFunc(w.waiting, func(_ network.RequestID, r request) bool { return r.of != e.Frame.LoaderID })
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

// waits returns the requests that have no answer yet.
func (w *tab) waits() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, r := range w.waiting {
		out = append(out, r.url)
	}
	return out
}

// clean fails the test if there was any exception, dialog or violation of the policy.
func (w *tab) clean() {
	w.t.Helper()
	require.Empty(w.t, w.troubles())
}

// fetched returns the requests to other servers.
func (w *tab) fetched(server string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	own := func(u string) bool { return strings.HasPrefix(u, server+"/") }
	return slices.DeleteFunc(slices.Clone(w.requests), own)
}

func (w *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	require.NoError(w.t, chromedp.Do(ctx, actions...))
}

// open opens the page as a user, who is signed in by the code in the link.
func (w *tab) open(s *server, user string) *tab {
	w.t.Helper()
	w.run(chromedp.Navigate(s.url + s.loginPath(user)))
	return w
}

// text returns the text that an element shows, or "" if there is none.
func (w *tab) text(css string) string {
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	quoted, _ := json.Marshal(css)
	js := fmt.Sprintf(`document.querySelector(%s)?.innerText ?? ''`, quoted)
	out, _ := chromedp.Run(ctx, chromedp.Evaluate[string](js))
	return out
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

// click clicks with the mouse on the visible element that matches and shows the text. Where the page moves between the
// look at the element and the click, the click is held back from what it would hit, and clicks again.
func (w *tab) click(css, text string) {
	w.t.Helper()
	eventually(w.t, fmt.Sprintf("%s with %q is clicked", css, text), func() bool {
		at := eval[[]float64](w, `new Promise((then) => requestAnimationFrame(() => {
			const is = (e) => e.checkVisibility() && e.innerText.includes(%[2]s);
			const e = [...document.querySelectorAll(%[1]s)].find(is);
			e?.scrollIntoView({ block: 'center', behavior: 'instant' });
			const { x, y, width, height } = e?.getBoundingClientRect() ?? {};
			const at = [x + width / 2, y + height / 2];
			const met = (e) => e?.closest?.(%[1]s) && is(e.closest(%[1]s));
			if (!e || !met(document.elementFromPoint(...at))) return then([]);
			window.clicked?.abort();
			window.clicked = new AbortController();
			for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) {
				addEventListener(type, (event) => {
					clicked.met ??= !!met(event.target);
					if (clicked.met) return void (clicked.hit = type === 'click' && met(event.target));
					event.stopImmediatePropagation();
					event.preventDefault();
				}, { capture: true, signal: clicked.signal });
			}
			then(at);
		}))`, css, text)
		if len(at) == 0 {
			return false
		}
		w.run(chromedp.MouseClickXY(at[0], at[1]))
		// The browser may answer before the page has had the click.
		hit, err := try[bool](w, `!window.clicked || new Promise((then) => {
			const look = (times) => {
				if (!clicked.hit && clicked.met !== false && times) return void setTimeout(look, 20, times - 1);
				clicked.abort();
				then(!!clicked.hit);
			};
			look(25);
		})`)
		return hit || err != nil // the click opened another page
	})
}

// clickNow clicks the first element that matches, at once: one that is drawn anew as it is looked for is no other.
func (w *tab) clickNow(css string) {
	w.t.Helper()
	w.until(css+" is there", `document.querySelector(%s)?.checkVisibility()`, css)
	eval[bool](w, `(document.querySelector(%s).click(), true)`, css)
}

// focus puts the focus on the first element that matches, once it takes it: one that is hidden does not.
func (w *tab) focus(css string) {
	w.t.Helper()
	w.until(css+" has the focus", `((e) => {
		e?.focus();
		return e && e === document.activeElement; })(document.querySelector(%s))`, css)
}

// write inserts text into the focused element.
func (w *tab) write(text string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, input.InsertText, input.InsertTextParams{Text: text})
	require.NoError(w.t, err)
}

// press presses keys one after another: letters, or names such as Enter and Shift+Tab.
func (w *tab) press(keys ...string) {
	w.t.Helper()
	for _, k := range keys {
		name, shifted := strings.CutPrefix(k, "Shift+")
		down := input.DispatchKeyEventParams{
			Type: input.DispatchKeyEventTypeKeyDown, Key: name, Text: name, WindowsVirtualKeyCode: keyCodes[name].code,
		}
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

// keyCodes maps the names of keys to their codes and the text they insert.
var keyCodes = map[string]struct {
	code int64
	text string
}{
	"Enter": {13, "\r"}, "Tab": {9, ""}, "Escape": {27, ""}, "ArrowDown": {40, ""}, "ArrowUp": {38, ""},
	"ArrowRight": {39, ""}, "ArrowLeft": {37, ""}, "Home": {36, ""}, "End": {35, ""},
}

// send writes a message into the composer and sends it.
func (w *tab) send(message string) {
	w.t.Helper()
	w.until("the composer is shown", composerShown)
	w.focus("#composer textarea")
	w.write(message)
	w.press("Enter")
}
