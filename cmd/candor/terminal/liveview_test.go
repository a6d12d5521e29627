package terminal

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// callEvent is an event about a call of the first turn of thread t.
func callEvent(kind, id, tool, outcome string, group int) client.Event {
	e := client.Event{Type: kind, ThreadID: "t", TurnNumber: 1, Name: tool}
	e.CallID, e.Rationale, e.Outcome, e.Source = id, "why "+id, outcome, "model"
	if group >= 0 {
		e.Group = &group
	}
	// Only the end of a call says how long it took.
	if kind == "tool_completed" {
		e.DurationMS = new(int64(54))
	}
	return e
}

// played is what a board printed of some events.
func played(b *board, events ...client.Event) string {
	var out strings.Builder
	for _, e := range events {
		out.WriteString(b.lines(Live{}, e, time.Unix(100, 0)))
	}
	return out.String()
}

// Two calls of a tool are two, three are one. A call that failed is never hidden among those
// that went well, and what is left beside it is folded only if it is enough.
func TestCallsOfOneToolSideBySideAreFolded(t *testing.T) {
	run := func(failed int, ids ...string) string {
		var b board
		var events []client.Event
		for _, id := range ids {
			events = append(events, callEvent("tool_started", id, "read", "", 0))
		}
		for i, id := range ids {
			e := callEvent("tool_completed", id, "read", "success", 0)
			if i == failed {
				e.Outcome, e.Error = "error", "no such file"
			}
			events = append(events, e)
		}
		return played(&b, append(events, client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1})...)
	}
	assert.Equal(t, 2, strings.Count(run(-1, "a", "b"), "✓ read  "), "two stand alone")
	assert.Equal(t, "  ✓ read ×3       why a  (2 more reasons)\n                    54 ms\n", run(-1, "a", "b", "c"))
	assert.Equal(t, "  ✗ read          why b\n                  → no such file  54 ms\n"+
		"  ✓ read ×3       why a  (2 more reasons)\n                    54 ms\n", run(1, "a", "b", "c", "d"),
		"what failed stands outside")
	assert.Equal(t, 2, strings.Count(run(1, "a", "b", "c"), "✓ read  "), "two that are left are not folded")
}

// A fold says nothing that one of its calls did not say: no reason where none was given, and
// no sum of results that are not of one kind.
func TestAFoldSaysWhoseWordsItsReasonIsAndWhatCameBack(t *testing.T) {
	views := []callView{{sign: "✓", why: "no reason given", whyInk: dim, object: "a.go", result: "1 line"},
		{why: "no reason given", whyInk: dim, object: "b.go", result: "1,200 lines"},
		{why: "no reason given", whyInk: dim}}
	v := folded(views[:2], "")
	assert.Equal(t, "no reason given (2 times)", v.why)
	assert.Equal(t, "1,201 lines", v.result)
	assert.Equal(t, "a.go, b.go", v.object)
	views[2].why, views[2].whyInk, views[2].result = "the rule", ownInk, "open"
	v = folded(views, "")
	assert.Equal(t, "the rule", v.why, "the first reason that was given stands for all")
	assert.Equal(t, "all done", v.result, "results of several kinds have no sum")
}

// A call that runs is in the region. It is printed once: when its result is known, when a
// later event shows that none will come, or when its turn ends without it.
func TestACallIsPrintedOnceWhenItHasEnded(t *testing.T) {
	var b board
	ends := callEvent("tool_completed", "a", "read", "success", -1)
	result := client.Event{Type: "tool_result", ThreadID: "t", TurnNumber: 1, Preview: `"12 lines"`}
	result.CallID = "a"
	assert.Empty(t, played(&b, callEvent("tool_started", "a", "read", "", -1)))
	assert.Empty(t, played(&b, callEvent("tool_started", "a", "read", "", -1)), "repeated after a lost connection")
	assert.Contains(t, b.inPlace(Style{}, time.Unix(112, 0)),
		"  ○ read          why a\n\n  ⋯ step 1 · read · 12 s · 0 of ")
	assert.Empty(t, played(&b, ends), "its result is still to come")
	assert.Empty(t, played(&b, result))
	const want = "  ✓ read          why a\n                  → 12 lines  54 ms\n"
	assert.Equal(t, want, played(&b, client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1}))
	assert.Contains(t, played(&b, callEvent("tool_completed", "b", "read", "error", -1)), "✗ read", "begun unseen")
	assert.Empty(t, b.calls)
	played(&b, callEvent("tool_started", "c", "read", "", -1))
	interrupted := client.Event{Type: "status", State: "interrupted", ThreadID: "t", TurnNumber: 1}
	assert.Contains(t, played(&b, interrupted), "  ─ read          why c\n                  → no result seen\n")
}

