package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

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
