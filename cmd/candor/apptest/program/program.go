// Package program runs candor as its users do, for tests: Command in a process of its own, Serve as a server in a
// process of its own, and ServeIn in the test's process.
//
// Package built builds the program, so that a test binary that runs it does not contain the command line.
package program

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/built"
	"candor/web/client"
)

// Command returns a command that runs candor with these arguments in a process of its own. It inherits the test's
// environment.
func Command(ctx context.Context, t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, built.Candor(t), args...)
	cmd.Env = os.Environ()
	return cmd
}

// Running is a candor serve command.
type Running struct {
	URL    string             // http and the address, without a slash at the end
	Out    *apptest.LogBuffer // standard output
	ErrOut *apptest.LogBuffer // standard error: the log

	t    testing.TB
	stop func()
	exit chan error // gets what the command returned, once
}

// Serve starts candor serve with these flags on a free port, in a process of its own. CANDOR_TOKEN has to be
// apptest.Token for the methods of Running that call the API. Provider variables are hidden, unless the test has set
// OPENAI_BASE_URL to a server of its own. Serve returns once the server has printed its address. The caller ends it
// with Stop, or with Signal and Wait; the end of the test kills it.
func Serve(t testing.TB, flags ...string) *Running {
	t.Helper()
	r, args := newRunning(t, flags)
	cmd := Command(context.WithoutCancel(t.Context()), t, args...)
	cmd.Stdout, cmd.Stderr = r.Out, r.ErrOut
	require.NoError(t, cmd.Start())
	r.stop = func() { _ = cmd.Process.Signal(syscall.SIGTERM) } // it may have ended
	ended := make(chan struct{})
	go func() {
		r.exit <- cmd.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
	})
	return r.await()
}

// ServeIn is Serve in this process: run is command.Run, which this package does not import.
func ServeIn(t testing.TB, run func(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) error,
	flags ...string) *Running {
	t.Helper()
	r, args := newRunning(t, flags)
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() {
		r.exit <- run(ctx, append([]string{"candor"}, args...), strings.NewReader(""), r.Out, r.ErrOut)
	}()
	return r.await()
}

func newRunning(t testing.TB, flags []string) (r *Running, args []string) {
	t.Helper()
	if os.Getenv(app.OpenAIBaseEnv) == "" {
		apptest.HideProviders(t)
	}
	r = &Running{t: t, Out: &apptest.LogBuffer{}, ErrOut: &apptest.LogBuffer{}, exit: make(chan error, 1)}
	return r, append([]string{"serve", "--addr", "127.0.0.1:0", "--workspace", apptest.Root(t)}, flags...)
}

// await waits until the server has printed its address.
func (r *Running) await() *Running {
	r.t.Helper()
	address := regexp.MustCompile(`http://\S+`)
	apptest.Eventually(r.t, "the server prints its address", func() bool {
		select {
		case err := <-r.exit:
			r.exit <- err
			require.Fail(r.t, "the server has ended", fmt.Sprintf("%v\n%s", err, r.ErrOut))
		default:
		}
		return address.MatchString(r.Out.String())
	})
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
