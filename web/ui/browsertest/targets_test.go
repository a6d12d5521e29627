package page_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// smallTargets lists what can be clicked, is in view, and is less than 24 by 24 pixels, as
// WCAG 2.2 2.5.8 asks for at least. Links within a sentence are excepted there.
const smallTargets = `(() => {
	const css = 'a[href], button, input, select, textarea, summary, [role^=menuitem], [role=tab], [role=option]';
	const inProse = (e) => e.matches('a') && e.closest('.prose, .note, p') && getComputedStyle(e).display === 'inline';
	return [...document.querySelectorAll(css)].filter((e) => {
		const r = e.getBoundingClientRect(), s = { opacityProperty: true, visibilityProperty: true };
		const outside = r.right <= 0 || r.bottom <= 0 || r.left >= innerWidth || r.top >= innerHeight;
		if (!e.checkVisibility(s) || e.closest('[inert]') || outside || !r.width || inProse(e)) return false;
		return r.width < 23.99 || r.height < 23.99;
	}).map((e) => {
		const r = e.getBoundingClientRect();
		return e.localName + '.' + e.className + '#' + e.id + ' ' + (e.getAttribute('aria-label') || e.innerText || '')
			.slice(0, 40) + ' ' + r.width.toFixed(1) + ' by ' + r.height.toFixed(1);
	}); })()`

// requireTargets fails the test for each target in view that is too small to be touched.
func (w *tab) requireTargets(screen string) {
	w.t.Helper()
	w.settle()
	assert.Empty(w.t, eval[[]string](w, smallTargets), screen)
}

// The screens are those of the tests of accessibility and more: menus, dialogs, opened rows, the drawer of a
// narrow window. What is scrolled out of view does not count, and neither does what is hidden.
func TestEveryTargetIsLargeEnoughToTouch(t *testing.T) {
	s := startServer(t)
	screens := append(s.prepareScreens(), s.moreScreens()...)
	for _, width := range []int64{390, 768} {
		w := window(t)
		w.run(chromedp.EmulateViewport(width, 900), chromedp.Navigate(s.url+"/"))
		w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
		w.requireTargets(fmt.Sprint("login, ", width))
		w.open(s, "ann")
		w.shows("#link", "Live")
		for _, sc := range screens {
			sc.show(w)
			w.requireTargets(fmt.Sprint(sc.name, ", ", width))
		}
		w.clean()
	}
}

// moreScreens returns states of the page that few visits see.
func (s *server) moreScreens() []screen {
	s.t.Helper()
	many := reply{Text: "I look everywhere."}
	for _, at := range []string{"attic", "barn", "cellar", "den"} {
		many.Calls = append(many.Calls, call{"look", map[string]any{"say": at + "\n\n\nand\nmore"}, "it may be there"})
	}
	s.on("where is it?", many, reply{Text: "See [the list](https://example.com) of **all** places.\n\n```\ncode\n```"})
	thread := s.say("ann", s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string), "where is it?")
	job := s.do("ann", http.MethodPost, "/api/jobs", map[string]any{"title": "A job", "prompt": "Do it."})
	home := s.url + "/#t=" + thread + "&turn=1"
	menu := func(button, item string) func(w *tab) {
		return func(w *tab) {
			w.run(chromedp.Navigate(home + "&d=call_1"))
			w.shows("candor-fold .more", "look")
			eval[bool](w, `(document.querySelector(%s).click(), true)`, button)
			w.shows("#menu", item)
		}
	}
	return []screen{
		{"details", func(w *tab) {
			w.run(chromedp.Navigate(home + "&d=call_2"))
			w.shows(decision+"[data-call=call_2] .why", "it may be there")
			w.settle() // the drawer of the search has closed
			w.click(decision+"[data-call=call_2] .why", "it may be there")
			w.shows(decision+" .block .copy[data-said=Copy]", "")
		}},
		{"menu of a turn", menu("candor-turn .asked .dots", "Compare with…")},
		{"menu of the look", menu("#look", "Dark")},
		{"export", func(w *tab) {
			w.run(chromedp.Navigate(home + "&d=call_1"))
			eval[bool](w, `(document.querySelector('#export').click(), true)`)
			w.shows("#dialog", "Markdown")
		}},
		{"choice of a turn", func(w *tab) {
			menu("candor-turn .asked .dots", "Compare with…")(w)
			eval[bool](w, `([...document.querySelectorAll('#menu button')]
				.find((b) => b.innerText.startsWith('Compare with…')).click(), true)`)
			w.shows("#dialog", "Conversation")
		}},
		{"keys", func(w *tab) {
			w.press("Escape")
			w.run(chromedp.Navigate(home))
			eval[bool](w, `(document.querySelector('#help').click(), true)`)
			w.shows("#dialog", "Keyboard")
		}},
		{"empty", func(w *tab) {
			w.press("Escape")
			w.run(chromedp.Navigate(s.url + "/#new"))
			w.shows(".notice", "Watch your own agent")
		}},
		{"job", func(w *tab) {
			w.run(chromedp.Navigate(s.url + "/#job=" + job["job_id"].(string)))
			w.shows("candor-job", "Waiting for a worker")
		}},
		{"drawer", func(w *tab) {
			eval[bool](w, `(document.querySelector('#rail-open').click(), true)`)
			w.shows("#threads a", "where is it?")
		}},
	}
}
