package page_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A person signs in, watches a turn whose reasons arrive before its calls have ended, denies a call, and finds the
// decision by a search.
func TestAPersonSignsInWatchesDeniesAndSearches(t *testing.T) {
	s := startServer(t)
	parallel(s, "how did it go?")
	s.on("empty the cache", callDanger("all of it", "old entries are served"), reply{Text: "Nothing was emptied."})
	w := window(t)
	w.bypassPolicy() // axe is not the page's
	w.open(s, "ann")
	w.until("the code leaves the address", `!location.href.includes('code') && `+composerShown)

	w.send("how did it go?")
	w.shows(decision+"[data-outcome=pending] .why", "a rise in errors would show a break")
	w.shows(decision+"[data-outcome=success] .why", "the log says whether it finished")
	s.open("how did it go?/a", "how did it go?/b")
	w.shows("candor-turn .answer", "It finished at 11:58.")

	w.send("empty the cache")
	w.shows(second+decision+" .why", "old entries are served")
	w.clickNow(second + ".ask button[data-action=deny]")
	w.shows(second+".answer", "Nothing was emptied.")
	w.shows(second+"candor-decision[data-outcome=rejected] .outcome", "denied")

	eval[bool](w, `(document.activeElement?.blur(), true)`)
	w.press("/")
	w.write("old entries")
	w.press("Enter")
	w.searchedFor("old entries")
	w.click("#results .hit", "old entries are served")
	w.shows(second+".why", "old entries are served")
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	w.requireAccessible(string(source), "the decision that was found")
	w.clean()
}
