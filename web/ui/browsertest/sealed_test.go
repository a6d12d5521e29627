package page_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestSealedReasoningIsShownWithItsStep holds that the size is there while the turn runs and afterwards, that the line
// of a closed turn says nothing of it, and that what was sealed never reaches the page.
func TestSealedReasoningIsShownWithItsStep(t *testing.T) {
	s := startServer(t)
	const words = "sealed reasoning · 1.2 kB · only the model’s provider can read it"
	secret := strings.Repeat("c2VhbGVk", 155)
	s.on("look", reply{Sealed: secret, Calls: callLook("seen", "to see").Calls},
		reply{Sealed: secret, Text: "I look again.", Calls: callLook("seen", "to be sure").Calls},
		reply{Sealed: secret, Text: "Seen.", Hold: "answer"})
	w := window(t).open(s, "ann")
	w.send("look")
	w.shows(".step[data-step='1'] candor-sealed", words)
	w.shows(".step[data-step='2'] .narrative", "I look again.")
	w.shows(".step[data-step='2'] candor-sealed", words)
	s.open("answer")
	w.shows("candor-turn .answer", "Seen.")
	w.run(chromedp.Reload())
	w.shows(".step[data-step='1'] candor-sealed", words)
	w.shows(".step[data-step='3'] candor-sealed", words)
	w.until("the closed line says nothing of it", `!document.querySelector('candor-turn .headline').textContent
		.includes('sealed')`)
	w.until("nothing of what was sealed is on the page", `!document.body.innerHTML.includes('c2VhbGVk')`)
	w.clean()
}