// The question has shown the reason already. What is new is the answer, whoever gave it.
func TestACallThatAPersonWasAskedAboutSaysTheAnswerAndNotItsReasonAgain(t *testing.T) {
	for answer, want := range map[string]string{"approve": "approved", "deny": "denied by a person",
		"always": "approved, also for the rest of the session", "expired": "nobody approved it in time",
		"withdrawn": "no answer was needed any more"} {
		var b board
		asks, says := callEvent("approval_needed", "a", "rm", "", -1), callEvent("approval_answered", "a", "rm", "", -1)
		says.Answer = client.Answer(answer)
		played(&b, callEvent("tool_started", "a", "rm", "", -1), asks)
		assert.NotContains(t, b.inPlace(Style{}, time.Unix(0, 0)), "why a", "the question shows it")
		out := played(&b, says, callEvent("tool_completed", "a", "rm", "error", -1))
		assert.Contains(t, out, "✗ rm            "+want+"\n")
		assert.NotContains(t, out, "why a")
	}
}

// Nobody knows yet whether a text that is being written is a plan or the answer, so it is not
// printed before its step has ended. Parts may be lost; the step's end has all of the text.
func TestWhatTheModelWritesIsADraftUntilItsStepEnds(t *testing.T) {
	var b board
	part := func(index int, text string) client.Event {
		return client.Event{Type: "step_text", ThreadID: "t", TurnNumber: 1, Index: index, Text: text}
	}
	assert.Empty(t, played(&b, part(0, "I look"), part(1, " first."), part(3, " lost")))
	assert.Contains(t, b.inPlace(Style{}, time.Unix(100, 0)),
		"\nI look first.\n\n  ⋯ step 1 · the model is thinking · ")
	assert.Equal(t, "\n  I look first.\n\n", played(&b, client.Event{Type: "thinking", Message: "I look first.",
		Decision: client.Decision{Step: 1}}))
	assert.NotContains(t, b.inPlace(Style{}, time.Unix(100, 0)), "I look")
	played(&b, part(0, strings.Repeat("a line\n", 100)+"the last"))
	assert.Equal(t, draftLines, strings.Count(b.draft.lines(Style{}), "\n")-1)
	assert.Contains(t, b.draft.lines(Style{}), "the last")
	assert.Equal(t, "\n  Done.\n", played(&b, client.Event{Type: "response", ThreadID: "t", Content: "Done."}))
	assert.Equal(t, "\n  scout: I look.\n\n", played(&b, client.Event{Type: "thinking", Message: "I look.",
		Decision: client.Decision{Step: 1, Agent: "scout"}}))
}

// The step and the time are the last to go: they tell that something happens.
func TestTheFootLeavesOutWhatDoesNotFit(t *testing.T) {
	var b board
	played(&b, client.Event{Type: "thinking", MessageID: "m", ThreadID: "t", TurnNumber: 1},
		callEvent("tool_started", "a", "run_tests", "", -1), callEvent("tool_completed", "a", "run_tests", "error", -1),
		client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1})
	start := callEvent("tool_started", "b", "run_tests", "", -1)
	start.Input = json.RawMessage(`{"command":"go test ./..."}`)
	played(&b, start)
	for width, want := range map[int]string{
		200: `  ⋯ step 2 · run_tests { "command": "go test ./..." } · 12 s · 1 of 2 calls · 1 failed`,
		60:  "  ⋯ step 2 · run_tests · 12 s · 1 of 2 calls · 1 failed",
		50:  "  ⋯ step 2 · run_tests · 12 s · 1/2 · 1 failed", 20: "  ⋯ step 2 · 12 s", 4: "⋯",
	} {
		assert.Equal(t, want+"\n", b.foot(Style{Width: width}, time.Unix(112, 0)), "%d cells", width)
	}
	assert.Contains(t, b.foot(Style{Color: true}, time.Unix(112, 0)), "\x1b[1mstep 2\x1b[0m")
	assert.Contains(t, b.foot(Style{Color: true}, time.Unix(112, 0)), "\x1b[31m1 failed\x1b[0m")
}

