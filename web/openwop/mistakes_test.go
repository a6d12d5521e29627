package openwop_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/apptest"
)

// mistake is a request that is refused. The path begins with the run's if it begins with a "@".
type mistake struct {
	path, body string // POST if there is a body, else GET
	status     int
	code       string
	edit       func(*http.Request)
}

// noopWith returns a body that starts the noop workflow with one more member.
func noopWith(member string) string { return `{"workflowId":"conformance-noop",` + member + `}` }

// plainText marks a body as no JSON.
var plainText = apptest.Header("Content-Type", "text/plain")

// Codes that many mistakes have.
const (
	wrong        = "validation_error"
	lacking      = "capability_not_provided"
	otherVersion = "protocol_version_unsupported"
	badKey       = "idempotency_key_invalid"
)

// mistakes are what clients get wrong, by what it is.
var mistakes = map[string]mistake{
	"an unknown workflow":         {"/v1/runs", `{"workflowId":"x"}`, 400, wrong, nil},
	"no workflow":                 {"/v1/runs", `{}`, 400, wrong, nil},
	"no message":                  {"/v1/runs", `{"workflowId":"chat"}`, 400, wrong, nil},
	"a blank message":             {"/v1/runs", `{"workflowId":"chat","inputs":{"message":" "}}`, 400, wrong, nil},
	"a message that is no string": {"/v1/runs", `{"workflowId":"chat","inputs":{"message":7}}`, 400, wrong, nil},
	"inputs that are no object":   {"/v1/runs", noopWith(`"inputs":[1]`), 400, wrong, nil},
	"inputs that are too deep":    {"/v1/runs", noopWith(`"inputs":` + deep), 400, wrong, nil},
	"inputs that are too large":   {"/v1/runs", noopWith(`"inputs":` + large(64<<10)), 400, wrong, nil},
	"a callback":                  {"/v1/runs", noopWith(`"callbackUrl":"http://x"`), 400, wrong, nil},
	"a list":                      {"/v1/runs", `[]`, 400, wrong, nil},
	"null":                        {"/v1/runs", `null`, 400, wrong, nil},
	"no JSON":                     {"/v1/runs", `{`, 400, wrong, nil},
	"a form":                      {"/v1/runs", `{}`, 415, "unsupported_media_type", plainText},
	"too much":                    {"/v1/runs", large(1 << 20), 413, "payload_too_large", nil},
	"a threshold beyond 1": {"/v1/runs", noopWith(`"configurable":{"escalationThreshold":1.5}`),
		400, wrong, nil},
	"a threshold that is no number": {"/v1/runs", noopWith(`"configurable":{"escalationThreshold":"NaN"}`),
		400, wrong, nil},
	"an unknown verbosity": {"/v1/runs", noopWith(`"configurable":{"reasoningVerbosity":"loud"}`),
		400, wrong, nil},
	"version 1's configurable in 2": {"/runs", noopWith(`"configurable":{"escalationThreshold":0.5}`),
		400, wrong, nil},
	"a configurable that is a list": {"/v1/runs", noopWith(`"configurable":[]`), 400, wrong, nil},
	"a configurable that is too large": {"/v1/runs", noopWith(`"configurable":` + large(16<<10)),
		400, wrong, nil},
	"a configurable that is too deep": {"/v1/runs", noopWith(`"configurable":` + deep), 400, wrong, nil},
	"too many tags": {"/v1/runs", noopWith(`"tags":[` + strings.Repeat(`"a",`, 32) + `"a"]`),
		400, wrong, nil},
	"a tag that is too long": {"/v1/runs", noopWith(`"tags":["` + strings.Repeat("a", 129) + `"]`),
		400, wrong, nil},
	"metadata that is too large": {"/v1/runs", noopWith(`"metadata":` + large(16<<10)), 400, wrong, nil},

	"an unknown mode":               {"@/events?streamMode=loud", "", 400, "unsupported_stream_mode", nil},
	"an unknown mode of no run":     {"/v1/runs/x/events?streamMode=loud", "", 400, "unsupported_stream_mode", nil},
	"a batch that is too long":      {"@/events?bufferMs=5001", "", 400, wrong, nil},
	"a batch before it begins":      {"@/events?bufferMs=-1", "", 400, wrong, nil},
	"a position below 0":            {"@/events", "", 400, wrong, apptest.Header("Last-Event-ID", "-1")},
	"a position that is no number":  {"@/events", "", 400, wrong, apptest.Header("Last-Event-ID", "1e3")},
	"a position in the address":     {"@/events?lastEventId=1e3", "", 400, wrong, nil},
	"another server's position":     {"@/events?cursor=1", "", 400, wrong, nil},
	"a position beyond all numbers": {"@/events/poll?lastSequence=99999999999999999999", "", 400, wrong, nil},
	"version 2's position in 1":     {"@/events/poll?afterSequence=1", "", 400, wrong, nil},
	"a timeout that is no number":   {"@/events/poll?timeout=soon", "", 400, wrong, nil},
	"a timeout that never ends":     {"@/events/poll?timeout=NaN", "", 400, wrong, nil},

	"a fork without a mode":       {"@:fork", `{}`, 400, wrong, nil},
	"a fork of another mode":      {"@:fork", `{"mode":"branch"}`, 501, lacking, nil},
	"a fork of no mode":           {"@:fork", `{"mode":"repaly"}`, 400, wrong, nil},
	"a fork from the middle":      {"@:fork", `{"mode":"replay","fromSeq":3}`, 400, "fork_point_invalid", nil},
	"a pause":                     {"@:pause", `{}`, 501, lacking, nil},
	"an action that nobody knows": {"@:dance", `{}`, 404, "not_found", nil},
	"cancelling many":             {"/v1/runs:bulk-cancel", `{}`, 501, lacking, nil},
	"a webhook":                   {"/v1/webhooks", `{}`, 501, lacking, nil},
	"artifacts":                   {"@/artifacts", "", 501, lacking, nil},
	"an interrupt by token":       {"/v1/interrupts/x", `{}`, 501, lacking, nil},
	"an answer that nobody asked for": {"@/interrupts/agent", `{"resumeValue":"approve"}`,
		404, "interrupt_not_found", nil},

	"an unknown workflow's page": {"/v1/workflows/x", "", 404, "not_found", nil},
	"version 3":                  {"/runs/x", "", 406, otherVersion, apptest.Header("OpenWOP-Version", "3")},
	"version 2 below /v1":        {"@", "", 406, otherVersion, version2},
	"version 3 in discovery": {"/.well-known/openwop", "", 406, otherVersion,
		apptest.Header("OpenWOP-Version", "3")},
	"no token":                 {"@", "", 401, "unauthenticated", apptest.WithoutToken},
	"a wrong token":            {"@", "", 401, "unauthenticated", apptest.WithToken("x")},
	"a token in the URL":       {"@?token=x", "", 401, "unauthenticated", nil},
	"a wrong method":           {"@/events", `{}`, 405, "method_not_allowed", nil},
	"a key without letters":    {"@/cancel", `{}`, 400, badKey, apptest.Header("Idempotency-Key", "")},
	"a key that is too long":   {"@/cancel", `{}`, 400, badKey, apptest.Header("Idempotency-Key", large(255))},
	"a fork by GET":            {"@:fork", "", 405, "method_not_allowed", nil},
	"a run that is spelled so": {"@:dance", "", 404, "not_found", nil},
}

