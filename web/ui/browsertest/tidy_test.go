package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Whoever comes to a question by its link sees its buttons, although they are loaded after the row.
func TestALinkToAQuestionShowsItsButtons(t *testing.T) {
	s := startServer(t)
	s.on("look first", reply{Text: strings.Repeat("There is a lot to say of it.\n\n", 12)})
	s.on("do it", callDanger("drop it", "it has to go"), reply{Text: "That was it."})
	thread := s.say("ann", "", "look first")
	s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": "do it", "thread_id": thread})
	w := window(t)
	w.run(chromedp.EmulateViewport(1280, 520))
	w.open(s, "ann")
	w.shows(decision+" .ask", "May it run?")
	for at, css := range map[string]string{"&turn=2": "candor-turn", "&turn=2&d=call_1": "candor-decision"} {
		w.run(chromedp.Navigate(s.url+"/#t="+thread+at), chromedp.Reload())
		w.until("the page has gone there", `document.activeElement.matches(%s)`, css)
		w.shows(decision+" .ask", "May it run?")
		w.settle()
		w.until("its buttons are in view at "+at, `(() => {
			const [button, foot] = ['.ask [data-action=approve]', 'candor-turn[data-turn="2"] .foot']
				.map((css) => document.querySelector(css)?.getBoundingClientRect());
			return button?.height > 0 && button.bottom <= foot.top; })()`)
	}
	w.clean()
}

// What stood badly at the widths of a tablet and of a small desk: results cut beside free room, a step's number above
// its line, a wheel between two lines, a drawer over all of the page, a result that looked like a parameter.
func TestRowsAreTidyAtAnyWidth(t *testing.T) {
	s := startServer(t)
	const result = "two releases are left, both of last year and unused"
	long := "It may be that somebody still needs what is in there, so I look at who read it last before it goes."
	wait := call{"wait", map[string]any{"gate": "tidy"}, long}
	look := call{"look", map[string]any{"say": result, "path": "old"}, "to see what is left"}
	s.on("tidy up", reply{Calls: []call{look}},
		reply{Text: "I wait.", Calls: []call{wait}}, reply{Text: "Done."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("tidy up")
	w.shows(decision+"[data-call=call_2] .why", "who read it last")
	for _, width := range []int64{1024, 768} {
		at := fmt.Sprintf(" at %d", width)
		w.run(chromedp.EmulateViewport(width, 900))
		w.until("the result has the room there is"+at, `(() => {
			const got = document.querySelector('candor-decision[data-call=call_1] .got');
			return got.textContent && got.scrollWidth <= got.clientWidth; })()`)
		w.until("the number of a step without a plan stands beside its first row"+at, `(() => {
			const of = (css) => document.querySelector(css).getBoundingClientRect();
			const n = of('.plan.bare .n'), why = of('candor-decision[data-call=call_1] .why');
			return Math.abs(n.bottom - why.top - 24) < 6; })()`)
		w.until("the wheel turns in the first line of its row"+at, `(() => {
			const row = document.querySelector('candor-decision[data-outcome=pending]');
			const [top, sign] = [row, row.querySelector('.sign')].map((e) => e.getBoundingClientRect());
			return row.querySelector('.why').offsetHeight >= 48 && sign.bottom < top.top + 30; })()`)
	}
	s.open("tidy")
	w.shows("candor-turn .answer", "Done.")
	w.until("the drawer leaves most of the page", `(() => { document.querySelector('#rail-open').click();
		return document.querySelector('candor-rail').offsetWidth <= 340; })()`)
	w.press("Escape")
	w.click(decision+"[data-call=call_1] .why", "to see what is left")
	w.shows(decision+"[data-call=call_1] .details", result)
	w.clean()
}