// What takes less than a second is told in milliseconds, what takes minutes in none.
func TestTimesAreWrittenAsPeopleReadThem(t *testing.T) {
	for ms, want := range map[int64]string{-1: "", 0: "under 1 ms", 1: "1 ms", 999: "999 ms", 12_400: "12.4 s",
		252_000: "4:12", 3_723_000: "1:02:03"} {
		assert.Equal(t, want, tookMS(ms))
	}
	assert.Equal(t, "12 s", clock(12*time.Second))
}

// Ticks and results are dim, the reason is in the terminal's own color, and red and yellow
// are for what went wrong and what was masked.
func TestOnlyTroubleHasColor(t *testing.T) {
	s := Style{Color: true}
	ok := s.callLines(viewOf(client.Decision{ToolName: "read", Rationale: "to know", Source: "model",
		Outcome: "success"}, client.Call{Preview: `"x"`}))
	assert.Equal(t, "  \x1b[2m✓\x1b[0m \x1b[1mread\x1b[0m          to know\n                  \x1b[2m→ x\x1b[0m\n", ok)
	bad := s.callLines(viewOf(client.Decision{ToolName: "read", Source: "fallback", Outcome: "error"},
		client.Call{Error: "no [REDACTED:api-key]"}))
	assert.Contains(t, bad, "\x1b[31m✗\x1b[0m", "in red")
	assert.Contains(t, bad, "\x1b[2mno reason given\x1b[0m", "nobody's words are dim")
	assert.Contains(t, bad, "\x1b[31m→ no \x1b[0m\x1b[33m[redacted: api-key]\x1b[0m", "what was masked is yellow")
	near := viewOf(client.Decision{Outcome: "success"}, client.Call{ApartMS: 680})
	assert.Equal(t, "~680 ms", near.took, "nobody measured it")
	withheld := viewOf(client.Decision{Blocked: true}, client.Call{})
	assert.Equal(t, "reason withheld: it could not be made safe", withheld.why)
	assert.Contains(t, s.plan("I look first."), "\x1b[3mI look first.\x1b[0m", "a plan is italic")
}

// A region redraws only what it drew, and leaves what a narrower window broke up.
func TestARegionIsRedrawnInPlace(t *testing.T) {
	r := region{text: "one\ntwo\n"}
	assert.Equal(t, "said\none\ntwo\n", r.around("said\n", 80, 24))
	const up = "\x1b[A\x1b[K"
	r.text = "three\n"
	assert.Equal(t, up+up+"more\nthree\n", r.around("more\n", 80, 24))
	assert.Equal(t, "three\n", r.around("", 4, 24), "five cells were drawn; in four they take two rows")
	r.text = strings.Repeat("x\n", 50)
	assert.Equal(t, 20, strings.Count(r.around("", 80, 24), "x"), "no more than the window has rows for")
	r.text = ""
	assert.Equal(t, strings.Repeat(up, 20), r.around("", 80, 24))
	assert.Equal(t, 5, shownWidth("\x1b[31mhello\x1b[0m\n"))
}

// hostileWords are what models, tools and servers may say.
var hostileWords = []string{"plain words in a row", "日本語のとても長い理由です", "\x1b[2J\x1b[31mred\u202e",
	"a\u0301\u0301\u0301",
	"[REDACTED:api-key]", "👩‍👩‍👧", "\r\n\t\x00\x07", "https://example.com/" + strings.Repeat("a/long/path/", 8),
	"**bold** `code` | a | b |", "\u009b31m", "[redacted: x", "- - -", "```", "# x"}

