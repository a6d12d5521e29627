package jobs

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

var noText safety.Text

// shownIDs returns the ids of an event's calls, without "call_", as [pairings] does.
func shownIDs(e session.Event) (ids []string) {
	add := func(id string, inferred bool) {
		id = strings.TrimPrefix(id, "call_")
		if inferred {
			id += "?"
		}
		ids = append(ids, id)
	}
	switch b := e.Body.(type) {
	case session.JobToolUse:
		add(b.Call, b.Inferred)
	case session.JobToolResult:
		add(b.Call, b.Inferred)
	case session.JobReasoned:
		for _, d := range b.Decisions {
			add(d.Call, d.Inferred)
		}
	}
	return ids
}

// tokenIn returns the job's token from the answer to a request that opened or restarted
// the job.
func tokenIn(t *testing.T, body []byte) string {
	var out struct {
		Token string `json:"token"`
	}
	require.NoError(t, json.Unmarshal(body, &out))
	return out.Token
}

func TestUnknownAndMistypedMembersAreRefusedByName(t *testing.T) {
	key := "sk-" + strings.Repeat("a1B2c3D4", 6)
	for _, tt := range []struct {
		name, body, code string
		says             []string
	}{
		{"IronClaw's decisions in a flat event",
			`{"event":"reasoning","decisions":[{"tool_name":"x","rationale":"why"}]}`, "unknown_member",
			[]string{"no member decisions", "Use tool_decisions for decisions", `"members":["decisions"]`,
				`"index":0`}},
		{"a reason under another name",
			`[{"event":"message"},{"event":"reasoning","tool_decisions":[{"tool_name":"x","reason":"y"}]}]`,
			"unknown_member", []string{`tool_decisions[0].reason`, "Use rationale for reason", `"index":1`}},
		{"a member of another kind", `{"event":"message","content":"x","tool_name":"y"}`, "unknown_member",
			[]string{`"members":["tool_name"]`}},
		{"a member in another case", `{"event":"tool_use","tool_name":"x","Rationale":"y"}`, "unknown_member",
			[]string{`"members":["Rationale"]`}},
		{"what to write instead", `{"event":"tool_use","tool_name":"x","Rationale":"y"}`, "unknown_member",
			[]string{"Use rationale for Rationale"}},
		{"the kind's member in another case", `{"Event":"reasoning"}`, "unknown_member", []string{"Write event."}},
		{"the id of an event of another kind in another case", `{"event":"brand_new","ID":"a"}`, "unknown_member",
			[]string{"Write id."}},
		{"the list of events in another case", `{"EVENTS":[{"event":"message"}]}`, "unknown_member",
			[]string{"Write events."}},
		{"a member of usage in another case", `{"event":"reasoning","usage":{"Input_Tokens":1}}`, "unknown_member",
			[]string{"Write input_tokens."}},
		{"a member of sealed in another case", `{"event":"reasoning","sealed":{"kind":"encrypted","BYTES":1}}`,
			"unknown_member", []string{"Write bytes."}},
		{"a letter that counts as s", `{"event":"status","ſtate":"x"}`, "unknown_member", []string{"(not shown)"}},
		{"members beside the data of IronClaw's form",
			`{"event_type":"tool_use","rationale":"y","data":{"tool_name":"x"}}`, "unknown_member",
			[]string{"rationale"}},
		{"a name that may be a secret", `{"event":"message","` + key + `":1}`, "unknown_member",
			[]string{"(not shown)"}},
		{"a name that is no name", `{"event":"message","<script>":1}`, "unknown_member", []string{"(not shown)"}},
		{"a number for an id", `{"event":"tool_use","tool_name":"x","call_id":7}`, "wrong_type",
			[]string{"call_id has to be a string"}},
		{"a word for a duration", `{"event":"tool_result","tool_name":"x","duration_ms":"long"}`, "wrong_type",
			[]string{"duration_ms has to be a whole number"}},
		{"a text for the decisions", `{"event":"reasoning","tool_decisions":"all"}`, "wrong_type",
			[]string{"tool_decisions has to be a list"}},
		{"a number for a reason", `{"event":"reasoning","tool_decisions":[{"tool_name":"x","rationale":1}]}`,
			"wrong_type", []string{"rationale has to be a string", `"decision":0`}},
		{"an event that is no object", `["x"]`, "wrong_type", []string{"The event has to be an object"}},
		{"data that is no object", `{"event_type":"message","data":"x"}`, "wrong_type",
			[]string{"has to be an object"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJobServer(t)
			w := j.post("", tt.body)
			assert.Equal(t, http.StatusBadRequest, w.Code)
			assert.Contains(t, w.Body.String(), `"error":"`+tt.code+`"`)
			for _, s := range tt.says {
				assert.Contains(t, w.Body.String(), s)
			}
			assert.NotContains(t, w.Body.String(), key)
			assert.Zero(t, j.spent(), "nothing was stored")
		})
	}
}

