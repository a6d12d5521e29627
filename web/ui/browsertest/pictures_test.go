package page_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// What somebody found who looked at all pictures of the story, one test for each kind of flaw.

// fruits opens a conversation of one turn, in a window of a width.
func fruits(t *testing.T, w *tab, width int64) *server {
	t.Helper()
	s := startServer(t)
	path := "internal/invoice/of/a/long/path/to/totals.go"
	s.on("How many fruits are there?",
		reply{Took: 40 * time.Millisecond, Text: "I look first.", Calls: []call{
			{"look", map[string]any{"say": "a pear", "path": path}, "the pear may lie there"},
			{"look", map[string]any{"say": "a list"}, "or elsewhere"}}},
		callLook("a plum", "a plum would do as well"), reply{Text: "Two."})
	thread := s.say("ann", "", "How many fruits are there?")
	w.run(chromedp.EmulateViewport(width, 844))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread))
	w.shows("candor-turn .answer", "Two.")
	return s
}

func TestTheMenuOfARowTakesThePlaceOfItsTime(t *testing.T) {
	w := windowWithMouse(t)
	fruits(t, w, 1280)
	const seen = `(() => {
		const [time, dots, name] = ['time', '.row-menu', '.name']
			.map((css) => document.querySelector('#threads ' + css));
		const shown = (el) => getComputedStyle(el).visibility === 'visible' && getComputedStyle(el).opacity > 0;
		return [shown(time) ? 'time' : '', shown(dots) ? 'menu' : '',
			name.parentElement.getBoundingClientRect().right - time.getBoundingClientRect().right < 8 ? 'room' : '']
			.filter(Boolean).join();
	})()`
	assert.Equal(t, "time,room", eval[string](w, seen))
	eval[bool](w, `(document.querySelector('#threads .row-menu').focus(), true)`)
	assert.Equal(t, "menu,room", eval[string](w, seen), "with the focus")
	const keys = `document.querySelector('#find kbd').checkVisibility()`
	assert.True(t, eval[bool](w, keys), "who has a mouse has keys")
	w.touch()
	w.run(chromedp.Reload())
	w.shows("#link", "Live")
	assert.Equal(t, "time,menu", eval[string](w, seen), "where nothing hovers")
	assert.False(t, eval[bool](w, keys))
	w.clean()
}

