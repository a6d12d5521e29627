package page_test

import (
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Figures that depend on the machine (frames, first paint, memory) are logged here, and
// make bench-full collects them; only counts and bytes decide a test.

var load = flag.Duration("load", 0, "show 20 updates a second for this `time`, and print figures")

// heap returns the bytes that the page's scripts hold after a garbage collection.
func (w *tab) heap() float64 {
	w.t.Helper()
	for range 2 {
		_, err := chromedp.Call(w.ctx, heapprofiler.CollectGarbage, cdp.Empty{})
		require.NoError(w.t, err)
	}
	usage, err := chromedp.Call(w.ctx, runtime.GetHeapUsage, cdp.Empty{})
	require.NoError(w.t, err)
	return float64(usage.UsedSize)
}

// steps sets up a turn of n steps with a call each, at a pace.
func (s *server) steps(message string, n int, pace time.Duration) {
	all := make([]reply, n)
	for i := range all {
		why := fmt.Sprintf("step %d needs to know", i+1)
		all[i] = callLook(fmt.Sprintf("result %d", i+1), why)
		all[i].Took, all[i].Text = pace, fmt.Sprintf("Step %d of %s.", i+1, message)
	}
	s.on(message, append(all, reply{Text: "End of " + message + "."})...)
}

// showTurn opens a turn of a thread by its address.
func (w *tab) showTurn(s *server, thread string, turn int) {
	w.t.Helper()
	w.run(chromedp.Navigate(fmt.Sprintf("%s/#t=%s&turn=%d", s.url, thread, turn)))
}

func TestALongConversationIsScrolledInAWindow(t *testing.T) {
	s := startServer(t)
	thread := s.converse(150)
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Answer to question 150.")
	for _, at := range []int{150, 75, 1} {
		w.showTurn(s, thread, at)
		w.shows("candor-turn .answer", fmt.Sprintf("Answer to question %d.", at))
		assert.Less(t, eval[int](w, `document.querySelectorAll('candor-turn').length`), 60, "at turn %d", at)
	}
	w.showTurn(s, thread, 100)
	w.shows("candor-turn .answer", "Answer to question 100.")
	before := eval[float64](w, `document.querySelector('#stream').scrollTop`)
	for range 20 {
		eval[bool](w, `(document.querySelector('#stream').scrollBy(0, -400),
			new Promise((then) => requestAnimationFrame(() => requestAnimationFrame(() => then(true)))))`)
	}
	assert.Less(t, eval[float64](w, `document.querySelector('#stream').scrollTop`), before)
	w.until("there is a turn wherever one looks",
		`(() => { const e = document.elementFromPoint(700, 400); return e && e.closest('candor-turn'); })()`)
	w.clean()
}

// A page keeps what it has shown as data, not as elements.
func TestAPageThatWatchesDoesNotGrow(t *testing.T) {
	s := startServer(t)
	for n := range 6 {
		s.steps(fmt.Sprintf("round %d", n+1), 25, 5*time.Millisecond)
	}
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("round 1")
	var heaps []float64
	var nodes []int
	for n := range 6 {
		// Prose is what the server rendered, so the complete turn has been fetched and drawn.
		w.shows(fmt.Sprintf("candor-turn[data-turn='%d'] .answer.prose", n+1), fmt.Sprintf("End of round %d.", n+1))
		heaps = append(heaps, w.heap()/1e6)
		nodes = append(nodes, eval[int](w, `document.querySelectorAll('*').length`))
		if n < 5 {
			w.send(fmt.Sprintf("round %d", n+2))
		}
	}
	t.Logf("heap after each round, MB: %.1f; elements %v", heaps, nodes)
	assert.Less(t, float64(nodes[5]), 1.5*float64(nodes[2]), "%v", nodes)
	w.clean()
}

// maxWeight is how many bytes a first visit may load, without compression.
const maxWeight = 200_000

// weight returns the bytes of the page's own files that the visit loaded.
func (w *tab) weight() int {
	w.t.Helper()
	return eval[int](w, `[...performance.getEntriesByType('navigation'),
		...performance.getEntriesByType('resource').filter((r) => r.name.includes('/ui/'))]
		.reduce((sum, r) => sum + r.decodedBodySize, 0)`)
}

// clearCache makes the next load a first visit.
func (w *tab) clearCache() {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, network.ClearBrowserCache, cdp.Empty{})
	require.NoError(w.t, err)
}

func TestThePageIsLight(t *testing.T) {
	s := startServer(t)
	parallel(s, "how did it go?")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.clearCache()
	w.run(chromedp.Reload())
	w.shows("#link", "Live")
	w.send("how did it go?")
	s.open("how did it go?/a", "how did it go?/b")
	w.shows("candor-turn .answer", "It finished at 11:58.")
	weight := w.weight() // an opened row loads what it needs besides
	t.Logf("%d bytes for a visit that watches a turn", weight)
	assert.Less(t, weight, maxWeight)
	w.shows("candor-turn .answer:not(.plain, .draft)", "It finished at 11:58.")
	w.settle() // a click misses a row that moves
	w.click(decision+" .more", "look")
	w.shows(decision+" .details", "the log ends at 11:58")
	w.clean()
}

