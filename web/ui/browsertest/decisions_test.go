package page_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"candor/session"
)

func TestAPersonDecidesWhatTheAgentIsNotSureOf(t *testing.T) {
	u := startUnsure(t)
	u.asks(1, "ship it tonight", "two of three checks agree")
	w := window(t).open(u.server, "ann")
	w.showTurn(u.server, u.thread, 1)
	w.shows(".ask-why", "The agent is 40\u00a0% sure of this; below 70\u00a0% a person decides.")
	w.shows(".sure[data-low]", "40\u00a0% sure")
	w.shows(".decided", "would decide: ship it tonight")
	w.shows(".tool", "decision")
	w.shows(".headline", "1 call needs your answer")
	w.click(".ask button", "Approve")
	w.shows(".decided", "decided: ship it tonight")
	w.shows(".facts", "confirmed by a person")
	w.shows(".outcome", "decided")

	u.asks(2, "ship it at once", "one check agrees")
	w.showTurn(u.server, u.thread, 2)
	turn := "candor-turn[data-turn='2'] "
	w.shows(turn+".ask-why", "40\u00a0% sure")
	w.decideOtherwise(2, "hold it <b>back</b>")
	w.shows(turn+".ask button", "Decide this instead")
	w.press("Tab", "Enter")
	w.shows(turn+".decided", "decided: hold it <b>back</b>")
	w.shows(turn+".decided .instead", "The agent would have decided: ship it at once")
	w.shows(turn+".facts", "decided by a person")

	u.asks(3, "ship all of it", "no check agrees")
	w.showTurn(u.server, u.thread, 3)
	turn = "candor-turn[data-turn='3'] "
	w.click(turn+".ask button", "Deny")
	w.shows(turn+".decided", "would have decided: ship all of it")
	w.shows(turn+".facts", "denied by a person")
	w.run(chromedp.Reload())
	w.shows(turn+".decided", "would have decided: ship all of it")
	w.run(chromedp.Navigate(fmt.Sprintf("%s/#t=%s&turn=2&d=call_2", u.server.url, u.thread)))
	w.shows("candor-turn[data-turn='2'] .decided .instead", "ship it at once")
	w.clean()
}

// The same with the loop itself, which asks a model how sure it is.
func TestAPersonIsAskedWhereTheModelIsNotSure(t *testing.T) {
	s := startServer(t, "--confidence", "--confidence-threshold", "0.6")
	unsure := map[string]any{"decision": "ship it tonight", "confidence": 0.4}
	s.on("What now?",
		reply{Calls: []call{{"decide", unsure, "two of three checks agree"}}}, reply{Text: "So be it."})
	s.on("Look.",
		reply{Calls: []call{{"look", map[string]any{"say": "it", "confidence": 0.3}, "it may help"}}},
		reply{Text: "I looked."})
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	w.send("What now?")
	turn := "candor-turn[data-turn='1'] "
	w.shows(turn+".ask-why", "The agent is 40\u00a0% sure of this; below 60\u00a0% a person decides.")
	w.focus(turn + ".another textarea")
	w.write("hold it")
	w.click(turn+".ask button", "Decide this instead")
	w.shows(turn+".decided", "decided: hold it")
	w.shows(turn+".facts", "decided by a person")
	w.shows(turn+".answer", "So be it.")
	w.click(turn+".more", "decision")
	w.shows(turn+".details .pairs", "person")

	w.send("Look.")
	turn = "candor-turn[data-turn='2'] "
	w.shows(turn+".ask-why", "30\u00a0% sure")
	w.shows(turn+".ask-line", "May it run?")
	w.until("there is nothing else to decide", `!document.querySelector(%s)`, turn+".another")
	w.click(turn+".ask button", "Approve")
	w.shows(turn+".facts", "approved")
	w.shows(turn+".sure[data-low]", "30\u00a0% sure")
	w.clean()
}

func TestACallSaysHowSureTheAgentWas(t *testing.T) {
	u := startUnsure(t)
	ref := u.begin("Look at the disk.", session.Workflow{})
	for i, c := range []session.Confidence{
		{Stated: 0.62, Threshold: 0.5}, {Stated: 0.699, Threshold: 0.7},
		{Stated: 0.3, Threshold: 0.7, Suppressed: true},
	} {
		id := fmt.Sprintf("call_%d", i+1)
		u.record(ref, session.ToolCalled{
			Step: 1, Call: id, Tool: clean("disk"), Rationale: session.Fallback(), Confidence: &c,
		}, session.ToolReturned{Call: id, Outcome: session.Success, Result: cleanJSON("9 GB")})
	}
	u.record(ref, session.StepEnded{Step: 1}, session.TurnCompleted{Response: clean("It is full.")})
	w := window(t).open(u.server, "ann")
	w.showTurn(u.server, u.thread, 1)
	row := func(n int) string { return fmt.Sprintf("candor-decision[data-call=call_%d] .sure", n) }
	w.until("the reasons are open", `!!document.querySelector('candor-decision') ||
		(document.querySelector('.headline')?.click(), false)`)
	w.shows(row(1)+":not([data-low])", "62\u00a0% sure")
	w.shows(row(2)+"[data-low]", "less than 70\u00a0% sure")
	w.shows(row(3)+"[data-low]", "30\u00a0% sure, and nobody was asked")
	w.clean()
}

