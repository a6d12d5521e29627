package agui_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// anInput is a RunAgentInput with the members changed that are given.
func anInput(changes m) string {
	in := m{
		"threadId": "theirs", "runId": "r1", "protocolVersion": "1.0", "tools": []m{}, "context": []m{},
		"messages": []m{{"id": "m1", "role": "user", "content": "hello"}},
	}
	for name, value := range changes {
		in[name] = value
	}
	raw, _ := json.Marshal(in)
	return string(raw)
}

func messages(list ...m) m { return m{"messages": list} }

// wire is what an AG-UI stream said: its events, and the ids of ours.
func wire(t *testing.T, body string) (events []m, ids []string) {
	t.Helper()
	for _, block := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		for _, line := range strings.Split(block, "\n") {
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				ids = append(ids, id)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				var e m
				require.NoError(t, json.Unmarshal([]byte(data), &e), data)
				events = append(events, e)
			}
		}
	}
	return events, ids
}

func typesOf(events []m) (list []string) {
	for _, e := range events {
		list = append(list, e["type"].(string))
	}
	return list
}

func TestAnInputThatIsNoneIsAnsweredBeforeAnyStream(t *testing.T) {
	s := apptest.Start(t, app.Settings{SendsPerMinute: 10_000}, m{"steps": []m{answering("Hello.")},
		"tools": m{"clock": m{"result": 1}}})
	secret := apptest.Plant()[3].Text
	long := strings.Repeat("x", 70_000)
	for _, tt := range []struct {
		name, body string
		status     int
		code       string
	}{
		{"not JSON", `{"threadId": ` + secret, 400, "invalid_input"},
		{"nothing", ``, 400, "empty_body"},
		{"an empty object", `{}`, 400, "invalid_input"},
		{"no runId", anInput(m{"runId": nil}), 400, "invalid_input"},
		{"a threadId with a line break", anInput(m{"threadId": "a\nb"}), 400, "invalid_input"},
		{"a threadId without end", anInput(m{"threadId": long}), 400, "invalid_input"},
		{"no messages", anInput(m{"messages": nil}), 400, "invalid_input"},
		{"messages that are none", anInput(m{"messages": "hello"}), 400, "invalid_input"},
		{"a role that is none", anInput(messages(m{"id": "1", "role": secret, "content": "x"})), 400, "invalid_input"},
		{"a message without an id", anInput(messages(m{"role": "user", "content": "x"})), 400, "invalid_input"},
		{"a message without content", anInput(messages(m{"id": "1", "role": "user"})), 400, "invalid_input"},
		{"content of no form", anInput(messages(m{"id": "1", "role": "user", "content": 7})), 400, "invalid_input"},
		{"a part of no type", anInput(messages(m{"id": "1", "role": "user", "content": []m{{"type": secret}}})), 400,
			"invalid_input"},
		{"blank words", anInput(messages(m{"id": "1", "role": "user", "content": " \n"})), 400, "empty_content"},
		{"nothing new", anInput(messages(m{"id": "1", "role": "assistant", "content": "x"})), 400, "nothing_new"},
		{"no message at all", anInput(messages()), 400, "invalid_input"},
		{"a result that nobody waits for", anInput(messages(m{"id": "1", "role": "tool", "toolCallId": "turn_1_call_1",
			"content": "x"})), 400, "nothing_new"},
		{"a tool without a name", anInput(m{"tools": []m{{"name": ""}}}), 400, "invalid_input"},
		{"a tool of a strange name", anInput(m{"tools": []m{{"name": "a b"}}}), 400, "invalid_input"},
		{"a tool with the name of one of ours", anInput(m{"tools": []m{{"name": "clock", "description": "x"}}}), 400,
			"bad_tool"},
		{"two tools of one name", anInput(m{"tools": []m{{"name": "mine"}, {"name": "mine"}}}), 400, "bad_tool"},
		{"parameters that are no schema", anInput(m{"tools": []m{{"name": "mine", "parameters": m{"type": 7}}}}), 400,
			"bad_tool"},
		{"parameters that are no object", anInput(m{"tools": []m{{"name": "mine", "parameters": m{"type": "array"}}}}),
			400, "bad_tool"},
		{"a schema without end", anInput(m{"tools": []m{{"name": "mine", "parameters": m{"description": long}}}}), 400,
			"invalid_input"},
		{"a context without end", anInput(m{"context": []m{{"description": "x", "value": long}}}), 400,
			"invalid_input"},
		{"an interrupt that is not open", anInput(m{"resume": []m{{"interruptId": secret, "status": "resolved"}}}), 409,
			"no_interrupt"},
		{"a resume of no status", anInput(m{"resume": []m{{"interruptId": "x", "status": "maybe"}}}), 400,
			"invalid_input"},
		{"a level that is none", anInput(m{"forwardedProps": m{"reasoning": "some"}}), 400, "invalid_input"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.Do("ann", http.MethodPost, "/agui", tt.body)
			assert.Equal(t, tt.status, r.Status, r.Body)
			assert.Equal(t, tt.code, r.JSON()["error"])
			assert.Contains(t, r.Header.Get("Content-Type"), "application/json")
			apptest.AssertAbsent(t, secret, "the answer", r.Body)
		})
	}
	plain := s.Do("ann", http.MethodPost, "/agui", anInput(nil), func(r *http.Request) {
		r.Header.Set("Content-Type",
			"text/plain")
	})
	assert.Equal(t, http.StatusUnsupportedMediaType, plain.Status)
	nobody := s.Do("nobody", http.MethodPost, "/agui", anInput(nil))
	assert.Equal(t, http.StatusUnauthorized, nobody.Status)
	assert.Equal(t, http.StatusRequestEntityTooLarge, s.Do("ann", http.MethodPost, "/agui",
		strings.Repeat(" ", 9<<20)).Status)
	assert.Equal(t, http.StatusNotFound, s.Do("ann", http.MethodGet, "/agui/threads/none/events", "").Status)
	threads := s.Do("ann", http.MethodGet, "/api/chat/threads", "").Body
	assert.Contains(t, threads, `"threads":[]`, "nothing was half done")
	apptest.AssertAbsent(t, secret, "the logs", s.Logs.String())
}

