package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	decision = "candor-decision"
	second   = "candor-turn[data-turn='2'] " // the second turn, for a descendant

	composerShown = `document.querySelector('#app:not([inert]) #composer textarea')?.checkVisibility()`
	threeCalls    = `document.querySelectorAll('candor-decision').length === 3`
)

// callLook is a step that looks at something, and gets it back.
func callLook(say, why string) reply {
	return reply{Text: "I look.", Calls: []call{{"look", map[string]any{"say": say}, why}}}
}

// callDanger is a step that a person has to approve.
func callDanger(say, why string) reply {
	return reply{Calls: []call{{"danger", map[string]any{"say": say}, why}}}
}

// parallel sets up a turn whose three calls run together; two wait at gates of their own.
func parallel(s *server, message string) {
	s.on(message,
		reply{Text: "These do not depend on each other, so I make them together.", Calls: []call{
			{"look", map[string]any{"say": "the log ends at 11:58"}, "the log says whether it finished"},
			{"wait", map[string]any{"gate": message + "/a", "say": "errors stayed flat"},
				"a rise in errors would show a break"},
			{"wait", map[string]any{"gate": message + "/b", "say": "no alert"}, ""},
		}},
		reply{Text: "It **finished** at 11:58."})
}

// converse holds a conversation of n turns, each with a call, and returns its thread.
func (s *server) converse(n int) string {
	s.t.Helper()
	thread := ""
	for i := range n {
		m := fmt.Sprintf("question %d", i+1)
		s.on(m, callLook(m, "reason of "+m), reply{Text: "Answer to " + m + "."})
		thread = s.say("ann", thread, m)
	}
	return thread
}

func TestTheMCPServersAreShownWithTheirState(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.shows("#servers .server", "rig")
	w.shows("#servers .words", fmt.Sprintf("%d tools", len(tools)))
	s.tools.Listener.Close()
	s.tools.CloseClientConnections()
	eventually(t, "the tools are gone", func() bool {
		return strings.Contains(fmt.Sprint(s.do("ann", http.MethodGet, "/api/gateway/status", nil)), "state:down")
	})
	w.run(chromedp.Reload())
	w.shows("#servers .words", "down")
	assert.Equal(t, "failed", eval[string](w, `document.querySelector('#servers .dot').dataset.state`))
	w.clean()
}

func TestWhatWasNotReadOfTelemetryIsShown(t *testing.T) {
	s := startServer(t)
	span := map[string]any{"traceId": strings.Repeat("1", 32), "spanId": strings.Repeat("2", 16), "name": "<b>dream",
		"attributes": []any{map[string]any{"key": "gen_ai.operation.name",
			"value": map[string]any{"stringValue": "dream"}}}}
	s.do("ann", http.MethodPost, "/v1/traces", map[string]any{"resourceSpans": []any{map[string]any{
		"scopeSpans": []any{map[string]any{"spans": []any{span}}}}}})
	w := window(t).open(s, "ann")
	w.shows("#unread .note", "1 × a span of a kind that is not read (?b?dream)")
	w.clean()
}

func TestATurnIsShownWhileItRuns(t *testing.T) {
	s := startServer(t)
	parallel(s, "how did it go?")
	w := window(t).open(s, "ann")
	w.until("the code leaves the address", `!location.href.includes('code') && `+composerShown)
	assert.NotContains(t, eval[string](w, `document.cookie`), "candor", "a script can read the login")
	w.shows("#link", "Live")

	w.send("how did it go?")
	w.shows("candor-turn .user", "how did it go?")
	w.shows(decision+" .why", "the log says whether it finished")
	w.shows(decision+" .why", "a rise in errors would show a break")
	w.until("one call has ended, two still run",
		`document.querySelector('candor-decision[data-call=call_1][data-outcome=success]') &&
		document.querySelectorAll('candor-decision[data-outcome=pending]').length === 2`)
	w.shows(".together", "3 in parallel")
	w.shows("candor-turn .foot .sum", "1 of 3 done")
	w.shows("#threads li.live", "how did it go?")
	w.shows(".narrative", "I make them together")
	w.shows(decision+"[data-call=call_3] .why", "No reason given") // the fallback is not the model's

	s.open("how did it go?/a", "how did it go?/b")
	w.shows("candor-turn .answer:not(.plain, .draft) strong", "finished")
	w.shows("candor-turn .headline", "3 calls")
	w.settle() // a click misses a row that moves
	w.click(decision+" .more", "look")
	w.shows(decision+" .details", "the log ends at 11:58")
	assert.NotContains(t, w.text(decision+" .details"), "rationale", "the reason is shown as a parameter")
	w.clean()
	assert.Empty(t, w.fetched(s.url), "requests to another server")
}