// A reason under a mistyped kind would be stored as a status and explain nothing.
func TestAMistypedKindIsRefusedByName(t *testing.T) {
	for kind, meant := range map[string]string{
		"reasonning": "reasoning", "Reasoning": "reasoning", "raesoning": "reasoning", " reasoning": "reasoning",
		"toolUse": "tool_use", "tool-use": "tool_use", "tooluse": "tool_use", "tool_resutl": "tool_result",
		"tool_results": "tool_result", "TOOL_RESULT": "tool_result", "mesage": "message", "messages": "message",
		"statsu": "status", "results": "result", "reasonings": "reasoning",
	} {
		for _, form := range []string{
			`{"event":%q}`, `{"event_type":%q,"data":{}}`, `[{"event":"message"},{"event":%q}]`,
		} {
			j := newJobServer(t)
			w := j.post("", fmt.Sprintf(form, kind))
			assert.Equal(t, http.StatusBadRequest, w.Code, kind)
			assert.Contains(t, w.Body.String(), `"error":"unknown_kind"`)
			assert.Contains(t, w.Body.String(), "Use "+meant+".")
			assert.Zero(t, j.spent(), "nothing was stored")
		}
	}
	j := newJobServer(t)
	for _, body := range []string{
		`{"event":"thoughts","tool_decisions":[{"tool_name":"x","rationale":"why"}]}`,
		`{"event":"plan","narrative":"I look."}`, `{"event_type":"why","data":{"decisions":[]}}`,
	} {
		w := j.post("", body)
		assert.Equal(t, http.StatusBadRequest, w.Code, body)
		assert.Contains(t, w.Body.String(), "Use reasoning.")
	}
	secret := "sk-" + strings.Repeat("a1B2c3D4", 6)
	assert.NotContains(t, j.post("", `{"event":"`+secret+`","narrative":"x"}`).Body.String(), secret)
	w := j.do("POST", "/api/jobs/"+j.id+"/events?strict=false", "", `{"event":"reasonning"}`)
	assert.Equal(t, http.StatusOK, w.Code, "who asks for it gets a status")
}

func TestTheMembersOfOtherBodiesAreReadInTheirOwnCase(t *testing.T) {
	j := newJobServer(t)
	j.token = testToken
	for path, body := range map[string]string{
		"": `{"prompt":"x","Title":"y"}`, "/" + j.id + "/prompt": `{"content":"x","DONE":true}`,
	} {
		w := j.do("POST", "/api/jobs"+path, "", body)
		assert.Equal(t, http.StatusBadRequest, w.Code, body)
		assert.Contains(t, w.Body.String(), `"error":"unknown_member"`)
	}
	assert.Equal(t, http.StatusCreated, j.do("POST", "/api/jobs", "", `{"prompt":"x","metadata":{"Title":1}}`).Code)
}

func TestTheRoutesOfOneKindRefuseUnknownMembersToo(t *testing.T) {
	j := newJobServer(t)
	for path, body := range map[string]string{"/status": `{"state":"x","progress":1}`, "/complete": `{"ok":true}`} {
		w := j.do("POST", "/worker/"+j.id+path, "", body)
		assert.Equal(t, http.StatusBadRequest, w.Code)
		assert.Contains(t, w.Body.String(), `"error":"unknown_member"`)
	}
	assert.Equal(t, http.StatusBadRequest, j.do("POST", "/worker/"+j.id+"/status?strict=perhaps", "", `{}`).Code)
}

func TestWithoutStrictnessUnknownMembersAreCountedAndShown(t *testing.T) {
	j := newJobServer(t)
	body := `{"id":"a","event":"reasoning","mood":"fine","Narrative":"lost",
		"tool_decisions":[{"tool_name":"x","rationale":"why","weight":3}]}`
	path := "/api/jobs/" + j.id + "/events?strict=false"
	w := j.do("POST", path, "", body)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.Contains(t, w.Body.String(), `"ignored_members":3`)
	assert.Equal(t, w.Body.String(), j.do("POST", path, "", body).Body.String(), "a repeat gets the same answer")
	require.Equal(t, http.StatusOK, j.do("POST", "/worker/"+j.id+"/status?strict=false", "", `{"a":1}`).Code)
	j.token = testToken
	assert.Contains(t, j.do("GET", "/api/jobs/"+j.id, "", "").Body.String(), `"ignored_members":4`)
	events := j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String()
	assert.Contains(t, events, `"ignored_members":3`)
	assert.NotContains(t, events, "lost", "a member in another case is unknown")
	assert.Contains(t, events, `"rationale":"why"`)
}

func TestAnUnknownKindStaysAStatus(t *testing.T) {
	j := newJobServer(t)
	require.Equal(t, http.StatusOK, j.post("", `{"event":"brand_new","anything":{"x":1}}`).Code)
	j.token = testToken
	assert.Contains(t, j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String(), `"state":"brand_new"`)
}

