package page_test

import (
	"testing"

	"github.com/chromedp/chromedp"
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
