package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// slowServer holds each message until the test calls release(), which lets the server take it, or refuse(), which
// answers as a server that does not want it.
const slowServer = `(() => {
	const real = window.fetch, held = [];
	window.fetch = (path, how) => String(path).includes('/chat/send')
		? new Promise((then) => held.push({ then, go: () => real(path, how) })) : real(path, how);
	window.held = () => held.length;
	window.release = () => { const { then, go } = held.shift(); then(go()); };
	window.refuse = () => held.shift().then(new Response('{"error":"no","message":"Not this one."}', { status: 400 }));
	return true; })()`

// written is what stands in the field of the composer.
func (w *tab) written(words string) {
	w.t.Helper()
	w.until("the field has "+words, `document.querySelector('#message').value === %s`, words)
}

// heldMessage waits until a message is under way, and no second one beside it.
func (w *tab) heldMessage() {
	w.t.Helper()
	w.until("one message is under way", `window.held() === 1`)
}

func TestWhoeverTypesOnWhileAMessageIsUnderWayWritesAnother(t *testing.T) {
	s := startKept(t, "one", "two", "one more")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	eval[bool](w, slowServer)
	w.send("one")
	w.heldMessage()
	w.write("two")
	w.written("two")
	w.press("Enter")
	w.written("")
	w.shows("#sending", "Sending: one · two")
	w.write("three")
	eval[any](w, `window.release()`)
	w.answered("one")
	w.heldMessage()
	eval[any](w, `window.release()`)
	w.answered("two")
	w.written("three")
	w.until("nothing is under way", `!document.querySelector('#sending').checkVisibility()`)
	assert.Equal(t, []string{"one", "two"}, s.inputs())
	assert.Len(t, s.titles(), 1, "both are of the conversation that the first began")
	w.clean()
}

func TestARefusedMessageReturnsToTheFieldOrWaits(t *testing.T) {
	s := startKept(t, "before", "fine")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	eval[bool](w, slowServer)
	w.send("alone")
	w.heldMessage()
	eval[any](w, `window.refuse()`)
	w.shows("#send-problem", "Not this one.")
	w.written("alone")

	eval[bool](w, `(document.querySelector('#message').select(), true)`)
	w.write("refused")
	w.press("Enter")
	w.heldMessage()
	w.write("fine")
	eval[any](w, `window.refuse()`)
	w.shows(waiting, "The server refused it: Not this one.")
	w.shows(waiting, "refused")
	w.written("fine")
	w.click("[aria-label='Cancel the message refused']", "Cancel")
	w.press("i")
	w.press("Enter")
	w.heldMessage()
	eval[any](w, `window.release()`)
	w.answered("fine")
	assert.Equal(t, []string{"before", "fine"}, s.inputs())
	w.clean()
}

// A message goes to the conversation that was open when it was written.
func TestAMessageUnderWayIsSentWhereItWasWritten(t *testing.T) {
	s := startKept(t, "apples", "pears", "more of it")
	s.say("ann", "", "apples")
	s.say("ann", s.do("ann", "POST", "/api/chat/thread/new", nil)["id"].(string), "pears")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Answer to pears.")
	eval[bool](w, slowServer)
	w.send("first")
	w.heldMessage()
	w.send("more of it")
	w.click("#threads a", "apples")
	w.shows("candor-turn .answer", "Answer to apples.")
	eval[any](w, `window.release()`)
	w.heldMessage()
	eval[any](w, `window.release()`)
	w.click("#threads a", "pears")
	w.answered("more of it")
	assert.Equal(t, 3, eval[int](w, `document.querySelectorAll('candor-turn').length`))
	w.clean()
}

// A browser may keep a page that was left. Six of them with a stream each would let no seventh connection to the
// server begin.
func TestAPageThatIsLeftClosesItsStreamAndGoesOnWhenItIsBack(t *testing.T) {
	s := startKept(t, "before", "meanwhile")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	thread := s.do("ann", "GET", "/api/chat/threads", nil)["active_thread"].(string)
	streams := func() float64 {
		return s.do("ann", "GET", "/api/gateway/status", nil)["sse_connections"].(float64)
	}
	eventually(t, "its stream is open", func() bool { return streams() == 1 })
	eval[bool](w, `(window.mark = 1, true)`)
	w.run(chromedp.Navigate(s.url + "/api/health"))
	eventually(t, "its stream is closed", func() bool { return streams() == 0 })
	s.say("ann", thread, "meanwhile")
	eval[any](w, `history.back()`)
	w.shows("candor-turn[data-turn='2'] .answer", "Answer to meanwhile.")
	assert.Equal(t, 1, eval[int](w, `window.mark ?? 0`), "the browser did not keep the page, so this shows nothing")
	eventually(t, "its stream is open again", func() bool { return streams() == 1 })
	w.clean()
}
