//go:build realagents

package realtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/claude"
	"candor/attach/transcript"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// served is candor serve in a process of its own, with data that its next life finds again.
type served struct {
	address string
	args    []string
	cmd     *exec.Cmd
	log     apptest.LogBuffer
}

// newServed starts the server at an address that nobody has, and waits until it answers.
func newServed(t *testing.T) *served {
	t.Helper()
	apptest.HideProviders(t)
	address := apptest.FreeAddress(t)
	s := &served{address: "http://" + address}
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte("ann:"+apptest.TokenOf("ann")+"\n"), 0o600))
	s.args = []string{"serve", "--addr", address, "--workspace", t.TempDir(), "--provider", "offline",
		"--tokens", tokens, "--data", filepath.Join(dir, "data")}
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Log(s.log.String())
		}
	})
	s.start(t)
	return s
}

// start starts the process, and waits until it answers.
func (s *served) start(t *testing.T) {
	t.Helper()
	s.cmd = program.Command(context.WithoutCancel(t.Context()), t, s.args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	require.NoError(t, s.cmd.Start())
	require.Eventually(t, func() bool {
		r, err := http.Get(s.address + "/api/health")
		return err == nil && r.Body.Close() == nil
	}, 2*time.Minute, 20*time.Millisecond)
}

// kill ends the process as kill -9 does.
func (s *served) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // SIGKILL
		_ = s.cmd.Wait()         // which says that it was killed
		s.cmd = nil
	}
}

// ask sends a request as ann's, and returns the answer.
func (s *served) ask(t *testing.T, method, path, body string) (answer apptest.M) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = reply.Body.Close() }()
	raw, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	require.Less(t, reply.StatusCode, 300, "%s", raw)
	require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	return answer
}

// imports lets the server read session files.
func (s *served) imports(t *testing.T, folder string) {
	t.Helper()
	files := transcript.Walk{Places: []string{folder}, Send: func(_ context.Context, batch []byte, _ int) error {
		s.ask(t, http.MethodPost, "/api/attached", string(batch))
		return nil
	}}
	require.NoError(t, files.Once(t.Context()))
}

// histories returns ann's conversations, and the questions that are open in them.
func (s *served) histories(t *testing.T) (all []apptest.M, open []apptest.M) {
	t.Helper()
	threads, _ := s.ask(t, http.MethodGet, "/api/chat/threads", "")["threads"].([]any)
	for _, one := range threads {
		h := s.ask(t, http.MethodGet, "/api/chat/history?thread_id="+one.(apptest.M)["id"].(string), "")
		all = append(all, h)
		list, _ := h["pending_approvals"].([]any)
		for _, q := range list {
			open = append(open, q.(apptest.M))
		}
	}
	return all, open
}

// question waits for the only open question, and returns it.
func (s *served) question(t *testing.T) (q apptest.M) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, open := s.histories(t)
		if len(open) == 1 {
			q = open[0]
		}
		return len(open) == 1
	}, 2*time.Minute, 20*time.Millisecond)
	return q
}

// ending returns how the only call of the only conversation ended, and the question about it.
func ending(t *testing.T, all []apptest.M) string {
	t.Helper()
	require.Len(t, all, 1)
	d := all[0]["turns"].([]any)[0].(apptest.M)["reasoning"].(apptest.M)["tool_decisions"].([]any)
	require.Len(t, d, 1)
	return fmt.Sprint(d[0].(apptest.M)["approval"], " ", d[0].(apptest.M)["outcome"])
}

// TestTheRealProgramGoesOnWhenCandorsProcessIsKilledWhileItWaits holds that an agent whose server is killed while it
// waits for a person goes on by its own rules to the end of its turn; that the server's next life over the same data
// has no open question of before; and that it takes the hooks of the next session, and its question.
func TestTheRealProgramGoesOnWhenCandorsProcessIsKilledWhileItWaits(t *testing.T) {
	for allowed, runs := range map[string]bool{"Bash": true, "Read": false} {
		t.Run("its rules allow "+allowed, func(t *testing.T) {
			p, s := newPlayer(t), newServed(t)
			p.token, p.allowed = apptest.TokenOf("ann"), allowed
			p.attach(t, commands(t).Approving(claude.WritingTools), s.address)
			ended := p.begin(t, "PLAN:write go")
			old := s.question(t)
			require.False(t, p.made(), "it waits")
			s.kill()
			require.NoError(t, <-ended)
			assert.Equal(t, runs, p.made())
			p.model.mu.Lock()
			assert.Len(t, p.model.sent, 2, "it told its model how the call ended, and came to an end")
			p.model.mu.Unlock()

			s.start(t)
			all, open := s.histories(t)
			assert.Empty(t, open, "nobody waits for an answer any more")
			assert.Equal(t, "withdrawn pending", ending(t, all), "what was heard before the kill is kept")
			s.imports(t, p.home)
			all, _ = s.histories(t)
			outcome := map[bool]string{true: "success", false: "rejected"}[runs]
			assert.Equal(t, "withdrawn "+outcome, ending(t, all), "its file tells how the call ended")
			_ = os.Remove(filepath.Join(p.work, "made.txt")) // it may not be there
			ended = p.begin(t, "PLAN:write go")
			q := s.question(t)
			assert.NotEqual(t, old["request_id"], q["request_id"])
			s.ask(t, http.MethodPost, "/api/chat/approval",
				string(apptest.JSON(t, apptest.M{"request_id": q["request_id"], "action": "approve"})))
			require.NoError(t, <-ended)
			assert.True(t, p.made(), "the next session's call ran")
			all, _ = s.histories(t)
			assert.Len(t, all, 2)
		})
	}
}
