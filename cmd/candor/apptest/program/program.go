// Package program runs candor as its users do, for tests: Command in a process of its own, and Serve in this
// one. It stands apart from apptest, whose servers need no command line, so that a test binary of a package
// that uses apptest alone is not built with all commands.
package program

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"encoding/json"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
	"candor/web/client"
)

// asCandor is the environment variable that turns a test binary into candor.
const asCandor = "CANDOR_TEST_RUN_AS_CANDOR"

// A test binary that Command started is candor from its first line on. This is an init
// function rather than a call in TestMain so that it needs nothing of the packages that
// import this one.
func init() {
	if os.Getenv(asCandor) != "" {
		os.Exit(command.Main())
	}
}

// Command returns a command that runs candor with these arguments in a process of its
// own, by starting this test binary again. It inherits the test's environment.
func Command(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	name, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), asCandor+"=1")
	return cmd
}

// Running is the candor serve command, running in this process.
type Running struct {
	URL    string             // http and the address, without a slash at the end
	Out    *apptest.LogBuffer // standard output
	ErrOut *apptest.LogBuffer // standard error: the log

	t    testing.TB
	stop context.CancelFunc
	exit chan error // gets what the command returned, once
}

// Serve starts candor serve with these flags on a free port. CANDOR_TOKEN has to be
// apptest.Token for the methods of Running that call the API. Provider variables are hidden,
// unless the test has set OPENAI_BASE_URL to a server of its own. Serve returns once the
// server has printed its address. The caller ends it with Stop, or with Signal and Wait.
func Serve(t testing.TB, flags ...string) *Running {
	t.Helper()
	if os.Getenv(app.OpenAIBaseEnv) == "" {
		apptest.HideProviders(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &Running{t: t, Out: &apptest.LogBuffer{}, ErrOut: &apptest.LogBuffer{}, stop: cancel}
	r.exit = make(chan error, 1)
	args := append([]string{"candor", "serve", "--addr", "127.0.0.1:0", "--workspace", apptest.Root(t)}, flags...)
	go func() { r.exit <- command.Run(ctx, args, strings.NewReader(""), r.Out, r.ErrOut) }()
	address := regexp.MustCompile(`http://\S+`)
	apptest.Eventually(t, "the server prints its address", func() bool { return address.MatchString(r.Out.String()) })
	r.URL = address.FindString(r.Out.String())
	return r
}

// Signal does what SIGTERM does, and returns at once.
func (r *Running) Signal() { r.stop() }

// Stop ends the server as SIGTERM does and fails the test if that returns an error.
func (r *Running) Stop() {
	r.t.Helper()
	r.stop()
	r.Wait()
}

// Wait returns when the server has ended and fails the test if that was an error.
func (r *Running) Wait() {
	r.t.Helper()
	require.NoError(r.t, <-r.exit, r.ErrOut)
}

// Call sends a request with apptest.Token and returns the response, its body not yet read.
func (r *Running) Call(method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.URL+path, strings.NewReader(body))
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+apptest.Token)
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// Must sends a request, requires the status, and returns the body.
func (r *Running) Must(method, path, body string, status int) string {
	r.t.Helper()
	resp, err := r.Call(method, path, body)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Equal(r.t, status, resp.StatusCode, string(raw))
	return string(raw)
}

// As sends a request with a token, apptest.Token if that is empty, and returns the answer, which has to be a success.
func (r *Running) As(token, method, path string, body any) apptest.M {
	r.t.Helper()
	content := bytes.NewReader(apptest.JSON(r.t, body))
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.URL+path, content)
	require.NoError(r.t, err)
	req.Header.Set("Authorization", "Bearer "+cmp.Or(token, apptest.Token))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(r.t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(r.t, err)
	require.Less(r.t, resp.StatusCode, 300, string(raw))
	return apptest.Decode(r.t, raw)
}

// ActiveThread returns the id of the thread used last.
func (r *Running) ActiveThread() string {
	r.t.Helper()
	var out struct {
		Active string `json:"active_thread"`
	}
	require.NoError(r.t, json.Unmarshal([]byte(r.Must(http.MethodGet, "/api/chat/threads", "", http.StatusOK)), &out))
	return out.Active
}

// Turns returns the turns of the thread used last.
func (r *Running) Turns() []client.Turn {
	r.t.Helper()
	var page client.Page
	raw := r.Must(http.MethodGet, "/api/chat/history?thread_id="+r.ActiveThread(), "", http.StatusOK)
	require.NoError(r.t, json.Unmarshal([]byte(raw), &page))
	return page.Turns
}
