package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// theHit is the hit with the focus.
const theHit = `document.activeElement.closest('#results .hit')`

// searchedFor waits until the hits are those of these words, which the address has then.
func (w *tab) searchedFor(words string) {
	w.t.Helper()
	w.until("the address has the search", `new URLSearchParams(location.hash.slice(1)).get('find') === %s &&
		document.querySelector('#results .found[aria-busy=false]')`, words)
}

// The search covers a conversation and gives it back where it was: by Escape, its button, or the way back.
func TestASearchGivesTheConversationBackWhereItWas(t *testing.T) {
	s := startServer(t)
	thread := s.converse(40)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.showTurn(s, thread, 20)
	w.shows("candor-turn .answer", "Answer to question 20.")
	const where = `[location.hash, Math.round(document.querySelector('#stream').scrollTop),
		document.activeElement.closest('candor-turn')?.dataset.turn || ''].join()`
	eval[bool](w, `(document.querySelector('#stream').scrollBy(0, 70),
		new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => then(true)))))`)
	before := eval[string](w, where)
	// The position has to be that of somebody who reads, not that of a link or of the end.
	for name, leave := range map[string]func(){
		"Escape": func() { w.press("Escape") },
		"Close":  func() { w.click("#results button", "Close") },
		"back":   func() { eval[bool](w, `(history.back(), true)`) },
	} {
		w.press("/")
		w.write("question 7")
		w.searchedFor("question 7")
		w.shows("#results .heard", "of 40 calls")
		assert.Equal(t, "hidden", eval[string](w, `getComputedStyle(document.querySelector('#stream')).visibility`))
		leave()
		w.until(name+" returns to it", `!document.querySelector('#results').checkVisibility() && `+where+` === %s`,
			before)
	}
	w.clean()
}

// From a hit the way back leads to the hits, with the focus where it was.
func TestTheWayBackFromAHitLeadsToTheHits(t *testing.T) {
	s := startServer(t)
	s.on("first", callLook("a pear", "to see the pear"), callLook("a plum", "to see whether the plum is a pear"),
		reply{Text: "It is a pear."})
	s.on("second", reply{Text: "It was left alone."})
	s.say("ann", s.say("ann", "", "first"), "second")
	w := window(t).open(s, "ann")
	w.shows("candor-turn[data-turn='2'] .answer", "It was left alone.")
	w.press("/")
	w.write("why did it see that pear?")
	w.searchedFor("why did it see that pear?")
	w.shows("#results .heard", "searched for see, pear")
	w.press("ArrowDown", "ArrowDown")
	w.until("the second hit has the focus", theHit+` === document.querySelectorAll('#results .hit')[1]`)
	w.press("Enter")
	w.until("its decision has the focus", focusedDecision+` && !document.querySelector('#results').checkVisibility()`)
	eval[bool](w, `(history.back(), true)`)
	w.until("the hit has the focus again", theHit+` === document.querySelectorAll('#results .hit')[1]`)
	assert.Equal(t, "why did it see that pear?", eval[string](w, `document.querySelector('#search').value`))
	// The address alone brings the search back, above the conversation that was used last.
	w.run(chromedp.Reload())
	w.shows("#results .heard", "searched for see, pear")
	w.press("ArrowDown", "ArrowUp")
	w.until("the field has the focus", `document.activeElement.id === 'search'`)
	w.press("Escape")
	w.until("the conversation is there", `!document.querySelector('#results').checkVisibility() &&
		document.querySelector('candor-turn').checkVisibility()`)
	w.clean()
}

// A hit says why, what, on what, and what came of it; what matched is marked and markup stays text.
func TestAHitShowsWhatADecisionShows(t *testing.T) {
	s := startServer(t)
	s.on("first", reply{Calls: []call{{"look", map[string]any{"path": "config/<b>rates</b>.yaml", "say": "gone, 2 kB"},
		"nothing <i>reads</i> the rates any more"}}}, reply{Calls: []call{{"fail", map[string]any{"path": "rates.go",
		"say": "no such file"}, ""}}}, reply{Text: "The rates are gone."})
	s.say("ann", "", "first")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("/")
	w.write("rates")
	w.searchedFor("rates")
	const hit = "#results li:nth-child(%d) "
	w.shows(fmt.Sprintf(hit, 1)+".why", "nothing <i>reads</i> the rates any more")
	w.shows(fmt.Sprintf(hit, 1)+".why mark", "rates")
	w.shows(fmt.Sprintf(hit, 1)+".act b", "look")
	w.shows(fmt.Sprintf(hit, 1)+".obj", "config/<b>rates</b>.yaml")
	w.shows(fmt.Sprintf(hit, 1)+".got", "gone, 2 kB")
	w.shows(fmt.Sprintf(hit, 1)+".title", "first")
	w.shows(fmt.Sprintf(hit, 1)+".rest", "turn 1, step 1 · now")
	w.shows(fmt.Sprintf(hit, 2)+".why.none", "No reason given")
	w.shows(fmt.Sprintf(hit, 2)+".got.bad", "no such file")
	w.shows(fmt.Sprintf(hit, 3)+".why.said", "The rates are gone.")
	w.shows("#results .heard", "2 of 2 calls and the words of 1 of 1 turn · searched for rates")
	w.clean()
}

