package mew

import (
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openStream opens a stream of alpha's with further members of the payload, and returns its id.
func (s *socket) openStream(terms string) string {
	s.t.Helper()
	id := uuid.NewString()
	s.send(`{"id":%q,"kind":"stream/request","payload":{"direction":"upload"%s}}`, id, terms)
	open := s.until("stream/open")
	for open.Correlation[0] != id {
		open = s.until("stream/open")
	}
	assert.Equal(s.t, "system:gateway", open.From)
	return open.Payload["stream_id"].(string)
}

func TestAStreamCarriesFramesOfItsWritersAndNothingAfterItsClose(t *testing.T) {
	r := newRig(t)
	human, beta, alpha := r.join("human"), r.join("beta"), r.join("alpha")
	id := alpha.openStream("")
	assert.Equal(t, "stream/request", human.until("stream/request").Kind, "the request is seen before its answer")
	assert.Equal(t, id, human.read().Payload["stream_id"])
	alpha.send("#%s#one#two # three", id)
	assert.Equal(t, "#"+id+"#one#two # three", human.readRaw())
	assert.Equal(t, "#"+id+"#one#two # three", alpha.readRaw(), "the writer, too")
	require.NoError(t, alpha.conn.Write(t.Context(), websocket.MessageBinary, []byte("#"+id+"#\x00\xff")))
	kind, raw, err := human.conn.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, websocket.MessageBinary, kind)
	assert.Equal(t, "#"+id+"#\x00\xff", string(raw))

	beta.send("#%s#mine", id)
	assert.Equal(t, "unauthorized_stream_write", beta.until("system/error").Payload["error"])
	alpha.send(`{"id":"c","kind":"stream/close","payload":{"stream_id":%q,"reason":"complete"}}`, id)
	assert.Equal(t, "c", human.until("stream/close").ID)
	alpha.send("#%s#late", id)
	assert.Equal(t, "stream_not_found", alpha.until("system/error").Payload["error"])
	alpha.send("#%s", id)
	assert.Equal(t, "validation_error", alpha.read().Payload["error"])
	alpha.send(`{"id":"after","kind":"chat","payload":{"text":"t"}}`)
	human.assertNothingBut("after")
	sp := r.lab()
	sp.mu.Lock()
	defer sp.mu.Unlock()
	for _, e := range sp.history.entries {
		assert.NotContains(t, string(e.message.Raw), "one#two", "frames are not kept")
	}
}

func TestLateJoinersLearnAllThatAStreamsRequestSaid(t *testing.T) {
	r := newRig(t)
	alpha := r.join("alpha")
	id := alpha.openStream(`,"description":"reasoning:m-1","content_type":"text/plain",` +
		`"metadata":{"n":[1,2]},"mine":true`)
	m := r.join2("human")
	streams := m.Payload["active_streams"].([]any)
	require.Len(t, streams, 1)
	got := streams[0].(map[string]any)
	assert.NotEmpty(t, got["created"])
	delete(got, "created")
	assert.Equal(t, map[string]any{
		"stream_id": id, "owner": "alpha", "authorized_writers": []any{"alpha"}, "direction": "upload",
		"description": "reasoning:m-1", "content_type": "text/plain", "metadata": map[string]any{"n": []any{1.0, 2.0}},
		"mine": true,
	}, got)
}

// join2 opens a participant's socket and returns its welcome.
func (r *rig) join2(who string) message {
	s, _, err := r.dial("", tokenFor(who), nil)
	require.NoError(r.t, err)
	return s.read()
}

func TestWritingToAStreamIsTheOwnersToGive(t *testing.T) {
	r := newRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	id := alpha.openStream("")
	human.send(`{"kind":"stream/grant-write","payload":{"stream_id":%q,"participant_id":"human"}}`, id)
	assert.Equal(t, "unauthorized", human.until("system/error").Payload["error"])
	alpha.send(`{"id":"g","kind":"stream/grant-write","payload":{"stream_id":%q,"participant_id":"human"}}`, id)
	granted := human.until("stream/write-granted")
	assert.Equal(t, []string{"g"}, granted.Correlation)
	assert.Equal(t, []any{"alpha", "human"}, granted.Payload["authorized_writers"])
	human.send("#%s#by human", id)
	assert.Equal(t, "#"+id+"#by human", human.readRaw())
	alpha.send(`{"kind":"stream/revoke-write","payload":{"stream_id":%q,"participant_id":"human"}}`, id)
	assert.Equal(t, []any{"alpha"}, human.until("stream/write-revoked").Payload["authorized_writers"])
	human.send("#%s#again", id)
	assert.Equal(t, "unauthorized_stream_write", human.until("system/error").Payload["error"])
	alpha.send(`{"kind":"stream/revoke-write","payload":{"stream_id":%q,"participant_id":"alpha"}}`, id)
	alpha.until("stream/write-revoked")
	assert.Equal(t, "invalid_operation", alpha.until("system/error").Payload["error"])
	alpha.send(`{"kind":"stream/transfer-ownership","payload":{"stream_id":%q,"new_owner":"nobody"}}`, id)
	assert.Equal(t, "participant_not_found", alpha.until("system/error").Payload["error"])
	alpha.send(`{"kind":"stream/transfer-ownership","payload":{"stream_id":%q,"new_owner":"human"}}`, id)
	moved := human.until("stream/ownership-transferred")
	assert.Equal(t, "alpha", moved.Payload["previous_owner"])
	assert.Equal(t, []any{"alpha", "human"}, moved.Payload["authorized_writers"])
	human.send(`{"kind":"stream/revoke-write","payload":{"stream_id":%q,"participant_id":"alpha"}}`, id)
	assert.Equal(t, []any{"human"}, human.until("stream/write-revoked").Payload["authorized_writers"])
}

