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

// theme makes the browser prefer light or dark, and little motion.
func (w *tab) theme(name string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	require.NoError(w.t, err)
}

// violation is what axe found, and where.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// axe checks what is shown by all rules for A and AA, and those of good practice.
func (w *tab) axe(source string) []violation {
	w.t.Helper()
	eval[bool](w, source+";true")
	return eval[[]violation](w, `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
		.then((r) => r.violations.map((v) => ({ id: v.id, help: v.help, nodes: v.nodes.map((n) => n.html.slice(0, 160) + ' ' + (n.any[0]?.message || n.all[0]?.message || '')) })))`)
}

func TestNobodyIsKeptOutOfThePage(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	s := startServer(t)
	screens := s.tell()
	for _, look := range []struct {
		theme string
		wide  int64
	}{{"light", 1280}, {"dark", 1280}, {"light", 390}} {
		w := window(t)
		_, err := chromedp.Call(w.ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true}) // for axe, which is not the page's
		require.NoError(t, err)
		w.theme(look.theme)
		w.run(chromedp.EmulateViewport(look.wide, 800), chromedp.Navigate(s.url+"/"))
		w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
		w.passes(string(source), look.theme, look.wide, "login")
		w.open(s, "ann")
		w.shows("#link", "Live")
		for _, sc := range screens {
			sc.show(w)
			w.passes(string(source), look.theme, look.wide, sc.name)
		}
	}
}

func (w *tab) passes(source, theme string, wide int64, screen string) {
	w.t.Helper()
	for _, v := range w.axe(source) {
		assert.Fail(w.t, fmt.Sprintf("%s, %s, %d px: %s: %s", screen, theme, wide, v.ID, v.Help), "%q", v.Nodes)
	}
}