func TestWhatAnInputMayHoldBesidesIsTaken(t *testing.T) {
	th := &thinker{}
	model := httptest.NewServer(th)
	defer model.Close()
	t.Setenv(app.OpenAIBaseEnv, model.URL+"/v1")
	s := apptest.StartModel(t, app.Settings{Model: app.ModelSettings{Provider: "openai", Name: "m"}})
	r := s.Do("ann", http.MethodPost, "/agui", anInput(m{
		"state": m{"page": "settings"}, "context": []m{{"description": "time zone", "value": "Europe/Zurich"}},
		"forwardedProps": m{"x": 1}, "parentRunId": "r0", "somethingNew": m{"a": []int{1}},
		"messages": []m{
			{"id": "s", "role": "system", "content": "Be brief.", "unknown": true},
			{"id": "u", "role": "user", "content": "My name is Kim."},
			{"id": "a", "role": "assistant", "content": "Hello Kim."},
			{"id": "x", "role": "activity", "activityType": "t", "content": m{}},
			{"id": "m", "role": "user", "content": []m{
				{"type": "text", "text": "Who is this?"},
				{"type": "image", "source": m{"type": "data", "value": "AAAA", "mimeType": "image/png"}},
				{"type": "binary", "mimeType": "image/png", "data": "AAAA"},
			}},
		},
	}))
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	events, _ := wire(t, r.Body)
	assert.Equal(t, "r0", events[0]["parentRunId"])
	assert.Equal(t, "RUN_FINISHED", events[len(events)-1]["type"])
	th.mu.Lock()
	defer th.mu.Unlock()
	for _, shown := range []string{
		"Be brief.", "My name is Kim.", "Hello Kim.", "time zone: Europe/Zurich", `{\"page\":\"settings\"}`, "Who is this?", "1 binary, 1 image",
	} {
		assert.Contains(t, th.bodies[0], shown, "the model is shown it")
	}
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.NotContains(t, history, "Zurich", "what the front end says of itself is not kept")
	assert.Contains(t, history, "Who is this?")
}