func TestATargetedStreamReachesItsTargetsOnly(t *testing.T) {
	r := newRig(t)
	human, beta, alpha := r.join("human"), r.join("beta"), r.join("alpha")
	id := alpha.openStream(`,"target":["human"]`)
	human.until("stream/open")
	beta.until("stream/open")
	alpha.send("#%s#private", id)
	assert.Equal(t, "#"+id+"#private", human.readRaw())
	alpha.send(`{"id":"after","kind":"chat","payload":{"text":"t"}}`)
	beta.assertNothingBut("after")
	human.send(`{"id":"c","kind":"stream/close","payload":{"stream_id":%q}}`, id)
	assert.Equal(t, "c", beta.until("stream/close").ID, "a target may close it, too")
	alpha.send(`{"kind":"stream/request","payload":{"direction":"upload","target":["nobody"]}}`)
	assert.Equal(t, "target_not_found", alpha.until("system/error").Payload["error"])
}

func TestStreamsOfOneWhoLeavesAreClosed(t *testing.T) {
	r := newRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	mine := human.openStream("")
	alphas := alpha.openStream("")
	human.send(`{"kind":"stream/grant-write","payload":{"stream_id":%q,"participant_id":"alpha"}}`, mine)
	human.until("stream/write-granted")
	require.NoError(t, alpha.conn.Close(websocket.StatusNormalClosure, ""))
	seen := map[string]any{}
	for m := human.read(); m.Kind != "system/presence" || m.Payload["event"] != "leave"; m = human.read() {
		seen[m.Kind] = m.Payload["stream_id"]
	}
	assert.Equal(t, map[string]any{"stream/close": alphas, "stream/write-revoked": mine}, seen)
}

func TestAStreamsRequestIsCheckedAndBounded(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct{ name, payload, code string }{
		{"no direction", `{}`, "validation_error"},
		{"an unknown direction", `{"direction":"sideways"}`, "validation_error"},
		{"a target that is no list", `{"direction":"upload","target":"human"}`, "validation_error"},
		{"a member that stands twice", `{"direction":"upload","a":1,"a":2}`, "validation_error"},
		{"a long one", `{"direction":"upload","a":"` + strings.Repeat("x", maxStreamTerms) + `"}`, "too_large"},
	} {
		_, answer := r.post("alpha", `{"kind":"stream/request","payload":`+tt.payload+`}`)
		assert.Equal(t, tt.code, answer["error"], tt.name)
	}
	for range maxStreams {
		status, answer := r.post("alpha", `{"kind":"stream/request","payload":{"direction":"download"}}`)
		require.Equal(t, http.StatusOK, status)
		assert.Equal(t, "stream_opened", answer["status"])
		assert.NotEmpty(t, answer["stream_id"])
	}
	status, answer := r.post("alpha", `{"kind":"stream/request","payload":{"direction":"download"}}`)
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "too_many", answer["error"])
	status, _ = r.post("alpha", `{"kind":"stream/close","payload":{"stream_id":"x"}}`)
	assert.Equal(t, http.StatusNotFound, status)
	_, _ = r.post("human", `{"kind":"stream/request","payload":{"direction":"upload"}}`)
	for id, st := range r.lab().streams {
		if st.owner.id == "human" {
			status, _ = r.post("alpha", `{"kind":"stream/close","payload":{"stream_id":"`+id+`"}}`)
			assert.Equal(t, http.StatusForbidden, status, "a stranger does not close it")
		}
	}
}

func TestFramesHaveARateOfTheirOwn(t *testing.T) {
	r := newRig(t)
	_, answer := r.post("alpha", `{"kind":"stream/request","payload":{"direction":"upload"}}`)
	sp := r.lab()
	m := sp.members["alpha"]
	f := outgoing{bytes: []byte("#" + answer["stream_id"].(string) + "#data")}
	for i := range 60 * frameRate {
		if err := sp.frame(m, f); err != nil {
			assert.ErrorIs(t, err, tooFast)
			assert.GreaterOrEqual(t, i, frameRate)
			r.chat("alpha", "m-1")
			return
		}
	}
	assert.Fail(t, "it was never refused")
}