// Styles that a view brings along when it is first opened belong to that view, and move nothing that stands there.
func TestStylesThatAreLoadedLaterMoveNothing(t *testing.T) {
	const boxes = `JSON.stringify([...document.querySelectorAll('#results *, #stream *')].filter((e) =>
		e.checkVisibility() && !e.closest('time, .rest')).map((e) => {
			const r = e.getBoundingClientRect(), s = getComputedStyle(e);
			return [e.tagName + '.' + e.className, r.x, r.y, r.width, r.height, s.borderTopWidth, s.fontSize];
		}))`
	s := startServer(t)
	s.on("first", callLook("a pear", "to see the pear"), reply{Text: "It is a pear."})
	s.say("ann", "", "first")
	for name, show := range map[string]func(w *tab){
		"a conversation": func(w *tab) { w.shows("candor-turn .answer", "It is a pear.") },
		"hits of a search": func(w *tab) {
			w.press("/")
			w.write("pear")
			w.searchedFor("pear")
			w.shows("#results .hit .title", "first")
		},
	} {
		w := window(t).open(s, "ann")
		w.shows("#link", "Live")
		show(w)
		before := eval[string](w, boxes)
		assert.Contains(t, before, "SPAN", name)
		assert.True(t, eval[bool](w, `import('/ui/lib/dom.js').then((dom) => Promise.all(
			['block', 'closer', 'compact', 'ondemand', 'search'].map((n) => dom.loadStyles('/ui/css/' + n + '.css')),
		)).then(() => true)`))
		assert.Equal(t, before, eval[string](w, boxes), name)
		w.clean()
	}
}

// Facets stand there before any word is typed, and one alone is a search.
func TestAFacetAloneIsASearch(t *testing.T) {
	s := startServer(t)
	s.on("first", callLook("a pear", "to see the pear"),
		reply{Calls: []call{{"fail", map[string]any{"say": "no such plum"}, ""}}}, reply{Text: "No."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape", "/")
	w.shows("#results .heard", "Nothing to search yet")
	w.press("Escape")
	s.say("ann", "", "first")
	w.shows("candor-turn .answer", "No.")
	w.press("/")
	w.shows("#results .heard", "2 decisions in 1 place.")
	for facet, text := range map[string]string{"outcome": "failed\n1", "source": "none given\n1", "tool": "look\n1"} {
		w.shows(".facet[data-facet="+facet+"]", text)
	}
	assert.Equal(t, 0, eval[int](w, `document.querySelectorAll('#results .hit').length`))
	w.click(".facet[data-value=error]", "failed")
	w.shows("#results .hit .got", "no such plum")
	w.shows("#results .heard", "1 of 2 calls")
	w.until("the choice has the focus", `document.activeElement.matches('.facet[data-value=error][aria-pressed=true]')`)
	w.press("/")
	w.write("pear")
	w.shows("#results .heard", "Nothing found: no decision has these words and these facets")
	w.run(chromedp.Reload())
	w.shows("#results .heard", "Nothing found: no decision has these words and these facets")
	w.click(".facet[data-value=error]", "failed")
	w.shows("#results .hit .why", "to see the pear")
	w.clean()
}

// More hits come by a button, which the arrows reach, and the focus goes on with the first of them.
func TestMoreHitsAreReachedByKeys(t *testing.T) {
	s := startServer(t)
	s.steps("many", 30, 0)
	s.say("ann", s.say("ann", "", "many"), "many")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape", "/")
	w.write("needs to know")
	w.searchedFor("needs to know")
	w.shows("#results .heard", "60 of 60 calls")
	for range 51 {
		w.press("ArrowDown")
	}
	w.until("the button has the focus", `document.activeElement.textContent === 'Show 10 more of 10'`)
	w.press("Enter")
	w.until("the next hit has the focus", theHit+` === document.querySelectorAll('#results .hit')[50]`)
	const different = `new Set([...document.querySelectorAll('#results .hit')].map((a) => a.hash)).size`
	assert.Equal(t, 60, eval[int](w, different))
	w.press("ArrowUp")
	w.until("the hit before has it", theHit+` === document.querySelectorAll('#results .hit')[49]`)
	w.press("y", "d", "n", "x", "x") // keys of the page mean nothing here
	w.until("the search is there", `document.querySelector('#results').checkVisibility()`)
	w.clean()
}
