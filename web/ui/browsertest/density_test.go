package page_test

import (
	"fmt"
	"testing"

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
