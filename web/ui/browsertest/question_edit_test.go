package page_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A person changes what a call would do. What is no JSON or is refused is said beside it, and the call then
// runs with what was written; the row says who changed what.
func TestAPersonChangesACallBeforeItRuns(t *testing.T) {
	s := startServer(t)
	token := "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	args := map[string]any{"say": "all of it", "body": token, "n": 1}
	s.on("do it", reply{Calls: []call{{"danger", args, "it has to go out"}}}, reply{Text: "That was it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows(decision+" .ask .left", "left, then it is denied automatically")
	w.click(decision+" .ask .whole", "Edit before it runs")
	write := func(field, text string) {
		eval[bool](w, fmt.Sprintf(`(() => { const e = document.querySelector('.ask [aria-label^=%q]'); e.value = %q;
			e.dispatchEvent(new Event('input')); return true; })()`, field+" of", text))
	}
	w.until("a field has what would run",
		`document.querySelector('.ask [aria-label^="body of"]')?.value === '[REDACTED:github-pat]'`)
	const approve = decision + " .ask button[data-action=approve]"
	write("n", "{")
	w.shows(decision+" .edit-problem", "n: not valid JSON")
	w.click(approve, "Approve danger")
	write("n", "1.0000000000000001")
	w.shows(approve, "Approve danger with 1 change")
	write("n", "1")
	write("body", "x [REDACTED:github-pat]")
	write("say", "some [REDACTED:github-pat]")
	w.click(approve, "Approve danger with 2 changes")
	w.shows(decision+" .edit-problem", "a mask")
	w.until("the question still waits", `document.querySelector('.ask [aria-label^="say of"]').value.includes('some')`)
	write("say", "some")
	w.until("the mistake is gone", `document.querySelector('.ask .edit-problem').hidden`)
	write("body", "[REDACTED:github-pat]")
	write("n", "")
	w.shows(decision+" .ask .removed", "all of it")
	w.shows(decision+" .ask .added", "some")
	w.click(approve, "Approve danger with 2 changes")
	w.shows("candor-turn .answer", "That was it.")
	w.shows(decision+" .facts", "approved, with changes by ann")
	w.shows(decision+" .got", "some")
	w.click(decision+" .more", "danger")
	w.shows(decision+" .edited", "say")
	w.shows(decision+" .edited del", "all of it")
	w.shows(decision+" .edited ins", "some")
	w.run(chromedp.Reload())
	w.shows(decision+" .facts", "approved, with changes by ann")
	w.clean()
}

// The field, the buttons and the time that is left are in view together, however long the reason is.
func TestAQuestionFitsTheWindowWhileItIsChanged(t *testing.T) {
	args := map[string]any{"say": strings.Repeat("all of it ", 60), "path": "a.go", "retries": 3, "dry": false}
	long := strings.Repeat("It has to go out before the rest. ", 40)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
		s := startServer(t)
		s.on("do it", reply{Calls: []call{{"danger", args, long}}}, reply{Text: "That was it."})
		w := window(t)
		w.run(chromedp.EmulateViewport(size[0], size[1]))
		w.open(s, "ann")
		w.shows("#link", "Live")
		w.send("do it")
		w.click(decision+" .ask .whole", "Edit before it runs")
		w.until("it is all in view", `(() => { const at = (css) => document.querySelector(css)?.getBoundingClientRect();
			return at('.ask .edit')?.top > at('.headline').bottom && at('.ask-foot').bottom <= at('.foot').top; })()`)
		w.click(decision+" .ask button[data-action=deny]", "Deny")
		w.shows("candor-turn .answer", "That was it.")
		w.clean()
	}
}

// A button that is pressed while somebody types stays under the pointer until it is released, whatever the page shows
// while they type.
func TestAPressFromAFieldDoesNotMoveTheButtons(t *testing.T) {
	s := startServer(t)
	s.on("do it", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t)
	w.run(chromedp.EmulateViewport(390, 500))
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.click(decision+" .ask .whole", "Edit before it runs")
	w.focus(decision + " .ask .edit")
	for _, field := range []string{".words", ".edit"} {
		for _, button := range []string{"[data-action=approve]", "[data-action=always]", "[data-action=deny]"} {
			w.focus(decision + " .ask " + field)
			css := decision + " .ask " + button
			is := `document.querySelector(%s).contains(document.elementFromPoint(...at))`
			w.until(button+" is in view", `(() => { const e = document.querySelector(%s);
				e.scrollIntoView({ block: 'center', behavior: 'instant' });
				const { x, y, width, height } = e.getBoundingClientRect();
				window.at = [x + width / 2, y + height / 2];
				return `+is+`; })()`, css, css)
			at := eval[[]float64](w, `at`)
			mouse := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed, X: at[0], Y: at[1],
				Button: input.MouseButtonLeft, ClickCount: 1}
			_, err := chromedp.Call(w.ctx, input.DispatchMouseEvent, mouse)
			require.NoError(t, err)
			assert.True(t, eval[bool](w, is, css), "%s from %s", button, field)
			mouse.Type, mouse.X, mouse.Y = input.DispatchMouseEventTypeMouseReleased, 0, 0 // elsewhere: no click
			_, err = chromedp.Call(w.ctx, input.DispatchMouseEvent, mouse)
			require.NoError(t, err)
		}
	}
	w.clean()
}

