package page_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The chosen row of the timeline, and the foot that shows it whole.
const (
	chosenRow = "candor-timeline .tl-row[aria-current]"
	pick      = "candor-timeline .tl-pick "
)

// Arrow keys and a touch choose a row; Tab leads from it to the buttons at the foot, which choose the next
// one and lead to the conversation. The axis is stretched around the chosen row, so that its bar stays in
// view, and Fit brings it back to the width that there is.
func TestTheTimelinesRowsAreChosenByKeysAndByTouch(t *testing.T) {
	s := startServer(t)
	s.on("look into it",
		reply{Took: 40 * time.Millisecond, Text: "I look first.", Calls: []call{
			{"look", map[string]any{"say": "a pear", "path": "kitchen/table"}, "the pear may lie there"},
			{"fail", map[string]any{"say": "it is locked"}, "or in the safe"}}},
		callLook("a plum", "a plum would do as well"), reply{Text: "A pear."})
	s.say("ann", "", "look into it")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape")
	w.pressUntil("the timeline is shown", `document.querySelector('#timeline').checkVisibility()`, "g", "t")
	w.shows(pick+".why", "the pear may lie there")
	w.shows(pick+".object", "kitchen/table")
	w.shows(pick+".got", "a pear")
	w.shows(".tl-legend", "failed")
	w.until("nobody writes here", `!document.querySelector('#composer').checkVisibility()`)

	w.press("ArrowDown")
	w.shows(pick+".why", "or in the safe")
	w.until("the row has the focus", `document.activeElement.matches(%s)`, chosenRow)
	w.press("End")
	w.shows(pick, "The model said nothing here.")
	w.press("Home")
	w.shows(pick, "I look first.")
	w.tabTo("the next row", `el.matches('.tl-acts button') && el.innerText.startsWith('Next')`)
	w.press("Enter")
	w.shows(pick+".why", "the pear may lie there")
	w.press("Enter")
	w.shows(pick+".why", "or in the safe")
	w.click("candor-timeline li[data-call=call_3] .tl-row", "look")
	w.shows(pick+".why", "a plum would do as well")

	before := eval[float64](w, trackWidth)
	w.press("+", "+")
	w.until("the axis is four times as wide", trackWidth+` > 3.9 * %s && `+trackWidth+` < 4.1 * %s`, before, before)
	w.until("the chosen bar is in view", `(() => {
		const r = document.querySelector(%s).getBoundingClientRect();
		return r.left >= 0 && r.right <= innerWidth; })()`, chosenRow+" .tl-track i")
	w.press("-")
	w.click(".tl-zoom button", "Fit")
	w.until("it fits", trackWidth+` === %s`, before)

	w.click(chosenRow, "look")
	w.press("Enter")
	w.until("the decision has the focus", focusedDecision+`?.dataset.call === 'call_3'`)
	w.until("in the conversation", `document.activeElement.closest('#stream')`)
	w.clean()
}

// axisOf returns, as shares of the axis, where the marks of the timeline stand, and where the bars of its rows begin
// and end; and the milliseconds that the second mark and the first row say.
const axisOf = `(() => {
	const share = (el) => {
		const track = el.closest('.tl-track').getBoundingClientRect(), r = el.getBoundingClientRect();
		return [(r.left - track.left) / track.width, (r.right - track.left) / track.width];
	};
	const ms = (el) => { const [n, unit] = el.innerText.split(/\s/); return n * { ms: 1, s: 1000 }[unit]; };
	const marks = [...document.querySelectorAll('candor-timeline .tl-scale .tl-track > span')];
	const rows = [...document.querySelectorAll('candor-timeline .tl-row')];
	return { Marks: marks.map((m) => share(m)[0]), Bars: rows.map((r) => share(r.querySelector('.tl-track i'))),
		Mark: ms(marks[1]), Took: ms(rows[0].querySelector('.tl-took')) };
})()`

