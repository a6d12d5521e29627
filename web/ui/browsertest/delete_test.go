package page_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holdTenSeconds keeps what is to run in ten seconds until the test calls due().
const holdTenSeconds = `(() => {
	const real = window.setTimeout, held = [];
	window.setTimeout = (f, ms, ...rest) => ms === 10_000 ? (held.push(f), -held.length) : real(f, ms, ...rest);
	window.due = () => held.splice(0).forEach((f) => f());
	return true; })()`

// titles returns the titles of ann's conversations as the server has them.
func (s *server) titles() []string {
	s.t.Helper()
	out := []string{}
	for _, one := range s.do("ann", http.MethodGet, "/api/chat/threads", nil)["threads"].([]any) {
		out = append(out, one.(map[string]any)["title"].(string))
	}
	return out
}

// twoConversations opens the page of a user who has two; the clock of deletions is held.
func twoConversations(t *testing.T) (*server, *tab) {
	t.Helper()
	s := startServer(t)
	for _, title := range []string{"apples", "pears"} {
		s.on(title, reply{Text: "Answer to " + title + "."})
		s.say("ann", s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string), title)
	}
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.click("#threads a", "pears")
	w.shows("candor-turn .answer", "Answer to pears.")
	eval[bool](w, holdTenSeconds)
	return s, w
}

// deleteRow deletes what a row of the left side names, by its menu.
func (w *tab) deleteRow(title string) {
	w.t.Helper()
	w.shows("#lists a", title)
	eval[bool](w, `(() => {
		const row = [...document.querySelectorAll('#lists li')].find((e) => e.innerText.includes(%s));
		row.querySelector('.row-menu').focus();
		return true; })()`, title)
	w.press("Enter")
	w.click("#menu [role=menuitem]", "Delete the")
	w.shows("candor-undo", "Deleted “"+title)
	w.until("its button has the focus", `document.activeElement?.matches('candor-undo button')`)
}

// A second tab of the same user shows the conversation until the server has deleted it.
func TestADeletedConversationDisappearsAndIsDeletedLater(t *testing.T) {
	s, w := twoConversations(t)
	other := w.tab()
	other.run(chromedp.Navigate(s.url + eval[string](w, `location.pathname + location.hash`)))
	other.shows("candor-turn .answer", "Answer to pears.")
	w.deleteRow("pears")
	w.gone("#threads", "pears")
	w.shows("#title", "New conversation")
	assert.Contains(t, s.titles(), "pears", "there are ten seconds left")
	other.shows("#threads", "pears")
	eval[bool](w, `(due(), true)`)
	w.until("it cannot be taken back", `!document.querySelector('candor-undo').checkVisibility()`)
	other.gone("#threads", "pears")
	other.shows("main", "This was deleted")
	assert.False(t, eval[bool](other, `!!document.querySelector('candor-turn')`), "its turns are shown")
	assert.NotContains(t, s.titles(), "pears")
	assert.Contains(t, s.titles(), "apples")
	other.clean()
	w.clean()
}

func TestADeletionIsTakenBack(t *testing.T) {
	s, w := twoConversations(t)
	w.deleteRow("pears")
	w.press("Enter")
	w.shows("candor-turn .answer", "Answer to pears.")
	w.until("its row has the focus", `document.activeElement?.matches('#threads a[aria-current=page]')`)
	w.deleteRow("apples")
	w.shows("candor-turn .answer", "Answer to pears.")
	w.pressUntil("U brings it back", `document.querySelector('#threads').innerText.includes('apples')`, "u")
	eval[bool](w, `(due(), true)`)
	w.pressUntil("X X deletes what is open",
		`!document.querySelector('#threads').innerText.includes('pears')`, "x", "x")
	w.shows("candor-undo", "Deleted “pears”")
	assert.ElementsMatch(t, []string{"pears", "apples"}, s.titles(), "nothing was deleted")
	w.clean()
}

// The request has to outlive the page that sends it.
func TestADeletionIsDoneWhenThePageIsLeft(t *testing.T) {
	s, w := twoConversations(t)
	w.deleteRow("pears")
	w.run(chromedp.Navigate("about:blank"))
	eventually(t, "it is deleted", func() bool { return len(s.titles()) == 1 })
	assert.NotContains(t, s.titles(), "pears")
}

func TestADeletionThatFailsBringsTheRowBackAndSaysWhy(t *testing.T) {
	s, w := twoConversations(t)
	w.deleteRow("apples")
	s.kill()
	eval[bool](w, `(due(), true)`)
	w.shows("#status", "“apples” was not deleted. The server cannot be reached.")
	w.shows("#threads", "apples")
	w.clean()
}

// A running turn and an open job say what to do first; once the job has ended it is deleted, and its list says that
// it is empty.
func TestWhatRunsIsNotDeleted(t *testing.T) {
	s := startServer(t)
	s.on("slow", reply{Text: "At last.", Hold: "slow"})
	w := window(t).open(s, "ann")
	w.send("slow")
	w.until("it runs", `document.querySelector('#threads li.live')`)
	w.pressUntil("it says what to do", `document.querySelector('#status').innerText.includes('Stop it or wait')`,
		"Escape", "x", "x")
	w.shows("#threads", "slow")
	job := s.job(w, "Nightly report", "Sum up the week.")
	w.pressUntil("it says what to do", `document.querySelector('#status').innerText.includes('Stop it, then')`,
		"Escape", "x", "x")
	s.post(job, fields{"event": "result", "success": true, "message": "done"})
	w.shows("candor-job", "Completed")
	eval[bool](w, holdTenSeconds)
	w.until("the list knows", `!document.querySelector('#jobs li.live') && document.querySelector('#jobs li')`)
	w.deleteRow("Nightly report")
	w.shows("#jobs + .note", "None yet.")
	eval[bool](w, `(due(), true)`)
	eventually(t, "the job is deleted", func() bool {
		return len(s.do("ann", http.MethodGet, "/api/jobs", nil)["jobs"].([]any)) == 0
	})
	s.open("slow")
	w.clean()
}

func TestAWatchedAgentIsDeletedThoughNobodySaysThatItIsOver(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.listsAreThere()
	s.hook("UserPromptSubmit", map[string]any{"prompt": "Mend the totals"})
	w.until("it runs", `document.querySelector('#spaces li.live')`)
	eval[bool](w, holdTenSeconds)
	w.deleteRow("Claude Code")
	w.gone("#lists", "Claude Code")
	eval[bool](w, `(due(), true)`)
	eventually(t, "it is deleted", func() bool { return len(s.titles()) == 0 })
	w.clean()
}

func TestWaitingMessagesAndDeletionsAreAccessible(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	for _, look := range []string{"light", "dark"} {
		s := startServer(t)
		w := window(t)
		w.bypassPolicy()
		w.theme(look)
		w.open(s, "ann")
		w.shows("#link", "Live")
		s.on("figs", reply{Text: "Answer to figs."})
		w.send("figs")
		w.shows("candor-turn .answer", "Answer to figs.")
		w.shows("#threads", "figs")
		eval[bool](w, holdTenSeconds)
		eval[bool](w, loseMessages)
		w.send("meanwhile")
		w.shows(waiting, "meanwhile")
		w.deleteRow("figs")
		w.shows("candor-waiting", "1 message waits in another conversation")
		w.send("another")
		w.shows(waiting, "another")
		w.requireAccessible(string(source), "what waits and what was deleted, "+look)
	}
}
