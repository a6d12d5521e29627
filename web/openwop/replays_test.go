package openwop_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// replay replays a run of ann's, in a version, and returns the answer.
func replay(t *testing.T, s *apptest.Server, statusURL string, edit ...func(*http.Request)) m {
	t.Helper()
	r := s.Post("ann", statusURL+":fork", `{"mode":"replay"}`, edit...)
	require.Equal(t, http.StatusCreated, r.Status, r.Body)
	return r.JSON()
}

// The script would take its second message for something else: it has no step for it. A replay
// that asked anybody would differ.
func TestAReplayRepeatsARunToTheLetterAndAsksNobody(t *testing.T) {
	s := apptest.Start(t, app.Settings{OpenWOPFixtures: true, SendsPerMinute: 1000}, asking())
	run := say(t, s, "Deploy.")
	at := run["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	open := s.Post("ann", at+":fork", `{"mode":"replay"}`)
	assert.Equal(t, http.StatusConflict, open.Status)
	assert.Equal(t, "run_state_conflict", open.JSON()["error"])
	require.Equal(t, http.StatusOK, s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"approve"}`).Status)
	first := events(t, s, at+"/events?streamMode=debug")

	again := replay(t, s, at)
	assert.Equal(t, run["runId"], again["sourceRunId"])
	assert.NotEqual(t, run["runId"], again["runId"])
	assert.Equal(t, "completed", again["status"])
	second := events(t, s, again["eventsUrl"].(string)+"?streamMode=debug")
	assert.Equal(t, facts(t, first), facts(t, second))
	third := events(t, s, replay(t, s, again["statusUrl"].(string))["eventsUrl"].(string)+"?streamMode=debug")
	assert.Equal(t, facts(t, first), facts(t, third), "a replay of a replay")
	history := s.Get("ann", "/api/chat/threads").JSON()["threads"].([]any)
	assert.Len(t, history, 3)
}

// Each workflow for tests of clients is replayed to the letter, in both versions.
func TestReplaysOfAllFixtures(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	for _, id := range s.Get("ann", "/.well-known/openwop").JSON()["fixtures"].([]any) {
		if id == "conformance-approval" || id == "conformance-cancellable" {
			continue // they wait for a person, and until somebody cancels them
		}
		r := s.Post("ann", "/runs", `{"workflowId":"`+id.(string)+`","configurable":{"run":{"escalationThreshold":0}}}`)
		require.Equal(t, http.StatusCreated, r.Status, r.Body)
		at := r.JSON()["statusUrl"].(string)
		first := events(t, s, at+"/events?streamMode=debug")
		second := events(t, s, replay(t, s, at, version2)["eventsUrl"].(string)+"?streamMode=debug")
		assert.Equal(t, facts(t, first), facts(t, second), id)
	}
}

// A client that loses its connection after every event, and resumes where it was, sees each once,
// however it reads.
func TestAClientThatDropsAfterEveryEventSeesEachOnce(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := startRun(t, s, m{"workflowId": "conformance-agent-reasoning"})
	url := run["eventsUrl"].(string)
	for _, mode := range []string{"updates", "values", "messages", "debug"} {
		whole := events(t, s, url+"?streamMode="+mode)
		require.NotEmpty(t, whole)
		var resumed, listed, polled []m
		for last, i := "", 0; i < len(whole); i++ {
			one := firstEvent(t, s, url+"?streamMode="+mode, last)
			resumed = append(resumed, one)
			last = strconv.Itoa(int(one["sequence"].(float64)))

			list := s.Get("ann", url+"?streamMode="+mode, apptest.Header("Accept", "application/json"),
				apptest.Header("Last-Event-ID", last))
			assert.Len(t, list.JSON()["events"], len(whole)-i-1)
			poll := s.Get("ann", url+"/poll?timeout=0&streamMode="+mode+"&lastSequence="+last).JSON()
			assert.Len(t, poll["events"], len(whole)-i-1)
			assert.Equal(t, true, poll["isTerminal"])
			if i == 0 {
				for _, e := range list.JSON()["events"].([]any) {
					listed = append(listed, e.(m))
				}
				for _, e := range poll["events"].([]any) {
					polled = append(polled, e.(m))
				}
			}
		}
		assert.Equal(t, whole, resumed, mode)
		assert.Equal(t, whole, append(whole[:1:1], listed...), mode)
		assert.Equal(t, whole, append(whole[:1:1], polled...), mode)
	}
}

// firstEvent reads one event after a position and drops the connection.
func firstEvent(t *testing.T, s *apptest.Server, url, after string) m {
	t.Helper()
	ctx, drop := contextOf(t)
	defer drop()
	req := s.Request(ctx, "ann", http.MethodGet, url, "")
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := s.Caller.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	return firstBlock(t, resp.Body).event(t)
}

func TestEventsAreCollectedForAsLongAsTheClientSays(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	run := say(t, s, "Deploy.")
	at := run["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	lines := follow(t, s, at+"/events?bufferMs=1")
	require.True(t, lines.Scan())
	require.Equal(t, "event: batch", lines.Text(), "what there is comes together, though the run goes on")
	require.True(t, lines.Scan())
	s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"deny"}`)
	whole := events(t, s, at+"/events")
	all, _ := blocks(t, s.Get("ann", at+"/events?bufferMs=5000").Body)
	require.Len(t, all, 1, "the end of the run ends the waiting")
	assert.Equal(t, "batch", all[0].name)
	assert.Equal(t, len(whole)-1, all[0].id)
	assert.JSONEq(t, string(apptest.JSON(t, whole)), all[0].data)
}

