package openwop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/access"
)

func TestARunIsStartedFollowedAndRead(t *testing.T) {
	for name, version := range map[string]struct {
		path string
		edit []func(*http.Request)
	}{
		"version 1": {"/v1", nil},
		"version 2": {"", []func(*http.Request){version2}},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, asking())
			r := s.Post("ann", version.path+"/runs", `{"workflowId":"chat","inputs":{"message":"Deploy."},`+
				`"tags":["nightly"],"metadata":{"build":7}}`, version.edit...)
			require.Equal(t, http.StatusCreated, r.Status, r.Body)
			at := r.JSON()
			statusURL, eventsURL := at["statusUrl"].(string), at["eventsUrl"].(string)
			assert.Equal(t, version.path+"/runs/"+at["runId"].(string), statusURL)
			assert.Equal(t, statusURL+"/events", eventsURL)

			now := awaitStatus(t, s, statusURL, "waiting-approval")
			assert.Equal(t, []any{"nightly"}, now["tags"])
			assert.EqualValues(t, 7, now["metadata"].(m)["build"])
			answer := s.Post("ann", statusURL+"/interrupts/agent", `{"resumeValue":{"approved":true}}`, version.edit...)
			require.Equal(t, http.StatusOK, answer.Status, answer.Body)
			assert.Equal(t, at["runId"], answer.JSON()["runId"])
			assert.Equal(t, "agent", answer.JSON()["nodeId"])

			all := events(t, s, eventsURL, version.edit...)
			assert.Equal(t, "run.started", all[0]["type"])
			assert.Equal(t, "run.completed", all[len(all)-1]["type"])
			for i, e := range all {
				assert.EqualValues(t, i, e["sequence"])
				assert.Equal(t, at["runId"], e["runId"])
			}
			assert.Contains(t, typesOf(all), "node.resumed")
			list := s.Get("ann", eventsURL, apptest.Header("Accept", "application/json"))
			require.Len(t, list.JSON()["events"], len(all), "JSON has the same events")
			assert.Equal(t, "completed", s.Get("ann", statusURL).JSON()["status"])
		})
	}
}

// A turn that somebody began on the page, or by another protocol, is a run as well.
func TestATurnOfThePageIsARun(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("Hello."))
	sent := s.Post("ann", "/api/chat/send", `{"content":"hi"}`)
	require.Equal(t, http.StatusAccepted, sent.Status, sent.Body)
	run := "/v1/runs/" + sent.JSON()["thread_id"].(string) + ".1"
	all := events(t, s, run+"/events")
	assert.Equal(t, "run.completed", all[len(all)-1]["type"])
	assert.Equal(t, "chat", s.Get("ann", run).JSON()["workflowId"])
	assert.Equal(t, "hi", s.Get("ann", run).JSON()["inputs"].(m)["message"])
}

func TestARunGoesOnInAThreadOfTheCallers(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("Hello."))
	first := say(t, s, "hi")
	events(t, s, first["eventsUrl"].(string))
	thread, _, _ := strings.Cut(first["runId"].(string), ".")
	second := startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": "and?", "threadId": thread}})
	assert.Equal(t, thread+".2", second["runId"])
	refused := s.Post("bob", "/v1/runs", `{"workflowId":"chat","inputs":{"message":"x","threadId":"`+thread+`"}}`)
	assert.Equal(t, http.StatusNotFound, refused.Status, "a thread of another user")
}

// Whatever another user may know of a run, it does not exist for them.
func TestRunsOfOthersAreNotFound(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("Hello."))
	run := say(t, s, "hi")
	events(t, s, run["eventsUrl"].(string))
	at := run["statusUrl"].(string)
	for _, never := range []string{
		at, "/v1/runs/x", "/v1/runs/x.1", at[:len(at)-1] + "2", at[:len(at)-1] + "01", "/runs/" + at[len("/v1/runs/"):],
	} {
		user := "ann"
		if never == at {
			user = "bob"
		}
		for _, r := range []apptest.Reply{
			s.Get(user, never), s.Get(user, never+"/events"), s.Get(user, never+"/events/poll"),
			s.Post(user, never+"/cancel", ""),
			s.Post(user, never+"/interrupts/agent", `{"resumeValue":"approve"}`),
			s.Post(user, never+":fork", `{"mode":"replay"}`),
		} {
			assert.Equal(t, http.StatusNotFound, r.Status, r.Body)
			assert.Equal(t, "not_found", r.JSON()["error"])
		}
	}
}

