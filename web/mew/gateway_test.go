package mew

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/mew/wire"
)

func TestAMessageReachesEverybodyByteForByteAndItsSenderToo(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	alpha := r.join("alpha")
	require.Equal(t, "system/presence", human.read().Kind)
	beta := r.join("beta")
	require.Equal(t, "system/presence", human.read().Kind)
	require.Equal(t, "system/presence", alpha.read().Kind)
	for _, raw := range []string{
		`{"protocol":"mew/v0.4", "id":"m-1","ts":"2026-01-02T15:04:05Z","from":"alpha",` +
			`  "kind":"reasoning/start"}`,
		`{"kind":"reasoning/thought","context":{"parent":"m-1","id":"c","metadata":{"n":1.50}},"id":"m-2",` +
			`"protocol":"mew/v0.4","ts":"2026-01-02T15:04:05Z","from":"alpha","payload":{"message":"é\u00e9"}}`,
		`{"kind":"chat","context":["odd"],"id":"m-3","protocol":"mew/v0.4","ts":"2026-01-02T15:04:05Z",` +
			`"from":"alpha","payload":{"text":"a"}}`,
	} {
		alpha.send("%s", raw)
		for _, s := range []*socket{alpha, human, beta} {
			assert.Equal(t, raw, s.readRaw())
		}
	}
	alpha.send(`{"kind":"chat","payload":{"text":"hi"}}`)
	m := human.read()
	assert.Equal(t, "alpha", m.From)
	assert.NotEmpty(t, m.ID)
	assert.True(t, strings.HasSuffix(m.raw, `"kind":"chat","payload":{"text":"hi"}}`))
	assert.Equal(t, []string{"alpha reasoning/start", "alpha reasoning/thought", "alpha chat", "alpha chat"},
		r.collector.kinds())
}

func TestAWelcomeIsTheFirstMessageAndSaysWhoIsThere(t *testing.T) {
	r := newRig(t)
	r.join("human")
	alpha, _, err := r.dial("", tokenFor("alpha"), nil)
	require.NoError(t, err)
	m := alpha.read()
	assert.Equal(t, "system/welcome", m.Kind)
	assert.Equal(t, "system:gateway", m.From)
	assert.Equal(t, []string{"alpha"}, m.To)
	you := m.Payload["you"].(map[string]any)
	assert.Equal(t, "alpha", you["id"])
	assert.Contains(t, you["capabilities"], map[string]any{"kind": "reasoning/*"})
	others := m.Payload["participants"].([]any)
	require.Len(t, others, 1)
	assert.Equal(t, "human", others[0].(map[string]any)["id"])
}

func TestTheShippedJoinMessageIsUnderstoodAndItsClaimedNameIgnored(t *testing.T) {
	r := newRig(t)
	for _, join := range []string{
		`{"type":"join","space":"lab","token":"` + tokenFor("beta") + `","participantId":"human",` +
			`"capabilities":[{"kind":"*"}]}`,
		`{"kind":"system/join","payload":{"space":"lab","token":"` + tokenFor("beta") + `","participantId":"human"}}`,
	} {
		s, _, err := r.dial("", "", nil)
		require.NoError(t, err)
		s.send("%s", join)
		m := s.read()
		assert.Equal(t, "system/welcome", m.Kind)
		assert.Equal(t, []string{"beta"}, m.To)
	}
}

func TestAClientMayBringItsTokenInBothWays(t *testing.T) {
	r := newRig(t)
	alpha := r.join("alpha")
	alpha.send(`{"type":"join","space":"lab","token":"%s"}`, tokenFor("alpha"))
	alpha.send(`{"type":"join","space":"lab"}`)
	alpha.send(`{"id":"m-1","kind":"chat","payload":{"text":"hi"}}`)
	alpha.assertNothingBut("m-1")
	alpha.send(`{"type":"join","token":"%s"}`, tokenFor("beta"))
	assert.Equal(t, "unauthorized", alpha.read().Payload["error"])
}

