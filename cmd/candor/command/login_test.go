package command_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logInBy sends the code of a link to its server and returns the status and the answer.
func logInBy(t *testing.T, link string) (status int, answer string) {
	t.Helper()
	server, code, ok := strings.Cut(link, "/#code=")
	require.True(t, ok, link)
	resp, err := http.Post(server+"/api/login", "application/json", strings.NewReader(`{"code":"`+code+`"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

// login runs candor login and returns what it printed.
func login(ctx context.Context, t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, errOut apptest.LogBuffer
	err := command.Run(ctx, append([]string{"candor", "login"}, args...), strings.NewReader(""), &out, &errOut)
	assert.Empty(t, errOut.String())
	return out.String(), err
}

var link = regexp.MustCompile(`(?m)http://\S+/#code=[A-Za-z0-9_-]{26,}$`)

func TestServePrintsALinkThatLogsInOnce(t *testing.T) {
	for name, token := range map[string]string{"a configured token": apptest.Token, "a fresh one": ""} {
		t.Setenv("CANDOR_TOKEN", token)
		r := serve(t)
		apptest.Eventually(t, "the link is printed", func() bool { return link.MatchString(r.Out.String()) })
		printed := link.FindString(r.Out.String())
		status, answer := logInBy(t, printed)
		assert.Equal(t, http.StatusOK, status, name)
		assert.Contains(t, answer, `"user":"local"`)
		status, answer = logInBy(t, printed)
		assert.Equal(t, http.StatusUnauthorized, status, name)
		assert.Contains(t, answer, "wrong_code")
		assert.NotContains(t, r.Out.String(), "#token")
		assert.Contains(t, r.Out.String(), "candor login --server "+r.URL+" prints another link")
		_, code, _ := strings.Cut(printed, "=")
		assert.NotContains(t, r.ErrOut.String(), code, "logs do not have it")
		r.Stop()
	}
}

// Whoever reads the server's output must not become one of several users.
func TestServePrintsNoLinkForTheUsersOfAFile(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "")
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("ann:"+apptest.Token+"\n"), 0o600))
	r := serve(t, "--tokens", file)
	apptest.Eventually(t, "the page is named", func() bool { return strings.Contains(r.Out.String(), "page ") })
	assert.Contains(t, r.Out.String(), "candor login --server "+r.URL+" prints a link")
	assert.NotContains(t, r.Out.String(), "#")

	t.Setenv("CANDOR_TOKEN", apptest.Token)
	out, err := login(t.Context(), t, "--server", r.URL)
	require.NoError(t, err)
	status, answer := logInBy(t, strings.TrimSpace(out))
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, answer, `"user":"ann"`)
	r.Stop()
}

func TestLoginPrintsALinkAndNothingElse(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(apptest.Token+"\n"), 0o600))
	t.Setenv("CANDOR_TOKEN", "")
	out, err := login(t.Context(), t, "--server", r.URL+"/", "--token-file", file)
	require.NoError(t, err)
	assert.Regexp(t, `^`+regexp.QuoteMeta(r.URL)+`/#code=[A-Za-z0-9_-]{26,}\n$`, out)
	status, _ := logInBy(t, strings.TrimSpace(out))
	assert.Equal(t, http.StatusOK, status)

	t.Setenv("CANDOR_TOKEN", "a-token-that-is-wrong")
	out, err = login(t.Context(), t, "--server", r.URL)
	require.ErrorContains(t, err, "set CANDOR_TOKEN")
	assert.Empty(t, out)
	assert.NotContains(t, err.Error(), "a-token-that-is-wrong")
	_, err = login(t.Context(), t, "here")
	require.ErrorContains(t, err, `login takes flags only, not the argument "here"`)
	r.Stop()
}

// A server's answer is printed, so it has to be a code.
func TestLoginPrintsNothingButACode(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	for _, code := range []string{"", "short", `\u001b[2Jabcdefghijklmnop`, "abcdefgh ijklmnopqrst",
		strings.Repeat("a", 257)} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"code":"`+code+`"}`)
		}))
		out, err := login(t.Context(), t, "--server", server.URL)
		server.Close()
		require.ErrorContains(t, err, "not that of a Candor server", code)
		assert.Empty(t, out)
	}
}
