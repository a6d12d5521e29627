package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// A closed turn shows why its most important call was made, in the voice of reasons; the usual is silent there, and
// what went badly is red.
func TestAClosedTurnSaysWhyAndWhetherItWentWell(t *testing.T) {
	s := startServer(t)
	s.on("look", reply{Text: "I look first.", Calls: []call{{"look", map[string]any{"say": "x"}, "the log says it"}}},
		reply{Text: "Seen."})
	s.on("break", reply{Text: "I try both.", Calls: []call{{"look", map[string]any{"say": "x"}, "the log says it"},
		{"fail", map[string]any{"say": "locked"}, "the safe may have it"}}}, reply{Text: "It is locked."})
	s.on("thanks", reply{Text: "You are welcome."})
	thread := s.say("ann", "", "look")
	for _, m := range []string{"break", "thanks", "look"} {
		s.say("ann", thread, m)
	}
	w := window(t)
	w.run(chromedp.EmulateViewport(1440, 900))
	w.open(s, "ann")
	turn := func(n int) string { return fmt.Sprintf("candor-turn[data-turn='%d'] ", n) }
	w.shows(turn(1)+".peek.says", "the log says it")
	w.shows(turn(2)+".peek.says", "the safe may have it")
	w.shows(turn(3)+".peek.ours", "No tool used")
	w.shows(turn(2)+".detail", "1 failed")
	style := func(css, name string) string {
		return eval[string](w, `getComputedStyle(document.querySelector(%s)).getPropertyValue(%s)`, css, name)
	}
	assert.Equal(t, "normal", style(turn(1)+".peek", "font-style"))
	assert.Equal(t, style("body", "color"), style(turn(1)+".peek", "color"), "full ink")
	assert.Equal(t, style(".margin", "color"), style(turn(1)+".label", "color"), "the usual is silent")
	assert.Equal(t, "400", style(turn(1)+".label", "font-weight"))
	bad := style(turn(2)+".detail .bad", "color")
	assert.Equal(t, bad, style(turn(2)+".label", "color"))
	assert.Equal(t, bad, style(turn(2)+".reasoning", "border-left-color"), "its rule")
	for _, n := range []int{1, 3} {
		assert.Empty(t, w.text(turn(n)+".detail"), "its one call has a name, and without one a sentence says so")
	}
	assert.LessOrEqual(t, eval[float64](w, `document.querySelector("candor-turn[data-turn='1']").offsetHeight`), 104.)
	w.click(turn(1)+".headline", "Worked for")
	w.shows(turn(1)+".narrative", "I look first.")
	assert.False(t, eval[bool](w, `document.querySelector(%s).checkVisibility()`, turn(1)+".peek"))
	w.clean()
}

// Neither the answer that streams in nor the one before history was read shows the signs of Markdown.
func TestAnAnswerIsReadAsMarkdownBeforeTheServerDid(t *testing.T) {
	s := startServer(t)
	s.on("how is it?", reply{Text: "It **finished** at `11:58`:\n\n- one\n- two"})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	eval[bool](w, `(() => { const own = window.fetch;
		window.fetch = (url, how) => /chat\/(turn|history)/.test(url) ? new Promise(() => {}) : own(url, how);
		return true; })()`)
	w.send("how is it?")
	w.shows("candor-turn .answer.plain strong", "finished")
	w.shows("candor-turn .answer.plain code", "11:58")
	w.shows("candor-turn .answer.plain ul > li", "two")
	assert.NotContains(t, w.text("candor-turn .answer"), "*")
	w.clean()
}

// A link that is up says nothing to the eye.
func TestALiveLinkSaysNothing(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.until("nobody sees it", `document.querySelector('#link').getBoundingClientRect().width <= 1`)
	s.kill()
	w.shows("#link", "Reconnecting…")
	w.until("everybody sees that", `document.querySelector('#link').getBoundingClientRect().width > 40`)
}

// A long result takes a second line, and the ring of a row is whole.
func TestARowShowsItsResultAndItsRing(t *testing.T) {
	s := startServer(t)
	long := "the safe in the cellar is locked and nobody at all knows where its key might be"
	s.on("open it", reply{Calls: []call{{"fail", map[string]any{"say": long}, "it may be there"}}}, reply{Text: "No."})
	thread := s.say("ann", "", "open it")
	w := window(t)
	w.run(chromedp.EmulateViewport(1440, 900))
	w.open(s, "ann")
	w.shows(decision+" .got", "the safe in the cellar")
	w.until("it has two lines", `document.querySelector(%s).clientHeight === 48`, decision+" .got")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1&d=call_1"))
	w.until("no line breaks the ring", `document.activeElement.matches('candor-decision:focus-visible') &&
		getComputedStyle(document.activeElement, '::before').backgroundColor === 'rgba(0, 0, 0, 0)'`)
	w.until("the head that stays in view covers what leaks above it",
		`getComputedStyle(document.querySelector('.reasoning > h3')).boxShadow.includes('-2px')`)
	w.clean()
}