// deep is JSON with more levels than inputs may have.
var deep = strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)

// large returns JSON of more bytes than these.
func large(n int) string { return `{"a":"` + strings.Repeat("x", n) + `"}` }

func TestMistakesAreRefusedInTheEnvelopeAndStartNothing(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	run := say(t, s, "hi")
	events(t, s, run["eventsUrl"].(string))
	for name, tt := range mistakes {
		t.Run(name, func(t *testing.T) {
			method, path, edit := http.MethodGet, tt.path, tt.edit
			if rest, is := strings.CutPrefix(path, "@"); is {
				path = run["statusUrl"].(string) + rest
			}
			if tt.body != "" {
				method = http.MethodPost
			}
			if edit == nil {
				edit = func(*http.Request) {}
			}
			r := s.Do("ann", method, path, tt.body, edit)
			assert.Equal(t, tt.status, r.Status, r.Body)
			assert.Equal(t, tt.code, r.JSON()["error"])
			assert.NotEmpty(t, r.JSON()["message"])
			for key := range r.JSON() {
				assert.Contains(t, []string{"error", "message", "details"}, key)
			}
		})
	}
	nothing := s.Post("ann", "/v1/runs", "")
	assert.Equal(t, http.StatusBadRequest, nothing.Status, "a body is missing")
	assert.Len(t, s.Get("ann", "/api/chat/threads").JSON()["threads"], 1, "nothing else was begun")
}

// A refusal names what would be right.
func TestARefusalSaysWhatToDo(t *testing.T) {
	s := apptest.Start(t, fixtures, apptest.Answering("Hello."))
	bare := apptest.Start(t, quick, apptest.Answering("Hello."))
	in1 := startRun(t, s, m{"workflowId": "conformance-agent-low-confidence"})["statusUrl"].(string)
	in2 := s.Post("ann", "/runs", `{"workflowId":"conformance-noop"}`).JSON()["statusUrl"].(string)
	awaitStatus(t, s, in1, "waiting-approval")
	for hint, r := range map[string]apptest.Reply{
		"lastSequence, not afterSequence":      s.Get("ann", in1+"/events/poll?afterSequence=1"),
		"afterSequence, not lastSequence":      s.Get("ann", in2+"/events/poll?lastSequence=1"),
		"mode has to be replay":                s.Post("ann", in1+":fork", `{"mode":"repaly"}`),
		"--openwop-fixtures":                   bare.Post("ann", "/v1/runs", `{"workflowId":"conformance-noop"}`),
		"listed in fixtures":                   s.Post("ann", "/v1/runs", `{"workflowId":"conformance-no"}`),
		"workflowId is missing":                bare.Post("ann", "/v1/runs", `{}`),
		"POST /runs,":                          s.Get("ann", "/runs/x"),
		`resumeValue is missing. It has to be`: s.Post("ann", in1+"/interrupts/low-conf-decider", `{"value":"a"}`),
		`{"decision": …} for a decision`:       s.Post("ann", in1+"/interrupts/low-conf-decider", `{}`),
	} {
		assert.Contains(t, r.JSON()["message"], hint)
		assert.NotContains(t, []int{http.StatusOK, http.StatusCreated}, r.Status, hint)
	}
	assert.Equal(t, http.MethodPost, s.Get("ann", in1+":fork").Header.Get("Allow"))
	assert.Equal(t, http.StatusMethodNotAllowed, s.Get("ann", in2+":fork").Status)
}
