package page_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// What was taken out of a plan or an answer that came as Markdown is a chip, as it is in a reason.
func TestWhatWasTakenOutOfPlansAndAnswersIsAChip(t *testing.T) {
	s := startServer(t)
	token := "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
	look := []call{{"look", map[string]any{"say": "x"}, "to see"}}
	plan := reply{Text: "I **push** with `" + token + "`.", Calls: look}
	s.on("push it", plan, reply{Text: "Pushed with " + token + ".\n\n```\ngit push " + token + "\n```\n"})
	s.say("ann", "", "push it")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .narrative strong", "push")
	for _, css := range []string{".narrative code .chip", ".answer p .chip", ".answer pre .chip"} {
		w.shows("candor-turn "+css, "redacted: github-pat")
	}
	w.gone("candor-turn", "[REDACTED")
	w.clean()
}

// Code in an answer has a button that copies it and no more, tabs of four, and a table on a telephone breaks no path.
func TestCodeAndTablesOfAnAnswerAreReadable(t *testing.T) {
	s := startServer(t)
	const path = "internal/invoice/rounding_of_totals.go"
	answer := "So:\n\n```go\nfunc f() {\n\treturn\n}\n```\n\n| file | what |\n|---|---|\n| `" + path + "` | " +
		strings.Repeat("it rounds ", 20) + "|\n"
	s.on("show me", reply{Text: answer})
	s.say("ann", "", "show me")
	w := window(t)
	w.run(chromedp.EmulateViewport(390, 844))
	w.open(s, "ann")
	w.until("what is copied is the code", `(() => { const b = document.querySelector('.answer .copied-code .copy');
		if (!b) return false;
		window.copied = null;
		navigator.clipboard.writeText = async (text) => { window.copied = text; };
		b.click();
		return b.textContent === ''; })()`)
	w.until("it is copied as it was written", `copied === 'func f() {\n\treturn\n}'`)
	w.until("the button says so", `document.querySelector('.answer .copy').dataset.said === 'Copied'`)
	w.until("tabs are four wide", `getComputedStyle(document.querySelector('.answer pre')).tabSize === '4'`)
	w.until("the path stands on one line", fmt.Sprintf(`(() => {
		const code = [...document.querySelectorAll('.answer td code')].find((c) => c.textContent === '%s');
		return code?.getClientRects().length === 1; })()`, path))
	w.until("the page itself is not scrolled sideways", `document.documentElement.scrollWidth <= innerWidth`)
	w.until("the keyboard reaches what scrolls",
		`['pre', 'table'].every((css) => document.querySelector('.answer ' + css).tabIndex === 0)`)
	w.clean()
}

// A block says how many lines are out of view and shows them; members and values of JSON and paths have colours that
// can be read.
func TestALongBlockSaysHowMuchIsOutOfView(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	s := startServer(t)
	log := "FAIL internal/invoice/totals.go:41\n" + strings.Repeat("--- a line\n", 40)
	nested := map[string]any{"many": []int{1, 2, 3}, "file": "deploy/ledger/service.pem", "on": true, "long": log[:200]}
	args := map[string]any{"say": log, "config": nested, "path": "a/b.go"}
	s.on("mend it", reply{Calls: []call{{"look", args, "to mend it"}}}, reply{Text: "Done."})
	s.say("ann", "", "mend it")
	for _, theme := range []string{"light", "dark"} {
		w := window(t)
		w.bypassPolicy()
		w.theme(theme)
		w.open(s, "ann")
		w.click(decision+" .why", "to mend it")
		w.shows(decision+" .block .rest", "25 more lines")
		high := `document.querySelector('.block:has(.rest) .code').clientHeight`
		w.until("they are out of view", high+` < 340`)
		w.until("the path, a member and a value have a colour of their own", `(() => {
			const row = document.querySelector('candor-decision');
			const of = (css) => getComputedStyle(row.querySelector(css)).color;
			return new Set(['.code', '.code .path', '.code .key', '.code .value'].map(of)).size === 4; })()`)
		w.requireAccessible(string(source), "a long block, "+theme)
		w.click(decision+" .block .rest", "25 more lines")
		w.until("all of them are there", high+` >= 41 * 20`)
		w.click(decision+" .block .rest", "Fewer lines")
		w.until("they are out of view again", high+` < 340`)
		w.clean()
	}
}

func TestAFailedTurnSaysSoInOneSentence(t *testing.T) {
	s := startServerOf(t, "--provider", "script", "--script", "../../../testdata/turns/provider-failure/script.json")
	sent := s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": "Summarise it."})
	w := window(t).open(s, "ann")
	w.run(chromedp.Navigate(s.url + "/#t=" + sent["thread_id"].(string)))
	w.shows("candor-turn .answer .failed", "The model provider failed: 503 overloaded")
	w.shows("candor-turn .headline .label", "Failed after ")
	w.gone("candor-turn .answer", "The turn failed")
	w.shows("candor-turn .answer button", "Try again")
	w.clean()
}

// headings returns the sizes of the headings of an answer less that of its text, and their weights.
const headings = `(() => {
	const text = parseFloat(getComputedStyle(document.querySelector('.answer p')).fontSize);
	return [...document.querySelectorAll('.answer :is(h1, h2, h3, h4, h5, h6)')]
		.map((h) => getComputedStyle(h)).map((of) => [parseFloat(of.fontSize) - text, +of.fontWeight]); })()`

// The server makes the headings of an answer some of the page's lower levels. They are larger than its text even so.
func TestHeadingsOfAnAnswerAreLargerThanItsText(t *testing.T) {
	s := startServer(t)
	s.on("show me", reply{Text: "" +
		"# One\n\nThe text.\n\n## Two\n\n### Three\n\n" +
		"#### Four\n\n##### Five\n\n###### Six\n"})
	s.say("ann", "", "show me")
	w := window(t).open(s, "ann")
	w.shows("candor-turn .answer", "Six")
	for _, width := range []int64{1440, 390} {
		w.run(chromedp.EmulateViewport(width, 844))
		for _, density := range []string{"Normal", "Compact"} {
			eval[any](w, `document.querySelector('#look').click()`)
			w.shows("#menu button", density)
			eval[any](w, `[...document.querySelectorAll('#menu button')]
				.find((b) => b.innerText === %s).click()`, density)
			w.settle()
			all := eval[[][2]float64](w, headings)
			require.Len(t, all, 6)
			for i, h := range all {
				require.Positive(t, h[0], "heading %d, %s, %d wide", i+1, density, width)
				require.GreaterOrEqual(t, h[1], 600.0, "heading %d, %s, %d wide", i+1, density, width)
			}
		}
	}
	w.clean()
}