func TestAWrongTokenIsRefusedAndTheSocketClosed(t *testing.T) {
	r := newRig(t)
	for name, first := range map[string]string{
		"a wrong token":       `{"type":"join","token":"` + tokenFor("nobody") + `","participantId":"human"}`,
		"no token":            `{"type":"join","participantId":"human"}`,
		"a user's token":      `{"type":"join","token":"` + tokenFor("ann") + `"}`,
		"another space":       `{"type":"join","space":"den","token":"` + tokenFor("human") + `"}`,
		"a message":           `{"kind":"chat","payload":{"text":"join\""}}`,
		"something not JSON":  `join`,
		"a frame of a stream": `#join"#`,
	} {
		t.Run(name, func(t *testing.T) {
			s, _, err := r.dial("", "", nil)
			require.NoError(t, err)
			s.send("%s", first)
			m := s.read()
			assert.Equal(t, "system/error", m.Kind)
			assert.Equal(t, "unauthorized", m.Payload["error"])
			code, _ := s.closedWith()
			assert.Equal(t, websocket.StatusPolicyViolation, code)
		})
	}
}

func TestASocketIsRefusedBeforeItOpens(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name, query, token, origin string
		status                     int
	}{
		{"a wrong token", "", tokenFor("nobody"), "", 401},
		{"a user's token", "", tokenFor("ann"), "", 401},
		{"a token in the URL", "?token=" + tokenFor("human"), "", "", 400},
		{"a token of another space", "?space=den", tokenFor("human"), "", 403},
		{"a page of another origin", "", tokenFor("human"), "https://evil.example", 403},
		{"a page of another port", "", tokenFor("human"), "http://127.0.0.1:1", 403},
		{"an unknown view", "?view=all", tokenFor("human"), "", 400},
		{"too many contexts", "?" + strings.Repeat("context=a&", 17), tokenFor("human"), "", 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{}
			if tt.origin != "" {
				header.Set("Origin", tt.origin)
			}
			_, response, err := r.dial(tt.query, tt.token, header)
			require.Error(t, err)
			require.NotNil(t, response)
			assert.Equal(t, tt.status, response.StatusCode)
		})
	}
	_, _, err := r.dial("", tokenFor("human"), http.Header{"Origin": {r.http.URL}})
	assert.NoError(t, err, "a page of this server may")
	allowed := newRig(t, func(o *Options) { o.Origins = []string{"https://app.example"} })
	_, _, err = allowed.dial("", tokenFor("human"), http.Header{"Origin": {"https://app.example"}})
	assert.NoError(t, err, "a page that the options name may")
}

func TestPresenceTellsOfTheFirstSocketAndTheLast(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	alpha := r.join("alpha")
	joined := human.read()
	assert.Equal(t, "join", joined.Payload["event"])
	assert.Equal(t, "alpha", joined.Payload["participant"].(map[string]any)["id"])
	again := r.join("alpha")
	require.NoError(t, alpha.conn.Close(websocket.StatusNormalClosure, ""))
	again.send(`{"id":"m-1","kind":"chat","payload":{"text":"still here"}}`)
	human.assertNothingBut("m-1")
	require.NoError(t, again.conn.Close(websocket.StatusNormalClosure, ""))
	left := human.read()
	assert.Equal(t, "system/presence", left.Kind)
	assert.Equal(t, "leave", left.Payload["event"])
	sp := r.lab()
	sp.mu.Lock()
	defer sp.mu.Unlock()
	assert.Equal(t, []string{"+human", "+alpha", "-alpha"}, r.collector.present, "the collector knows, too")
}

// refusals are messages of beta, who may chat and start reasonings, and of others, that both
// doors refuse.
var refusals = []struct {
	name, who, message, code string
	status                   int
}{
	{"a kind that no capability allows", "beta", `{"id":"b","kind":"mcp/request","payload":{"method":"x"}}`,
		"capability_violation", 403},
	{"a thought of one who may only start", "beta", `{"id":"b","kind":"reasoning/thought"}`,
		"capability_violation", 403},
	{"the name of another", "beta", `{"id":"b","kind":"chat","from":"human","payload":{"text":"t"}}`,
		"from_mismatch", 403},
	{"forged presence", "human", `{"id":"b","kind":"system/presence","payload":{}}`, "reserved_kind", 403},
	{"a forged stream", "human", `{"id":"b","kind":"stream/open","payload":{}}`, "reserved_kind", 403},
	{"another protocol", "human", `{"id":"b","kind":"x","protocol":"meup/v0.2"}`, "validation_error", 400},
	{"a number to correlate to", "human", `{"id":"b","kind":"x","correlation_id":7}`, "validation_error", 400},
	{"broken JSON", "human", `{"kind":`, "validation_error", 400},
	{"a context that is too deep", "human", `{"id":"b","kind":"x","context":"1/2/3/4/5/6"}`, "context_too_deep", 422},
	{"a grant to nobody", "human", `{"id":"b","kind":"capability/grant","payload":{"recipient":"x"}}`,
		"participant_not_found", 404},
}