func TestARefusalOfAModeNamesTheModes(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("Hello."))
	r := s.Get("ann", "/v1/runs/x/events?streamMode=loud")
	assert.Equal(t, []any{"updates", "values", "messages", "debug"}, r.JSON()["details"].(m)["supported"])
}

func TestDiscoveryAndOpenAPIAreForEverybody(t *testing.T) {
	s := apptest.Start(t, app.Settings{Reasoning: "hidden"}, apptest.Answering("Hello."))
	one := s.Get("", "/.well-known/openwop", apptest.WithoutToken)
	require.Equal(t, http.StatusOK, one.Status)
	assert.Equal(t, "1.0", one.JSON()["protocolVersion"])
	assert.Empty(t, one.Header.Get("OpenWOP-Version"))
	assert.NotContains(t, one.JSON(), "fixtures", "they have to be asked for")
	assert.Equal(t, "off", one.JSON()["agents"].(m)["reasoning"].(m)["verbosity"])
	two := s.Get("", "/.well-known/openwop", apptest.WithoutToken, version2)
	assert.Equal(t, []any{"1.0", "2.0"}, two.JSON()["protocolVersions"])
	assert.Equal(t, "2.0", two.JSON()["preferredVersion"])
	assert.Equal(t, "2", two.Header.Get("OpenWOP-Version"))
	assert.Equal(t, "none", two.JSON()["agents"].(m)["reasoning"].(m)["verbosity"])
	for path, operation := range map[string]string{
		"/v1/runs/{run}:fork": "forkRun", "/v1/runs:bulk-cancel": "bulkCancelRuns",
		"/runs/{tenant}/{run}/events/poll": "pollRunEventsV2OfTenant",
	} {
		document := s.Get("", "/v1/openapi.json", apptest.WithoutToken).JSON()
		require.Contains(t, document["paths"], path)
		for _, what := range document["paths"].(m)[path].(m) {
			assert.Equal(t, operation, what.(m)["operationId"])
		}
	}
	assert.Equal(t, "chat", s.Get("ann", "/v1/workflows/chat").JSON()["id"])
}

// Clients escape the slash of an id of version 2, or do not.
func TestAnIDOfVersion2IsFoundInBothSpellings(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	r := s.Post("ann", "/runs", `{"workflowId":"conformance-noop"}`)
	require.Equal(t, http.StatusCreated, r.Status, r.Body)
	id := r.JSON()["runId"].(string)
	for _, spelled := range []string{id, strings.Replace(id, "/", "%2F", 1)} {
		all := events(t, s, "/runs/"+spelled+"/events")
		assert.Equal(t, "run.completed", all[len(all)-1]["type"])
		assert.Equal(t, http.StatusOK, s.Get("ann", "/runs/"+spelled).Status)
		assert.Equal(t, http.StatusOK, s.Get("ann", "/runs/"+spelled+"/events/poll?afterSequence=1").Status)
		assert.Equal(t, http.StatusCreated, s.Post("ann", "/runs/"+spelled+":fork", `{"mode":"replay"}`).Status)
		assert.Equal(t, http.StatusConflict, s.Post("ann", "/runs/"+spelled+"/cancel", "").Status)
	}
}

func TestATokenThatIsShownLessSeesLess(t *testing.T) {
	var tokens access.Tokens
	parsed, err := access.ParseTokens(strings.NewReader("ann:" + apptest.TokenOf("ann") + "\n" +
		"ann:summary-token-for-these-tests reasoning=summary\nann:hidden-token-for-these-tests reasoning=hidden\n"))
	require.NoError(t, err)
	tokens = parsed
	file := apptest.ScriptFile(t, asking())
	s := apptest.StartFor(t, app.Settings{Model: app.ModelSettings{Provider: "script", Script: file}}, tokens)
	run := startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": "Deploy."},
		"configurable": m{"reasoningVerbosity": "full"}})
	awaitStatus(t, s, run["statusUrl"].(string), "waiting-approval")
	s.Post("ann", run["statusUrl"].(string)+"/interrupts/agent", `{"resumeValue":"deny"}`)
	full := events(t, s, run["eventsUrl"].(string))
	assert.Equal(t, "full", ofType(full, "agent.reasoned")[0]["verbosity"])
	less := events(t, s, run["eventsUrl"].(string), apptest.WithToken("summary-token-for-these-tests"))
	assert.Equal(t, "summary", ofType(less, "agent.reasoned")[0]["verbosity"])
	assert.Contains(t, facts(t, full), "all is green")
	assert.NotContains(t, facts(t, less), "all is green", "narratives, and no reasons of single calls")
	assert.NotContains(t, ofType(less, "agent.toolCalled")[0], "x-candor-rationale")
	assert.Equal(t, full[len(full)-1]["sequence"], less[len(less)-1]["sequence"], "what is hidden is counted")
	none := events(t, s, run["eventsUrl"].(string), apptest.WithToken("hidden-token-for-these-tests"))
	assert.Empty(t, ofType(none, "agent.reasoned"))
	assert.NotEmpty(t, none)
}

