package page_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// theme makes the browser prefer light or dark, and reduced motion.
func (w *tab) theme(name string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	require.NoError(w.t, err)
}

// bypassPolicy lets axe run, which is not the page's, so that its policy does not allow it.
func (w *tab) bypassPolicy() {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	require.NoError(w.t, err)
}

// violation is a broken rule, and the elements that break it.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// runAxe applies the rules of WCAG 2.2 A and AA, and of good practice, to what is shown.
const runAxe = `axe.run(document, {
	runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}).then((r) => r.violations.map((v) => ({
	id: v.id, help: v.help,
	nodes: v.nodes.map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message || n.all[0]?.message || '')),
})))`

func TestEveryScreenIsAccessible(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	s := startServer(t)
	screens := s.prepareScreens()
	for _, look := range []struct {
		theme string
		width int64
	}{{"light", 1280}, {"dark", 1280}, {"light", 390}} {
		w := window(t)
		w.bypassPolicy()
		w.theme(look.theme)
		w.run(chromedp.EmulateViewport(look.width, 800), chromedp.Navigate(s.url+"/"))
		w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
		where := fmt.Sprintf("%s, %d px", look.theme, look.width)
		w.requireAccessible(string(source), "login, "+where)
		w.open(s, "ann")
		w.shows("#link", "Live")
		for _, sc := range screens {
			sc.show(w)
			w.requireAccessible(string(source), sc.name+", "+where)
		}
	}
}

func (w *tab) requireAccessible(axe, screen string) {
	w.t.Helper()
	w.settle()
	eval[bool](w, axe+";true")
	for _, v := range eval[[]violation](w, runAxe) {
		assert.Fail(w.t, fmt.Sprintf("%s: %s: %s", screen, v.ID, v.Help), "%q", v.Nodes)
	}
}
