package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// focused describes the element that has the focus.
func (w *tab) focused() string {
	return eval[string](w, `(() => { const e = document.activeElement;
		return [e.localName, e.id && '#' + e.id, e.getAttribute('aria-label') || '', (e.innerText || '').slice(0, 40)]
			.join(' '); })()`)
}

// tabTo presses Tab until a JavaScript condition on the focused element, el, holds. The
// focus has to be visible there.
func (w *tab) tabTo(what, js string) {
	w.t.Helper()
	for range 60 {
		if eval[bool](w, `((el) => !!(`+js+`))(document.activeElement)`) {
			visible := eval[bool](w, `(() => {
				const e = document.activeElement, r = e.getBoundingClientRect(), s = getComputedStyle(e);
				const marked = s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e.matches('textarea, input');
				return r.width > 0 && marked; })()`)
			assert.True(w.t, visible, "%s: the focus is not visible on %s", what, w.focused())
			return
		}
		w.press("Tab")
	}
	w.t.Fatalf("Tab does not lead to %s; it ended at %s", what, w.focused())
}

// pressUntil presses keys until a JavaScript condition holds: a pair of keys counts only
// if the second follows soon, which a busy machine may miss.
func (w *tab) pressUntil(what, js string, keys ...string) {
	w.t.Helper()
	eventually(w.t, what, func() bool {
		w.press(keys...)
		return eval[bool](w, "!!("+js+")")
	})
}

// signInByKeyboard opens the page without a token and types it.
func (w *tab) signInByKeyboard(s *server) {
	w.t.Helper()
	w.run(chromedp.Navigate(s.url + "/"))
	w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
	w.tabTo("the token's field", `el.matches('#signin input')`)
	w.write(tokenOf("ann"))
	w.press("Enter")
	w.shows("#link", "Live")
}

const focusedDecision = `document.activeElement.closest('candor-decision')`

func TestAMessageIsSentAndACallDeniedByKeyboard(t *testing.T) {
	s := startServer(t)
	s.on("first", reply{Text: "It is a pear."})
	s.on("second", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t)
	w.signInByKeyboard(s)
	w.tabTo("the composer", `el.matches('#composer textarea')`)
	w.write("first")
	w.press("Enter")
	w.shows("candor-turn .answer", "It is a pear.")
	// The answer may be there before the server has said that it took the message, which leaves the field then.
	w.until("the message was taken", `document.querySelector('#message').value === ''`)
	w.write("second")
	w.press("Enter")
	w.shows(".ask", "May it run?")
	w.press("Escape")
	w.press("j")
	w.tabTo("Deny", `el.dataset.action === 'deny'`)
	w.press("Enter")
	w.shows("candor-turn[data-turn='2'] .answer", "It was left alone.")
	assert.NotEqual(t, "body", eval[string](w, `document.activeElement.localName`), "the focus is lost")
	w.clean()
}

func TestTheFocusStaysWhileADecisionIsSent(t *testing.T) {
	s := startServer(t)
	s.on("first", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t)
	w.signInByKeyboard(s)
	w.tabTo("the composer", `el.matches('#composer textarea')`)
	w.write("first")
	w.press("Enter")
	w.shows(".ask", "May it run?")
	w.press("Escape")
	w.press("j")
	w.tabTo("Deny", `el.dataset.action === 'deny'`)
	eval[bool](w, `(() => { window.fetch = () => new Promise(() => {}); return true; })()`)
	w.press("Enter")
	w.until("the buttons wait", `document.querySelector('.ask button').disabled`)
	assert.True(t, eval[bool](w, `document.activeElement.matches('candor-decision')`), "the focus is on %s",
		w.focused())
}

func TestTurnsAndDecisionsAreReachedByKeyboard(t *testing.T) {
	s := startServer(t)
	s.on("first", callLook("a pear", "to see the pear"), reply{Text: "It is a pear."})
	s.on("second", reply{Text: "It was left alone."})
	s.say("ann", s.say("ann", "", "first"), "second")
	w := window(t).open(s, "ann")
	w.shows("candor-turn[data-turn='2'] .answer", "It was left alone.")

	w.press("j") // the latest turn
	w.press("k")
	w.until("the first turn has the focus", `document.activeElement.closest("candor-turn[data-turn='1']")`)
	w.press("]")
	w.until("its decision has the focus", focusedDecision)
	w.press("o")
	w.shows("candor-turn[data-turn='1'] .details", "a pear")
	w.press("o")
	w.until("it closes again and keeps the focus",
		`!document.querySelector("candor-turn[data-turn='1'] .details").checkVisibility() && `+focusedDecision)

	w.press("/")
	w.write("pear")
	w.shows("#results", "to see the pear")
	w.tabTo("the hit", `el.matches('#results a') && el.innerText.includes('to see the pear')`)
	w.press("Enter")
	w.until("the decision has the focus", focusedDecision+`?.dataset.call === 'call_1'`)
	w.clean()
}

func TestTabsHelpAndStopWorkByKeyboard(t *testing.T) {
	s := startServer(t)
	parallel(s, "third")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape")
	w.pressUntil("the timeline is shown", `document.querySelector('#timeline').checkVisibility()`, "g", "t")
	w.pressUntil("the conversation is shown", `document.querySelector('#stream').checkVisibility()`, "g", "c")
	w.press("?")
	w.shows("dialog[open]", "Next turn")
	w.press("Escape")
	w.until("the help is closed", `!document.querySelector('dialog[open]')`)

	w.press("i")
	w.write("third")
	w.press("Enter")
	w.until("it runs", `document.querySelectorAll('candor-decision').length === 3`)
	w.tabTo("Stop", `el.matches('#stop')`)
	w.press("Enter")
	w.until("it is stopped", `document.querySelector('candor-turn[data-state=interrupted]')`)
	w.clean()
}
