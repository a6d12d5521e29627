package retry

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/wire"
)

func TestFailuresAreClassified(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   agent.Failure
	}{
		{500, "", agent.Temporary},
		{503, "<html>", agent.Temporary},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, agent.Temporary},
		{408, "", agent.Temporary},
		{429, `{"error":{"message":"Request exceeds the maximum context length per minute"}}`, agent.Temporary},
		{429, `{"error":{"code":"insufficient_quota"}}`, agent.Permanent},
		{400, `{"error":{"message":"bad"}}`, agent.Permanent},
		{401, `{"error":"no"}`, agent.Permanent},
		{404, `not found`, agent.Permanent},
		{413, "", agent.TooLong},
		{400, `{"error":{"code":"context_length_exceeded"}}`, agent.TooLong},
		{400, `{"object":"error","message":"This model's maximum context length is 8192 tokens.","code":400}`,
			agent.TooLong},
		{400, `{"error":{"message":"input length and max_tokens exceed context limit: 1 + 2 > 2"}}`, agent.TooLong},
		{500, `{"error":{"message":"the input exceeds the context window"}}`, agent.TooLong},
		{0, `{"error":{"code":429,"message":"slow down"}}`, agent.Temporary},
		{0, `{"error":{"code":"403","message":"no"}}`, agent.Permanent},
		{0, `{"error":{"type":"invalid_request_error"}}`, agent.Permanent},
		{0, `{"error":{}}`, agent.Temporary},
		{0, `null`, agent.Temporary},
	} {
		got := Read(c.status, nil, []byte(c.body)).Failure("")
		assert.Equal(t, c.want, got.Failure, "%d %s", c.status, c.body)
		assert.NotEmpty(t, got.Error())
	}
}

func TestAReasonIsTheProvidersMessageButNotAPageOfHTML(t *testing.T) {
	for _, c := range []struct{ kind, body, want string }{
		{"application/json", `{"error":{"message":"too many","code":"busy","type":"limit"}}`, "too many (busy, limit)"},
		{"application/json", `{"error":"no such key"}`, "no such key"},
		{"application/json", `{"detail":"no such model"}`, "no such model"},
		{"application/json", `{"code":1113,"msg":"no credit"}`, "no credit (1113)"},
		{"text/plain", "the gateway is busy", "the gateway is busy"},
		{"text/html", "<html><body>busy</body></html>", "Service Unavailable (a web page)"},
		{"Text/HTML; charset=utf-8", "<html><body>busy</body></html>", "Service Unavailable (a web page)"},
		{"text/plain", strings.Repeat("long ", 1000), strings.Repeat("long ", 400) + "…"},
	} {
		got := Read(http.StatusServiceUnavailable, http.Header{"Content-Type": {c.kind}}, []byte(c.body)).Failure("")
		assert.Equal(t, c.want, got.Err.Error(), "%s %.40s", c.kind, c.body)
	}
}

func TestRetryAfterIsMillisecondsSecondsOrADate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "3", 3 * time.Second},
		{"Retry-After", "0.5", 500 * time.Millisecond},
		{"Retry-After", "Fri, 02 Jan 2026 03:05:05 GMT", time.Minute},
		{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT", 0},
		{"Retry-After", "-1", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "", 0},
		{"retry-after-ms", "250", 250 * time.Millisecond},
	} {
		h := http.Header{}
		h.Set(c.name, c.value)
		assert.Equal(t, c.want, retryAfter(h, now), c.value)
	}
	h := http.Header{"Retry-After": {"1e300"}}
	assert.Positive(t, retryAfter(h, now), "no overflow")
}

// secret makes a random key of some length.
func secret(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	var b strings.Builder
	for range n {
		b.WriteByte(letters[rand.N(len(letters))])
	}
	return b.String()
}

func TestNoPieceOfAKeyRemains(t *testing.T) {
	key := secret(40)
	for _, text := range []string{
		key, "a" + key + key, "bad key " + key[:20], key[25:] + " is bad", `\"` + key + `\"`, key[:15] + "…" + key[20:],
		strings.Repeat("é", maxText/2-5) + key,
	} {
		got := scrub(text, key)
		for i := 0; i+maxPiece < len(key); i++ {
			assert.NotContains(t, got, key[i:i+maxPiece+1])
		}
		assert.Contains(t, got, keyMark)
	}
	assert.Equal(t, "bad key [key]!", scrub("bad key "+key[:20]+"!", key))
	refused := Read(http.StatusUnauthorized, nil, []byte(`{"error":{"message":"wrong key `+key+`"}}`)).Failure(key)
	assert.Contains(t, refused.Error(), "wrong key [key]")
	assert.NotContains(t, refused.Error(), key)
	assert.Equal(t, "nothing to hide", scrub("nothing to hide", key))
	assert.Equal(t, "nothing", scrub("nothing", ""))
	assert.LessOrEqual(t, len(scrub(strings.Repeat("é", maxText), key)), maxText+len("…"))
}

func TestExplainClassifiesConnectionsAndHidesTheKey(t *testing.T) {
	key := secret(30)
	ctx, cancel := context.WithCancel(t.Context())
	p, ok := errors.AsType[*agent.ProviderError](Explain(ctx, fmt.Errorf("dial %s: refused", key), key))
	require.True(t, ok)
	assert.Equal(t, agent.Temporary, p.Failure)
	assert.NotContains(t, p.Error(), key)

	for _, lasting := range []error{
		&wire.StatusError{Status: 307}, wire.ErrTooLarge, &tls.CertificateVerificationError{Err: errors.New("x")},
	} {
		p, ok := errors.AsType[*agent.ProviderError](Explain(ctx, fmt.Errorf("get: %w", lasting), key))
		require.True(t, ok)
		assert.Equal(t, agent.Permanent, p.Failure)
	}
	cancel()
	require.ErrorIs(t, Explain(ctx, errors.New("x"), key), context.Canceled)
}
