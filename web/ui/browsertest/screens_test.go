package page_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// screen is a state of the page worth looking at, and how to get there.
type screen struct {
	name string
	show func(w *tab)
}

// thinking is how long the model of the screens takes for a step.
const thinking = 420 * time.Millisecond

// prepareScreens gives a server a history and returns the screens that show it.
func (s *server) prepareScreens() []screen {
	s.t.Helper()
	s.scriptScreens()
	thread := s.say("ann", "", "How did last night's deploy go?")
	s.say("ann", thread, "Is there anything left to clean up?")
	s.do("ann", http.MethodPost, "/api/chat/send",
		map[string]string{"content": "Then remove the old releases.", "thread_id": thread})
	eventually(s.t, "a person is asked", func() bool {
		turn := s.do("ann", http.MethodGet, "/api/chat/turn?turn=3&thread_id="+thread, nil)
		return turn["pending_approvals"] != nil
	})
	job := s.do("ann", http.MethodPost, "/api/jobs",
		map[string]any{"title": "Nightly report", "prompt": "Sum up what was deployed this week."})
	input := map[string]any{"since": "1 week"}
	s.post(job, map[string]any{"event": "tool_use", "tool_name": "git_log", "call_id": "1", "input": input})
	at := s.url + "/#t=" + thread
	return []screen{
		{"conversation", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=1&d=call_2"))
			w.shows("candor-turn[data-turn='1'] .why", "A rise in errors")
		}},
		{"approval", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=3"))
			w.shows("candor-turn[data-turn='3'] .ask", "May it run?")
		}},
		{"timeline", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=1&view=timeline"))
			w.shows("#timeline", "deploy_log")
		}},
		{"compare", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=1&diff=2"))
			w.shows("dialog[open]", "deploy")
		}},
		{"facets", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=3"))
			w.until("the dialog is closed", `!document.querySelector('dialog[open]')`)
			w.press("Escape", "/")
			w.shows("#results .facet", "deploy_log")
		}},
		{"search", func(w *tab) {
			w.run(chromedp.Navigate(at + "&turn=3"))
			w.until("the dialog is closed", `!document.querySelector('dialog[open]')`)
			w.press("Escape", "/")
			w.write("release")
			w.shows("#results", "Old releases stay on disk")
		}},
	}
}

// scriptScreens sets up the turns of the screens.
func (s *server) scriptScreens() {
	secret := "postgres://app:" + strings.Repeat("x7Kq2", 3) + "@db.internal/app"
	step := func(text string, calls ...call) reply { return reply{Took: thinking, Text: text, Calls: calls} }
	s.on("How did last night's deploy go?",
		step("The log, the error rate and the open alerts do not depend on each other, "+
			"so I ask for all three together.",
			call{"deploy_log", map[string]any{"since": "2026-11-20T22:00:00Z"},
				"The deploy log says whether it finished, and on how many hosts."},
			call{"error_rate", map[string]any{"metric": "http_5xx", "window": "2h"},
				"A rise in errors during the deploy would show that it broke something, even if it finished."},
			call{"open_alerts", map[string]any{"severity": "page"}, ""}),
		step("All hosts are done. I check that the new schema is the one in use.",
			call{"schema_version", map[string]any{"database": secret},
				"The release notes name schema 214, so the database has to say the same."}),
		step("It **finished at 23:58** on all 14 hosts.\n\n"+
			"- errors peaked at 0.2 % and were back at zero a minute later\n- no alert is open\n"+
			"- the database is at schema `214`, as the release notes say"))
	s.on("Is there anything left to clean up?",
		step("I look for releases that nothing uses any more.",
			call{"list_releases", map[string]any{"path": "/srv/releases"},
				"Old releases stay on disk until somebody removes them."},
			call{"disk_usage", map[string]any{"path": "/srv/cache"}, "The build cache grows with every deploy."}),
		step("Four old releases are still on disk; the cache could not be read."))
	old := []string{"r210", "r211", "r212", "r213"}
	s.on("Then remove the old releases.",
		reply{Text: "Nothing but r214 is in use, so the four others can go.", Calls: []call{
			{"remove_releases", map[string]any{"remove": old, "keep": "r214"},
				"Only r214 is running; the four others hold 9.4 GB that the next deploy needs."},
		}},
		reply{Text: "Done."})
}

var screenshots = flag.String("screenshots", "", "write pictures of the page into this `folder`")

// TestScreenshots takes pictures of the screens for a person to look at.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("make screenshots writes them")
	}
	require.NoError(t, os.MkdirAll(*screenshots, 0o755))
	s := startServer(t)
	for _, sc := range s.prepareScreens() {
		for _, theme := range []string{"light", "dark"} {
			for _, size := range [][2]int64{{1280, 860}, {390, 844}} {
				w := window(t)
				w.theme(theme)
				w.run(chromedp.EmulateViewport(size[0], size[1]))
				w.open(s, "ann")
				w.shows("#link", "Live")
				sc.show(w)
				w.settle()
				eval[bool](w, `(document.activeElement.matches('input') || document.activeElement.blur(), true)`)
				w.settle()
				picture, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
				require.NoError(t, err)
				name := filepath.Join(*screenshots, fmt.Sprintf("%s-%d-%s.png", sc.name, size[0], theme))
				require.NoError(t, os.WriteFile(name, picture, 0o644))
			}
		}
	}
}

