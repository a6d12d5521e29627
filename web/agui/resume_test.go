package agui_test

import (
	"net/http"
	"strings"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asking is a script whose turn waits for a person twice over.
var asking = m{
	"steps": []m{calling("Two things.", callOf("deploy", "as asked", m{}), callOf("wipe", "as asked", m{})),
		answering("Done.")},
	"tools": m{"deploy": m{"result": "deployed", "approval": "ask"}, "wipe": m{"result": "wiped",
		"approval": "always"}},
}

// interrupted runs a turn until it asks, and gives the ids of its questions.
func interrupted(t *testing.T, s *apptest.Server) (first, second string) {
	t.Helper()
	events, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	open := events[len(events)-1]["outcome"].(m)["interrupts"].([]any)
	require.Len(t, open, 2)
	return open[0].(m)["id"].(string), open[1].(m)["id"].(string)
}

// resumed answers questions and gives the reply.
func resumed(s *apptest.Server, run string, answers ...m) apptest.Reply {
	return s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": run, "messages": []m{}, "resume": answers}))
}

func yes(id string) m { return m{"interruptId": id, "status": "resolved"} }

// A person may have answered on the page meanwhile, and the turn may be over: the run
// that comes back for it shows what has happened since.
func TestAResumeShowsWhatHappenedSinceTheInterrupt(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, asking)
	first, second := interrupted(t, s)
	for _, id := range []string{first, second} {
		r := s.Do("ann", http.MethodPost, "/api/chat/approval", `{"request_id":"`+id+`","action":"approve"}`)
		require.Equal(t, http.StatusAccepted, r.Status, r.Body)
	}
	apptest.Eventually(t, "the turn is over", func() bool {
		return strings.Contains(s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, `"response":"Done."`)
	})
	events, _ := wire(t, resumed(s, "r2", yes(first), yes(second)).Body)
	all := strings.Join(typesOf(events), " ")
	assert.Equal(t, 2, strings.Count(all, "TOOL_CALL_RESULT"), all)
	assert.True(t, strings.HasSuffix(all, "TEXT_MESSAGE_END RUN_FINISHED"), all)
}

func TestAResumeIsValidatedBeforeAnyCallIsAnswered(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, asking)
	first, second := interrupted(t, s)
	for _, tt := range []struct {
		name    string
		answers []m
		code    string
		status  int
	}{
		{"one that is not open", []m{yes(first), yes("nothing")}, "no_interrupt", 409},
		{"always, where each call is asked for", []m{yes(first), {"interruptId": second, "status": "resolved",
			"payload": m{"answer": "always"}}}, "not_always", 409},
		{"a payload that says neither", []m{yes(first), {"interruptId": second, "status": "resolved",
			"payload": m{"answer": "maybe"}}}, "bad_payload", 400},
		{"changed arguments, which would not run", []m{yes(first), {"interruptId": second, "status": "resolved",
			"payload": m{"answer": "approve", "arguments": m{"a": 1}}}}, "bad_payload", 400},
		{"changed arguments by the draft's name", []m{yes(first), {"interruptId": second, "status": "resolved",
			"payload": m{"approved": true, "editedArgs": m{"a": 1}}}}, "bad_payload", 400},
		{"a payload of another kind", []m{yes(first), {"interruptId": second, "status": "resolved",
			"payload": m{"edited": m{}}}}, "bad_payload", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := resumed(s, "r2", tt.answers...)
			assert.Equal(t, tt.status, r.Status)
			assert.Equal(t, tt.code, r.JSON()["error"])
		})
	}
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.Equal(t, 2, strings.Count(history, `"request_id"`), "both questions are still open: %s", history)
	foreign := s.Do("bob", http.MethodPost, "/agui", anInput(m{"messages": []m{}, "resume": []m{yes(first)}}))
	assert.Equal(t, http.StatusConflict, foreign.Status, "another user's question is none")

	events, _ := wire(t, resumed(s, "r3", m{"interruptId": first, "status": "resolved", "payload": "always"},
		yes(second)).Body)
	assert.Contains(t, typesOf(events), "TEXT_MESSAGE_CONTENT")
}