func TestAThreadHasOneNameForItsFrontEndAndOneForUs(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{"steps": []m{answering("Hello.")}})
	first, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	ours := first[0]["metadata"].(m)["candor:run"].(m)["thread_id"].(string)
	assert.Equal(t, "theirs", first[0]["threadId"])
	again, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"threadId": ours, "runId": "r2"})).Body)
	assert.Equal(t, ours, again[0]["threadId"], "ours is taken as it is")
	assert.Equal(t, ours, again[0]["metadata"].(m)["candor:run"].(m)["thread_id"])
	assert.EqualValues(t, 2, again[0]["metadata"].(m)["candor:run"].(m)["turn_number"])
	bob, _ := wire(t, s.Do("bob", http.MethodPost, "/agui", anInput(m{"threadId": ours})).Body)
	assert.EqualValues(t, 1, bob[0]["metadata"].(m)["candor:run"].(m)["turn_number"],
		"another user's thread is another")
	assert.NotEqual(t, ours, bob[0]["metadata"].(m)["candor:run"].(m)["thread_id"])
	assert.Contains(t, s.Do("ann", http.MethodGet, "/api/chat/history?thread_id="+ours, "").Body, `"turn_number":2`)
}

// A secret stands in the narrative, the reasons, the arguments, the results, the
// questions and the answer. None of it is in any event, live or replayed.
func TestSecretsReachNoEventOfAGUI(t *testing.T) {
	for _, p := range apptest.Plant() {
		t.Run(p.Kind, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, apptest.Confiding(p))
			run := s.Do("ann", http.MethodPost, "/agui", anInput(m{"state": m{"password": p.Secret}}))
			require.Contains(t, run.Body, `"type":"interrupt"`)
			id := regexp.MustCompile(`"interrupts":\[\{"id":"([^"]+)"`).FindStringSubmatch(run.Body)
			require.Len(t, id, 2)
			rest := s.Do("ann", http.MethodPost, "/agui", anInput(m{
				"runId": "r2", "messages": []m{}, "resume": []m{{"interruptId": id[1], "status": "resolved"}},
			}))
			require.Contains(t, rest.Body, `"TEXT_MESSAGE_CONTENT"`)
			snapshot := s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "")
			require.Contains(t, snapshot.Body, `"MESSAGES_SNAPSHOT"`)
			require.Contains(t, snapshot.Body, `"STATE_SNAPSHOT"`)
			for place, text := range map[string]string{"the run": run.Body, "the run after it": rest.Body,
				"the snapshot": snapshot.Body, "the logs": s.Logs.String()} {
				apptest.AssertAbsent(t, p.Secret, place, text)
			}
		})
	}
}

func TestAThreadIsReplayedFromAnyOfItsEvents(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{
			calling("Both.", callOf("clock", "for the time", m{}), callOf("deploy", "as asked",
				m{})), answering("Done."),
		},
		"tools": m{"clock": m{"result": "12:00"}, "deploy": m{"result": "ok", "approval": "ask"}},
	})
	run, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(nil)).Body)
	open := run[len(run)-1]["outcome"].(m)["interrupts"].([]any)[0].(m)["id"]
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2", "messages": []m{},
		"resume": []m{{"interruptId": open, "status": "resolved"}}}))
	s.Do("bob", http.MethodPost, "/agui", anInput(nil))
	s.Do("bob", http.MethodPost, "/agui/threads/theirs/interrupt", "")

	own := s.Session("ann")
	origin := own.ID()[:8] + "-0"
	whole := s.Do("ann", http.MethodGet, "/agui/threads/theirs/events?after="+origin, "")
	events, ids := wire(t, whole.Body)
	require.Len(t, ids, len(events), "each event has an id")
	assert.Equal(t, "RUN_STARTED", events[0]["type"])
	assert.Equal(t, 2, strings.Count(whole.Body, `"type":"RUN_STARTED"`), "the turn took two runs")
	for i, id := range ids {
		rest, _ := wire(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "", func(r *http.Request) {
			r.Header.Set("Last-Event-ID", id)
		}).Body)
		require.Equal(t, events[i+1:], append([]m{}, rest...), "after %s", id)
	}
	snapshot, _ := wire(t, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events", "").Body)
	assert.Equal(t, []string{"RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}, typesOf(snapshot))
	for place, status := range map[string]int{"nowhere": 400, "ffffffff-1": 410, own.ID()[:8] + "-9999": 410} {
		assert.Equal(t, status, s.Do("ann", http.MethodGet, "/agui/threads/theirs/events?after="+place, "").Status,
			place)
	}
	assert.Equal(t, http.StatusNotFound, s.Do("bob", http.MethodGet, "/agui/threads/"+own.ID()+"/events", "").Status)
}

func TestAReplayGoesOnWithTheRunThatIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in fake time the tool still runs when the replay begins
		p := apptest.NewPlay(t, apptest.JSON(t, m{
			"steps": []m{calling("Wait.", callOf("slow", "as asked", m{})), answering("Done.")},
			"tools": m{"slow": m{"result": 1, "delay_ms": 400}},
		}))
		defer p.Close()
		sent := p.Post("/api/chat/send", `{"content":"go"}`)
		events, _ := wire(t, p.Get("/agui/threads/"+sent["thread_id"].(string)+"/events"))
		all := strings.Join(typesOf(events), " ")
		const before = "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED RUN_STARTED TEXT_MESSAGE_START"
		assert.True(t, strings.HasPrefix(all, before), all)
		assert.True(t, strings.HasSuffix(all, "TEXT_MESSAGE_END RUN_FINISHED"), all)
	})
}