// hostileText returns a few of them.
func hostileText(random *rand.Rand) string {
	var out strings.Builder
	for range random.IntN(12) {
		out.WriteString(hostileWords[random.IntN(len(hostileWords))] + []string{" ", "", "\n"}[random.IntN(3)])
	}
	return out.String()
}

// inks removes our own colors.
var inks = func() *strings.Replacer {
	var pairs []string
	for _, ink := range []string{dim, bold, slanted, italic, cyan, red, green, yellow, dimCyan, "0", "7", underlined,
		red + ";" + underlined, green + ";" + underlined} {
		pairs = append(pairs, "\x1b["+ink+"m", "")
	}
	return strings.NewReplacer(pairs...)
}()

// assertFits checks that every line keeps to the width and has no control byte but ours.
func assertFits(t *testing.T, width int, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		bare := line
		if strings.Contains(line, "\x1b[") {
			bare = inks.Replace(line)
		}
		if cellWidth(bare) > width || strings.ContainsFunc(bare, unicode.IsControl) {
			// An assertion for each line would take most of the time.
			require.FailNow(t, "a line does not fit", "%d of %d cells: %q", cellWidth(bare), width, line)
		}
	}
}

// hostileCall is an event about a call in whose every text there is something hostile.
func hostileCall(random *rand.Rand, kind, id string) client.Event {
	e := callEvent(kind, id, hostileText(random), []string{"success", "error", "rejected"}[random.IntN(3)],
		random.IntN(3)-1)
	if random.IntN(2) == 0 {
		e.Name = "read"
	}
	e.Rationale, e.Error, e.Preview = hostileText(random), hostileText(random), `"x`+hostileText(random)
	e.Decision.Agent = hostileText(random)[:0]
	e.Input, _ = json.Marshal(map[string]string{hostileText(random): hostileText(random)})
	e.Shape = []*client.ResultShape{nil, {Items: new(3), Of: hostileText(random)}, {ExitCode: new(1)}}[random.IntN(3)]
	return e
}

// Whatever is said by whomever: at any width from 50 to 200 no line is wider than the screen,
// no control byte is printed but those of a Style, and no call is left behind by its turn.
func TestNoLineOfALiveTurnIsWiderThanTheScreen(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	// Random, and the same each time.
	for range 200 {
		width := 50 + random.IntN(151)
		l := Live{Style{Color: random.IntN(2) == 0, Width: width}}
		var b board
		for n := range 6 {
			at := time.Unix(int64(n), 0)
			assertFits(t, width, b.lines(l, hostileCall(random, "tool_started", fmt.Sprint(n)), at))
			assertFits(t, width, b.lines(l, client.Event{Type: "step_text", Text: hostileText(random)}, at))
			assertFits(t, width, b.inPlace(l.Style, at.Add(time.Minute)))
			plan := client.Event{Type: "thinking", Message: hostileText(random), Decision: client.Decision{Step: 1}}
			assertFits(t, width, b.lines(l, plan, at))
		}
		for n := range 6 {
			for _, kind := range []string{"tool_completed", "tool_result"} {
				assertFits(t, width, b.lines(l, hostileCall(random, kind, fmt.Sprint(n)), time.Unix(9, 0)))
			}
		}
		assertFits(t, width, b.lines(l, client.Event{Type: "response", ThreadID: "t", TurnNumber: 1,
			Content: hostileText(random)}, time.Unix(9, 0)))
		require.Empty(t, b.calls)
	}
}

func TestAShortTimeTakesAsMuchRoomAsAny(t *testing.T) {
	lines := func(took string) []string {
		shown := Style{Width: 40}.resultLines(callView{object: "internal/invoice/go.mod", result: "7", took: took}, 4)
		return strings.Split(strings.TrimSpace(shown), "\n")
	}
	assert.Len(t, lines("under 1 ms"), 2)
	assert.Len(t, lines("1 ms"), 2, "with less to say of the time there are as many lines")
	assert.Len(t, lines(""), 1)
}