func TestACallIsApprovedAndAnotherDenied(t *testing.T) {
	s := startServer(t)
	for _, m := range []string{"do it", "and again"} {
		s.on(m, callDanger("done with "+m, "only this deletes the file"), reply{Text: "That was " + m + "."})
	}
	w := window(t).open(s, "ann")
	w.send("do it")
	w.shows(decision+" .ask", "May it run?")
	w.shows(decision+" .ask .pairs", "done with do it")
	w.shows(decision+" .why", "only this deletes the file")
	w.click(decision+" .ask button[data-action=approve]", "Approve")
	w.shows("candor-turn .answer", "That was do it.")
	w.shows(decision+" .facts", "approved")

	w.send("and again")
	w.click(second+".ask button[data-action=deny]", "Deny")
	w.until("the call is rejected", `document.querySelector(%s)`, second+"candor-decision[data-outcome=rejected]")
	w.shows(second+".facts", "denied")
	w.shows(second+"candor-decision[data-outcome=rejected] .outcome", "denied") // not rejected, as by a policy
	w.gone(second+".details", "done with and again")
	w.clean()
}

func TestATurnIsInterrupted(t *testing.T) {
	s := startServer(t)
	parallel(s, "take long")
	w := window(t).open(s, "ann")
	w.send("take long")
	w.until("it runs", threeCalls)
	w.click("#stop", "Stop")
	w.until("it is stopped", `document.querySelector('candor-turn[data-state=interrupted]')`)
	w.until("its calls are cancelled",
		`document.querySelectorAll('candor-decision[data-outcome=cancelled]').length >= 2`)
	w.until("there is nothing left to stop", `!document.querySelector('#stop').checkVisibility()`)
	w.clean()
}

func TestASearchLeadsToTheDecision(t *testing.T) {
	s := startServer(t)
	s.on("about pears", callLook("pears are green", "the orchard list has every pear"), reply{Text: "Green."})
	s.on("about plums",
		reply{Calls: []call{{"fail", map[string]any{"say": "no plums here"}, "plums stand in the orchard list"}}},
		reply{Text: "None."})
	pears := s.say("ann", "", "about pears")
	s.say("ann", s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string), "about plums")
	w := window(t).open(s, "ann")
	w.shows("#threads a", "about plums")
	w.press("/")
	w.write("orchard")
	w.shows("#results", "the orchard list has every pear")
	w.shows("#results", "plums stand in the orchard list")
	w.shows("#results mark", "orchard")
	w.shows("#results .heard", "searched for orchard")
	w.shows("#results .got", "pears are green")
	w.shows("#results .got.bad", "no plums here")
	w.click("#results button, #results label, #results [role=option]", "success")
	w.gone("#results", "plums stand")
	w.click("#results a", "every pear")
	w.until("the address names the decision",
		`location.hash.includes(%s) && location.hash.includes('d=call_1')`, "t="+pears)
	w.until("the decision has the focus", focusedDecision+`?.dataset.call === 'call_1'`)
	w.shows(decision+" .why", "the orchard list has every pear")
	w.clean()
}

func TestADeepLinkOpensItsDecision(t *testing.T) {
	s := startServer(t)
	thread := s.converse(30)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread + "&turn=4&d=call_1"))
	w.until("the decision is in view and has the focus", `(() => {
		const d = document.querySelector("candor-turn[data-turn='4'] candor-decision[data-call=call_1]");
		if (!d || !d.checkVisibility()) return false;
		const r = d.getBoundingClientRect();
		return r.top >= 0 && r.bottom <= innerHeight && d.contains(document.activeElement); })()`)
	w.shows("candor-turn[data-turn='4'] .why", "reason of question 4")
	w.run(chromedp.Reload())
	w.shows("candor-turn[data-turn='4'] .why", "reason of question 4")
	w.clean()
}

func TestAReloadDuringATurnLosesNothing(t *testing.T) {
	s := startServer(t)
	parallel(s, "slowly")
	w := window(t).open(s, "ann")
	w.send("slowly")
	w.until("it runs", threeCalls)
	w.run(chromedp.Reload())
	w.until("every call is there", `document.querySelectorAll('candor-decision[data-outcome=pending]').length === 2`)
	w.shows(decision+" .why", "a rise in errors would show a break")
	s.open("slowly/a", "slowly/b")
	w.shows("candor-turn .answer", "It finished at 11:58.")
	assert.Equal(t, 1, eval[int](w, `document.querySelectorAll('candor-turn').length`), "a turn is shown twice")
	w.clean()
}

