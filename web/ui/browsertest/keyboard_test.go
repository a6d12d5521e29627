package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// focused describes the element that has the focus.
func (w *tab) focused() string {
	return eval[string](w, `(() => { const e = document.activeElement; return [e.localName, e.id && '#' + e.id, e.getAttribute('aria-label') || '', (e.innerText || '').slice(0, 40)].join(' '); })()`)
}

// tabTo presses Tab until the focus is where a JavaScript condition on el holds.
func (w *tab) tabTo(what, js string) {
	w.t.Helper()
	for range 60 {
		if eval[bool](w, `((el) => !!(`+js+`))(document.activeElement)`) {
			seen := eval[bool](w, `(() => { const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);
				return r.width > 0 && (s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e.matches('textarea, input')); })()`)
			assert.True(w.t, seen, "%s: the focus can be seen on %s", what, w.focused())
			return
		}
		w.press("Tab")
	}
	w.t.Fatalf("Tab does not lead to %s; it ended at %s", what, w.focused())
}

// Everything that a mouse can do, from the login on, without one.
func TestThePageIsUsedByKeyboardAlone(t *testing.T) {
	s := startServer(t)
	s.on("first", reply{Text: "I look.", Calls: []call{{"look", map[string]any{"say": "a pear"}, "to see the pear"}}}, reply{Text: "It is a pear."})
	s.on("second", reply{Calls: []call{{"danger", map[string]any{"say": "gone"}, "to be rid of it"}}}, reply{Text: "It was left alone."})
	parallel(s, "third")
	w := window(t)
	w.run(chromedp.Navigate(s.url + "/"))
	w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
	w.tabTo("the token's field", `el.matches('#signin input')`)
	w.write(tokenOf("ann"))
	w.press("Enter")
	w.shows("#link", "Live")

	w.tabTo("the composer", `el.matches('#composer textarea')`)
	w.write("first")
	w.press("Enter")
	w.shows("candor-turn .answer", "It is a pear.")
	w.write("second")
	w.press("Enter")
	w.shows(".ask", "May it run?")
	w.press("Escape")
	w.press("j")
	w.tabTo("Deny", `el.dataset.action === 'deny'`)
	w.press("Enter")
	w.shows("candor-turn[data-turn='2'] .answer", "It was left alone.")
	assert.NotEqual(t, "body", eval[string](w, `document.activeElement.localName`), "the focus stays where one was")

	w.press("k")
	w.until("the first turn has the focus", `document.activeElement.closest("candor-turn[data-turn='1']")`)
	w.press("]")
	w.until("its decision has the focus", `document.activeElement.closest('candor-decision')`)
	w.press("o")
	w.shows("candor-turn[data-turn='1'] .details", "a pear")
	w.press("o")
	w.until("it closes again, and the focus stays", `!document.querySelector("candor-turn[data-turn='1'] .details").checkVisibility() && document.activeElement.closest('candor-decision')`)

	w.press("/")
	w.write("pear")
	w.shows("#results", "to see the pear")
	w.tabTo("the hit", `el.matches('#results a') && el.innerText.includes('to see the pear')`)
	w.press("Enter")
	w.until("the decision has the focus", `document.activeElement.closest('candor-decision')?.dataset.call === 'call_1'`)

	w.press("g", "t")
	w.until("the timeline is shown", `document.querySelector('#timeline').checkVisibility()`)
	w.press("g", "c")
	w.until("the conversation is shown", `document.querySelector('#stream').checkVisibility()`)
	w.press("?")
	w.shows("dialog[open]", "next turn")
	w.press("Escape")
	w.until("the map is closed", `!document.querySelector('dialog[open]')`)

	w.press("i")
	w.write("third")
	w.press("Enter")
	w.until("it runs", `document.querySelectorAll("candor-turn[data-turn='3'] candor-decision").length === 3`)
	w.tabTo("Stop", `el.matches('#stop')`)
	w.press("Enter")
	w.until("it is stopped", `document.querySelector("candor-turn[data-turn='3'][data-state=interrupted]")`)
	w.clean()
}