func TestAReplayLeadsToTheTurnItRepeats(t *testing.T) {
	u := startUnsure(t)
	ref := u.begin("How is it?", session.Workflow{ID: "chat"})
	u.record(ref, session.TurnCompleted{Response: clean("All is well.")})
	again := u.begin("How is it?", session.Workflow{ID: "chat", ReplayOf: session.Ref{Thread: u.thread, Turn: 1}})
	u.record(again, session.TurnCompleted{Response: clean("All is well.")})
	w := window(t).open(u.server, "ann")
	w.showTurn(u.server, u.thread, 2)
	w.shows("candor-turn[data-turn='2'] .run", "a replay of turn 1")
	w.until("a run of the chat says nothing", `document.querySelector("candor-turn[data-turn='1'] .run")?.hidden`)
	w.click("candor-turn[data-turn='2'] .run a", "turn 1")
	w.until("it is shown", `document.querySelector("candor-turn[data-turn='1']").classList.contains('current')`)
	u.begin("x", session.Workflow{ID: "conformance-noop"})
	w.shows("candor-turn[data-turn='3'] .run", "a run of conformance-noop")
	w.clean()
}

func TestWordsOfADecisionAreShownAndNeverRun(t *testing.T) {
	u := startUnsure(t)
	u.asks(1, "plain", "plain")
	w := hostileWindow(t).open(u.server, "ann")
	w.showTurn(u.server, u.thread, 1)
	w.shows(".ask-why", "40")
	elements := foreignElements(w)
	w.click(".ask button", "Approve")
	for i := range payloads {
		if i%6 != 0 {
			continue
		}
		turn := i/6 + 2
		u.asks(turn, payloads[i], payloads[i])
		w.showTurn(u.server, u.thread, turn)
		detail := u.do("ann", "GET", fmt.Sprintf("/api/chat/turn?thread_id=%s&turn=%d", u.thread, turn), nil)
		d := detail["reasoning"].(map[string]any)["tool_decisions"].([]any)[0].(map[string]any)
		w.showsText(turn, shownText{".decided", d["decision"].(string)})
		this := fmt.Sprintf("candor-turn[data-turn='%d'] ", turn)
		w.decideOtherwise(turn, payloads[i])
		w.click(this+".ask button", "Decide this instead")
		w.shows(this+".facts", "decided by a person")
		w.showsText(turn, shownText{".instead", d["decision"].(string)})
	}
	w.requireInert(u.server, elements)
}

func TestTheScreensOfDecisionsAreAccessible(t *testing.T) {
	source, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser installs axe-core")
	u := startUnsure(t)
	why := "Two of the three checks agree, and the third has not run since the schema was changed."
	long := strings.Repeat("ship it to the hosts of every region, one after another; ", 12)
	u.asks(1, "Ship release 214 to all hosts tonight.", why)
	_, err = u.Answer(t.Context(), "ann", "ask-call_1", session.Approve, json.RawMessage(`"Hold it until Monday."`))
	require.NoError(t, err)
	w := session.Workflow{ID: "chat", ReplayOf: session.Ref{Thread: u.thread, Turn: 1}}
	u.record(u.begin("What shall become of release 1?", w), session.TurnCompleted{Response: clean("Settled.")})
	u.asks(3, long, why)
	for _, look := range []struct {
		theme string
		width int64
	}{{"light", 1440}, {"dark", 1280}, {"light", 390}, {"dark", 390}} {
		w := window(t)
		w.bypassPolicy()
		w.theme(look.theme)
		w.run(chromedp.EmulateViewport(look.width, 900))
		w.open(u.server, "ann")
		w.showTurn(u.server, u.thread, 3)
		w.shows(".ask-why", "40")
		name := fmt.Sprintf("%d px, %s", look.width, look.theme)
		w.requireAccessible(string(source), "a question, "+name)
		w.until("nothing is cut off to the side", `document.documentElement.scrollWidth <= innerWidth`)
		w.picture(fmt.Sprintf("question-%d-%s.png", look.width, look.theme))
		w.showTurn(u.server, u.thread, 1)
		w.until("the reasons are open", `!!document.querySelector("candor-turn[data-turn='1'] candor-decision") ||
			(document.querySelector("candor-turn[data-turn='1'] .headline")?.click(), false)`)
		w.shows(".instead", "Ship release 214")
		w.requireAccessible(string(source), "a decision, "+name)
		w.picture(fmt.Sprintf("decision-%d-%s.png", look.width, look.theme))
	}
}

// decideOtherwise writes another decision into the question of a turn, once the page, which is going there, has gone to
// it: what is written before would lose the focus.
func (w *tab) decideOtherwise(turn int, decision string) {
	w.t.Helper()
	w.until("the page has gone to the turn", `document.querySelector(%s)?.matches('.current')`,
		fmt.Sprintf("candor-turn[data-turn='%d']", turn))
	area := fmt.Sprintf("candor-turn[data-turn='%d'] .another textarea", turn)
	w.until("the field has the words", `(() => {
		const area = document.querySelector(%s), want = %s;
		if (!area || area.value === want) return !!area;
		area.focus();
		area.select();
		document.execCommand('insertText', false, want);
		return false;
	})()`, area, decision)
}

// picture writes what is shown into the folder of the screenshots, if there is one.
func (w *tab) picture(name string) {
	if *screenshots == "" {
		return
	}
	w.settle()
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	require.NoError(w.t, err)
	require.NoError(w.t, os.WriteFile(filepath.Join(*screenshots, name), png, 0o644))
}
