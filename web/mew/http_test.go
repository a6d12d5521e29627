package mew

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMessagesAreSentAndReadWithoutASocket(t *testing.T) {
	r := newRig(t)
	human := r.join("human")
	status, answer := r.post("beta", `{"id":"m-1","kind":"chat","payload":{"text":"hi"}}`)
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "m-1", answer["id"])
	assert.Equal(t, "accepted", answer["status"])
	assert.NotEmpty(t, answer["timestamp"])
	assert.Equal(t, "beta", human.read().From)
	for i := 2; i <= 4; i++ {
		human.send(`{"id":"m-%d","kind":"chat","payload":{"text":"t"}}`, i)
		human.assertNothingBut(fmt.Sprint("m-", i))
	}
	const path = "/mew/participants/beta/messages"
	ids := func(query string) (out []string) {
		status, page := r.call(http.MethodGet, path+query, tokenFor("beta"), "")
		require.Equal(t, http.StatusOK, status)
		assert.Equal(t, false, page["has_more"])
		for _, m := range page["messages"].([]any) {
			if m := m.(map[string]any); m["kind"] == "chat" {
				assert.Equal(t, "mew/v0.4", m["protocol"], "complete envelopes")
				out = append(out, m["id"].(string))
			}
		}
		return out
	}
	assert.Equal(t, []string{"m-1", "m-2", "m-3", "m-4"}, ids(""))
	assert.Equal(t, []string{"m-3", "m-4"}, ids("?since=m-2"))
	assert.Empty(t, ids("?since=m-4"))
	assert.Len(t, ids("?since=2020-01-02T15:04:05Z"), 4)
	assert.Empty(t, ids("?since=2100-01-02T15:04:05Z"))
	status, answer = r.call(http.MethodGet, path+"?since=gone", tokenFor("beta"), "")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "bad_since", answer["error"])
}

func TestRequestsAreAuthenticated(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name, method, path, token string
		status                    int
	}{
		{"no token", "GET", "/mew/participants", "", 401},
		{"a wrong token", "GET", "/mew/participants", tokenFor("nobody"), 401},
		{"a token in the URL", "GET", "/mew/participants?token=" + tokenFor("beta"), "", 400},
		{"another space", "GET", "/mew/participants?space=den", tokenFor("beta"), 403},
		{"a user without the space", "GET", "/mew/participants?space=lab", tokenFor("bob"), 404},
		{"the owner", "GET", "/mew/participants?space=lab", tokenFor("ann"), 200},
		{"a participant", "GET", "/mew/participants", tokenFor("beta"), 200},
		{"the messages of another", "GET", "/mew/participants/human/messages", tokenFor("beta"), 403},
		{"a message in another's name", "POST", "/mew/participants/human/messages", tokenFor("beta"), 403},
		{"an owner who has not joined", "POST", "/mew/participants/ann/messages?space=lab", tokenFor("ann"), 409},
		{"a stream without a token", "GET", "/mew/events", "", 401},
		{"an unknown view", "GET", "/mew/participants/beta/messages?view=all", tokenFor("beta"), 400},
		{"an unknown view of a stream", "GET", "/mew/events?view=all", tokenFor("beta"), 400},
		{"anybody's question whether it runs", "GET", "/mew/health", "", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _ := r.call(tt.method, tt.path, tt.token, `{"kind":"chat","payload":{"text":"t"}}`)
			assert.Equal(t, tt.status, status)
		})
	}
	_, all := r.call("GET", "/mew/participants", tokenFor("beta"), "")
	assert.Len(t, all["participants"], 3)
}

func TestABodyIsBounded(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate, o.ContextRate = 1000, 1000 })
	text := func(n int) string { return `{"kind":"chat","payload":{"text":"` + strings.Repeat("x", n) + `"}}` }
	status, _ := r.post("beta", text(MaxMessage-100))
	assert.Equal(t, http.StatusOK, status)
	status, answer := r.post("beta", text(MaxMessage))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	assert.Equal(t, "too_large", answer["error"])
	status, answer = r.call(http.MethodPost, "/mew/participants/beta/messages", tokenFor("beta"), "")
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Equal(t, "empty_body", answer["error"])
}

func TestReadersComeToTheMessagesPageByPage(t *testing.T) {
	r := newRig(t, func(o *Options) { o.Rate = 2000 })
	for i := range maxPage + 5 {
		status, _ := r.post("beta", fmt.Sprintf(`{"id":"m-%d","kind":"chat","payload":{"text":"t"}}`, i))
		require.Equal(t, http.StatusOK, status)
	}
	_, page := r.call(http.MethodGet, "/mew/participants/beta/messages", tokenFor("beta"), "")
	assert.Len(t, page["messages"], maxPage)
	assert.Equal(t, true, page["has_more"])
	last := page["last"].(string)
	_, page = r.call(http.MethodGet, "/mew/participants/beta/messages?since="+last, tokenFor("beta"), "")
	assert.Len(t, page["messages"], 5)
	assert.Equal(t, false, page["has_more"])
}

func TestRequestsOfAParticipantHaveARateAndANumberOfTheirOwn(t *testing.T) {
	r := newRig(t)
	sp := r.lab()
	for range maxRequestsEach {
		assert.True(t, sp.beginRequest("beta"))
	}
	status, answer := r.call(http.MethodGet, "/mew/participants", tokenFor("beta"), "")
	assert.Equal(t, http.StatusTooManyRequests, status)
	assert.Equal(t, "too_many_requests", answer["error"])
	status, _ = r.call(http.MethodGet, "/mew/participants", tokenFor("alpha"), "")
	assert.Equal(t, http.StatusOK, status, "others are not held up")
	for range maxRequestsEach {
		sp.endRequest("beta")
	}
	assert.Empty(t, sp.requests)
	for range requestRate * (burstSeconds + 60) {
		if err := sp.takeRequest("beta"); err != nil {
			assert.ErrorIs(t, err, errTooFast)
			r.chat("alpha", "m-1")
			return
		}
	}
	assert.Fail(t, "it was never refused")
}
