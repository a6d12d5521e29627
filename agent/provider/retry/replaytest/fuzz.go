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

// Fuzz plays answers that were changed at random, beginning with a folder's cases.
// Whatever a server sends, a provider answers or fails in a way that is told apart,
// and what it asks next is JSON.
func Fuzz(f *testing.F, folder string, options []byte, made New) {
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
		p := made(t, options, canned{t, answer})
		req := Question(t)
		resp, err := p.Respond(t.Context(), req)
		if err != nil {
			_, told := errors.AsType[*agent.ProviderError](err)
			require.True(t, told, "%v", err)
			return
		}
		if len(resp.Calls) > 0 {
			_, _ = p.Respond(t.Context(), Continued(req, resp))
		}
	})
}

// canned answers everything with the same bytes, without a server.
type canned struct {
	t      *testing.T
	answer []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	require.NoError(c.t, err)
	require.True(c.t, json.Valid(body), "%s", body)
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(c.answer)), r)
}
