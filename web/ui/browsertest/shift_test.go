package page_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// observeShifts sums up how far what is shown moves by itself.
const observeShifts = `(() => {
	window.shifted = 0; window.shifts = [];
	const box = (r) => [r.left, r.top, r.width, r.height].map(Math.round).join(' ');
	const of = ({ node: n, previousRect: a, currentRect: b }) =>
		[n?.nodeName + '.' + n?.className, box(a), '→', box(b)].join(' ');
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			if (e.hadRecentInput) continue;
			shifted += e.value;
			if (e.value > .003) shifts.push(e.value.toFixed(4) + ': ' + e.sources.map(of).join(', '));
		}
	}).observe({ type: 'layout-shift', buffered: false });
	return true; })()`

// slowStory writes the story's script with steps and tools that take a while, and returns its path and its
// first message.
func slowStory(t *testing.T) (path, message string) {
	t.Helper()
	raw, err := os.ReadFile("../../../testdata/story/script.json")
	require.NoError(t, err)
	var story struct {
		Steps  []map[string]any          `json:"steps"`
		Turns  []storyTurn               `json:"turns"`
		Tools  map[string]map[string]any `json:"tools"`
		Deny   []string                  `json:"deny"`
		Agents map[string]any            `json:"agents"`
	}
	require.NoError(t, json.Unmarshal(raw, &story))
	calls := 0
	for _, s := range story.Turns[0].Steps {
		s["delay_ms"] = 120
		if of, ok := s["tool_calls"].([]any); ok {
			calls += len(of)
		}
	}
	require.Equal(t, 36, calls, "the story's first turn")
	wait := 10
	for _, tool := range story.Tools {
		tool["delay_ms"] = wait
		wait += 20
	}
	raw, err = json.Marshal(story)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(path, raw, 0o600))
	return path, story.Turns[0].Message
}

// storyTurn is a message of the story and the steps that answer it.
type storyTurn struct {
	Message string           `json:"message"`
	Steps   []map[string]any `json:"steps"`
}

// What a reader looks at stays where it is while a turn of 36 calls runs, at the end of the conversation as well
// as further up, on a desk as on a phone.
func TestNothingMovesByItselfWhileATurnRuns(t *testing.T) {
	script, message := slowStory(t)
	s := startServerOf(t, "--provider", "script", "--script", script)
	for _, width := range []int64{1280, 390} {
		thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
		w := window(t)
		w.run(chromedp.EmulateViewport(width, 860))
		w.open(s, "ann")
		w.shows("#link", "Live")
		w.showTurn(s, thread, 0)
		w.until("the conversation is open", `location.hash.includes(%s)`, thread)
		w.settle()
		eval[bool](w, observeShifts)
		w.send(message) // a message sent elsewhere comes after its turn, and may take a second line
		w.shows("candor-turn .answer.prose", "The ledger rounds once, at the end.")
		w.settle()
		shifted := eval[float64](w, `shifted`)
		t.Logf("%d px: layout shift %.4f", width, shifted)
		assert.Less(t, shifted, .01, "%d px: %q", width, eval[[]string](w, `shifts`))
		w.clean()
	}
}

// countFades makes the page count what comes in softly, and note how far the view moves at once by itself.
const countFades = `(() => {
	window.faded = 0; window.jump = 0;
	const own = Element.prototype.animate;
	Element.prototype.animate = function(...how) { faded++; return own.apply(this, how); };
	const stream = document.querySelector('#stream');
	let last = stream.scrollTop;
	const next = () => {
		jump = Math.max(jump, Math.abs(stream.scrollTop - last));
		last = stream.scrollTop;
		requestAnimationFrame(next);
	};
	requestAnimationFrame(next);
	return true; })()`

// New rows come in softly, unless the reader wants no motion, and 36 calls are less than two screens. How far the view
// moves at once is written down only: it depends on how fast the machine draws.
func TestARunningTurnGrowsGently(t *testing.T) {
	script, message := slowStory(t)
	s := startServerOf(t, "--provider", "script", "--script", script)
	for _, moves := range []bool{true, false} {
		thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
		w := window(t)
		if !moves {
			w.theme("light") // which asks for no motion
		}
		w.run(chromedp.EmulateViewport(1440, 900))
		w.open(s, "ann")
		w.shows("#link", "Live")
		w.showTurn(s, thread, 0)
		w.until("the conversation is open", `location.hash.includes(%s)`, thread)
		eval[bool](w, countFades)
		s.do("ann", http.MethodPost, "/api/chat/send", fields{"content": message, "thread_id": thread})
		w.shows("candor-turn .answer.prose", "The ledger rounds once, at the end.")
		w.settle()
		faded, jump := eval[int](w, `faded`), eval[float64](w, `jump`)
		height := eval[float64](w, `document.querySelector('candor-turn').offsetHeight`)
		t.Logf("%d came in softly, the view moved by %.0f px at most, the turn has %.0f px", faded, jump, height)
		if moves {
			assert.GreaterOrEqual(t, faded, 36, "each call")
		} else {
			assert.Zero(t, faded)
		}
		assert.Less(t, height, 1400.)
		w.clean()
	}
}

// Whoever scrolled to a row keeps it in its place, whatever comes and goes above it.
func TestAReaderKeepsTheRowInView(t *testing.T) {
	s := startServer(t)
	first := reply{Text: "I ask first.", Calls: []call{{"danger", map[string]any{"say": "drop it"}, "it has to go"}}}
	for _, at := range []string{"attic", "barn"} {
		first.Calls = append(first.Calls, call{"look", map[string]any{"say": at}, "it may be in the " + at})
	}
	second := reply{Text: "Then I wait.", Calls: []call{{"wait", map[string]any{"gate": "later"}, "it takes a while"}}}
	s.on("where is it?", first, second, reply{Text: "Nowhere."})
	w := window(t)
	w.run(chromedp.EmulateViewport(1280, 500))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.send("where is it?")
	w.shows(decision+" .ask", "May it run?")
	w.shows(decision+"[data-call=call_3][data-outcome=success] .why", "it may be in the barn")
	row := `document.querySelector('candor-decision[data-call=call_3]').getBoundingClientRect().top`
	eval[bool](w, `(() => { const s = document.querySelector('#stream');
		s.append(Object.assign(document.createElement('div'), { className: 'room' }));
		s.lastChild.style.height = '600px';
		s.scrollTop += `+row+` - s.getBoundingClientRect().top - 60; return true; })()`)
	w.settle()
	before := eval[float64](w, row)
	require.InDelta(t, 107, before, 40, "the reader looks at the row")
	thread := eval[string](w, `/t=([^&]*)/.exec(location.hash)[1]`)
	asked := s.do("ann", http.MethodGet, "/api/chat/turn?turn=1&thread_id="+thread, nil)["pending_approvals"].([]any)
	s.do("ann", http.MethodPost, "/api/chat/approval",
		fields{"request_id": asked[0].(map[string]any)["request_id"], "action": "deny"})
	w.shows(decision+"[data-call=call_4] .why", "it takes a while")
	w.until("the question is gone", `!document.querySelector('candor-decision .ask')?.checkVisibility()`)
	w.settle()
	assert.InDelta(t, before, eval[float64](w, row), 1)
	s.open("later")
	w.shows("candor-turn .answer", "Nowhere.")
	w.settle()
	assert.InDelta(t, before, eval[float64](w, row), 1)
	w.clean()
}