func TestAPollWaitsForAnEventOrItsTimeout(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	run := say(t, s, "Deploy.")
	at := run["statusUrl"].(string)
	awaitStatus(t, s, at, "waiting-approval")
	now := s.Get("ann", at+"/events/poll").JSON()
	last := strconv.Itoa(int(now["lastSequence"].(float64)))
	assert.Equal(t, "waiting-approval", now["status"])
	assert.Equal(t, false, now["isTerminal"])
	none := s.Get("ann", at+"/events/poll?timeout=0.001&lastSequence="+last).JSON()
	assert.Equal(t, []any{}, none["events"])
	assert.Equal(t, now["lastSequence"], none["lastSequence"])
	beyond := s.Get("ann", at+"/events/poll?timeout=0&lastSequence=1000000").JSON()
	assert.Equal(t, []any{}, beyond["events"])

	polled := make(chan m)
	go func() {
		url := at + "/events/poll?timeout=30&lastSequence=" + last
		r, err := s.Caller.Do(s.Request(t.Context(), "ann", http.MethodGet, url, ""))
		if !assert.NoError(t, err) {
			polled <- nil
			return
		}
		defer r.Body.Close()
		polled <- decodeFrom(t, r.Body)
	}()
	require.Equal(t, http.StatusOK, s.Post("ann", at+"/interrupts/agent", `{"resumeValue":"approve"}`).Status)
	woken := <-polled
	require.NotEmpty(t, woken["events"])
	assert.Equal(t, "node.resumed", woken["events"].([]any)[0].(m)["type"])
}

func TestACancelStopsExactlyItsRun(t *testing.T) {
	s := apptest.Start(t, fixtures, asking())
	run := say(t, s, "Deploy.")
	at := run["statusUrl"].(string)
	thread := run["runId"].(string)[:36]
	awaitStatus(t, s, at, "waiting-approval")
	next := startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": "and?", "threadId": thread}})
	assert.Equal(t, "pending", next["status"])
	for _, one := range []m{next, run} {
		url := one["statusUrl"].(string)
		r := s.Post("ann", url+"/cancel", "")
		require.Equal(t, http.StatusOK, r.Status, r.Body)
		assert.Contains(t, []any{"cancelling", "cancelled"}, r.JSON()["status"])
		assert.Equal(t, one["runId"], r.JSON()["runId"])
		if url != at {
			assert.Equal(t, "waiting-approval", s.Get("ann", at).JSON()["status"], "the run before it goes on")
		}
	}
	for _, one := range []m{next, run} {
		url := one["statusUrl"].(string)
		awaitStatus(t, s, url, "cancelled")
		r := s.Post("ann", url+"/cancel", "")
		assert.Equal(t, http.StatusOK, r.Status)
		assert.Equal(t, "cancelled", r.JSON()["status"], "version 1 answers how it ended")
	}
	all := events(t, s, at+"/events")
	assert.Equal(t, "run.cancelled", all[len(all)-1]["type"])
}

