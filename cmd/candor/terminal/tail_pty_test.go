//go:build unix

package terminal_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What tail leaves on a terminal, at several widths: nothing runs, a turn, the connection that is
// lost and comes back.
func TestTailOnATerminalChangesInPlace(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	for _, cols := range []int{50, 100} {
		r := program.Serve(t, "--provider", "script", "--script", liveScript(t))
		proxy, down := switched(t, r.URL)
		c := openConsole(t, cols, []string{"CANDOR_TOKEN=" + apptest.Token}, "tail", "--server", proxy.URL)
		c.until(". Ctrl-C ends it.\n\n  Nothing runs.\n")
		r.Must("POST", "/api/chat/send", `{"content":"why does it fail?"}`, 202)
		c.until("  ┄ 2 redactions: github-pat ×2\n\n  Nothing runs.\n")
		down.Store(true)
		proxy.CloseClientConnections()
		c.until("\n  ⋯ lost " + proxy.URL + ", trying again in ")
		assert.NotContains(t, c.screen(), "Nothing runs.", "nobody knows")
		down.Store(false)
		c.until("  ┄ Connected again; nothing was missed.\n\n  Nothing runs.\n")
		shown := c.screen()
		assert.NotContains(t, shown, "⋯ lost")
		for _, once := range []string{"› why does it fail?", "The request names", "I want to see", "read_file ×5",
			"why does it fail?, turn 1", "Lines were rounded before the sum"} {
			assert.LessOrEqual(t, strings.Count(shown, once), 1, once)
		}
		assert.Contains(t, shown, "  ✗ run_tests")
		assert.Empty(t, c.vt().strange)
		r.Stop()
	}
}

// switched is a proxy that refuses everything while it is down.
func switched(t *testing.T, server string) (proxy *httptest.Server, down *atomic.Bool) {
	target, err := url.Parse(server)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.FlushInterval = -1
	down = &atomic.Bool{}
	proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy, down
}

// The command that a question names is one that there is, with the flags that it names.
func TestTailNamesACommandThatAnswers(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	thread, _ := s.Begin("ann")
	var out apptest.LogBuffer
	args := []string{"candor", "chat", "--server", s.HTTP.URL, "--thread", thread}
	require.NoError(t, command.Run(t.Context(), args, strings.NewReader("/turns\n"), &out, &out))
}