// recordLinks notes every state of the connection, since some last for seconds only.
const recordLinks = `(() => {
	const link = document.querySelector('#link'), note = () => links.push(link.innerText);
	window.links = [];
	new MutationObserver(note).observe(link, { subtree: true, childList: true, characterData: true });
	return true; })()`

func TestALostConnectionResumesWhereItBroke(t *testing.T) {
	s := startServer(t)
	parallel(s, "cut")
	l := newLine(t, s.addr)
	w := window(t)
	w.run(chromedp.Navigate(l.url() + s.loginPath("ann")))
	w.shows("#link", "Live")
	w.send("cut")
	w.until("it runs", threeCalls)
	eval[bool](w, recordLinks)
	l.cut()
	w.shows("#link", "Reconnecting")
	s.open("cut/a", "cut/b")
	thread := s.do("ann", http.MethodGet, "/api/chat/threads", nil)["active_thread"].(string)
	eventually(t, "the turn ends meanwhile", func() bool {
		return s.do("ann", http.MethodGet, "/api/chat/turn?turn=1&thread_id="+thread, nil)["state"] == "completed"
	})
	l.mend()
	w.until("the page says how much it missed", `links.some((text) => text.includes('Resumed with'))`)
	w.shows("candor-turn .answer", "It finished at 11:58.")
	w.until("every call has ended",
		`document.querySelectorAll('candor-decision[data-outcome=success]').length === 3`)
	w.clean() // links would be undefined after a reload
}

func TestAServerThatWasKilledComesBackWithoutAReload(t *testing.T) {
	s := startServer(t)
	s.on("before", reply{Text: "Before the end."})
	s.on("after", reply{Text: "After the end."})
	w := window(t).open(s, "ann")
	w.send("before")
	w.shows("candor-turn .answer", "Before the end.")
	eval[bool](w, `(window.mark = 1, true)`)
	s.kill()
	w.shows("#link", "Reconnecting")
	s.start()
	w.until("the page is back", `/Live|Reset/.test(document.querySelector('#link').innerText)`)
	w.run(chromedp.Navigate(s.url + "/#new"))
	w.send("after")
	w.shows("candor-turn .answer", "After the end.")
	assert.Equal(t, 1, eval[int](w, `window.mark`), "the page was reloaded")
	w.clean()
}

func TestTwoTabsShowTheSame(t *testing.T) {
	s := startServer(t)
	parallel(s, "for both")
	one := window(t).open(s, "ann")
	one.shows("#link", "Live")
	two := one.tab()
	two.run(chromedp.Navigate(s.url + "/"))
	two.shows("#link", "Live")
	one.send("for both")
	two.click("#threads a", "for both")
	for _, w := range []*tab{one, two} {
		w.until("it runs", threeCalls)
	}
	s.open("for both/a", "for both/b")
	for _, w := range []*tab{one, two} {
		w.shows("candor-turn .answer", "It finished at 11:58.")
		w.clean()
	}
}

func TestAnotherUsersThreadIsRefused(t *testing.T) {
	s := startServer(t)
	s.on("a secret plan", reply{Text: "Known to ann alone."})
	thread := s.say("ann", "", "a secret plan")
	w := window(t).open(s, "bob")
	w.shows("#link", "Live")
	w.run(chromedp.Navigate(s.url + "/#t=" + thread))
	w.shows("main", "Conversation not found")
	assert.NotContains(t, w.text("body"), "secret plan")
	assert.NotContains(t, w.text("body"), "Known to ann")
	w.clean()
}

func TestAWrongTokenIsRefusedAndTheRightOneSignsIn(t *testing.T) {
	s := startServer(t)
	w := window(t)
	w.run(chromedp.Navigate(s.url + "/"))
	w.until("it asks for the token", `document.querySelector('#signin input')?.checkVisibility()`)
	w.focus("#signin input")
	w.write("a-token-that-is-wrong")
	w.press("Enter")
	w.shows("#signin", "is not valid")
	assert.Equal(t, "password", eval[string](w, `document.querySelector('#signin input').type`))
	eval[bool](w, `(document.querySelector('#signin input').select(), true)`)
	w.write(tokenOf("ann"))
	w.press("Enter")
	w.shows("#link", "Live")
	require.Empty(t, strings.Join(w.troubles(), "\n"))
}
