package mew

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAGrantAppliesAtOnceAndIsRevokedAtOnce(t *testing.T) {
	r := newRig(t)
	human, beta := r.join("human"), r.join("beta")
	thought := func(id string) string { return fmt.Sprintf(`{"id":%q,"kind":"reasoning/thought"}`, id) }
	beta.send("%s", thought("t-1"))
	assert.Equal(t, "capability_violation", beta.until("system/error").Payload["error"])
	human.send(`{"id":"g-1","kind":"capability/grant","payload":{"recipient":"beta",` +
		`"capabilities":[{"kind":"reasoning/step"}]}}`)
	human.send(`{"id":"g-2","kind":"capability/grant","payload":{"recipient":"beta",` +
		`"capabilities":[{"kind":"mcp/*"}]}}`)
	welcome := beta.until("system/welcome")
	assert.Equal(t, []string{"g-1"}, welcome.Correlation)
	assert.Equal(t, []string{"g-2"}, beta.until("system/welcome").Correlation)
	beta.send(`{"id":"a-1","kind":"capability/grant-ack","correlation_id":["g-1"],"payload":{"status":"accepted"}}`)
	assert.Equal(t, "a-1", beta.until("capability/grant-ack").ID)
	beta.send("%s", thought("t-2"))
	assert.Equal(t, "t-2", beta.until("reasoning/thought").ID)
	human.send(`{"id":"r-1","kind":"capability/revoke","payload":{"recipient":"beta","grant_id":"g-1"}}`)
	again := beta.until("system/welcome")
	you := again.Payload["you"].(map[string]any)["capabilities"]
	assert.NotContains(t, you, map[string]any{"kind": "reasoning/step"})
	assert.Contains(t, you, map[string]any{"kind": "mcp/*"}, "the other grant stays")
	beta.send("%s", thought("t-3"))
	assert.Equal(t, "capability_violation", beta.until("system/error").Payload["error"])
	human.send(`{"id":"r-2","kind":"capability/revoke","payload":{"recipient":"beta","capabilities":[{"kind":"*"}]}}`)
	you = beta.until("system/welcome").Payload["you"].(map[string]any)["capabilities"]
	assert.NotContains(t, you, map[string]any{"kind": "mcp/*"}, "a pattern revokes all that it covers")
	assert.Contains(t, you, map[string]any{"kind": "chat"}, "what the owner defined stays")
}

