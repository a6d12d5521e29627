package page_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startedElsewhere begins a conversation of ann's through the API, and returns its thread.
func (s *server) startedElsewhere(message string) string {
	s.t.Helper()
	return s.say("ann", s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string), message)
}

// Each example for the offline model does what it says in any folder; other models get questions that need neither a
// tool nor a folder by name.
func TestTheExamplesAreForTheModelThatAnswers(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#stream", "The model test-model gives a reason before every tool call.")
	w.shows(".examples", "What can you do here")
	w.gone(".examples", "TODO")

	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "list.txt"), []byte("TODO: buy pears\n"), 0o600))
	s = startServerOf(t, "--provider", "offline", "--workspace", dir)
	w = window(t).open(s, "ann")
	w.shows("#stream", "The offline model knows")
	for n := range eval[int](w, `document.querySelectorAll('.examples button').length`) {
		w.run(chromedp.Navigate(s.url + "/#new"))
		w.until("the examples are shown", `document.querySelector('.examples button')?.checkVisibility()`)
		eval[any](w, `document.querySelectorAll('.examples button')[%s].click()`, n)
		w.press("Enter")
		w.until("the turn ends", `document.querySelector('candor-turn[data-state=completed]')`)
		calls := eval[[]string](w, `[...document.querySelectorAll('candor-decision')].map((d) => d.dataset.outcome)`)
		assert.NotEmpty(t, calls)
		assert.NotContains(t, calls, "error")
	}
	w.clean()
}

// edges are the left and the right edge of all that is as wide as the page's text.
const edges = `(() => {
	const wide = [...document.querySelectorAll('#composer .field, .doors'), document.querySelector('.notice h2')];
	const box = wide.map((e) => e.getBoundingClientRect());
	const right = box.slice(0, -1).map((b) => b.right);
	return [new Set(box.map((b) => Math.round(b.left))).size, new Set(right.map(Math.round)).size].join(); })()`

func TestTheEmptyPageAndTheComposerEndAtOneEdge(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	for _, width := range []int64{1440, 768, 390} {
		w.run(chromedp.EmulateViewport(width, 844))
		w.shows("#stream", "Ask something, and see why.")
		assert.Equal(t, "1,1", eval[string](w, edges), "at %d", width)
	}
	w.clean()
}

// What is wrong with the connection stands beside the title, on its line; the tabs and Export are at the other end.
func TestTheBarHasTheStateBesideTheTitle(t *testing.T) {
	s := startServer(t)
	s.on("apples", reply{Text: "Apples."})
	thread := s.say("ann", "", "apples")
	w := window(t).open(s, "ann")
	for _, width := range []int64{1440, 768, 390} {
		w.run(chromedp.EmulateViewport(width, 844), chromedp.Navigate(s.url+"/#t="+thread))
		w.shows("#link", "Live")
		assert.True(t, eval[bool](w, `(() => {
			document.querySelector('#link').update({ state: 'lost', count: 0 });
			const [title, link, tabs, out] = ['#title', '#link', '#tabs', '#export'].map((css) =>
				document.querySelector(css).getBoundingClientRect());
			const line = (r) => r.top + r.height / 2, narrow = innerWidth < 560;
			document.querySelector('#link').update({ state: 'live', count: 0 });
			return title.right <= link.left && Math.abs(line(title) - line(link)) < 3 && link.right < out.left
				&& (narrow ? tabs.top > title.bottom - 1 : tabs.left - link.right > 40 && tabs.right < out.left);
			})()`),
			"at %d", width)
	}
	w.clean()
}

func TestTheTabOfAJobIsCalledJobAndExportIsThereWithTheFirstTurn(t *testing.T) {
	s := startServer(t)
	s.on("apples", reply{Text: "Apples."})
	w := window(t).open(s, "ann")
	w.shows("#stream", "Ask something")
	exported := `document.querySelector('#export').checkVisibility()`
	assert.False(t, eval[bool](w, exported), "an empty page")
	w.send("apples")
	w.shows("candor-turn .answer", "Apples.")
	w.until("there is something to export", exported)
	w.shows("#tab-turns", "Conversation")
	s.job(w, "Nightly report", "Sum up the week.")
	w.shows("#tab-turns", "Job")
	w.until("a job's turn can be exported", exported)
	thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	w.run(chromedp.Navigate(s.url + "/#t=" + thread))
	w.shows("#stream", "Ask something")
	assert.False(t, eval[bool](w, exported), "a conversation without turns")
	w.clean()
}

func TestAListWithoutJobsLeadsToAnAgentOfOnesOwn(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.click("#lists button", "Watch your own agent")
	w.shows("candor-job", "Waiting for a worker")
	w.gone("#lists button", "Watch your own agent")
	w.clean()
}

func TestTheFirstJobOpensByItselfOnAnEmptyPage(t *testing.T) {
	s := startServer(t)
	s.on("apples", reply{Text: "Apples."})
	s.say("ann", "", "apples")
	w := window(t).open(s, "ann")
	w.run(chromedp.Navigate(s.url + "/#new"))
	w.shows("#stream", "Ask something")
	w.shows("#link", "Live")
	s.do("ann", http.MethodPost, "/api/jobs", fields{"title": "Nightly report", "prompt": "Sum up."})
	w.shows("#title", "Nightly report")
	w.shows("candor-job", "Waiting for a worker")
	w.clean()
}