// settle waits until the page stands still: the server has answered all but the streams, fonts are there, no animation
// that has an end runs, and for three frames nothing has moved up or down. A clock that runs changes widths alone.
func (w *tab) settle() {
	w.t.Helper()
	for end := time.Now().Add(*patience); ; {
		moves := eval[string](w, stillness)
		if waiting := w.waits(); moves == "" && len(waiting) == 0 {
			return
		} else if time.Now().After(end) {
			require.Fail(w.t, "the page does not stand still", "%s; requests that wait: %q", moves, waiting)
		}
	}
}

// stillness looks at the page for some frames, and ends with what has moved, or "".
const stillness = `document.fonts.ready.then(() => new Promise((then) => {
	let before, still = 0;
	const look = (left) => {
		const now = new Map([...document.querySelectorAll('body *')].map((e) =>
			[e, [e.offsetTop, e.offsetHeight, e.scrollTop].join()]));
		const moved = [
			...document.getAnimations().filter((a) => a.playState === 'running' &&
				a.effect.getComputedTiming().endTime !== Infinity).map((a) => a.effect.target),
			...[...now.keys()].filter((e) => now.get(e) !== before?.get(e)),
		];
		still = moved.length === 0 ? still + 1 : 0;
		before = now;
		if (still === 3) then('');
		else if (left === 0) then('moved: ' + (moved[0]?.outerHTML.slice(0, 200) ?? 'for a moment'));
		else requestAnimationFrame(() => look(left - 1));
	};
	look(10);
}))`

// TestScreenshotsOfQuestions takes pictures of one to three calls that wait, and of the ways to answer one.
func TestScreenshotsOfQuestions(t *testing.T) {
	if *screenshots == "" {
		t.Skip("make screenshots writes them")
	}
	require.NoError(t, os.MkdirAll(*screenshots, 0o755))
	patch := "--- a/ledger/export.go\n+++ b/ledger/export.go\n@@ -41,7 +41,7 @@ func Export(m Month) error {\n" +
		strings.Repeat(" \tsum += e.Amount\n-\trows = append(rows, e)\n+\trows = append(rows, e.Rounded())\n", 9)
	calls := []call{
		{"remove_releases", map[string]any{"to": "exports@bank.example", "subject": "Export of November 2026",
			"retries": 3,
			"patch":   patch},
			"The bank takes November’s export by mail this month. The file is the one from step 1, " +
				"with the corrected totals; I mark it as sent in the same step, so that the nightly job does not " +
				"send it twice."},
		{"remove_releases", map[string]any{"remove": []string{"r210", "r211"}, "keep": "r214"}, "Nothing uses them."},
		{"danger", map[string]any{
			"sql": "UPDATE exports SET state = 'sent' WHERE month = '2026-11' AND posted_at < now()"},
			"So that nobody sends it again."},
	}
	s := startServer(t)
	threads := map[int]string{}
	for n := 1; n <= 3; n++ {
		message := fmt.Sprintf("Send November’s export, in %d parts", n)
		s.on(message, reply{Text: "I send it and mark it as sent.", Calls: calls[:n]}, reply{Text: "Done."})
		threads[n] = s.do("ann", http.MethodPost, "/api/chat/thread/new", nil)["id"].(string)
		s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": message, "thread_id": threads[n]})
	}
	for _, theme := range []string{"light", "dark"} {
		for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
			w := windowWithMouse(t)
			w.theme(theme)
			w.run(chromedp.EmulateViewport(size[0], size[1]))
			w.open(s, "ann")
			w.shows("#link", "Live")
			take := func(name string) { w.picture(fmt.Sprintf("%s-%d-%s.png", name, size[0], theme)) }
			for n := 1; n <= 3; n++ {
				w.run(chromedp.Navigate(s.url + "/#t=" + threads[n]))
				w.until("they wait",
					fmt.Sprintf(`document.querySelectorAll('.ask [data-action=deny]').length === %d`, n))
				take(fmt.Sprintf("asks-%d", n))
				w.press("Escape", "d")
				w.write("a dry run first")
				take(fmt.Sprintf("asks-%d-deny", n))
				w.press("Escape")
			}
			w.run(chromedp.Navigate(s.url + "/#t=" + threads[1]))
			w.until("one waits", `document.querySelectorAll('.ask [data-action=deny]').length === 1`)
			w.clickNow(decision + " .ask-foot .whole")
			w.until("it is open", `document.activeElement.matches('.edit')`)
			take("asks-edit")
			eval[bool](w, `(() => { for (const [f, t] of [['to', 'books@bank.example'], ['patch', 'mine']]) {
				const e = document.querySelector('.ask .edit[aria-label^="' + f + '"]');
				e.value = f === 'to' ? t : e.value.replace('Rounded()', 'Floor()');
				e.dispatchEvent(new Event('input')); } return true; })()`)
			eval[bool](w, `(document.querySelector('.ask-params').scrollTo(0, 1e6), true)`)
			take("asks-edited")
		}
	}
}
