package mew

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/mew/wire"
	"candor/web/problem"
)

func TestAUserManagesTheirOwnSpaces(t *testing.T) {
	r := newRig(t)
	ann, bob := tokenFor("ann"), tokenFor("bob")
	status, made := r.call(http.MethodPost, "/api/mew/spaces", bob, `{"name":"lab","clean":true}`)
	require.Equal(t, http.StatusCreated, status, "names of spaces are each user's own")
	assert.Equal(t, true, made["clean"])
	for body, want := range map[string]string{
		`{"name":"lab"}`: "space_exists", `{"name":"a b"}`: "bad_name", `{"name":7}`: "invalid_json",
	} {
		_, answer := r.call(http.MethodPost, "/api/mew/spaces", bob, body)
		assert.Equal(t, want, answer["error"], body)
	}
	status, added := r.call(http.MethodPost, "/api/mew/spaces/lab/participants", bob,
		`{"id":"gamma","capabilities":[{"kind":"*"}]}`)
	require.Equal(t, http.StatusCreated, status)
	token := added["token"].(string)
	_, all := r.call(http.MethodGet, "/api/mew/spaces", bob, "")
	assert.Len(t, all["spaces"], 1)
	assert.NotContains(t, fmt.Sprint(all), token, "a token is shown once")
	gamma, _, err := r.dial("?space=lab", token, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"gamma"}, gamma.read().To)

	for body, want := range map[string]string{
		`{"id":"gamma","capabilities":[]}`: "participant_exists", `{"id":"x y","capabilities":[]}`: "validation_error",
		`{"id":"x"}`: "bad_capabilities", `[]`: "invalid_json",
	} {
		_, answer := r.call(http.MethodPost, "/api/mew/spaces/lab/participants", bob, body)
		assert.Equal(t, want, answer["error"], body)
	}
	status, _ = r.call(http.MethodDelete, "/api/mew/spaces/lab/participants/alpha", bob, "{}")
	assert.Equal(t, http.StatusNotFound, status, "alpha is in ann's space")
	status, _ = r.call(http.MethodDelete, "/api/mew/spaces/lab/participants/alpha", ann, "{}")
	assert.Equal(t, http.StatusOK, status)
	status, _ = r.post("alpha", `{"kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusUnauthorized, status)

	status, _ = r.call(http.MethodDelete, "/api/mew/spaces/lab", bob, "{}")
	assert.Equal(t, http.StatusOK, status)
	code, reason := gamma.closedWith()
	assert.Equal(t, websocket.StatusGoingAway, code)
	assert.Equal(t, closeGone, reason)
	_, _, err = r.dial("", token, nil)
	require.Error(t, err, "its token is void")
	status, _ = r.call(http.MethodDelete, "/api/mew/spaces/lab", bob, "{}")
	assert.Equal(t, http.StatusNotFound, status)
	_, all = r.call(http.MethodGet, "/api/mew/spaces", ann, "")
	assert.Len(t, all["spaces"], 1, "ann's is another")
	own, err := r.store.Open(t.Context(), "bob")
	require.NoError(t, err)
	fresh, err := r.store.Open(t.Context(), "carol")
	require.NoError(t, err)
	assert.Equal(t, fresh.Held(), own.Held(), "what the space held is given back")
}

func TestAUserHasABoundedNumberOfSpaces(t *testing.T) {
	r := newRig(t)
	for i := range maxSpaces {
		_, err := r.gateway.addSpace(Space{Name: fmt.Sprint("s", i), Owner: "bob"})
		require.NoError(t, err)
	}
	status, answer := r.call(http.MethodPost, "/api/mew/spaces", tokenFor("bob"), `{"name":"more"}`)
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "too_many_spaces", answer["error"])
	_, err := r.gateway.addSpace(Space{Name: "more", Owner: "ann"})
	assert.NoError(t, err)
}

func TestASpaceHasABoundedNumberOfParticipants(t *testing.T) {
	r := newRig(t)
	for i := range maxParticipants - 3 {
		r.gateway.addTo(r, fmt.Sprint("p", i), `[]`)
	}
	_, answer := r.call(http.MethodPost, "/api/mew/spaces/lab/participants", tokenFor("ann"),
		`{"id":"x","capabilities":[]}`)
	assert.Equal(t, "too_many", answer["error"])
	_, answer = r.call(http.MethodPost, "/api/mew/spaces/lab/join", tokenFor("ann"), `{}`)
	assert.Equal(t, "too_many", answer["error"])
}

func TestTheOwnerJoinsAndLeavesFromThePage(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	for range 2 {
		status, info := r.call(http.MethodPost, "/api/mew/spaces/lab/join", tokenFor("ann"), "{}")
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, true, info["joined"])
		assert.Equal(t, "ann", info["you"])
	}
	joined := human.read()
	assert.Equal(t, "join", joined.Payload["event"])
	assert.Equal(t, "ann", joined.Payload["participant"].(map[string]any)["id"])
	_, info := r.call(http.MethodPost, "/api/mew/spaces/lab/leave", tokenFor("ann"), "{}")
	assert.Equal(t, false, info["joined"])
	r.call(http.MethodPost, "/api/mew/spaces/lab/leave", tokenFor("ann"), "{}")
	assert.Equal(t, "leave", human.read().Payload["event"])
	human.send(`{"id":"after","kind":"chat","payload":{"text":"t"}}`)
	human.assertNothingBut("after")
}

func TestWhatTheOwnerWritesIsAChatToTheThreadsParticipant(t *testing.T) {
	r := newRig(t)
	r.collector.threads = map[string]string{"th-1": "alpha"}
	alpha := r.join("alpha")
	e, err := r.gateway.Say(t.Context(), "ann", "th-1", "what is up?")
	require.NoError(t, err)
	assert.Equal(t, "join", alpha.read().Payload["event"], "the owner joins with the first word")
	m := alpha.read()
	assert.Equal(t, "chat", m.Kind)
	assert.Equal(t, "ann", m.From)
	assert.Equal(t, []string{"alpha"}, m.To)
	assert.Equal(t, "what is up?", m.Payload["text"])
	assert.Equal(t, "th-1", e.Thread)
	assert.Equal(t, session.TurnStarted{Message: m.ID}, e.Body)
	_, err = r.gateway.Say(t.Context(), "ann", "th-2", "hi")
	assert.ErrorIs(t, err, ErrNotOurs)
	_, err = r.gateway.Say(t.Context(), "bob", "th-1", "hi")
	assert.ErrorIs(t, err, ErrNotOurs, "a thread of another user")
	_, err = r.gateway.Say(t.Context(), "ann", "th-1", string(make([]byte, MaxMessage)))
	var p *problem.Problem
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "too_large", p.Code)
}

func TestTheOwnerCancelsAParticipantsReasoning(t *testing.T) {
	r := newRig(t)
	r.collector.threads = map[string]string{"th-1": "alpha", "th-2": "beta"}
	r.collector.running = map[string]string{"th-1": "m-1"}
	alpha := r.join("alpha")
	turn, err := r.gateway.Cancel(t.Context(), "ann", "th-1")
	require.NoError(t, err)
	assert.Equal(t, 2, turn.Turn)
	m := alpha.until("reasoning/cancel")
	assert.Contains(t, m.raw, `"context":"m-1"`)
	assert.Equal(t, []string{"alpha"}, m.To)
	_, err = r.gateway.Cancel(t.Context(), "ann", "th-2")
	assert.ErrorIs(t, err, session.ErrNotRunning)
	_, err = r.gateway.Cancel(t.Context(), "ann", "th-3")
	assert.ErrorIs(t, err, ErrNotOurs)
}

func TestTheOwnerDecidesOnAProposal(t *testing.T) {
	r := newRig(t)
	proposal, err := wire.Parse([]byte(`{"id":"p-1","from":"beta","to":["alpha"],"kind":"mcp/proposal",`+
		`"context":"m-1","payload":{"method":"tools/call","params":{"name":"deploy"}}}`), wire.Options{})
	require.NoError(t, err)
	r.collector.proposed = map[string]wire.Envelope{"req-1": proposal}
	alpha := r.join("alpha")
	turn, err := r.gateway.Answer(t.Context(), "ann", "req-1", session.Approve)
	require.NoError(t, err)
	assert.Equal(t, 3, turn.Turn)
	m := alpha.until("mcp/request")
	assert.Equal(t, []string{"p-1"}, m.Correlation)
	assert.Equal(t, []string{"alpha"}, m.To)
	assert.Equal(t, "tools/call", m.Payload["method"])
	_, err = r.gateway.Answer(t.Context(), "ann", "req-1", session.Deny)
	require.NoError(t, err)
	m = alpha.until("mcp/reject")
	assert.Equal(t, []string{"beta"}, m.To)
	assert.Equal(t, []string{"p-1"}, m.Correlation)
	_, err = r.gateway.Answer(t.Context(), "ann", "req-1", session.Always)
	assert.ErrorIs(t, err, session.ErrNotAlways)
	_, err = r.gateway.Answer(t.Context(), "ann", "req-2", session.Approve)
	assert.ErrorIs(t, err, ErrNotOurs)
}

func TestADiscardedUserTakesTheirSpacesAlong(t *testing.T) {
	r := newRig(t)
	beta := r.join("beta")
	status, _ := r.call(http.MethodPost, "/api/mew/spaces", tokenFor("bob"), `{"name":"other"}`)
	require.Equal(t, http.StatusCreated, status)
	r.gateway.Discard("ann")
	code, reason := beta.closedWith()
	assert.Equal(t, websocket.StatusGoingAway, code)
	assert.Equal(t, closeGone, reason)
	status, _ = r.post("beta", `{"kind":"chat","payload":{"text":"t"}}`)
	assert.Equal(t, http.StatusUnauthorized, status, "the token is void")
	_, answer := r.call(http.MethodGet, "/api/mew/spaces", tokenFor("ann"), "")
	assert.Empty(t, answer["spaces"])
	_, answer = r.call(http.MethodGet, "/api/mew/spaces", tokenFor("bob"), "")
	assert.Len(t, answer["spaces"], 1)
}

func TestListsDoNotWaitForWhatIsBeingSaid(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	human.send(`{"id":"m-1","kind":"chat","payload":{"text":"t"}}`)
	human.assertNothingBut("m-1")
	sp := r.lab()
	sp.mu.Lock() // as while a message is folded
	defer sp.mu.Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for path, token := range map[string]string{
		"/api/mew/spaces": tokenFor("ann"), "/mew/participants?space=lab": tokenFor("ann"),
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.http.URL+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err, path)
		raw, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Contains(t, string(raw), `{"id":"human","connected":true`, path)
	}
}