// What this page begins itself is not offered.
func TestWhatBeginsElsewhereIsOffered(t *testing.T) {
	s := startServer(t)
	for _, m := range []string{"apples", "pears", "plums"} {
		s.on(m, reply{Text: "Answer to " + m + "."})
	}
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	offered := func() bool { return eval[bool](w, `document.querySelector('candor-begun').checkVisibility()`) }
	w.send("apples")
	w.shows("candor-turn .answer", "Answer to apples.")
	w.shows("#threads .name", "apples")
	for i, width := range []int64{1440, 390} {
		message := []string{"pears", "plums"}[i]
		assert.False(t, offered(), "at %d", width)
		w.run(chromedp.EmulateViewport(width, 844))
		s.startedElsewhere(message)
		w.shows("candor-begun", message)
		w.until("it is in the window", `(() => {
			const r = document.querySelector('candor-begun').getBoundingClientRect();
			return r.left >= 0 && r.right <= innerWidth; })()`)
		w.click("candor-begun a", "Watch")
		w.shows("candor-turn .answer", "Answer to "+message)
		w.until("it is offered no more", `!document.querySelector('candor-begun').checkVisibility()`)
	}
	s.do("ann", http.MethodPost, "/api/jobs", fields{"title": "Nightly report", "prompt": "Sum up."})
	w.shows("candor-begun", "Nightly report")
	w.click("candor-begun button", "✕")
	w.until("it is offered no more", `!document.querySelector('candor-begun').checkVisibility()`)
	w.shows("candor-turn .answer", "Answer to plums.")
	w.clean()
}

// What begins elsewhere and waits for a person says so, when it begins and later.
func TestWhatBeginsElsewhereSaysThatItWaits(t *testing.T) {
	s := startServer(t)
	s.on("apples", reply{Text: "Answer to apples."})
	ask := callDanger("gone", "to be rid of it")
	ask.Hold = "later"
	s.on("do it", ask, reply{Text: "It is gone."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("apples")
	w.shows("candor-turn .answer", "Answer to apples.")
	thread := s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
	s.do("ann", http.MethodPost, "/api/chat/send", fields{"content": "do it", "thread_id": thread})
	w.shows("candor-begun", "has begun")
	w.shows("candor-begun a", "Watch")
	s.open("later")
	w.shows("candor-begun", "waits for you")
	w.gone("candor-begun", "has begun")
	w.click("candor-begun a", "Answer")
	w.shows(decision+" .ask", "May it run?")
	w.until("it is offered no more", `!document.querySelector('candor-begun').checkVisibility()`)
	w.clean()
}

// Where the list covers the page, what is behind it cannot be used, and a touch there closes the list.
func TestTheOpenListOfANarrowPageCoversTheRest(t *testing.T) {
	s := startServer(t)
	w := window(t)
	w.run(chromedp.EmulateViewport(390, 844))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.click("#rail-open", "")
	w.until("the list is open", `document.querySelector('#rail').checkVisibility({ visibilityProperty: true })`)
	assert.True(t, eval[bool](w, `document.querySelector('#main').inert`))
	assert.Regexp(t, `^rgba\(0, 0, 0, 0\.\d+\)$`,
		eval[string](w, `getComputedStyle(document.querySelector('#app'), '::after').backgroundColor`))
	w.run(chromedp.MouseClickXY(380, 400))
	w.until("the list is closed", `!document.querySelector('#rail').checkVisibility({ visibilityProperty: true })
		&& !document.querySelector('#main').inert`)

	w.click("#rail-open", "")
	w.until("the list is open", `document.querySelector('#main').inert`)
	w.run(chromedp.EmulateViewport(1280, 844))
	w.until("a wide page can be used", `!document.querySelector('#main').inert`)
	w.clean()
}

// The forms of a copy are a menu within the menu, by keys and by the mouse; a link says whom it is for.
func TestTheMenuOfATurnLeadsToMenus(t *testing.T) {
	s := startServer(t)
	s.on("apples", callLook("an apple", "to see it"), reply{Text: "Apples."})
	s.say("ann", "", "apples")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Apples.")
	w.focus("candor-turn .asked .dots")
	w.press("Enter")
	w.shows("#menu", "Copy as")
	assert.LessOrEqual(t, eval[int](w, `document.querySelectorAll('#menu [role=menuitem]').length`), 6)
	w.press("ArrowDown", "ArrowDown", "ArrowRight")
	w.shows("#menu", "A curl command")
	w.until("its first row has the focus", `document.activeElement.innerText === 'Text'`)
	w.press("ArrowLeft")
	w.until("the row that led there has the focus", `document.activeElement.innerText === 'Copy as'`)
	w.press("Enter")
	w.click("#menu button", "Copy as")
	w.click("#menu button", "Copy a link")
	w.shows("#status", "signed in as you")
	w.clean()
}

func TestTheMapOfKeysIsInGroups(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.press("Escape", "?")
	w.shows("#dialog h3", "Move")
	w.shows("#dialog h3", "A call that waits for you")
	w.shows("#dialog label", "Single-key shortcuts")
	for _, width := range []int64{1440, 390} {
		w.run(chromedp.EmulateViewport(width, 844))
		assert.LessOrEqual(t, eval[float64](w, `document.querySelector('#dialog').scrollWidth
			- document.querySelector('#dialog').clientWidth`), 0.0, fmt.Sprint(width))
	}
	w.clean()
}