func TestALoginCookieIsAcceptedForAGUI(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{"steps": []m{answering("Hello.")}})
	asPage, _, _ := s.LogIn("ann")
	with := func(site string) func(*http.Request) {
		return func(r *http.Request) {
			asPage(r)
			r.Header.Set("Sec-Fetch-Site", site)
		}
	}
	ours := s.Do("ann", http.MethodPost, "/agui", anInput(nil), with("same-origin"))
	assert.Contains(t, ours.Body, "RUN_FINISHED")
	theirs := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2"}), with("cross-site"))
	assert.Equal(t, http.StatusForbidden, theirs.Status)
}

func TestCapabilitiesSayWhatTheAgentDoes(t *testing.T) {
	script := m{"steps": []m{answering("Done.")}}
	alone := apptest.Start(t, app.Settings{}, script).Do("ann", http.MethodGet, "/agui/capabilities", "").JSON()
	assert.Equal(t, m{"supported": false, "delegation": false, "handoffs": false}, alone["multiAgent"])
	assert.Equal(t, m{"supported": true, "streaming": false, "encrypted": false}, alone["reasoning"],
		"texts are sent whole, and can be read")
	assert.Equal(t, m{"snapshots": true, "deltas": false, "memory": true, "persistentState": false},
		alone["state"], "memory_search finds notes of other threads")
	assert.Equal(t, m{"streaming": true, "websocket": false, "httpBinary": false, "pushNotifications": false,
		"resumable": true}, alone["transport"])

	script["agents"] = m{"helper": m{"steps": []m{answering("I looked.")}}}
	team := apptest.Start(t, app.Settings{Reasoning: "hidden"}, script)
	c := team.Do("ann", http.MethodGet, "/agui/capabilities", "").JSON()
	assert.Equal(t, m{"supported": true, "delegation": true, "handoffs": false}, c["multiAgent"])
	assert.Equal(t, m{"supported": false, "streaming": false, "encrypted": true}, c["reasoning"])
}

func TestCapabilitiesListToolsAndTheReasoningLevel(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, asking)
	c := s.Do("ann", http.MethodGet, "/agui/capabilities", "").JSON()
	assert.Equal(t, true, c["tools"].(m)["clientProvided"])
	assert.Equal(t, true, c["humanInTheLoop"].(m)["interrupts"])
	assert.Equal(t, "full", c["custom"].(m)["candor:reasoning"])
	names := []any{}
	for _, tool := range c["tools"].(m)["items"].([]any) {
		names = append(names, tool.(m)["name"])
	}
	assert.Contains(t, names, "deploy")
	assert.Equal(t, http.StatusUnauthorized, s.Do("nobody", http.MethodGet, "/agui/capabilities", "").Status)
}

// What a person decides on an interrupt reaches the call, and the log says whose decision it is.
func TestAPersonDecidesOtherwiseOnAnInterrupt(t *testing.T) {
	var settings app.Settings
	settings.Model.Confidence.Ask = true
	s := apptest.Start(t, settings, m{"steps": []m{
		calling("", callOf("decide", "two checks agree", m{"decision": "ship it", "confidence": 0.4})),
		answering("Done."),
	}})
	events, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	interrupt := events[len(events)-1]["outcome"].(m)["interrupts"].([]any)[0].(m)
	assert.Contains(t, interrupt["message"], "The agent is 40 % sure of this; below 70 % a person decides.")
	assert.Equal(t, m{"stated": 0.4, "threshold": 0.7}, interrupt["metadata"].(m)["candor:confidence"])
	answer := yes(interrupt["id"].(string))
	answer["payload"] = m{"answer": "approve", "value": "hold it"}
	reply := resumed(s, "r2", answer)
	assert.Contains(t, reply.Body, `{\"decision\":\"hold it\",\"by\":\"person\"}`)
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.Contains(t, history, `"approval_value":"hold it"`)
	assert.Contains(t, history, `"decides":true,"decision":"ship it"`)
}
