package telemetry_test

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestABodyThatIsDamagedIsRefused holds that each kind of damage has an answer that says what is wrong,
// and that nothing of such a request is recorded. What unpacks to more than may be sent is refused
// before it fills the memory.
func TestABodyThatIsDamagedIsRefused(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	const asJSON, asProtobuf = "application/json", "application/x-protobuf"
	zip := packed(t, traces())
	for _, tt := range []struct {
		name, kind, encoding string
		body                 []byte
		status               int
		code                 string
	}{
		{"another kind", "text/plain", "", []byte("x"), http.StatusUnsupportedMediaType, "not_otlp"},
		{"no JSON", asJSON, "", []byte("{"), http.StatusBadRequest, "invalid_otlp"},
		{"no protobuf", asProtobuf, "", []byte("hello"), http.StatusBadRequest, "invalid_otlp"},
		{"another encoding", asJSON, "br", []byte("x"), http.StatusUnsupportedMediaType, "not_gzip"},
		{"no gzip", asJSON, "gzip", []byte("hello"), http.StatusBadRequest, "invalid_gzip"},
		{"a gzip cut short", asJSON, "gzip", zip[:len(zip)-5], http.StatusBadRequest, "invalid_gzip"},
		{"a gzip that grows without end", asJSON, "gzip", packed(t, make([]byte, 33<<20)),
			http.StatusRequestEntityTooLarge, "body_too_large"},
		{"a gzip that names another kind", asJSON, "gzip", packed(t, []byte("\x0a\x00")), http.StatusBadRequest,
			"invalid_otlp"},
	} {
		for _, path := range []string{"/v1/traces", "/v1/logs"} {
			t.Run(tt.name+" to "+path, func(t *testing.T) {
				status, answer := post(t, s, path, tt.kind, tt.encoding, tt.body)
				assert.Equal(t, tt.status, status)
				assert.Contains(t, answer, `"`+tt.code+`"`)
			})
		}
	}
	assert.Empty(t, s.Get("ann", "/api/chat/threads").JSON()["threads"])
	r, err := http.Post(s.HTTP.URL+"/v1/traces", asJSON, bytes.NewReader(traces()))
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, r.StatusCode, "nobody posts without a token")
}

// TestALargeBodyIsRefused holds that a body is bounded as it is sent, too.
func TestALargeBodyIsRefused(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	status, answer := post(t, s, "/v1/traces", "application/json", "", make([]byte, 9<<20))
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	assert.Contains(t, answer, "body_too_large")
}
