package page_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// apart is a condition: the first elements of two selectors can be seen, and neither stands on the other.
func apart(one, other string) string {
	return fmt.Sprintf(`(() => {
		const [a, b] = [%q, %q].map((css) => document.querySelector(css)?.getBoundingClientRect());
		return a?.width > 0 && b?.width > 0
			&& (a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top); })()`, one, other)
}

// TestNothingStandsOnAnythingElse measures the page at the widths of a desk, a tablet and a telephone.
func TestNothingStandsOnAnythingElse(t *testing.T) {
	s := startServer(t)
	s.on("look first", reply{Text: "I look.", Calls: []call{{"look", map[string]any{"say": "x"}, "to see it"}}},
		reply{Text: "Seen."})
	remove := map[string]any{"remove": []string{"r210", "r211", "r212"}, "keep": "r214", "say": "a long parameter"}
	s.on("remove it", reply{Calls: []call{{"remove_releases", remove, "nobody uses it any more"}}},
		reply{Text: "Done."})
	thread := s.say("ann", "", "look first")
	s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": "remove it", "thread_id": thread})
	w := window(t).open(s, "ann")
	for _, width := range []int64{1440, 768, 390} {
		at := fmt.Sprintf(" at %d", width)
		w.run(chromedp.EmulateViewport(width, 844), chromedp.Navigate(s.url+"/#t="+thread+"&turn=2"))
		asks := "candor-decision[data-outcome=waiting] > "
		w.shows(asks+".below .ask", "May it run?")
		w.until("the menu stands beside the object"+at, apart(asks+".act .more", asks+".outcome-cell"))
		w.until("a long hint keeps to the line of the field"+at, `(() => { const f = document.querySelector('#message');
			if (f.placeholder.length < 200) f.placeholder += ', which is long'.repeat(20);
			return f.offsetParent && !document.querySelector('#stop').hidden
				&& f.scrollHeight <= f.clientHeight + 1; })()`)
		w.until("the time of a row stands beside its menu"+at, `(() => {
			const rows = [...document.querySelectorAll('#threads li')];
			return rows.length && rows.every((li) => {
			const [time, dots] = ['time', '.row-menu'].map((css) => li.querySelector(css));
			return time.getBoundingClientRect().right <= dots.getBoundingClientRect().left
				|| getComputedStyle(dots).opacity === '0' || getComputedStyle(time).visibility === 'hidden'; }); })()`)
		w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1"))
		w.until("the ring of a turn leaves room"+at, `(() => {
			const turn = document.querySelector("candor-turn[data-turn='1']");
			const ring = getComputedStyle(turn, '::before');
			const right = turn.getBoundingClientRect().right - parseFloat(ring.right || 0);
			return turn === document.activeElement && ring.position === 'absolute'
				&& turn.querySelector('.detail').getBoundingClientRect().right <= right - 6
				&& right <= document.querySelector('#stream').getBoundingClientRect().right; })()`)
		w.until("the ring of a turn leaves the line above it alone"+at, `(() => {
			const turn = document.querySelector("candor-turn[data-turn='1']");
			const ring = getComputedStyle(turn, '::before');
			const edge = document.querySelector('.edge').getBoundingClientRect();
			return edge.bottom <= turn.getBoundingClientRect().top + parseFloat(ring.top); })()`)
		w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=1&d=call_1"))
		w.until("the ring of a row leaves room"+at, `(() => { const row = document.activeElement;
			return row.matches('candor-decision') && row.querySelector('.took').getBoundingClientRect().right
				<= row.getBoundingClientRect().right - 6; })()`)
	}
	w.clean()
}

func TestAClosedTurnSaysThatNoReasonWasGiven(t *testing.T) {
	s := startServer(t)
	s.on("silently", reply{Calls: []call{{"look", map[string]any{"say": "x"}, ""}}}, reply{Text: "Done."})
	s.say("ann", "", "silently")
	w := window(t).open(s, "ann")
	w.shows(decision+" .why", "No reason given")
	w.click("candor-turn .headline", "Worked for")
	w.shows("candor-turn .peek.ours", "No reason given")
	w.clean()
}

// What became of a call is longer where it did not run to its end.
func TestWhatBecameOfACallStandsBesideWhatItWasAbout(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	job := s.job(w, "Nightly report", "Sum up the week.")
	for i, outcome := range []string{"rejected", "cancelled"} {
		id := fmt.Sprint(i)
		s.post(job, fields{"event": "tool_use", "tool_name": "remove_releases", "call_id": id, "rationale": "to clear",
			"input": fields{"path": "/srv/releases/of/a/name/that/is/long/enough/to/need/all/the/room/that/there/is"}})
		s.post(job, fields{"event": "tool_result", "tool_name": "remove_releases", "call_id": id, "outcome": outcome,
			"error": "no", "duration_ms": 65000 * i})
	}
	for _, width := range []int64{1440, 1024, 768, 390} {
		w.run(chromedp.EmulateViewport(width, 844))
		for _, outcome := range []string{"rejected", "cancelled"} {
			row := decision + "[data-outcome=" + outcome + "] "
			w.until(outcome+fmt.Sprintf(" at %d", width), apart(row+".object", row+".outcome")+"&&"+
				apart(row+".why", row+".outcome"))
		}
		w.picture(fmt.Sprintf("ended-%d.png", width))
	}
	w.until("a call that was refused has no bar and no time", `((row) => row.querySelector('.took').textContent === ''
		&& !row.querySelector('.ran').checkVisibility())(document.querySelector('[data-outcome=rejected]'))`)
	w.clean()
}
