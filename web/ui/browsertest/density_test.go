package page_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// rowsInView counts the rows that are whole in the view, once the turn's head is at its top.
const rowsInView = `(() => {
	const stream = document.querySelector('#stream');
	stream.scrollTop += document.querySelector('candor-turn .reasoning').getBoundingClientRect().top
		- stream.getBoundingClientRect().top;
	const view = stream.getBoundingClientRect(), head = document.querySelector('.headline').getBoundingClientRect();
	return [...document.querySelectorAll('candor-decision')].map((d) => d.getBoundingClientRect())
		.filter((r) => r.top >= head.bottom - 1 && r.bottom <= view.bottom).length; })()`

// A turn of 40 calls, in steps of two, with reasons as long as those of people's agents.
func TestTheCompactDensityShowsMoreRows(t *testing.T) {
	s := startServer(t)
	var steps []reply
	for n := range 20 {
		steps = append(steps, reply{Text: "I look at the next two of them.", Calls: []call{
			{"look", map[string]any{"path": fmt.Sprintf("internal/invoice/totals_%d.go", n), "say": "12 lines"},
				"The sum is made here, so this says what is rounded."},
			{"deploy_log", map[string]any{"since": "yesterday"},
				"The commits of that day are the shortest list of suspects."},
		}})
	}
	s.on("look at all of it", append(steps, reply{Text: "Seen."})...)
	s.say("ann", "", "look at all of it")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Seen.")
	for _, size := range []struct {
		width, height int64
		atLeast       float64
	}{{1440, 900, 1.8}, {768, 1024, 1.3}, {390, 844, 1.4}} {
		w.run(chromedp.EmulateViewport(size.width, size.height))
		rows := map[string]int{}
		for _, density := range []string{"normal", "compact"} {
			eval[any](w, `document.querySelector('#look').click()`)
			label := map[string]string{"normal": "Normal", "compact": "Compact"}[density]
			w.shows("#menu button", label)
			eval[any](w, `[...document.querySelectorAll('#menu button')]
				.find((b) => b.innerText === %s).click()`, label)
			w.settle()
			rows[density] = eval[int](w, rowsInView)
			assert.Empty(t, eval[[]string](w, smallTargets), "%s at %d", density, size.width)
		}
		t.Logf("%d by %d: %v rows", size.width, size.height, rows)
		assert.GreaterOrEqual(t, float64(rows["compact"]), size.atLeast*float64(rows["normal"]), "at %d", size.width)
	}
	w.clean()
}

// On a telephone there is no column of tokens, and the bars have its width.
func TestTheTimelineHasTheWidthThatATelephoneLeavesIt(t *testing.T) {
	s := startServer(t)
	ran := map[string]any{"result": "three", "took": 900_000_000}
	for i, fact := range []map[string]any{
		{"prompted": map[string]any{"text": "How many lines?"}},
		{"group": "m1", "call": "c1", "called": map[string]any{"tool": "Bash"}},
		{"group": "m1", "used": map[string]any{"input": 1200, "output": 80}}, {"call": "c1", "returned": ran},
		{"ended": map[string]any{"answer": "Three."}},
	} {
		at := time.Date(2026, 4, 2, 12, 30, i, 0, time.UTC)
		s.do("ann", http.MethodPost, "/api/attached", with(fact, map[string]any{
			"agent": "claude", "session": "s1", "channel": "file", "turn": "p1", "at": at}))
	}
	w := window(t).open(s, "ann")
	w.click("#spaces a", "How many lines?")
	w.shows("candor-turn .answer", "Three.")
	at := eval[string](w, `location.href`)
	for _, width := range []int64{500, 390} {
		w.run(chromedp.EmulateViewport(width, 844), chromedp.Navigate(at+"&view=timeline"))
		w.until("the step has tokens", `document.querySelector('#timeline .tl-scroll:not(.no-tokens)') !== null`)
		w.until("nothing covers the axis", `(() => {
			const [track, took] = ['.tl-track', '.tl-took'].map((css) =>
				document.querySelector('#timeline .tl-row ' + css).getBoundingClientRect());
			return track.width > innerWidth - 260 && track.right <= took.left + 1 && took.right <= innerWidth; })()`)
		w.picture(fmt.Sprintf("timeline-tokens-%d.png", width))
	}
	w.clean()
}
