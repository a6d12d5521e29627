package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
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
	w.click(decision+" .ask button[data-action=approve]", "Approve")
	w.shows("candor-turn .answer", "That was it.")
	w.clean()
}
