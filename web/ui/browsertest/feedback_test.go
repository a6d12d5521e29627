package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

func TestAPersonRatesADecision(t *testing.T) {
	s := startServer(t)
	s.on("Look.", reply{Calls: []call{{"look", map[string]any{"say": "it"}, "it may help"}}}, reply{Text: "I looked."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("Look.")
	const turn = "candor-turn[data-turn='1'] "
	w.shows(turn+".answer", "I looked.")
	w.until("nothing asks for a rating", `!document.querySelector(%s)`, turn+".feedback button")
	w.click(turn+".more", "look")
	w.shows(turn+".feedback", "Was this decision right?")
	w.click(turn+".feedback button", "Bad")
	w.shows(turn+".answered", "rated bad")
	w.focus(turn + ".feedback input")
	w.write("not <b>there</b>")
	w.press("Enter")
	w.until("the note is kept", `document.querySelector(%s).title === 'not <b>there</b>'`, turn+".answered")
	w.run(chromedp.Reload())
	w.shows(turn+".answered", "rated bad")
	w.click(turn+".more", "look")
	w.until("the note comes back", `document.querySelector(%s)?.value === 'not <b>there</b>'`, turn+".feedback input")

	// The keys: of the decision where the focus is; the same key again takes it back.
	w.focus(turn + "candor-decision")
	w.press("+")
	w.shows(turn+".answered", "rated good")
	w.until("one can say why", `document.activeElement === document.querySelector(%s)`, turn+".feedback input")
	w.focus(turn + "candor-decision")
	w.press("+")
	w.until("it is rated no more", `!document.querySelector(%s).textContent.includes('rated')`, turn+".answered")
	w.click(turn+"candor-decision .dots", "⋯")
	w.click("#menu button", "Bad")
	w.shows(turn+".answered", "rated bad")
	w.clean()
}

// words presses the keys of some words, as a person types them.
func (w *tab) words(text string) {
	w.t.Helper()
	for _, key := range text {
		w.press(string(key))
	}
}

// Whoever rates a decision goes on typing why: no letter is a shortcut, no blank takes the rating back, and Enter
// sends nothing to the agent.
func TestWhatIsTypedAfterARatingIsWhy(t *testing.T) {
	s := startServer(t)
	s.on("Look.", reply{Calls: []call{{"look", map[string]any{"say": "it"}, "it may help"}}}, reply{Text: "I looked."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("Look.")
	w.shows("candor-turn .answer", "I looked.")
	at := eval[string](w, `location.hash`)
	// A note is kept when the focus is back at its row, and nothing else came of its letters.
	noted := func(note string) {
		t.Helper()
		w.until("the note is kept: "+note, `document.querySelector(%s).title === %s`, decision+" .answered", note)
		w.until("the row has the focus", `document.activeElement.matches(%s)`, decision)
		assert.Equal(t, at, eval[string](w, `location.hash`), "no key began anything")
		assert.Equal(t, 1, eval[int](w, `document.querySelectorAll('candor-turn').length`), "nothing was sent")
	}
	w.click(decision+" .more", "look")
	w.click(decision+" .feedback button", "Bad")
	w.words("no, not that")
	w.press("Enter")
	w.shows(decision+" .answered", "rated bad")
	noted("no, not that")
	w.until("the field is in view and looks like the others", `(() => {
		const field = document.querySelector(%s), r = field.getBoundingClientRect(), s = getComputedStyle(field);
		const of = getComputedStyle(document.querySelector('#composer .field'));
		const foot = document.querySelector('#composer').getBoundingClientRect().top;
		return r.height >= 24 && r.bottom <= foot && s.borderTopStyle === 'solid' && s.borderRadius === '6px' &&
			s.borderTopColor === of.borderTopColor && s.backgroundColor === of.backgroundColor; })()`,
		decision+" .feedback input")

	// By key, from a closed row, and by the menu.
	w.click(decision+" .more", "look")
	w.focus(decision)
	w.press("+")
	w.until("one can say why", `document.activeElement.matches('.feedback input')`)
	eval[bool](w, `(document.activeElement.select(), true)`)
	w.words("new is better")
	w.press("Enter")
	w.shows(decision+" .answered", "rated good")
	noted("new is better")
	w.click(decision+" .dots", "⋯")
	w.click("#menu button", "Bad")
	w.until("one can say why", `document.activeElement.matches('.feedback input')`)
	eval[bool](w, `(document.activeElement.select(), true)`)
	w.words("xx")
	w.press("Escape")
	w.shows(decision+" .answered", "rated bad")
	noted("xx")
	w.clean()
}

// Whoever denies a call can say why before; what they type after it is no shortcut and no answer to another call.
func TestWhatIsTypedAtADenialIsWhy(t *testing.T) {
	w := twoWait(t)
	at := eval[string](w, `location.hash`)
	w.press("d", "d")
	w.until("one can say why", `document.activeElement.matches(%s)`, rowWaits("call_1")+" .words")
	w.press("Escape")
	w.until("the row has the focus, and waits", `document.activeElement.matches(%s)`, rowWaits("call_1"))
	w.press("d")
	w.words("no, I need it")
	w.press("Enter")
	w.shows(decision+"[data-call=call_1] .facts", "denied")
	w.until("the row has the focus", `document.activeElement.matches(%s)`, decision+"[data-call=call_1]")
	w.press("[")
	const first = decision + "[data-call=call_1] "
	w.click(first+".more", "danger")
	w.shows(first+".failure", "no, I need it")
	w.click(first+".more", "danger")
	// A click on Deny denies at once. The words after it have a y, which would approve another call, and an n.
	w.click(rowWaits("call_2")+" button[data-action=deny]", "Deny")
	w.words("no, any way")
	w.shows("candor-turn .answer", "So be it.")
	w.words("new")
	w.shows("#status", "Esc")
	assert.Equal(t, at, eval[string](w, `location.hash`), "no key began anything")
	assert.Equal(t, "", eval[string](w, `document.querySelector('#message').value`))
	w.press("Escape", "i")
	w.until("keys are keys again", `document.activeElement.id === 'message'`)
	w.clean()
}