func TestBothDoorsRefuseAlikeAndTellTheSenderOnly(t *testing.T) {
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			watcher := r.join("alpha")
			sender := r.join(tt.who)
			require.Equal(t, "system/presence", watcher.read().Kind)
			sender.send("%s", tt.message)
			m := sender.read()
			assert.Equal(t, "system/error", m.Kind)
			assert.Equal(t, tt.code, m.Payload["error"])
			assert.Equal(t, []string{tt.who}, m.To)
			if strings.Contains(tt.message, `"b"`) && tt.code != "validation_error" {
				assert.Equal(t, []string{"b"}, m.Correlation)
			}
			status, answer := r.post(tt.who, tt.message)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.code, answer["error"])
			assert.NotEmpty(t, answer["message"])

			sender.send(`{"id":"after","kind":"chat","payload":{"text":"still open"}}`)
			watcher.assertNothingBut("after")
			assert.Equal(t, []string{tt.who + " chat"}, r.collector.kinds())
		})
	}
}

func TestAViolationNamesTheKindAndTheCapabilities(t *testing.T) {
	r := newRig(t)
	beta := r.join("beta")
	beta.send(`{"id":"b","kind":"mcp/request","payload":{"method":"x"}}`)
	m := beta.read()
	assert.Equal(t, "mcp/request", m.Payload["attempted_kind"])
	assert.Contains(t, m.Payload["your_capabilities"], map[string]any{"kind": "chat"})
	_, answer := r.post("beta", `{"kind":"mcp/request","payload":{"method":"x"}}`)
	details := answer["details"].(map[string]any)
	assert.Equal(t, "mcp/request", details["attempted_kind"])
	assert.Contains(t, details["your_capabilities"], map[string]any{"kind": "reasoning/start"})
}

func TestASpaceThatCleansMasksPayloadsBeforeAnybodySeesThem(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Spaces[0].Clean = true })
	human := r.join("human")
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"my token is %s"},"context":"c"}`, tokenFor("alpha"))
	m := human.read()
	assert.NotContains(t, m.raw, tokenFor("alpha"))
	assert.Contains(t, m.raw, `"context":"c"}`)
	assert.Contains(t, m.Payload["text"], "my token is [REDACTED")
	assert.NotContains(t, string(r.collector.observed[0].Payload), tokenFor("alpha"))
	human.send(`{"id":"m-2","kind":"reasoning/start"}`)
	human.assertNothingBut("m-2")

	raw := newRig(t)
	human = raw.join("human")
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"my token is %s"}}`, tokenFor("alpha"))
	assert.Contains(t, human.readRaw(), tokenFor("alpha"), "other spaces pass on what came")
}

func TestDraftsAreReadUnlessTheOptionSaysNo(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Drafts = true })
	alpha := r.join("alpha")
	const draft = `"kind":"reasoning.start","correlationId":"m-0","payload":{"message":"m"}}`
	alpha.send(`{"id":"m-1",` + draft)
	assert.Contains(t, alpha.readRaw(), draft)
	assert.Equal(t, []string{"alpha reasoning/start"}, r.collector.kinds())
	alpha = newRig(t).join("alpha")
	alpha.send(`{"id":"m-1",` + draft)
	assert.Equal(t, string(wire.CodeCapability), alpha.read().Payload["error"])
}

func TestAnOutageOfTheStorageIsSaidAndTheMessageMayBeSentAgain(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	r.collector.fails = fmt.Errorf("%w: the disk is full", session.ErrStorage)
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, "storage_failed", human.read().Payload["error"])
	status, answer := r.post("beta", `{"id":"m-2","kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, "storage_failed", answer["error"])
	r.collector.fails = nil
	status, _ = r.post("beta", `{"id":"m-2","kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusOK, status)
	human.assertNothingBut("m-2")
}