func TestAnswersToACall(t *testing.T) {
	for value, want := range map[string]struct {
		status  int
		outcome string
	}{
		`true`:                     {http.StatusBadRequest, ""},
		`"maybe"`:                  {http.StatusBadRequest, ""},
		`null`:                     {http.StatusBadRequest, ""},
		`{"approved":"yes"}`:       {http.StatusBadRequest, ""},
		`{"approved":null}`:        {http.StatusBadRequest, ""},
		`{"decision":"staging"}`:   {http.StatusBadRequest, ""},
		`{"decision":null}`:        {http.StatusBadRequest, ""},
		`"approve"`:                {http.StatusOK, "ok"},
		`{"approved":true}`:        {http.StatusOK, "ok"},
		`{"decision":"approve"}`:   {http.StatusOK, "ok"},
		`"deny"`:                   {http.StatusOK, "forbidden"},
		`{"approved":false,"x":1}`: {http.StatusOK, "forbidden"},
		`{"decision":"deny"}`:      {http.StatusOK, "forbidden"},
	} {
		t.Run(value, func(t *testing.T) {
			s := apptest.Start(t, fixtures, asking())
			run := say(t, s, "Deploy.")
			at := run["statusUrl"].(string)
			now := awaitStatus(t, s, at, "waiting-approval")
			id := now["x-candor-interrupts"].([]any)[0].(m)["interruptId"].(string)
			other := s.Post("ann", at+"/interrupts/other", `{"resumeValue":"approve"}`)
			assert.Equal(t, http.StatusNotFound, other.Status)
			r := s.Post("ann", at+"/interrupts/"+id, `{"resumeValue":`+value+`}`)
			require.Equal(t, want.status, r.Status, r.Body)
			if want.status != http.StatusOK {
				assert.Equal(t, "waiting-approval", s.Get("ann", at).JSON()["status"], "the question stays open")
				return
			}
			all := events(t, s, at+"/events")
			assert.Equal(t, want.outcome, ofType(all, "agent.toolReturned")[0]["status"])
		})
	}
}

// A run whose thread its user deleted does not exist any more.
func TestARunWhoseThreadWasDeletedIsNotFound(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("Hello."))
	p := s.Post("ann", "/api/chat/send", `{"content":"what now?"}`)
	thread := p.JSON()["thread_id"].(string)
	at := "/v1/runs/" + thread + ".1"
	events(t, s, at+"/events")
	require.Equal(t, http.StatusNoContent, s.Do("ann", http.MethodDelete, "/api/chat/threads/"+thread, "").Status)
	for _, r := range []apptest.Reply{s.Get("ann", at), s.Get("ann", at+"/events"), s.Get("ann", at+"/events/poll"),
		s.Post("ann", at+"/cancel", ""), s.Post("ann", at+":fork", `{"mode":"replay"}`)} {
		assert.Equal(t, http.StatusNotFound, r.Status, r.Body)
		assert.Equal(t, "not_found", r.JSON()["error"])
		assert.Contains(t, r.JSON()["message"], "deleted", r.Body)
	}
}

// A run whose turn made room for newer ones is gone, and its stream ends.
func TestARunThatWasDroppedIsGone(t *testing.T) {
	s := apptest.Start(t, app.Settings{OpenWOPFixtures: true, SendsPerMinute: 10_000, SessionMemory: 256 << 10},
		apptest.Answering("Hello."))
	first := startRun(t, s, m{"workflowId": "conformance-noop", "metadata": m{"a": "b"}})
	events(t, s, first["eventsUrl"].(string))
	at := first["statusUrl"].(string)
	long := string(apptest.JSON(t, m{"workflowId": "conformance-identity", "inputs": m{"payload": longText}}))
	for range 40 {
		r := s.Post("ann", "/v1/runs", long)
		require.Equal(t, http.StatusCreated, r.Status, r.Body)
		events(t, s, r.JSON()["eventsUrl"].(string))
		if s.Get("ann", at).Status != http.StatusOK {
			break
		}
	}
	for _, r := range []apptest.Reply{s.Get("ann", at), s.Get("ann", at+"/events"), s.Post("ann", at+"/cancel", ""),
		s.Post("ann", at+":fork", `{"mode":"replay"}`)} {
		assert.Equal(t, http.StatusGone, r.Status, r.Body)
		assert.Equal(t, "replay_source_missing", r.JSON()["error"])
	}
}
