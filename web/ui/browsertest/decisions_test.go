package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/problem"
	"candor/web/ui"
)

// unsure is a server whose log a test fills: an agent that is not sure, and a person who decides.
// As the server's loop it records what the person answers.
type unsure struct {
	web.Chat
	*server
	own    *session.Session
	thread string
}

func startUnsure(t *testing.T) *unsure {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", tokenOf("ann"))
	store := session.NewMemory(nil)
	u := &unsure{server: &server{t: t}}
	api := web.New(web.Options{
		Chat: u, Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler), Page: ui.Handler(),
	})
	for _, list := range []string{"jobs", "mew/spaces"} { // of which there are none
		api.Mount(web.Route{
			Method: http.MethodGet, Path: "/api/" + list,
			Serve: func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
				none := map[string]any{filepath.Base(list): []string{}}
				return problem.WriteJSON(w, r, http.StatusOK, none)
			},
		})
	}
	srv := httptest.NewServer(api)
	t.Cleanup(func() {
		require.NoError(t, store.Close()) // ends the streams
		srv.Close()
	})
	u.server.url = srv.URL
	var err error
	u.own, err = store.Open(t.Context(), "ann")
	require.NoError(t, err)
	opened, err := u.own.OpenThread()
	require.NoError(t, err)
	u.thread = opened.Thread
	return u
}

// begin begins a turn of a message.
func (u *unsure) begin(message string, w session.Workflow) session.Ref {
	u.t.Helper()
	e, err := u.own.AcceptRun(u.thread, clean(message), nil, w)
	require.NoError(u.t, err)
	return e.Ref
}

// record adds facts to the log.
func (u *unsure) record(ref session.Ref, bodies ...session.Body) {
	u.t.Helper()
	for _, b := range bodies {
		_, err := u.own.Append(ref, b)
		require.NoError(u.t, err)
	}
}

// Answer implements web.Chat.
func (u *unsure) Answer(
	_ context.Context, _, request string, answer session.Answer, value json.RawMessage,
) (session.Ref, error) {
	call, number := strings.TrimPrefix(request, "ask-"), 0
	_, _ = fmt.Sscanf(call, "call_%d", &number)
	ref := session.Ref{Thread: u.thread, Turn: number}
	said, _ := safety.NewLayer().CleanJSON(value)
	done := session.ToolReturned{Call: call, Outcome: session.Success, Result: cleanJSON("so be it")}
	if answer == session.Deny {
		done = session.ToolReturned{Call: call, Outcome: session.Rejected, Error: clean("A person denied the call.")}
	}
	u.record(ref,
		session.ApprovalAnswered{Request: request, Call: call, Answer: answer, Value: said}, done,
		session.StepEnded{Step: 1}, session.TurnCompleted{Response: clean("That is settled.")})
	return ref, nil
}

// asks begins the turn of this number, in which the agent asks about a decision of which it is 40 % sure.
func (u *unsure) asks(turn int, decision, why string) session.Ref {
	u.t.Helper()
	ref := u.begin(fmt.Sprintf("What shall become of release %d?", turn), session.Workflow{})
	require.Equal(u.t, turn, ref.Turn)
	params, call := cleanJSON(map[string]any{"decision": decision}), fmt.Sprintf("call_%d", turn)
	u.record(ref,
		session.ToolCalled{
			Step: 1, Call: call, Tool: clean("decide"), Params: params, Decides: true,
			Rationale:  session.Rationale{Text: clean(why), Source: session.FromModel},
			Confidence: &session.Confidence{Stated: 0.4, Threshold: 0.7},
		},
		session.ApprovalAsked{
			Request: "ask-" + call, Call: call, Description: clean("Records a decision."), Shown: params,
			LowConfidence: true,
		})
	return ref
}

func clean(text string) safety.Text {
	out, _ := safety.NewLayer().Clean(text)
	return out
}

func cleanJSON(v any) safety.JSON {
	raw, err := json.Marshal(v)
	if err != nil {
		return safety.JSON{}
	}
	out, _ := safety.NewLayer().CleanJSON(raw)
	return out
}

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
	eval[bool](w, `(document.querySelector(%s).focus(), true)`, turn+".another textarea")
	w.write("hold it")
	w.click(turn+".ask button", "Decide this instead")
	w.shows(turn+".decided", "decided: hold it")
	w.shows(turn+".facts", "decided by a person")
	w.shows(turn+".answer", "So be it.")
	w.click(turn+".more", "Parameters and result")
	w.shows(turn+".details", `"by": "person"`)

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

// decideOtherwise writes another decision into the question of a turn that the page has gone to.
func (w *tab) decideOtherwise(turn int, decision string) {
	w.t.Helper()
	this := fmt.Sprintf("candor-turn[data-turn='%d']", turn)
	w.until("the page has gone to the turn", `document.activeElement === document.querySelector(%s)`, this)
	eval[bool](w, `(document.querySelector(%s).focus(), true)`, this+" .another textarea")
	w.write(decision)
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