func TestWhatCannotBeDoneIsRefusedAndNotBroadcast(t *testing.T) {
	const grantTo = `{"id":"b","kind":"capability/grant","payload":{"recipient":"beta","capabilities":`
	for _, tt := range []struct{ name, message, code string }{
		{"a capability that the giver lacks", grantTo + `[{"kind":"space/kick"}]}}`, "capability_violation"},
		{"everything", grantTo + `[{"kind":"*"}]}}`, "capability_violation"},
		{"a pattern that is none", grantTo + `[{"kind":"/re/"}]}}`, "validation_error"},
		{"no capabilities", `{"id":"b","kind":"capability/grant","payload":{"recipient":"beta"}}`, "validation_error"},
		{"no payload", `{"id":"b","kind":"capability/grant"}`, "validation_error"},
		{"a payload of another type", `{"id":"b","kind":"capability/grant","payload":{"recipient":7}}`,
			"validation_error"},
		{"a recipient who is not there", `{"id":"b","kind":"capability/grant","payload":{"recipient":"eve"}}`,
			"participant_not_found"},
		{"a grant that is not there",
			`{"id":"b","kind":"capability/revoke","payload":{"recipient":"beta","grant_id":"x"}}`,
			"grant_not_found"},
		{"capabilities that were not granted",
			`{"id":"b","kind":"capability/revoke","payload":{"recipient":"beta","capabilities":[{"kind":"chat"}]}}`,
			"grant_not_found"},
		{"a revocation of nothing", `{"id":"b","kind":"capability/revoke","payload":{"recipient":"beta"}}`,
			"validation_error"},
		{"a revocation from nobody", `{"id":"b","kind":"capability/revoke","payload":{"recipient":"eve"}}`,
			"participant_not_found"},
		{"an invitation of somebody who is there",
			`{"id":"b","kind":"space/invite","payload":{"participant_id":"beta"}}`,
			"participant_exists"},
		{"an invitation of the gateway",
			`{"id":"b","kind":"space/invite","payload":{"participant_id":"system:gateway"}}`,
			"validation_error"},
		{"an invitation with more than one has",
			`{"id":"b","kind":"space/invite","payload":{"participant_id":"eve","initial_capabilities":[{"kind":"*"}]}}`,
			"capability_violation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.gateway.addTo(r, "admin", `[{"kind":"capability/*"},{"kind":"space/invite"},{"kind":"chat"}]`)
			watcher := r.join("human")
			status, answer := r.post("admin", tt.message)
			assert.GreaterOrEqual(t, status, 400)
			assert.Equal(t, tt.code, answer["error"])
			r.post("admin", `{"id":"after","kind":"chat","payload":{"text":"t"}}`)
			watcher.assertNothingBut("after")
		})
	}
}

// addTo adds a participant to the rig's space whose token is that of the tests.
func (s *Server) addTo(r *rig, id, capabilities string) {
	given, err := parseCapabilities([]byte(capabilities))
	require.NoError(r.t, err)
	sp := r.lab()
	sp.mu.Lock()
	defer sp.mu.Unlock()
	sp.members[id] = sp.newMember(id, given)
	sp.refresh()
	s.tokens.add(tokenFor(id), sp, id)
}

func TestTheTokenOfAnInvitationReachesTheInviterOnly(t *testing.T) {
	r := newRig(t)
	human, beta := r.join("human"), r.join("beta")
	human.send(`{"id":"i-1","kind":"space/invite","payload":{"participant_id":"gamma",` +
		`"initial_capabilities":[{"kind":"chat"}],"reason":"analysis"}}`)
	ack := human.until("space/invite-ack")
	assert.Equal(t, []string{"i-1"}, ack.Correlation)
	assert.Equal(t, []string{"human"}, ack.To)
	token := ack.Payload["token"].(string)
	assert.Equal(t, "i-1", beta.until("space/invite").ID)
	assert.Equal(t, "invited", beta.read().Payload["event"])
	human.send(`{"id":"after","kind":"chat","payload":{"text":"t"}}`)
	beta.assertNothingBut("after")
	_, kept := r.call(http.MethodGet, "/mew/participants/beta/messages", tokenFor("beta"), "")
	assert.NotContains(t, fmt.Sprint(kept), token)

	gamma, _, err := r.dial("?space=lab", token, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"gamma"}, gamma.read().To)
	own, err := r.store.Open(t.Context(), "ann")
	require.NoError(t, err)
	masked, _ := r.gateway.options.Safety.Remember(own.Seen()).Mask("see " + token)
	assert.NotContains(t, masked.String(), token, "the owner's session masks it")

	status, answer := r.post("human", `{"kind":"space/invite","payload":{"participant_id":"delta"}}`)
	require.Equal(t, http.StatusOK, status)
	assert.NotEmpty(t, answer["invite_ack"].(map[string]any)["token"], "over HTTP it is in the answer")
}

func TestAKickedParticipantIsGoneWithItsToken(t *testing.T) {
	r := newRig(t)
	human, beta := r.join("human"), r.join("beta")
	human.send(`{"id":"k-1","kind":"space/kick","payload":{"participant_id":"beta","reason":"r"}}`)
	assert.Equal(t, "k-1", beta.until("space/kick").ID, "it is told why")
	code, reason := beta.closedWith()
	assert.Equal(t, websocket.StatusPolicyViolation, code)
	assert.Equal(t, closeRemoved, reason)
	human.until("space/kick")
	assert.Equal(t, "leave", human.read().Payload["event"])
	_, response, err := r.dial("", tokenFor("beta"), nil)
	require.Error(t, err)
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode)
	status, _ := r.post("beta", `{"kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, answer := r.post("human", `{"kind":"space/kick","payload":{"participant_id":"beta"}}`)
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, "participant_not_found", answer["error"])
	r.call(http.MethodPost, "/api/mew/spaces/lab/join", tokenFor("ann"), "{}")
	status, _ = r.post("human", `{"kind":"space/kick","payload":{"participant_id":"ann"}}`)
	assert.Equal(t, http.StatusForbidden, status, "the owner stays")
}

func TestAShutDownParticipantIsRefusedUntilItJoinsAgain(t *testing.T) {
	r := newRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	human.send(`{"id":"s-1","kind":"participant/shutdown","to":["alpha","nobody"]}`)
	assert.Equal(t, "s-1", alpha.until("participant/shutdown").ID)
	alpha.send(`{"id":"m-1","kind":"chat","payload":{"text":"one more thing"}}`)
	assert.Equal(t, "shut_down", alpha.read().Payload["error"])
	alpha.send(`#x#data`)
	assert.Equal(t, "shut_down", alpha.read().Payload["error"])
	status, _ := r.post("alpha", `{"kind":"chat","payload":{"text":"over HTTP"}}`)
	assert.Equal(t, http.StatusForbidden, status)
	again := r.join("alpha")
	again.send(`{"id":"m-2","kind":"chat","payload":{"text":"back"}}`)
	again.assertNothingBut("m-2")
}

func TestPauseAndResumeArePassedOn(t *testing.T) {
	r := newRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	for _, kind := range []string{"participant/pause", "participant/resume", "participant/request-status"} {
		human.send(`{"kind":%q,"to":["alpha"]}`, kind)
		assert.Equal(t, kind, alpha.until(kind).Kind)
	}
	alpha.send(`{"id":"m-1","kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, "m-1", human.until("chat").ID, "obeying is up to the participant")
}

func TestAParticipantHasABoundedNumberOfCapabilities(t *testing.T) {
	r := newRig(t)
	grantSome := func(n int) string {
		_, answer := r.post("human", `{"kind":"capability/grant","payload":{"recipient":"beta","capabilities":[`+
			strings.Repeat(`{"kind":"x"},`, n-1)+`{"kind":"x"}]}}`)
		return fmt.Sprint(answer["error"])
	}
	assert.Equal(t, "<nil>", grantSome(40))
	assert.Equal(t, "too_many", grantSome(40))
	assert.Equal(t, "<nil>", grantSome(maxCapabilities-42), "beta has two of its own")
	assert.Equal(t, "too_many", grantSome(1))
}