func TestTheHeadsAreOfOneHeight(t *testing.T) {
	w := window(t)
	s := fruits(t, w, 1440)
	height := func(css string) float64 {
		return eval[float64](w, fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().height`, css))
	}
	const middles = `(() => {
		const middle = (el) => { const range = document.createRange(); range.selectNodeContents(el);
			const r = range.getBoundingClientRect(); return r.top + r.height / 2; };
		const [title, mark, find] = ['#title', '.mark', '#find'].map((css) => document.querySelector(css));
		const box = find.getBoundingClientRect(), text = document.createRange();
		text.selectNode(find.firstChild);
		const r = text.getBoundingClientRect();
		return [middle(title) - middle(mark), r.top + r.height / 2 - box.top - box.height / 2]
			.every((off) => Math.abs(off) < 1);
	})()`
	assert.True(t, eval[bool](w, middles), "Candor and the title, and the words of the search in it")
	open := height("#bar")
	w.run(chromedp.Navigate(s.url + "/#new"))
	w.shows("#stream", "Ask something")
	assert.InDelta(t, open, height("#bar"), .1, "an empty page")
	w.press("Escape", "/")
	w.shows("#results .heard", "decisions")
	w.settle()
	assert.InDelta(t, open, height(".find-bar"), .1, "the search")
	const dots = `[...document.querySelectorAll('#lists .dot')].map((d) => d.getBoundingClientRect())
		.every((r) => r.width === r.height && Number.isInteger(r.width))`
	assert.True(t, eval[bool](w, dots), "dots are round")
	w.clean()
}

func TestTheEmptyPageBeginsAtItsTop(t *testing.T) {
	w := window(t)
	fruits(t, w, 390)
	w.run(chromedp.EmulateViewport(390, 500))
	w.press("Escape", "n")
	w.shows("#stream .welcome", "Ask something")
	w.run(chromedp.EmulateViewport(390, 480))
	w.settle()
	assert.Zero(t, eval[float64](w, `document.querySelector('#stream').scrollTop`))
	w.clean()
}

func TestTheTimelineOfAPhoneShowsWhatRan(t *testing.T) {
	w := window(t)
	fruits(t, w, 390)
	w.click("#tab-timeline", "Timeline")
	w.shows("#timeline h2", "Turn 1: How many fruits are there?")
	w.shows(".tl-legend", "critical path")
	w.shows(".tl-legend", "in parallel")
	const row = "li[data-call=call_1] "
	w.shows(row+".tl-end", "/totals.go")
	w.until("the end of the path is in view, and the bar below it", `(() => {
		const [end, label, track] = ['.tl-end', '.tl-label', '.tl-track'].map((css) =>
			document.querySelector(%s + css).getBoundingClientRect());
		return end.right <= innerWidth && end.width > 60 && track.top >= label.bottom - 1
			&& track.width > 250; })()`, row)
	assert.Equal(t, "16", eval[string](w, `[...new Set(['.tl-turn h2', '.tl-zoom', '.tl-legend',
		'.tl-rows .tl-label > span', '.tl-row .tl-track', '.tl-slot .why'].map((css) =>
			Math.round(document.querySelector(css).getBoundingClientRect().left)))].join()`), "one edge at the left")
	w.clean()
}

// contrast is that of the bars of the timeline to the page.
const contrast = `(() => {
	const light = (css) => css.match(/[\d.]+/g).slice(0, 3).map(Number)
		.map((v) => v / 255).map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
		.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const bar = document.querySelector('.tl-track i[data-kind=beside]');
	const [a, b] = [getComputedStyle(bar).backgroundColor, getComputedStyle(document.body).backgroundColor]
		.map(light).sort((x, y) => y - x);
	return (a + .05) / (b + .05);
})()`

func TestTheBarsOfTheTimelineAreSeen(t *testing.T) {
	w := window(t)
	fruits(t, w, 1280)
	w.click("#tab-timeline", "Timeline")
	w.shows(".tl-legend", "parallel")
	for _, theme := range []string{"light", "dark"} {
		w.theme(theme)
		assert.GreaterOrEqual(t, eval[float64](w, contrast), 3.0, theme)
	}
	w.clean()
}

func TestAHitMarksWhatMatchedInItsResult(t *testing.T) {
	w := window(t)
	fruits(t, w, 768)
	// Only some tools have a result whose line says more than the server searches as such.
	eval[bool](w, `(window.fetch = ((real) => async (to, ...rest) => {
		const answer = await real(to, ...rest);
		if (!String(to).includes('/search')) return answer;
		const found = await answer.json();
		for (const hit of found.hits) {
			Object.assign(hit, { field: 'outcome_line', outcome_line: 'a plum',
				snippet: [{ text: 'a ' }, { text: 'plum', match: true }] });
		}
		return new Response(JSON.stringify(found), { headers: { 'Content-Type': 'application/json' } });
	})(window.fetch), true)`)
	w.press("Escape", "/")
	w.write("plum")
	w.searchedFor("plum")
	w.shows("#results .hit .got mark", "plum")
	w.until("one blank before the point", `(() => { const at = document.querySelector('.hit .at');
		return at.textContent.includes('there?\u00a0·\u00a0turn 1')
			&& getComputedStyle(at).columnGap === 'normal'; })()`)
	w.until("the rules begin and end with the field", `(() => {
		const hit = document.querySelector('.hit'), r = hit.getBoundingClientRect();
		const field = document.querySelector('#search').getBoundingClientRect();
		const rule = parseFloat(getComputedStyle(hit).getPropertyValue('--rule')) || 0;
		return r.left + rule === field.left && r.right - rule === field.right
			&& getComputedStyle(hit).borderTopWidth === '0px'; })()`)
	w.clean()
}

func TestAnswersWithoutACommonWordAreNotMarked(t *testing.T) {
	s := startServer(t)
	s.on("first", callLook("a pear", "to see"), reply{Text: "Pears everywhere, ripe and green."})
	s.on("second", callLook("a pear", "to see"), reply{Text: "Nobody knows."})
	thread := s.say("ann", "", "first")
	s.say("ann", thread, "second")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1&diff=2"))
	w.shows("candor-diff", "Nobody knows.")
	assert.Zero(t, eval[int](w, `document.querySelectorAll('candor-diff .answer :is(ins, del)').length`))
	assert.True(t, eval[bool](w, `(() => {
		const button = document.querySelector('.deltas button'), r = button.getBoundingClientRect();
		const column = document.querySelector('.pair').getBoundingClientRect();
		return Math.abs(r.right - column.right) < 1 && getComputedStyle(button).borderTopColor !== 'rgba(0, 0, 0, 0)';
	})()`), "the filter looks like a button, and ends with the column")
	w.clean()
}

func TestTextFadesBelowTheWayToTheLatest(t *testing.T) {
	s := startServer(t)
	thread := s.converse(12)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1"))
	w.until("there is a way", `document.querySelector('#latest').checkVisibility()`)
	fade := `getComputedStyle(document.querySelector('main'), '::after').height`
	assert.Equal(t, "24px", eval[string](w, fade))
	w.click("#latest", "Jump to latest")
	w.until("there is nothing below", fade+` === 'auto'`)
	w.clean()
}
