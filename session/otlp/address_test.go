package otlp

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnAddressThatCannotBeSentToIsRefused(t *testing.T) {
	for raw, want := range map[string]string{
		"127.0.0.1:4318":                "no URL",
		"ftp://collector":               "http:// or https://",
		"collector:4318":                "http:// or https://",
		"http://":                       "http:// or https://",
		"https://ann:secret@collector":  "password",
		"https://collector/?key=secret": "query",
		"https://collector/#secret":     "fragment",
	} {
		_, err := ParseURL(raw)
		require.ErrorContains(t, err, want, raw)
		assert.NotContains(t, err.Error(), "secret")
	}
	u, err := ParseURL("https://collector.example/tenant/1/")
	require.NoError(t, err)
	assert.Equal(t, "https://collector.example/tenant/1/v1/traces", u.JoinPath("v1/traces").String())
}

func TestHeadersAreReadAsOpenTelemetryWritesThem(t *testing.T) {
	h, values, err := ParseHeader("authorization=Bearer%20a%2Cb, x-tenant = 1,,")
	require.NoError(t, err)
	assert.Equal(t, http.Header{"Authorization": {"Bearer a,b"}, "X-Tenant": {"1"}}, h)
	assert.Equal(t, []string{"Bearer a,b", "1"}, values)
	for _, wrong := range []string{"secret", "=secret", "a b=secret", "a=%zzsecret", "a=secret%0Ab", "a:=secret"} {
		_, _, err := ParseHeader("x=1," + wrong)
		require.ErrorContains(t, err, "entry 2", wrong)
		assert.NotContains(t, err.Error(), "secret")
	}
	h, _, err = ParseHeader("")
	require.NoError(t, err)
	assert.Empty(t, h)
}