func TestAUserWhoGoesOnStopsTheTurnThatWaits(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")},
	})
	first, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}})).Body)
	assert.Equal(t, []any{"turn_1_call_1"}, first[len(first)-1]["outcome"].(m)["pendingToolCallIds"])
	second, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r2"})).Body)
	assert.Equal(t, "RUN_FINISHED", second[len(second)-1]["type"])
	late := s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r3",
		"messages": []m{{"id": "x", "role": "tool", "toolCallId": "turn_1_call_1", "content": "late"}}}))
	assert.Equal(t, http.StatusConflict, late.Status)
	assert.Equal(t, "call_over", late.JSON()["error"])
	history := s.Do("ann", http.MethodGet, "/api/chat/history", "").Body
	assert.Contains(t, history, `"state":"interrupted"`)
	assert.Contains(t, history, `there is no tool of this name`, "a front end's tool is its turn's only")
}

func TestPartOfTheAnswersLeavesTheRestOpen(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, m{
		"steps": []m{calling("", callOf("mine", "", m{}), callOf("mine", "", m{}), callOf("deploy", "", m{})),
			answering("Done.")},
		"tools": m{"deploy": m{"result": "ok", "approval": "ask"}},
	})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	answer := func(run, call string) []m {
		events, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": run, "messages": []m{
			{"id": run, "role": "tool", "toolCallId": call, "content": "7"},
		}})).Body)
		return events
	}
	r2 := answer("r2", "turn_1_call_2")
	assert.Equal(t, "interrupt", r2[len(r2)-1]["outcome"].(m)["type"])
	r3 := answer("r3", "turn_1_call_1")
	interrupt := r3[len(r3)-1]["outcome"].(m)["interrupts"].([]any)[0].(m)["id"]
	r4, _ := wire(t, s.Do("ann", http.MethodPost, "/agui", anInput(m{"runId": "r4", "messages": []m{},
		"resume": []m{{"interruptId": interrupt, "status": "cancelled"}}})).Body)
	assert.Equal(t, "success", r4[len(r4)-1]["outcome"].(m)["type"])
	assert.Contains(t, typesOf(r4), "TEXT_MESSAGE_CONTENT")
}

func TestACallThatItsFrontEndForgetsEnds(t *testing.T) {
	s := apptest.Start(t, app.Settings{ApprovalTimeout: 50 * time.Millisecond}, m{
		"steps": []m{calling("", callOf("mine", "", m{})), answering("Done.")},
	})
	s.Do("ann", http.MethodPost, "/agui", anInput(m{"tools": []m{{"name": "mine"}}}))
	apptest.Eventually(t, "the turn goes on without it", func() bool {
		return strings.Contains(s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, `"response":"Done."`)
	})
	assert.Contains(t, s.Do("ann", http.MethodGet, "/api/chat/history", "").Body, "did not answer in time")
}