// All rows share the axis that the marks measure: one that began when another had ended stands behind it, and a bar is
// as long as it took.
func TestTheTimelinesRowsShareOneAxis(t *testing.T) {
	s := startServer(t)
	s.on("look into it",
		reply{Took: 400 * time.Millisecond, Text: "I look first.", Calls: []call{
			{"look", map[string]any{"say": "a pear"}, "the pear may lie there"}}},
		reply{Took: 200 * time.Millisecond, Text: "And again.", Calls: []call{
			{"look", map[string]any{"say": "a plum"}, "a plum would do as well"}}},
		reply{Took: 200 * time.Millisecond, Text: "A pear."})
	s.say("ann", "", "look into it")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape")
	w.pressUntil("the timeline is shown", `document.querySelector('#timeline').checkVisibility()`, "g", "t")
	w.shows(pick+".why", "the pear may lie there")
	type axis struct {
		Marks      []float64
		Bars       [][2]float64
		Mark, Took float64
	}
	for _, stretched := range []bool{false, true} {
		if stretched {
			w.press("+")
		}
		got := eval[axis](w, axisOf)
		require.Len(t, got.Bars, 5, "three answers of the model and two calls")
		require.Greater(t, len(got.Marks), 2)
		const near = .01
		assert.InDelta(t, 0, got.Marks[0], near)
		for i, at := range got.Marks {
			assert.InDelta(t, float64(i)*got.Marks[1], at, near, "mark %d", i)
		}
		assert.InDelta(t, 0, got.Bars[0][0], near)
		for i, bar := range got.Bars[1:] {
			assert.GreaterOrEqual(t, bar[0], got.Bars[i][1]-near, "row %d begins when the one before has ended", i+1)
		}
		assert.LessOrEqual(t, got.Bars[4][1], 1+near)
		assert.InDelta(t, 1, got.Bars[4][1], .1, "the axis ends with the turn")
		assert.InDelta(t, got.Took/got.Mark*got.Marks[1], got.Bars[0][1]-got.Bars[0][0], .02, "as long as it took")
	}
	w.clean()
}

// trackWidth is how wide the axis is, in pixels.
const trackWidth = `document.querySelector('.tl-row .tl-track').clientWidth`

