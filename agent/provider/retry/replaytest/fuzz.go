package replaytest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/agent"
)

// Fuzz fuzzes the answers of a server, with the cases of a folder as seeds. Whatever a
// server sends, a provider answers or fails with an *agent.ProviderError, and the
// request that continues the conversation is JSON. options are those of New.
func Fuzz(f *testing.F, folder string, options []byte, provider New) {
	f.Helper()
	answers, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "providers", folder, "*", "answer.http"))
	require.NoError(f, err)
	require.NotEmpty(f, answers)
	for _, a := range answers {
		raw, err := os.ReadFile(a)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		p := provider(t, options, canned{t, answer})
		req := Question(t)
		resp, err := p.Respond(t.Context(), req)
		if err != nil {
			_, classified := errors.AsType[*agent.ProviderError](err)
			require.True(t, classified, "%v", err)
			return
		}
		if len(resp.Calls) > 0 {
			_, _ = p.Respond(t.Context(), Continued(req, resp))
		}
	})
}

// canned is a transport that answers every request with the same bytes, without a
// server: fuzzing needs thousands of answers a second.
type canned struct {
	// t fails where a request is no JSON.
	t      *testing.T
	answer []byte
}

// RoundTrip implements http.RoundTripper. Bytes that are no HTTP response are a failed
// connection.
func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	require.NoError(c.t, err)
	require.True(c.t, json.Valid(body), "%s", body)
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(c.answer)), r)
}