// What IronClaw's workers send today has to be taken as it is.
func TestTheEventsOfIronClawsWorkersAreTaken(t *testing.T) {
	j := newJobServer(t)
	for _, e := range []string{
		`{"event_type":"message","data":{"role":"assistant","content":"I look.","nudge":true}}`,
		`{"event_type":"tool_use","data":{"tool_name":"shell","tool_use_id":"toolu_1","input":"ls"}}`,
		`{"event_type":"tool_result","data":{"tool_name":"shell","output":"Error: no","success":false}}`,
		`{"event_type":"reasoning","data":{"narrative":"n","decisions":[{"tool_name":"shell","rationale":"why"}]}}`,
		`{"event_type":"status","data":{"message":"started","session_id":"s"}}`,
		`{"event_type":"result","data":{"status":"error","exit_code":1,"session_id":null,"num_turns":2}}`,
	} {
		w := j.post("", e)
		require.Equal(t, http.StatusOK, w.Code, "%s: %s", e, w.Body)
		assert.NotContains(t, w.Body.String(), "ignored_members")
	}
	j.token = testToken
	job := j.do("GET", "/api/jobs/"+j.id, "", "").Body.String()
	assert.Contains(t, job, `"has_error":false`)
	assert.Contains(t, job, `"outcome":"error"`, "success: false is an error")
	assert.Contains(t, job, `"state":"failed"`)
}

func TestPrivateThoughtsAreStrippedFromPosts(t *testing.T) {
	j := newJobServer(t)
	const said = "<thinking>raw</thinking>visible"
	for _, e := range []string{
		`{"event":"tool_use","tool_name":"x","rationale":"` + said + `","narrative":"` + said + `"}`,
		`{"event":"reasoning","narrative":"` + said + `",
			"tool_decisions":[{"tool_name":"x","rationale":"` + said + `"}]}`,
		`{"event":"message","content":"` + said + `"}`,
		`{"event":"result","success":true,"message":"` + said + `"}`,
	} {
		require.Equal(t, http.StatusOK, j.post("", e).Code)
	}
	j.token = testToken
	events := j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String()
	assert.NotContains(t, events, "raw")
	assert.Equal(t, 6, strings.Count(events, `"visible"`))
}

func TestWhatSafetyWithholdsFromAPostIsLoggedOnceWithoutItsText(t *testing.T) {
	var logged strings.Builder
	j := newJobServer(t)
	j.log = slog.New(slog.NewTextHandler(&logged, nil))
	const kind = "RSA PRIVATE KEY-----"
	pem := "-----BEGIN " + kind + `\n` + strings.Repeat("MIIEpAIBAAKCAQEA7bq", 8) + `\n-----END ` + kind
	body := `{"id":"1","event":"reasoning","narrative":"` + pem + `","tool_decisions":[{"tool_name":"x","rationale":"` +
		pem + `"}]}`
	for range 2 {
		require.Equal(t, http.StatusOK, j.post("", body).Code)
	}
	lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
	require.Len(t, lines, 2, "once for each text, and not again for the repeated post")
	for i, what := range []string{"narrative", "rationale"} {
		assert.Contains(t, lines[i], "level=WARN")
		assert.Contains(t, lines[i], "job="+j.id+" kind=reasoning what="+what)
		assert.Regexp(t, `rules=\[\S+\]`, lines[i])
		assert.NotContains(t, lines[i], "MIIE")
	}
	j.token = testToken
	events := j.do("GET", "/api/jobs/"+j.id+"/events", "", "").Body.String()
	assert.Contains(t, events, `"narrative_blocked":true`)
	assert.NotContains(t, events, `"narrative":`, "it is withheld as a whole, not masked")
}

func TestATruncatedReasonOfAWorkerIsLogged(t *testing.T) {
	var logged strings.Builder
	j := newJobServer(t)
	j.log = slog.New(slog.NewTextHandler(&logged, nil))
	body := `{"event":"tool_use","tool_name":"x","rationale":"` + strings.Repeat("because ", 1000) + `"}`
	require.Equal(t, http.StatusOK, j.post("", body).Code)
	assert.Contains(t, logged.String(),
		`level=WARN msg="safety truncated text" job=`+j.id+" kind=tool_use what=rationale")
	assert.NotContains(t, logged.String(), "because")
}

func TestAJobWaitsForAWorkerUntilOneIsHeard(t *testing.T) {
	j := newJobServer(t)
	show := func() string {
		worker := j.token
		j.token = testToken
		defer func() { j.token = worker }()
		return j.do("GET", "/api/jobs/"+j.id, "", "").Body.String()
	}
	assert.Contains(t, show(), `"worker_seen_at":null`)
	require.Equal(t, http.StatusOK, j.do("GET", "/worker/"+j.id+"/job", "", "").Code)
	assert.NotContains(t, show(), `"worker_seen_at":null`)
	assert.Contains(t, show(), `"state":"pending"`, "a worker that has posted nothing yet")
}