// The time in which a person was waited for is neither the model's nor the tool's. The page knows it from
// the stream and, after a reload, from history.
func TestTheTimelineCutsOutHowLongAPersonWasWaitedFor(t *testing.T) {
	s := startServer(t)
	s.on("do it", callDanger("done", "only this does it"), reply{Text: "That was it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(decision+" .ask", "May it run?")
	w.until("it has waited for more than a second", `(window.since ??= Date.now()) < Date.now() - 1500`)
	w.click(decision+" .ask button[data-action=approve]", "Approve")
	w.shows("candor-turn .answer.prose", "That was it.")
	for range 2 { // as the stream told it, and as history has it
		w.press("Escape")
		w.pressUntil("the timeline is shown", `document.querySelector('#timeline').checkVisibility()`, "g", "t")
		w.shows(".tl-said", "of waiting is cut out")
		w.shows("candor-timeline li[data-call=call_1] em", "waiting for you")
		w.until("the model is not said to have taken that time",
			`[...document.querySelectorAll('.tl-rows .tl-took')].every((e) => !/^\d.* s$/.test(e.innerText))`)
		w.run(chromedp.Reload())
		w.shows("#link", "Live")
	}
	w.clean()
}

// A worker that posts reasons only measures nothing: the time from its first post to its last is not the
// time that its model took.
func TestTheTimelineInventsNoTime(t *testing.T) {
	s := startServer(t)
	job := s.do("ann", http.MethodPost, "/api/jobs", fields{"title": "reasons only", "prompt": "audit"})
	s.post(job, fields{"event": "reasoning", "narrative": "I scan first.", "tool_decisions": []fields{
		{"tool_name": "scan", "rationale": "the scanner knows what we use", "outcome": "success"}}})
	s.post(job, fields{"event": "result", "success": true, "message": "Nothing is open."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#job=" + job["job_id"].(string) + "&turn=1&view=timeline"))
	w.shows(pick+".why", "the scanner knows what we use")
	w.shows(".tl-said", "The times of these are unknown.")
	assert.Equal(t, 0, eval[int](w, `document.querySelectorAll('.tl-track i, .tl-scale .tl-track span').length`))
	assert.NotRegexp(t, `\d ms|\d s|answers`, w.text(".tl-rows"))
	w.clean()
}

// twoThreads holds a turn in each of two conversations, which differ in their reasons, objects and answers.
func (s *server) twoThreads() (first, second string) {
	s.t.Helper()
	shared := call{"look", map[string]any{"say": "a shared sight"}, "both begin with a look"}
	s.on("round it", reply{Calls: []call{shared,
		{"look", map[string]any{"path": "invoice/line.go"}, "Round each line half up, as the test does."},
		{"fail", map[string]any{"say": "the lock", "path": "config/old.yaml",
			"patch": "@@ -1 +1 @@\n-old\n+new\n"}, "the old rates can go"}}},
		reply{Text: "Fixed: lines are **rounded** half up."})
	s.on("round it once", reply{Calls: []call{shared,
		{"look", map[string]any{"path": "invoice/totals.go"}, "Round once after the sum, as the ledger does."}}},
		reply{Text: "Fixed: lines are **rounded** once after the sum."})
	first = s.say("ann", "", "round it")
	second = s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	return first, s.say("ann", second, "round it once")
}

// holdEarlier holds the pages of turns before the latest ones until the test calls release().
const holdEarlier = `(() => {
	const real = window.fetch;
	let go;
	const released = new Promise((then) => { go = then; });
	window.release = go;
	window.fetch = async (path, how) => {
		if (String(path).includes('before=')) await released;
		return real(path, how);
	};
	return true; })()`

// The first turns of a long conversation are read last.
func TestALinkToATimelineShowsItsTurnAndNoOther(t *testing.T) {
	s := startServer(t)
	thread := s.converse(60)
	other := s.say("ann", s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string), "something else")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + other + "&view=timeline"))
	w.shows("candor-timeline h2", "Turn 1: ")
	eval[bool](w, holdEarlier)
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=2&view=timeline"))
	w.shows("candor-timeline", "Loading the turn")
	assert.NotContains(t, w.text("candor-timeline"), "Turn 60")
	eval[any](w, `release()`)
	w.shows("candor-timeline h2", "Turn 2: ")
	w.shows(pick+".why", "reason of question 2")
	w.clean()
}

// A person chooses the other turn from the menu of this one; the address then leads to the same comparison
// until the dialog is closed.
func TestTurnsOfTwoConversationsAreCompared(t *testing.T) {
	s := startServer(t)
	first, second := s.twoThreads()
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.showTurn(s, second, 1)
	w.shows("candor-turn .answer", "once after the sum")
	w.click("candor-turn .asked .dots", "")
	w.click("#menu button", "Compare with…")
	w.shows("#dialog", "There is no other turn.")
	eval[bool](w, `(() => { const f = document.querySelector('#dialog select');
		f.selectedIndex = [...f.options].findIndex((o) => o.text === 'round it');
		f.dispatchEvent(new Event('change')); return true; })()`)
	w.click("#dialog .choose button", "round it")
	for range 2 { // and after a reload
		w.shows("candor-diff .deltas", "calls 3 → 2")
		w.shows("candor-diff .deltas", "failed 1 → 0")
		w.shows("candor-diff .same", "a shared sight")
		w.shows("candor-diff [data-kind=changed] .why del", "each line half up")
		w.shows("candor-diff [data-kind=changed] .why ins", "once after the sum")
		w.shows("candor-diff [data-kind=changed] .object del", "line")
		w.shows("candor-diff [data-kind=changed] .object ins", "totals")
		w.shows("candor-diff .answer strong", "rounded")
		w.shows("candor-diff .answer del", "half up")
		w.shows("candor-diff [data-kind=removed] .only-in", "only in A")
		w.shows("candor-diff [data-kind=removed] .object", "config/old.yaml")
		w.shows("candor-diff [data-kind=removed] .block .removed", "-old")
		w.shows("candor-diff [data-kind=removed] .came.bad", "the lock")
		w.shows("candor-diff .top .side", "A · Turn 1 of round it")
		w.shows("candor-diff .top .side", "B · Turn 1 of round it once")
		w.until("the address holds both",
			`location.hash.includes(%s) && location.hash.includes(%s)`, "t="+second, "dt="+first)
		w.run(chromedp.Reload())
	}
	w.shows("candor-diff .deltas", "calls 3 → 2")
	w.click(".deltas button", "Only what differs")
	w.until("what is the same is hidden", `!document.querySelector('candor-diff .same').checkVisibility()`)
	w.press("Escape")
	w.until("the address is that of the turn", `location.hash === %s`, fmt.Sprintf("#t=%s&turn=1", second))
	w.clean()
}

// Where the two sides are stacked, none of them is the left one.
func TestAComparisonOnAPhoneNamesItsTurns(t *testing.T) {
	s := startServer(t)
	first, second := s.twoThreads()
	w := window(t)
	w.run(chromedp.EmulateViewport(390, 844))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(fmt.Sprintf("%s/#t=%s&turn=1&diff=1&dt=%s", s.url, second, first)))
	w.shows("candor-diff [data-kind=changed] .side", "A · Turn 1 of round it")
	w.shows("candor-diff [data-kind=changed] .side", "B · Turn 1 of round it once")
	assert.NotRegexp(t, `(?i)left|right`, w.text("#dialog"))
	w.until("a blank stands before what a tool was used on, so that a path need not break",
		`[...document.querySelectorAll('candor-diff .act b')].every((b) => b.nextSibling.data === ' ')`)
	w.until("nothing sticks out", `document.querySelector('#dialog').scrollWidth <=
		document.querySelector('#dialog').clientWidth`)
	w.clean()
}