// The time that is left is counted down, stands out near its end, and is said aloud once.
func TestAQuestionCountsDown(t *testing.T) {
	s := startServer(t, "--approval-timeout", "1h")
	s.on("do it", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	const left = `document.querySelector('.ask .left b').textContent`
	w.shows(decision+" .ask .left b", "left")
	w.until("it counts", `/^(1:00:00|5\d:\d\d) left$/.test(`+left+`)`)
	w.until("it is quiet", `!document.querySelector('.ask .left').hasAttribute('data-soon')`)
	eval[bool](w, `(() => { window.said = []; window.counted = new Set();
		new MutationObserver(() => { const t = document.querySelector('#status').textContent; if (t) said.push(t); })
			.observe(document.querySelector('#status'), { childList: true, characterData: true, subtree: true });
		const real = Date.now, ahead = 3_572_000; Date.now = () => real() + ahead; return true; })()`)
	w.until("it stands out near its end", `document.querySelector('.ask .left').hasAttribute('data-soon')`)
	w.until("it is said aloud", `said.length > 0`)
	w.until("it counts on", `counted.add(`+left+`).size > 1`)
	said := eval[[]string](w, `said`)
	assert.Len(t, said, 1)
	assert.Regexp(t, `^\d+ seconds? left to answer danger\.$`, said[0])
	w.click(decision+" .ask button[data-action=deny]", "Deny")
	w.shows("candor-turn .answer", "It was left alone.")
	w.clean()
}

// A question that nobody answered says so in one place of its row, also where the row is open.
func TestAnExpiredQuestionSaysSoOnce(t *testing.T) {
	s := startServer(t, "--approval-timeout", "1s")
	s.on("do it", callDanger("gone", "to be rid of it"), reply{Text: "It was left alone."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	w.shows("candor-turn .answer", "It was left alone.")
	w.shows(decision+" .got", "not run: nobody answered in time")
	w.click(decision+" .more", "danger")
	w.shows(decision+" .details", "It did not run, so there is no result.")
	said := eval[string](w, `document.querySelector(%s).innerText`, decision)
	assert.Len(t, regexp.MustCompile(`(?i)answer`).FindAllString(said, -1), 1, said)
	w.clean()
}

// Somebody who looks elsewhere is told that a call waits, once they asked for it, and of nothing but its tool.
func TestAQuestionIsToldOutsideOfAHiddenTab(t *testing.T) {
	s := startServer(t)
	secret := map[string]any{"say": "the plan"}
	two := reply{Calls: []call{{"danger", secret, "a reason"}, {"danger", secret, "another"}}}
	s.on("do it", two, reply{Text: "So be it."})
	s.on("and again", reply{Calls: two.Calls[:1]}, reply{Text: "So be it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	eval[bool](w, `(() => { window.notes = []; window.asked = 0; window.away = false;
		window.Notification = class { static permission = 'default';
			static async requestPermission() { asked++; return (Notification.permission = 'granted'); }
			constructor(title, how) { Object.assign(this, how, { title, shown: true }); notes.push(this); }
			close() { this.shown = false; } };
		Object.defineProperty(document, 'hidden', { get: () => away }); return true; })()`)
	w.send("do it")
	w.shows(decision+"[data-call=call_2] .ask", "Send me a desktop notification")
	assert.Zero(t, eval[int](w, `asked + notes.length`), "nobody has asked for it")
	eval[bool](w, `(document.querySelector('.ask-foot .whole:last-child').click(), true)`)
	w.until("the browser asks", `asked === 1`)
	for _, which := range []string{"call_1", "call_2"} {
		eval[bool](w, `(document.querySelector('[data-call=`+which+`] [data-action=deny]').click(), true)`)
	}
	w.shows("candor-turn .answer", "So be it.")
	eval[bool](w, `(away = true)`)
	w.send("and again")
	w.until("it is told", `notes.length === 1 && notes[0].shown`)
	assert.Equal(t, "danger waits for you: Open Candor to see why, and answer.",
		eval[string](w, `notes[0].title + ': ' + notes[0].body`))
	eval[bool](w, `(away = false, document.dispatchEvent(new Event('visibilitychange')), true)`)
	w.until("the page shows it", `document.querySelector('[data-turn="2"] [data-action=deny]')`)
	eval[bool](w, `(document.querySelector('[data-turn="2"] [data-action=deny]').click(), true)`)
	w.until("it is gone with the answer", `!notes[0].shown`)
	w.send("do it")
	w.until("the question is there", `document.querySelector('[data-turn="3"] [data-action=deny]')`)
	assert.Equal(t, 1, eval[int](w, `notes.length`), "who looks at the page is told nothing besides")
	w.clean()
}

// Editing is no way around reading: the lines are lines, shown from the first one on, and Approve waits for their end,
// in the fields as before them.
func TestEditingSkipsNoReading(t *testing.T) {
	s := startServer(t)
	patch := "@@ -1 +1 @@\n" + strings.Repeat("-old line\n+new line\n", 90)
	args := map[string]any{"patch": patch, "path": "a.go"}
	s.on("do it", reply{Calls: []call{{"danger", args, "It has to be so."}}}, reply{Text: "That was it."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	const approve = decision + " .ask [data-action=approve]"
	const field = `document.querySelector('.ask .edit[aria-label^="patch of"]')`
	waits := func(when string) {
		w.until("it waits "+when, `document.querySelector(%s)?.ariaDisabled === 'true'`, approve)
	}
	w.shows(decision+" .ask .added", "+new line")
	waits("before it was read")
	w.click(decision+" .ask .whole", "Edit before it runs")
	w.until("the field is opened at its top", field+`?.scrollTop === 0 && `+field+`.selectionStart === 0
		&& `+field+`.value.split('\n').length === 182 && `+field+`.rows === 12
		&& document.querySelector('.ask-params').scrollTop === 0`)
	eval[bool](w, `(document.querySelector('.ask-params').scrollTo(0, 1e6), true)`)
	waits("while the end of the patch is out of view")
	w.press("Escape")
	w.until("Esc closes it",
		`!document.querySelector('.ask .edit') && document.activeElement.matches('candor-decision')`)
	waits("after the fields were closed")
	w.click(decision+" .ask .whole", "Edit before it runs")
	w.until("it is open again", field)
	eval[bool](w, `(() => { const e = `+field+`; e.value = 'mine\n' + e.value;
		e.dispatchEvent(new Event('input')); return true; })()`)
	w.shows(approve, "Approve danger with 1 change")
	w.shows(decision+" .ask .added", "mine")
	waits("with a change")
	eval[bool](w, `(`+field+`.focus(), true)`)
	w.until("Ctrl Enter reads on", field+`.scrollTop > 0 || (`+field+`.dispatchEvent(new KeyboardEvent('keydown',
		{ key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true })), false)`)
	waits("as it reads on")
	eval[bool](w, `(`+field+`.scrollTo(0, 1e6), document.querySelector('.ask-params').scrollTo(0, 1e6), true)`)
	w.until("it was read", `!document.querySelector(%s).ariaDisabled`, approve)
	w.click(approve, "Approve danger with 1 change")
	w.shows(decision+" .facts", "approved, with changes by ann")
	w.clean()
}
