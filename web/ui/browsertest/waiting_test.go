package page_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// rowWaits is the row of a call that waits for a person.
func rowWaits(call string) string {
	return fmt.Sprintf(decision+"[data-call=%s][data-outcome=waiting]", call)
}

// twoWait starts a server and opens a page on which two calls wait, and nothing has the focus but the text.
func twoWait(t *testing.T) *tab {
	t.Helper()
	s := startServer(t)
	of := func(say, why string) call { return call{"danger", map[string]any{"say": say}, why} }
	s.on("do both", reply{Calls: []call{of("one", "first"), of("two", "second")}}, reply{Text: "So be it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do both")
	for _, call := range []string{"call_1", "call_2"} {
		w.shows(rowWaits(call)+" .ask", "May it run?")
	}
	w.press("Escape")
	w.until("the text has the focus", `document.activeElement.id === 'stream'`)
	return w
}

// Where several calls wait, a key first leads to one of them, which the foot names, and answers none.
func TestAKeyAnswersTheCallThatHasTheFocus(t *testing.T) {
	w := twoWait(t)
	asked := `(window.asked = 0, window.fetch = ((real) => (to, ...rest) => {
		asked += String(to).includes('/approval');
		return real(to, ...rest); })(window.fetch), true)`
	eval[bool](w, asked)
	// This browser has no pointer that hovers, and so shows no keys.
	hints := `[...document.querySelectorAll('.ask [data-action=approve] kbd')].map((k) =>
		getComputedStyle(k).visibility === 'visible').join()`
	assert.Equal(t, "false,false", eval[string](w, hints), "no key answers anything yet")
	w.shows(".foot", "one")
	w.shows(".foot", "and 1 more")
	// Each of the keys goes to the first, and answers nothing.
	for _, key := range []string{"y", "a"} {
		w.press("Escape")
		eval[bool](w, `(document.querySelector('#stream').focus(), true)`)
		w.press(key)
		w.until(key+" leads to the first", `document.activeElement.matches(%s)`, rowWaits("call_1"))
		assert.NotEqual(t, "none", eval[string](w, `getComputedStyle(document.activeElement).outlineStyle`), key)
		assert.Equal(t, "true,false", eval[string](w, hints), key)
	}
	w.press("Escape")
	eval[bool](w, `(document.querySelector('#stream').focus(), true)`)
	w.press("d")
	w.until("d leads to the words of the first", `document.activeElement.matches(%s)`, rowWaits("call_1")+" .words")
	w.press("Escape")
	// The foot follows the focus.
	w.press("]")
	w.until("the second has the focus", `document.activeElement.matches(%s)`, rowWaits("call_2"))
	w.shows(".foot", "two")
	assert.Zero(t, eval[int](w, `asked`), "nothing was answered")
	w.press("[", "y")
	w.shows(decision+"[data-call=call_1] .facts", "approved")
	w.until("the second waits", `document.querySelector(%s)`, rowWaits("call_2"))
	w.shows(".foot", "two")
	// The one that is left of several is chosen by a key first: a second press in haste answers nothing.
	eval[bool](w, `(document.querySelector('#stream').focus(), true)`)
	w.press("y")
	w.until("y leads to the second", `document.activeElement.matches(%s)`, rowWaits("call_2"))
	assert.Equal(t, 1, eval[int](w, `asked`))
	w.press("y")
	w.shows("candor-turn .answer", "So be it.")
	w.clean()
}

// What is out of sight is not answered: the timeline and a closed turn first show what waits.
func TestAKeyAnswersNothingOutOfSight(t *testing.T) {
	s := startServer(t)
	s.on("do it", callDanger("gone", "to be rid of it"), reply{Text: "It is gone."})
	thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	s.do("ann", http.MethodPost, "/api/chat/send", fields{"content": "do it", "thread_id": thread})
	w := window(t).open(s, "ann")
	w.shows(rowWaits("call_1")+" .ask", "May it run?")
	// Each of these takes the call out of sight, and the key brings it back.
	for _, hide := range []string{"#tab-timeline", "candor-turn .headline"} {
		eval[bool](w, `(document.querySelector(%s).click(), document.activeElement.blur(), true)`, hide)
		w.until("the call is out of sight", `!document.querySelector(%s).checkVisibility()`, decision)
		w.press("y")
		w.until("it is shown, and waits", `document.activeElement.matches(%s)`, rowWaits("call_1"))
	}
	w.press("y")
	w.shows("candor-turn .answer", "It is gone.")
	w.clean()
}

// A phone shows the buttons of each call that waits: nothing that stays in view stands on them.
func TestNothingCoversTheAnswersOnAPhone(t *testing.T) {
	w := twoWait(t)
	w.run(chromedp.EmulateViewport(390, 844))
	w.settle()
	// Each button is put at the lower edge of the view, which is where the foot would stand.
	for _, call := range []string{"call_1", "call_2"} {
		for _, action := range []string{"approve", "always", "deny"} {
			w.until(call+" can be answered: "+action, `(() => {
				const b = document.querySelector(%s), view = document.querySelector('#stream');
				b.scrollIntoView({ block: 'end', behavior: 'instant' });
				view.scrollTop -= view.getBoundingClientRect().bottom - b.getBoundingClientRect().bottom - 1;
				const r = b.getBoundingClientRect();
				return b.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)); })()`,
				rowWaits(call)+" [data-action="+action+"]")
		}
	}
	w.until("the foot has room for what it says", `(() => {
		const d = document.querySelector('.foot .doing'); return d.scrollWidth <= d.clientWidth; })()`)
	w.clean()
}

// The way to the latest stands on nothing, and is there only where something is out of view below.
func TestTheWayToTheLatestCoversNothing(t *testing.T) {
	s := startServer(t)
	thread := s.converse(12)
	w := window(t)
	for _, width := range []int64{1280, 390} {
		w.run(chromedp.EmulateViewport(width, 844))
		w.open(s, "ann")
		w.showTurn(s, thread, 2)
		w.shows("#latest", "Jump to latest")
		w.until("it stands below the text and above the field", `(() => {
			const [text, way, field] = ['#stream', '#latest', '#composer .field'].map((css) =>
				document.querySelector(css).getBoundingClientRect());
			return text.bottom <= way.top && way.bottom <= field.top && way.right <= innerWidth; })()`)
		w.click("#latest", "Jump to latest")
		w.until("there is nothing left to jump to", `!document.querySelector('#latest').checkVisibility()`)
	}
	// Whoever closes a turn holds the view, which does not follow its end any more; here the end is in it.
	s.on("short", callLook("a pear", "to see it"), reply{Text: "A pear."})
	w.run(chromedp.EmulateViewport(1280, 844), chromedp.Navigate(s.url+"/#t="+s.startedElsewhere("short")))
	w.shows("candor-turn .answer", "A pear.")
	w.clickNow("candor-turn .headline")
	w.until("it is closed", `document.querySelector('.headline').ariaExpanded === 'false'`)
	w.settle()
	assert.False(t, eval[bool](w, `document.querySelector('#latest').checkVisibility()`), "all of it is in view")
	w.clean()
}

// What comes late, such as the styles of a row, must not stop the list from following its end.
func TestTheEndIsFollowedWhileItGrows(t *testing.T) {
	s := startServer(t)
	thread := s.converse(12)
	w := window(t).open(s, "ann")
	w.showTurn(s, thread, 2)
	w.shows("#latest", "Jump to latest")
	atEnd := `(({scrollHeight, scrollTop, clientHeight}) => scrollHeight - scrollTop - clientHeight < 2)(
		document.querySelector('#stream'))`
	grow := func(by string) string {
		return `[...document.querySelectorAll('candor-turn')].at(-1).style.minHeight = '` + by + `'`
	}
	eval[bool](w, `(document.querySelector('#latest').click(), `+grow("600px")+`, true)`)
	w.until("the end is in view although it grew before the jump was seen", atEnd)
	eval[bool](w, `(`+grow("900px")+`, true)`)
	w.until("the end is in view although it grew later", atEnd)
	eval[bool](w, `(document.querySelector('#stream').scrollBy(0, -300), true)`)
	w.shows("#latest", "Jump to latest")
	eval[bool](w, `(`+grow("1200px")+`, true)`)
	w.settle()
	assert.False(t, eval[bool](w, atEnd), "whoever reads further up stays there")
	w.clean()
}

// A call that waits is said once in its row, besides the question; what its parameters say is said there alone.
func TestAWaitingCallIsSaidOnce(t *testing.T) {
	s := startServer(t)
	s.on("do it", callDanger("It is danger.", "to be rid of it"), reply{Text: "It is gone."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(rowWaits("call_1")+" .ask-params", "It is danger.")
	assert.Equal(t, "May it run?", w.text(".ask-line"), "what the parameters say, too")
	assert.LessOrEqual(t, eval[int](w, `document.querySelector(%s).offsetWidth`, rowWaits("call_1")+" .outcome"), 1)
	w.until("it is said aloud", `document.querySelector(%s).ariaLabel.includes('needs approval')`, rowWaits("call_1"))
	w.clean()
}