// recordGaps makes the page note the time from each frame to the next, except while
// window.still is set because its memory is measured.
const recordGaps = `window.gaps = []; window.still = false; (() => {
	let last = 0;
	const next = (now) => {
		if (last && !still) gaps.push(now - last);
		last = still ? 0 : now;
		requestAnimationFrame(next);
	};
	requestAnimationFrame(next); })(); true`

// gaps sums up what recordGaps noted, in ms.
type gaps struct{ Frames, Over, P99, Worst float64 }

func (g gaps) String() string {
	return fmt.Sprintf("%.0f frames, %.0f over 50 ms, p99 %.1f ms, worst %.0f ms", g.Frames, g.Over, g.P99, g.Worst)
}

func (w *tab) gaps() gaps {
	w.t.Helper()
	return eval[gaps](w, `(() => {
		const g = gaps.slice(2).sort((a, b) => a - b), over = g.filter((x) => x > 50).length;
		return { Frames: g.length, Over: over, P99: g[Math.floor(g.length * .99)], Worst: g[g.length - 1] }; })()`)
}

// busy returns how long the page's main thread has computed, in seconds of CPU time.
func (w *tab) busy() float64 {
	w.t.Helper()
	got, err := chromedp.Call(w.ctx, performance.GetMetrics, cdp.Empty{})
	require.NoError(w.t, err)
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	return 0
}

// measureFirstPaint logs the median of nine first visits.
func (w *tab) measureFirstPaint() {
	w.t.Helper()
	var paints []float64
	for range 9 {
		w.clearCache()
		w.run(chromedp.Reload())
		w.shows("#link", "Live")
		paints = append(paints, eval[float64](w, `performance.getEntriesByType('paint')[0].startTime -
			performance.getEntriesByType('navigation')[0].responseEnd`))
	}
	slices.Sort(paints)
	w.t.Logf("first paint %.0f ms after the document (%.0f to %.0f); %d bytes",
		paints[4], paints[0], paints[8], w.weight())
}

// TestThePageUnderLoad measures; make bench-full runs it for a minute.
func TestThePageUnderLoad(t *testing.T) {
	if *load == 0 {
		t.Skip("make bench-full measures")
	}
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.measureFirstPaint()

	const perTurn, pace = 40, 240 * time.Millisecond // five updates a step
	turns := max(1, int(*load/(perTurn*pace)))
	for n := range turns {
		s.steps(fmt.Sprintf("round %d", n+1), perTurn, pace)
	}
	_, err := chromedp.Call(w.ctx, performance.Enable, performance.EnableParams{TimeDomain: "threadTicks"})
	require.NoError(t, err)
	thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	w.run(chromedp.Navigate(s.url + "/#t=" + thread))
	w.until("the conversation is open", `document.querySelector('#threads a[aria-current=page]')`)
	eval[bool](w, recordGaps)
	before, began, heaps := w.busy(), time.Now(), []float64{}
	for n := range turns {
		s.say("ann", thread, fmt.Sprintf("round %d", n+1))
		eval[bool](w, `still = true`)
		heaps = append(heaps, w.heap()/1e6)
		eval[bool](w, `(still = false, true)`)
	}
	took, busy := time.Since(began).Seconds(), w.busy()-before
	w.shows("candor-turn .answer", fmt.Sprintf("End of round %d.", turns))
	updates := float64(turns * (5*perTurn + 2))
	t.Logf("%.0f updates in %.0f s, %.1f a second; main thread %.1f ms an update; %s; heap after each turn, MB: %.1f",
		updates, took, updates/took, busy*1000/updates, w.gaps(), heaps)
	w.clean()
}

// TestThousandsOfTurnsAreScrolled measures; make bench-full runs it.
func TestThousandsOfTurnsAreScrolled(t *testing.T) {
	if *load == 0 {
		t.Skip("make bench-full measures")
	}
	s := startServer(t)
	thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	for n := range 2000 {
		s.say("ann", thread, fmt.Sprintf("question %d", n+1))
	}
	w := window(t).open(s, "ann")
	w.shows("candor-turn .user", "question 2000")
	w.showTurn(s, thread, 1)
	w.shows("candor-turn .user", "question 1")
	eval[bool](w, recordGaps)
	eval[bool](w, `(async () => { const s = document.querySelector('#stream');
		for (let i = 0; i < 600; i++) { s.scrollTop += 150; await new Promise(requestAnimationFrame); }
		return true; })()`)
	t.Logf("2,000 turns, scrolled: %s; %d turns in the page", w.gaps(),
		eval[int](w, `document.querySelectorAll('candor-turn').length`))
}