// A run that asks for no reasoning has none, and a rationale is reasoning.
func TestARunThatAsksForNoReasoningHasNone(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Waiting(1))
	run := startRun(t, s, m{"workflowId": "chat", "inputs": m{"message": "Wait."},
		"configurable": m{"reasoningVerbosity": "off"}})
	r := s.Get("ann", run["eventsUrl"].(string)+"?streamMode=debug")
	assert.Contains(t, r.Body, "agent.toolCalled")
	assert.NotContains(t, r.Body, "agent.reason")
	assert.NotContains(t, r.Body, "to wait")
}

func TestStreamsAndPollsOfOneUserAreBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{StreamsPerUser: 2}, asking())
	run := say(t, s, "Deploy.")
	awaitStatus(t, s, run["statusUrl"].(string), "waiting-approval")
	for range 2 {
		require.True(t, follow(t, s, run["eventsUrl"].(string)).Scan())
	}
	for _, path := range []string{"", "/poll?timeout=0"} {
		refused := s.Get("ann", run["eventsUrl"].(string)+path, apptest.Header("Accept", "application/json"))
		assert.Equal(t, http.StatusTooManyRequests, refused.Status)
		assert.Equal(t, "rate_limited", refused.JSON()["error"])
		assert.NotEmpty(t, refused.Header.Get("Retry-After"))
	}
	assert.Equal(t, http.StatusNotFound, s.Get("bob", run["eventsUrl"].(string)).Status, "others are not affected")
}

// A request with a key is answered by the log, whichever process gets it again.
func TestAKeyOutlivesItsProcess(t *testing.T) {
	settings := fixtures
	settings.Storage.Dir = t.TempDir()
	const body, other = `{"workflowId":"conformance-noop","inputs":{"a":1}}`, `{"workflowId":"conformance-noop"}`
	key := apptest.Header("Idempotency-Key", "k")
	var first, fork m
	t.Run("before", func(t *testing.T) {
		s := apptest.Start(t, settings, apptest.Answering("Hello."))
		r := s.Post("ann", "/v1/runs", body, key)
		require.Equal(t, http.StatusCreated, r.Status, r.Body)
		assert.Empty(t, r.Header.Get("OpenWOP-Idempotent-Replay"))
		first = r.JSON()
		awaitStatus(t, s, first["statusUrl"].(string), "completed")
		fork = s.Post("ann", first["statusUrl"].(string)+":fork", `{"mode":"replay"}`, key).JSON()
	})
	s := apptest.Start(t, settings, apptest.Answering("Hello."))
	for range 2 {
		r := s.Post("ann", "/v1/runs", body, key)
		require.Equal(t, http.StatusCreated, r.Status, r.Body)
		assert.Equal(t, "true", r.Header.Get("OpenWOP-Idempotent-Replay"))
		assert.Equal(t, first["runId"], r.JSON()["runId"])
		r = s.Post("ann", first["statusUrl"].(string)+":fork", `{"mode":"replay"}`, key)
		assert.Equal(t, fork["runId"], r.JSON()["runId"])
	}
	r := s.Post("ann", "/v1/runs", other, key)
	assert.Equal(t, http.StatusConflict, r.Status)
	assert.Equal(t, "idempotency_key_mismatch", r.JSON()["error"])
	anew := s.Post("ann", "/v1/runs", body, apptest.Header("Idempotency-Key", "l"))
	assert.NotEqual(t, first["runId"], anew.JSON()["runId"])
	assert.NotEqual(t, first["runId"], s.Post("ann", "/v1/runs", body).JSON()["runId"])
	assert.NotEqual(t, first["runId"], s.Post("bob", "/v1/runs", body, key).JSON()["runId"])
}
