package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// The question is whole, also where its parameters are long, and says how much of them is hidden.
func TestAQuestionIsShownWholeAndCountsWhatIsHidden(t *testing.T) {
	s := startServer(t)
	token := "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	long := "deploy --token " + token + " --hosts " + strings.Repeat("web-1.internal ", 60) + "<|im_start|> the end"
	s.on("do it", callDanger(long, "it has to go out"), reply{Text: "That was it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(decision+" .ask .hidden-count", "40 characters are hidden from you")
	w.shows(decision+" .ask pre", strings.ReplaceAll(long, token, "[REDACTED:github-pat]"))
	fits := `(() => { const p = document.querySelector(%s); return p.scrollWidth <= p.clientWidth &&
		p.scrollHeight <= p.clientHeight })()`
	w.until("nothing of it has to be scrolled to", fits, decision+" .ask pre")
	filled := `(() => { const p = document.querySelector(%s), r = document.createRange();
		r.setStart(p.firstChild, p.textContent.indexOf('web-1'));
		r.setEnd(p.firstChild, p.textContent.indexOf('the end'));
		const w = [...r.getClientRects()].slice(1, -1).map((l) => l.width);
		return w.length > 5 && w.every((x) => x === w[0]) })()`
	w.until("a line breaks where it is full, not at a blank that nobody would see", filled, decision+" .ask pre")
	w.run(chromedp.Reload())
	w.shows(decision+" .ask .hidden-count", "40 characters are hidden from you")
	eval[bool](w, `(document.querySelector(%s).scrollTo(0, 1e6), true)`, decision+" .ask-params")
	w.until("it was read", `!document.querySelector(%s).ariaDisabled`, decision+" .ask button[data-action=approve]")
	w.click(decision+" .ask button[data-action=approve]", "Approve")
	w.shows("candor-turn .answer", "That was it.")
	w.clean()
}

// A question fits the window with its buttons, however long its reason and what it would do; nobody approves what they
// cannot have read.
func TestAQuestionIsReadToItsEndBeforeItIsApproved(t *testing.T) {
	s := startServer(t)
	patch, why := "@@ -1 +1 @@\n"+strings.Repeat("-old line\n+new line\n", 90), strings.Repeat("It has to be so. ", 400)
	args := map[string]any{"patch": patch, "path": "a.go"}
	s.on("do it", reply{Calls: []call{{"danger", args, why}, {"danger", map[string]any{"say": "small"}, "a word"}}},
		reply{Text: "That was it."})
	w := window(t)
	w.run(chromedp.EmulateViewport(1024, 800))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.until("the title counts the questions", `document.title.startsWith('(2) ')`)
	first, second := decision+"[data-call=call_1] ", decision+"[data-call=call_2] "
	w.shows(first+".ask .added", "+new line")
	eval[bool](w, `(document.querySelector(%s).scrollIntoView({ block: 'center' }), true)`, first)
	w.until("all of it is in view", `(() => { const v = document.querySelector('#stream').getBoundingClientRect();
		const r = document.querySelector(%s).getBoundingClientRect();
		return r.top >= v.top && r.bottom <= v.bottom; })()`, first)
	const approve = ".ask button[data-action=approve]"
	at := fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top -
		document.querySelector(%q).getBoundingClientRect().top`, first+approve, first)
	before := eval[float64](w, at)
	w.until("the short one can be approved", `!document.querySelector(%s).ariaDisabled`, second+approve)
	w.until("the long one waits", `document.querySelector(%s).ariaDisabled === 'true'`, first+approve)
	w.click(first+approve, "Approve")
	w.until("Approve reads on instead", `document.querySelector(%s).scrollTop > 0`, first+".why")
	w.shows(first+".unread-note", "Read it to the end")
	for _, box := range []string{".why", ".ask-params"} {
		w.until("the long one waits", `document.querySelector(%s).ariaDisabled === 'true'`, first+approve)
		eval[bool](w, `(document.querySelector(%s).scrollTo(0, 1e6), true)`, first+box)
	}
	w.until("both were read", `!document.querySelector(%s).ariaDisabled`, first+approve)
	assert.InDelta(t, before, eval[float64](w, at), 0.5, "the buttons stay")
	w.click(first+approve, "Approve")
	w.shows(first+".facts", "approved")
	w.clean()
}

func TestADenialSaysWhy(t *testing.T) {
	s := startServer(t)
	s.on("do it", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(".ask", "May it run?")
	w.focus(".ask .words")
	w.write("keep it, I still need it")
	w.press("Enter")
	w.shows("candor-turn .answer", "It was left alone.")
	w.click(decision+" .more", "danger")
	w.shows(decision+" .failure", "denied this call, saying: keep it, I still need it")
	w.clean()
}

func TestAQuestionIsAnsweredByOneKey(t *testing.T) {
	s := startServer(t)
	of := func(say, why string) call { return call{"danger", map[string]any{"say": say}, why} }
	s.on("do both", reply{Calls: []call{of("one", "first"), of("two", "second")}}, reply{Text: "So be it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do both")
	w.shows(decision+"[data-call=call_2] .ask", "May it run?")
	w.press("Escape")
	w.press("d", "d", "Enter") // there, no, and no word why
	w.shows(decision+"[data-call=call_1] .facts", "denied")
	w.until("the other waits", `document.querySelector(%s)`, decision+"[data-call=call_2][data-outcome=waiting]")
	done := fmt.Sprintf(`document.querySelector(%q)`, decision+"[data-call=call_2][data-outcome=success]")
	w.pressUntil("the question is approved", done, "y")
	w.shows("candor-turn .answer", "So be it.")
	w.clean()
}

// A page that has just been loaded knows who waits, also in a conversation that it has not read.
func TestAQuestionInAnotherConversationIsSeen(t *testing.T) {
	s := startServer(t)
	s.on("hello", reply{Text: "Hello."})
	s.on("do it", callDanger("x", "it has to go out"), reply{Text: "That was it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(decision+" .ask", "May it run?")
	w.run(chromedp.Navigate(s.url + "/#t=" + s.startedElsewhere("hello")))
	w.run(chromedp.Reload())
	w.shows("candor-turn .answer", "Hello.")
	w.shows("#lists li", "do it")
	w.until("the list says so", `document.querySelector('#lists li .dot[data-state=asks]')`)
	w.until("the tab counts it", `document.title.startsWith('(1) hello')`)
	other := w.tab().open(s, "ann")
	other.clickNow("#lists li:has(.dot[data-state=asks]) a")
	other.shows(decision+" .ask", "May it run?")
	other.press("y")
	w.until("nothing waits", `!document.querySelector('#lists .dot[data-state=asks]')`)
	w.until("the tab counts nothing", `document.title.startsWith('hello')`)
	w.clean()
}

// Keys that follow a sent message are keys, also where the server answers late.
func TestTheFieldTakesNoFocusBackOnceTheMessageIsSent(t *testing.T) {
	s := startServer(t)
	s.on("hello", reply{Text: "Hello."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	eval[bool](w, `(window.fetch = ((real) => async (to, ...rest) => {
		const answer = await real(to, ...rest);
		if (String(to).includes('/send')) await new Promise((go) => { window.release = go; });
		return answer;
	})(window.fetch), true)`)
	w.send("hello")
	w.until("the server has answered", `window.release`)
	w.press("Escape")
	eval[bool](w, `(window.release(), true)`)
	w.until("the message is sent", `document.querySelector('candor-composer textarea').value === ''`)
	assert.Equal(t, "stream", eval[string](w, `document.activeElement.id`))
	w.clean()
}

// No number of denials deletes the conversation.
func TestTwoDenialsAreTwoDenials(t *testing.T) {
	s := startServer(t)
	of := func(say string) call { return call{"danger", map[string]any{"say": say}, "to be rid of " + say} }
	s.on("do both", reply{Calls: []call{of("one"), of("two")}}, reply{Text: "So be it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do both")
	w.shows(decision+"[data-call=call_2] .ask", "May it run?")
	w.press("Escape", "d", "d", "Enter")
	w.shows(decision+"[data-call=call_1] .facts", "denied")
	// A key brings a question into view before it answers one.
	w.pressUntil("one can say why the other is denied", `document.activeElement.matches('.words')`, "d")
	w.press("Enter")
	w.shows(decision+"[data-call=call_2] .facts", "denied")
	w.shows("candor-turn .answer", "So be it.")
	w.press("d", "d")
	w.shows("candor-turn .answer", "So be it.")
	w.clean()
}
