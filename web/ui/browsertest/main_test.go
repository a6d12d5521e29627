// Package page_test uses the page as people do: a real browser shows what the real
// program serves, and the tests read the result from the browser. The model and the
// tools are fakes (model_test.go, tools_test.go) that hold a turn wherever a test wants
// to look at it.
//
// The tests find things by these hooks, which the page keeps stable:
//
//	#rail #find #lists #threads #jobs
//	    the left side; rows are li.live, li.unread with a[aria-current=page]
//	#main #title #tab-turns #tab-timeline
//	    the bar
//	.row-menu, candor-undo button
//	    the menu of a row of the left side; takes back a deletion
//	candor-begun
//	    what has begun elsewhere, and the way there
//	#link[data-state=connecting|live|lost|resumed|reset]
//	    the state of the event stream
//	#stream #timeline #latest #message #send #stop
//	    the middle
//	candor-waiting li
//	    a message that waits for the server
//	candor-turn[data-turn][data-state]
//	    .user, .headline[aria-expanded], .step[data-agent], .narrative, .answer
//	#spaces h2, .take-part, .asker, .because, .conclusion, .aside[data-kind], .late-notes
//	    the participants of spaces, and what only their turns have
//	candor-decision[data-call][data-outcome]
//	    .tool, .to, .why, .source[data-source], .chip, .outcome, .took, .more[aria-expanded], .details
//	[data-action=approve|always|deny]
//	    the answers to an approval
//	candor-agent[data-agent]
//	    a sub-agent below its call
//	candor-timeline li[data-call] .tl-row[aria-current], .tl-pick
//	    a row of the waterfall, and the foot that shows the chosen one whole
//	candor-diff [data-kind=same|changed|added|removed]
//	    a pair of calls, or a line of equal ones; del and ins mark the words that differ
//	#search #results .heard, .hit, .facet[data-facet][data-value][aria-pressed]
//	    the search: its field, what it found, and a choice
//	#menu [role^=menuitem], #dialog, #status, #signin #token
package page_test

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

// once is the test that goes once through everything. It is all that go test -short runs.
const once = "TestAPersonSignsInWatchesDeniesAndSearches"

func run(m *testing.M) int {
	flag.Parse()
	if chosen := flag.Lookup("test.run"); testing.Short() && chosen.Value.String() == "" {
		_ = chosen.Value.Set("^" + once + "$") // a pattern that compiles
	}
	defer closeBrowser()
	return m.Run()
}
