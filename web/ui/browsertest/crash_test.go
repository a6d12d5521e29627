package page_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// A server that was killed in the middle of a turn: the page says when it was last heard, and no clock goes on; after
// the restart the turn says what interrupted it, and offers its message again. The dead time is not its work.
func TestACrashLooksLikeOne(t *testing.T) {
	s := startServer(t, "--data", t.TempDir())
	s.on("rebuild the index", callLook("its definition", "I compare it first"),
		reply{Text: "I rebuild it.", Calls: []call{
			{"look", map[string]any{"say": "a", "gate": "never"}, "the planner ignores the old one"}}},
		reply{Text: "Done."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("rebuild the index")
	w.until("one of two calls has ended",
		`document.querySelectorAll('candor-decision[data-outcome=success]').length === 1
		&& document.querySelector('candor-decision[data-outcome=pending]')`)
	s.kill()
	w.shows("#link", "Reconnecting… · last heard")
	w.until("it says that the clock stopped",
		`getComputedStyle(document.querySelector('candor-turn .label'), '::after').content.includes('clock stopped')`)
	const clocks = `[...document.querySelectorAll('.label, .since, .took')].map((e) => e.textContent).join()`
	before := eval[string](w, clocks)
	w.until("the page counts how long ago that was", `/heard (?!0)/.test(document.querySelector('#link').textContent)`)
	assert.Equal(t, before, eval[string](w, clocks), "and nothing else")
	if *screenshots != "" {
		w.crashPictures("crash-lost")
	}
	s.start()
	w.shows("candor-turn .answer", "Interrupted: the server restarted")
	w.shows("candor-turn .answer", "1 of 2 calls had ended; whether look finished is not known")
	w.shows("candor-turn .label", "Interrupted after")
	const amber = `getComputedStyle(document.querySelector('candor-turn .label')).color ===
		getComputedStyle(document.querySelector('.endbox b')).color`
	w.until("it is amber", amber)
	if *screenshots != "" {
		w.crashPictures("crash-restarted")
	}
	label := eval[string](w, `document.querySelector('candor-turn .label').textContent`)
	w.run(chromedp.Reload())
	w.shows("candor-turn .answer", "Interrupted: the server restarted")
	w.shows("candor-turn .label", label)
	w.click(".endbox button", "Try again")
	w.until("its message is in the field", `document.querySelector('#message').value === 'rebuild the index'`)
	w.clean()
}

// crashPictures takes pictures at the widths of a desk and a telephone, light and dark.
func (w *tab) crashPictures(name string) {
	for _, theme := range []string{"light", "dark"} {
		w.theme(theme)
		for _, width := range []int64{1440, 390} {
			w.run(chromedp.EmulateViewport(width, 844))
			w.picture(fmt.Sprintf("%s-%d-%s.png", name, width, theme))
		}
	}
	w.run(chromedp.EmulateViewport(1280, 800))
}
