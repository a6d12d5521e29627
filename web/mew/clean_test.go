package mew

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

// secretToken has the shape of a token of GitHub.
func secretToken() string { return "ghp" + "_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5" }

// cleanRig is a rig whose space cleans. Its log is in the buffer.
func cleanRig(t *testing.T) (*rig, *bytes.Buffer) {
	var log bytes.Buffer
	return newRig(t, func(o *Options) {
		o.Spaces[0].Clean, o.Drafts = true, true
		o.Log = slog.New(slog.NewTextHandler(&log, nil))
	}), &log
}

func TestASpaceThatCleansCleansEveryMemberOrRefuses(t *testing.T) {
	r, _ := cleanRig(t)
	human, alpha := r.join("human"), r.join("alpha")
	human.until("system/presence")
	human.send(`{"id":"m-1","kind":"chat","note":{"deep":["it is %s"]},"payload":{"text":"t"},`+
		`"context":{"id":"c","metadata":{"a":"%s"}}}`,
		secretToken(), secretToken())
	for _, s := range []*socket{human, alpha} {
		m := s.until("chat")
		assert.NotContains(t, m.raw, secretToken())
		assert.Contains(t, m.raw, `"deep":["it is [REDACTED`)
	}
	for _, members := range []string{
		`"id":"TOKEN","kind":"chat","payload":{"text":"t"}`,
		`"kind":"chat","to":["TOKEN"],"payload":{"text":"t"}`,
		`"kind":"x/TOKEN","payload":{}`,
		`"kind":"chat","correlation_id":["TOKEN"],"payload":{"text":"t"}`,
		`"kind":"chat","context":"a/TOKEN","payload":{"text":"t"}`,
		`"kind":"chat","Payload":{"text":"TOKEN"},"payload":{"text":"t"}`,
		`"kind":"chat","cOntext":"TOKEN","payload":{"text":"t"}`,
		`"kind":"space/invite","payload":{"participant_id":"TOKEN"}`,
	} {
		human.send("{%s}", strings.ReplaceAll(members, "TOKEN", secretToken()))
		refused := human.read()
		assert.Equal(t, "system/error", refused.Kind, members)
	}
	human.send(`{"id":"m-2","kind":"chat","payload":{"text":"t"}}`)
	alpha.assertNothingBut("m-2")
}

func TestASpaceThatCleansCleansTheFramesOfItsStreams(t *testing.T) {
	r, _ := cleanRig(t)
	alpha := r.join("alpha")
	id := alpha.openStream(`,"description":"for ` + secretToken() + `"`)
	human := r.join("human")
	said := func(until string) (text string) {
		for {
			raw := human.readRaw()
			if raw[0] == '#' {
				text += strings.TrimPrefix(raw, "#"+id+"#")
			} else if strings.Contains(raw, until) {
				return text
			}
		}
	}
	token := secretToken()
	for _, part := range []string{"The token is ", token[:10], token[10:], ". And so it ends."} {
		alpha.send("#%s#%s", id, part)
	}
	alpha.send(`{"id":"closing-1","kind":"stream/close","payload":{"stream_id":%q}}`, id)
	assert.Equal(t, "The token is [REDACTED:github-pat]. And so it ends.", said("closing-1"))

	id = alpha.openStream("")
	for _, part := range []string{"The token is ", token[:10], token[10:], "."} {
		alpha.send(`#%s#{"type":"token","context":"%s","value":"%s"}`, id, "c", part)
	}
	require.NoError(t, alpha.conn.Write(t.Context(), websocket.MessageBinary, []byte("#"+id+"#\xff")))
	assert.Equal(t, "validation_error", alpha.until("system/error").Payload["error"])
	alpha.send(`{"id":"closing-2","kind":"stream/close","payload":{"stream_id":%q}}`, id)
	text := said("closing-2")
	assert.NotContains(t, text, token[10:])
	assert.Contains(t, text, "[REDACTED:github-pat].")
	assert.Contains(t, text, `{"context":"c","type":"token","value":"`)
}

func TestLateJoinersOfASpaceThatCleansReadCleanTerms(t *testing.T) {
	r, log := cleanRig(t)
	human := r.join("human")
	human.openStream(`,"description":"for ` + secretToken() + `"`)
	s, _, err := r.dial("", tokenFor("beta"), nil)
	require.NoError(t, err)
	welcome := s.read()
	assert.Contains(t, welcome.raw, "for [REDACTED")
	assert.NotContains(t, welcome.raw, secretToken())
	assert.NotContains(t, log.String(), secretToken())
}

func TestTheNameOfAnInvitedParticipantIsCleanInLogs(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	human := r.join("human")
	human.send(`{"kind":"space/invite","payload":{"participant_id":%q}}`, secretToken())
	human.until("space/invite-ack")
	human.send(`{"kind":"space/kick","payload":{"participant_id":%q}}`, secretToken())
	human.until("space/kick")
	human.send(`{"id":"m","kind":"chat","payload":{"text":"t"}}`)
	human.until("chat")
	r.lab().mu.Lock()
	defer r.lab().mu.Unlock()
	assert.Contains(t, log.String(), "participant invited")
	assert.NotContains(t, log.String(), secretToken())
}

func TestATextIsCleanedForItsSenderWithoutTheSpacesLock(t *testing.T) {
	var r *rig
	guesses := make(chan string, 9)
	r = newRig(t, func(o *Options) {
		o.Spaces[0].Clean = true
		o.Safety = safety.NewLayer(safety.Secrets(o.Spaces.Secrets()...), safety.OnGuess(func(who, from string) {
			if sp := r.lab(); sp.mu.TryLock() {
				guesses <- who + " guessed " + from
				sp.mu.Unlock()
			}
		}))
	})
	beta := r.join("beta")
	beta.send(`{"id":"m-1","kind":"chat","payload":{"text":"%s and my own, %s"}}`, tokenFor("alpha"), tokenFor("beta"))
	assert.NotContains(t, beta.readRaw(), tokenFor("alpha"))
	require.Len(t, guesses, 1)
	assert.Equal(t, "ann\x00lab\x00beta guessed the token of alpha in the space lab", <-guesses)
}
