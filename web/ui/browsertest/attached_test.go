package page_test

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// hook posts what a hook of Claude Code posts.
func (s *server) hook(event string, more map[string]any) {
	s.t.Helper()
	payload := map[string]any{
		"hook_event_name": event, "session_id": "s1", "prompt_id": "p1", "cwd": "/home/ann/work/billing",
	}
	maps.Copy(payload, more)
	s.do("ann", http.MethodPost, "/api/hooks/claude", payload)
}

// bash is a call of the shell with what the model wrote about it.
func bash(id, command, description string) map[string]any {
	return map[string]any{"tool_name": "Bash", "tool_use_id": id,
		"tool_input": map[string]any{"command": command, "description": description}}
}

// listsAreThere waits until the page knows that there are no conversations and jobs: what comes then has begun.
func (w *tab) listsAreThere() {
	w.t.Helper()
	w.shows("#rail", "None yet. Ask something")
	w.shows("#rail", "None yet. Your agents’ work")
}

// with returns both maps as one.
func with(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func TestAnAgentOfAnotherProgramIsWatchedAsItWorks(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.listsAreThere()
	s.hook("UserPromptSubmit", map[string]any{"prompt": "The invoice totals test fails since Tuesday, please fix it"})
	w.shows("#spaces h2", "Watched agents")
	w.shows("#title", "Claude Code · billing")
	w.shows("candor-turn .user", "The invoice totals test fails since Tuesday, please fix it")
	w.until("nobody can write to it", `document.querySelector('#composer').hidden`)

	s.hook("MessageDisplay", map[string]any{"delta": "Let me look at the failing test first."})
	test := bash("toolu_1", "go test ./internal/invoice -run Totals", "Run the one test to see its own message")
	s.hook("PreToolUse", test)
	w.shows("candor-decision .tool", "Bash")
	w.shows("candor-decision .object", "go test ./internal/invoice -run Totals")
	w.shows("candor-decision .why", "No reason given")
	w.shows("candor-decision .source", "what it does: Run the one test to see its own message")
	w.shows(".narrative", "Let me look at the failing test first.")
	s.hook("PostToolUseFailure", with(test, map[string]any{"error": "Exit code 1\nFAIL", "duration_ms": 12100}))
	w.shows("candor-decision[data-outcome=error] .took", "12")
	s.hook("MessageDisplay", map[string]any{"delta": "I'll read the package and check who uses the rates file."})
	find := bash("toolu_3", "rg -n legacy_rates .", "Find every reader of the rates file before deleting it")
	read := map[string]any{
		"tool_name": "Read", "tool_use_id": "toolu_2", "tool_input": map[string]any{"file_path": "totals.go"},
	}
	s.hook("PreToolUse", read)
	s.hook("PreToolUse", find)
	s.hook("PostToolUse", with(read, map[string]any{"tool_response": "611 lines", "duration_ms": 88}))
	matches := map[string]any{"stdout": "3 matches"}
	s.hook("PostToolUse", with(find, map[string]any{"tool_response": matches, "duration_ms": 402}))
	s.hook("PostToolBatch", map[string]any{"tool_calls": []any{
		map[string]any{"tool_use_id": "toolu_2"}, map[string]any{"tool_use_id": "toolu_3"},
	}})
	w.shows(".step[data-step='2']", "2 in parallel")
	w.shows("candor-attached .head", "hooks")
	w.shows("candor-attached .coverage", "reasons for 0 of 3 calls shown")
	w.until("while the turn goes on reasons may come",
		`document.querySelector('candor-attached .dim').textContent === ''`)
	w.clickNow("candor-decision[data-outcome=error] .act")
	w.shows("candor-decision .provenance", "not reported")
	w.shows("candor-decision .provenance", "12 s")
	w.picture("attached.png")
	s.hook("Stop", map[string]any{"last_assistant_message": "Fixed: it rounds **once** now."})
	w.shows("candor-turn .answer", "Fixed: it rounds once now.")
	w.shows("candor-turn .headline", "Worked")
	w.shows("candor-attached .dim", "None of these calls has a reason")
	w.shows("candor-attached .dim code", "candor attach claude --ask-reasons")
	w.shows("candor-attached .dim code", "candor attach claude --thinking")
	w.run(chromedp.Reload())
	w.shows("candor-turn .answer", "Fixed: it rounds once now.")
	w.shows("candor-attached .head", "/home/ann/work/billing")
	w.shows("candor-attached .coverage", "the model’s own words before 3 (0 by reason, 3 by text, 0 by thought)")
	w.clean()
}

// A session that is imported keeps the times at which it was, since nobody would look for it at those of the import.
func TestASessionOfTheSpringIsShownAtItsOwnTime(t *testing.T) {
	s := startServer(t)
	for _, fact := range []map[string]any{
		{"at": "2026-04-02T12:30:00Z", "prompted": map[string]any{"text": "Which port is it?"}},
		{"at": "2026-04-02T12:30:40Z", "ended": map[string]any{"answer": "It is 8080."}},
	} {
		s.do("ann", http.MethodPost, "/api/attached",
			with(fact, map[string]any{"agent": "claude", "session": "s1", "channel": "file", "turn": "p1"}))
	}
	w := window(t).open(s, "ann")
	w.click("#spaces a", "Claude Code")
	w.shows("candor-turn .answer", "It is 8080.")
	w.until("the time is that of the session",
		`document.querySelector('candor-turn time').dateTime.startsWith('2026-04-02')`)
	w.clean()
}

// Nobody is told a wrong thing about what happens without an answer: another program then asks its own user or goes on.
func TestAQuestionOfAnAgentOfAnotherProgramIsAnsweredOnThePage(t *testing.T) {
	s := startServer(t)
	w := window(t).open(s, "ann")
	w.listsAreThere()
	s.hook("UserPromptSubmit", map[string]any{"prompt": "Clean up the rates"})
	w.shows("#title", "Claude Code · billing") // the first of an empty page opens by itself
	remove := bash("toolu_1", "rm config/legacy_rates.yaml", "Delete the rates file")
	s.hook("PreToolUse", remove)
	reply := make(chan map[string]any, 1)
	payload := with(remove, map[string]any{
		"hook_event_name": "PreToolUse", "session_id": "s1", "prompt_id": "p1", "cwd": "/home/ann/work/billing",
	})
	go func() { reply <- s.do("ann", http.MethodPost, "/api/hooks/claude/ask", payload) }()
	w.shows(decision+" .ask", "Delete the rates file")
	w.shows(decision+" .ask .left", "left, then its own program decides.")
	w.click(decision+" .ask button", "Approve")
	got := fmt.Sprint(<-reply)
	assert.Contains(t, got, "permissionDecision:allow")
	w.gone(decision, "May it run?")
	w.clean()
}

// An imported session that stopped in the middle does not go on for ever.
func TestATurnWithoutAnEndDoesNotGoOnForEver(t *testing.T) {
	s := startServer(t)
	at := func(minutes int) string {
		return time.Now().Add(time.Duration(minutes) * time.Minute).UTC().Format(time.RFC3339)
	}
	tell := func(session string, facts ...map[string]any) {
		for _, fact := range facts {
			s.do("ann", http.MethodPost, "/api/attached",
				with(fact, map[string]any{"agent": "claude", "session": session, "channel": "file", "turn": "p1"}))
		}
	}
	call := map[string]any{"tool": "Bash", "params": map[string]any{"command": "go test ./..."}}
	tell("s1", map[string]any{"at": at(-180), "prompted": map[string]any{"text": "Which port is it?"}},
		map[string]any{"at": at(-179), "call": "c1", "called": call})
	w := window(t).open(s, "ann")
	w.click("#spaces a", "Which port is it?")
	w.shows("candor-turn .headline", "No end reported")
	w.shows("candor-turn .headline", "last heard 3 h ago")
	w.shows(decision+" .outcome", "no result seen")
	w.until("nothing says that it goes on", `!document.querySelector('#spaces .live, .channel[data-live=true]')
		&& !document.querySelector('candor-turn .spin')?.checkVisibility()
		&& !document.querySelector('candor-turn').innerText.includes('Working')`)
	w.picture("quiet.png")
	w.click("#tab-timeline", "Timeline")
	w.shows("#timeline .tl-told", "No end reported")

	tell("s2", map[string]any{"at": at(-2), "prompted": map[string]any{"text": "Which host is it?"}})
	w.shows("#spaces .live a", "Which host is it?")
	w.click("#spaces a", "Which host is it?")
	w.shows("candor-turn .headline", "Working")
	eval[bool](w, `(() => { const now = Date.now; Date.now = () => now() + 11 * 60_000; return true; })()`)
	w.shows("candor-turn .headline", "No end reported")
	w.clean()
}

// Many sessions begin with like words, so each says whose it is, and the one that was heard last is found first.
func TestWatchedAgentsAreListedByTimeWithTheirProgramsAndServers(t *testing.T) {
	s := startServer(t)
	tell := func(agent, session, channel string, facts ...map[string]any) {
		for _, fact := range facts {
			s.do("ann", http.MethodPost, "/api/attached", with(fact, map[string]any{
				"agent": agent, "session": session, "channel": channel, "turn": "1", "at": time.Now()}))
		}
	}
	asked := map[string]any{"prompted": map[string]any{"text": "Which port does the billing service listen on?"}}
	done := map[string]any{"ended": map[string]any{}}
	tell("codex", "s1", "file", asked, done)
	tell("claude", "s2", "file", asked, done)
	call := map[string]any{"tool": "read_file", "params": map[string]any{"path": "a.txt"}}
	tell("cursor", "s3", "wrapper", map[string]any{"about": map[string]any{"title": "secure-filesystem-server"}},
		map[string]any{"call": "c1", "called": call},
		map[string]any{"call": "c1", "returned": map[string]any{"result": "x"}}, done)
	w := window(t).open(s, "ann")
	w.shows("#spaces a .name", "secure-filesystem-server")
	w.until("the newest is first, each with its program", `[...document.querySelectorAll('#spaces .program')]
		.map((e) => e.textContent).join() === 'cursor,Claude Code,Codex'`)
	w.click("#spaces a", "secure-filesystem-server")
	w.shows("candor-turn .user", "Calls through secure-filesystem-server")
	w.shows(decision+" .tool", "read_file")
	w.until("the turn ended", `document.querySelector('candor-turn').dataset.state === 'completed'`)
	assert.Empty(t, w.text("candor-turn .answer"), "nobody hears the answers of a wrapper's client")
	w.picture("watched.png")
	w.click("#spaces li:last-child a", "Which port")
	w.shows("candor-turn .answer", "It ended without an answer.")
	w.clean()
}
