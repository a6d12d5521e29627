package command_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// longSession returns a file of a session whose facts are several batches.
func longSession(t *testing.T) string {
	t.Helper()
	row := `{"type":"user","sessionId":"s","promptId":"p","message":{"content":"` + strings.Repeat("x", 100_000) + `"}}`
	name := filepath.Join(t.TempDir(), "session.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(strings.Repeat(row+"\n", 25)), 0o600))
	return name
}

// TestAnImportThatTheServerDidNotTakeNamesNoPage holds that nobody is sent to look for what is not there.
func TestAnImportThatTheServerDidNotTakeNamesNoPage(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":"unauthorized","message":"no"}`)
	}))
	defer s.Close()
	t.Setenv("CANDOR_TOKEN", "ann")
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for name, c := range map[string]struct{ url, file, out, want string }{
		"no server":   {"http://127.0.0.1:1", longSession(t), "", "Is it running?"},
		"wrong token": {s.URL, longSession(t), "", "the server does not know this token"},
		"nothing":     {s.URL, empty, "Read 0 bytes in 1 file: 0 rows gave 0 facts.\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CANDOR_SERVER", c.url)
			out, _, err := importing(t, c.file)
			assert.Equal(t, c.out, out)
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

// TestAnInterruptedImportSaysWhatTheServerMayHave interrupts an import whose second batch the server has, and has not
// answered.
func TestAnInterruptedImportSaysWhatTheServerMayHave(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var posts atomic.Int32
	s := httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if posts.Add(1) == 1 {
			_, _ = io.WriteString(w, `{"taken":8,"known":2}`)
			return
		}
		interrupt()
		<-r.Context().Done()
	}))
	defer s.Close()
	var out, errOut apptest.LogBuffer
	status := command.Execute(ctx, []string{"candor", "import", "--server", s.URL, "--token-file", tokenFile(t),
		longSession(t)}, strings.NewReader(""), &out, &errOut)
	assert.Equal(t, 130, status)
	assert.Contains(t, out.String(), "The server added 8 and already had 2.\n"+
		"The server may have added 10 facts more: its answer did not arrive in time.\n"+
		"The server did not add 1 fact.\nSee Watched agents on")
	assert.Equal(t, "candor: interrupted; run the import again: nothing is added twice\n", errOut.String())
}

// tokenFile returns a file with a token.
func tokenFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(name, []byte("ann"), 0o600))
	return name
}

// TestFollowingThatEndsWhileTheServerIsAwaySaysWhatWasNotSent holds that nothing is lost without a word.
func TestFollowingThatEndsWhileTheServerIsAwaySaysWhatWasNotSent(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errOut apptest.LogBuffer
	file := filepath.Join(claudeTestdata, "session.jsonl")
	ended := make(chan error, 1)
	go func() {
		ended <- command.Run(ctx, []string{"candor", "import", "--follow", "--server", "http://127.0.0.1:1", file},
			strings.NewReader(""), &out, &errOut)
	}()
	require.Eventually(t, func() bool { return strings.Contains(errOut.String(), "The server is not reachable") },
		2*time.Minute, time.Millisecond)
	stop()
	require.NoError(t, <-ended)
	assert.Contains(t, out.String(), "gave 39 facts.\nThe server did not add 39 facts.\n"+
		"Run the import again; nothing is added twice.\n")
	assert.NotContains(t, out.String(), "The page has it")
}
