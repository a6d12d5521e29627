package page_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

func TestCallsOfOneToolFoldIntoARow(t *testing.T) {
	s := startServer(t)
	many := reply{Text: "I look everywhere."}
	for _, at := range []string{"attic", "barn", "cellar", "den"} {
		many.Calls = append(many.Calls, call{"look", map[string]any{"say": at}, "it may be in the " + at})
	}
	many.Calls = append(many.Calls, call{"fail", map[string]any{"say": "locked"}, "or in the safe"})
	s.on("where is it?", many, reply{Text: "Nowhere."})
	thread := s.say("ann", "", "where is it?")
	w := window(t).open(s, "ann")
	w.shows("candor-fold .why", "it may be in the attic")
	w.shows("candor-fold .more", "×4")
	w.shows("candor-fold .others", "3 more reasons")
	w.until("each has its hairline", `document.querySelectorAll('candor-fold .lane.many .ran').length === 4`)
	w.shows(".together", "5 in parallel")
	w.until("what failed stands outside",
		`!document.querySelector('candor-decision[data-outcome=error]').closest('candor-fold')`)
	hidden := `!document.querySelector('candor-decision[data-call=call_3]').checkVisibility()`
	w.until("its calls are folded", hidden)
	w.click("candor-fold .others", "more reasons")
	w.shows("candor-decision[data-call=call_3] .why", "it may be in the cellar")
	w.click("candor-fold .more", "look")
	w.until("it folds again", hidden)
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1&d=call_3"))
	w.until("a link to a folded call opens the row", focusedDecision+`?.dataset.call === 'call_3' && !(`+hidden+`)`)
	w.clean()
}

func TestCallsFoldWhileTheyRun(t *testing.T) {
	s := startServer(t)
	many := reply{Text: "I look everywhere."}
	for _, at := range []string{"attic", "barn", "cellar", "den"} {
		many.Calls = append(many.Calls, call{"wait", map[string]any{"gate": at}, "it may be in the " + at})
	}
	s.on("where is it?", many, reply{Text: "Nowhere."})
	w := window(t).open(s, "ann")
	w.send("where is it?")
	w.shows("candor-fold .more", "×4")
	w.until("each has its hairline", `document.querySelectorAll('candor-fold .lane.many .ran').length === 4`)
	s.open("attic", "barn")
	w.shows("candor-fold .got", "2 of 4 done")
	s.open("cellar", "den")
	w.shows("candor-turn .answer", "Nowhere.")
	w.clean()
}

func TestResultsAreShownAsPeopleReadThem(t *testing.T) {
	s := startServer(t)
	log := "=== RUN  one\n" + strings.Repeat("a line that is long ", 40) + "\nPASS\nok"
	patch := "@@ -1 +1 @@\n-old\n+new\n"
	args := map[string]any{"say": log, "patch": patch, "path": "a/b.go"}
	s.on("mend it", reply{Calls: []call{{"look", args, "to mend it"}}}, reply{Text: "Done."})
	s.say("ann", "", "mend it")
	w := window(t).open(s, "ann")
	w.click(decision+" .why", "to mend it") // the row is the button
	w.shows(decision+" .object", "a/b.go")
	w.shows(decision+" .block .added", "+new")
	w.shows(decision+" .block .removed", "-old")
	w.until("what the row says is not said again", `!document.querySelector(%s)`, decision+" .details .pairs")
	result := `[...document.querySelectorAll('.block')].find((b) => b.querySelector('b').textContent === 'result')`
	w.until("the text is out of its envelope", result+`.querySelector('pre').textContent.startsWith('=== RUN')`)
	w.click(decision+" .whole", "Show the whole result")
	w.until("all of it is there, with its line breaks",
		`(`+result+`)?.querySelector('pre').textContent.endsWith('PASS\nok')`)
	w.until("a long line is scrolled to", `(() => { const p = (`+result+`).querySelector('pre');
		return p.scrollWidth > p.clientWidth; })()`)
	w.shows(decision+" .block .copy[data-said=Copy]", "")
	w.clean()
}

func TestTheFootOfARunningTurnSaysWhatRuns(t *testing.T) {
	s := startServer(t)
	s.on("go on", callLook("seen", "to see"),
		reply{Calls: []call{{"wait", map[string]any{"gate": "later"}, "it takes a while"}}},
		reply{Text: "That is all."})
	w := window(t).open(s, "ann")
	w.send("go on")
	w.shows(".foot", "Step 2")
	w.shows(".foot code", "wait")
	w.shows(".foot", "1 of 2 done")
	w.until("it is in view", `(() => { const r = document.querySelector('.foot').getBoundingClientRect();
		return r.height > 0 && r.bottom <= innerHeight; })()`)
	s.open("later")
	w.shows("candor-turn .answer", "That is all.")
	w.until("nothing runs any more", `!document.querySelector('.foot').checkVisibility()`)
	w.clean()
}

func TestARowHasTheWidthOfItsContainer(t *testing.T) {
	s := startServer(t)
	s.on("look", callLook("seen", "to see what is there, which takes a sentence of some length"), reply{Text: "Seen."})
	s.say("ann", "", "look")
	w := window(t).open(s, "ann")
	w.shows(decision+" .why", "to see")
	type box struct{ Top, Left, Width float64 }
	at := func(css string) box {
		return eval[box](w, `(() => { const r = document.querySelector(%s).getBoundingClientRect();
			return { Top: r.top, Left: r.left, Width: r.width }; })()`, decision+" "+css)
	}
	for _, c := range []struct {
		width                   int64
		beside, resultBelowTool bool
		least                   float64
	}{{1440, true, true, 400}, {1024, false, false, 500}, {768, false, false, 500}, {390, false, true, 300}} {
		w.run(chromedp.EmulateViewport(c.width, 900))
		w.settle()
		why, act, got := at(".reason"), at(".act"), at(".got")
		assert.Equal(t, c.beside, act.Left > why.Left+100, "%d: the tool is beside the reason", c.width)
		assert.Equal(t, c.resultBelowTool, got.Top > act.Top+10, "%d: the result is below the tool", c.width)
		assert.Greater(t, why.Width, c.least, "%d: the reason has room", c.width)
		fits := eval[bool](w, `document.documentElement.scrollWidth <= innerWidth`)
		assert.True(t, fits, "%d: nothing sticks out", c.width)
	}
	w.clean()
}

func TestTheFirstConversationIsFollowed(t *testing.T) {
	s := startServer(t)
	s.on("from a terminal", callDanger("gone", "to be rid of it"), reply{Text: "Left."})
	w := window(t).open(s, "ann")
	w.shows("#stream", "Ask something, and see why.")
	s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": "from a terminal"})
	w.shows("candor-turn .user", "from a terminal")
	w.shows(decision+" .ask", "May it run?")
	w.until("the rail marks it", `document.querySelector('#threads .dot[data-state=asks]')`)
	w.clean()
}

func TestTheLatestSaysHowMuchIsNew(t *testing.T) {
	s := startServer(t)
	thread := s.converse(12)
	s.on("more", reply{Text: "Here is more."})
	w := window(t).open(s, "ann")
	w.showTurn(s, thread, 2)
	w.shows("#latest", "Jump to latest")
	s.say("ann", thread, "more")
	w.shows("#latest", "1 new")
	w.click("#latest", "1 new")
	w.shows("candor-turn .answer", "Here is more.")
	w.until("there is nothing left to jump to", `!document.querySelector('#latest').checkVisibility()`)
	w.clean()
}
