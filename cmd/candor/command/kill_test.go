package command_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/ledger"
	"candor/cmd/candor/apptest/program"
)

var (
	kills     = flag.Int("kills", 4, "how often TestNothingAcknowledgedIsLostByAKill kills the server")
	killTurns = flag.Int("kill-turns", 80, "how many turns it has acknowledged meanwhile, at least")
	killJobs  = flag.Int("kill-jobs", 8, "how many jobs it runs meanwhile")
)

// mortal is a server in a process of its own, which is killed and started again at the same address. Its
// log has the lines of all its lives.
type mortal struct {
	t    *testing.T
	addr string
	args []string
	cmd  *exec.Cmd
	log  *apptest.LogBuffer
}

// newMortal returns a server that is not running yet, for users named u0, u1, … and its ledger.
func newMortal(t *testing.T, users int, flags ...string) (*mortal, *ledger.Ledger) {
	t.Helper()
	t.Setenv("CANDOR_TOKEN", "")
	apptest.HideProviders(t)
	addr := apptest.FreeAddress(t)
	l := &ledger.Ledger{
		Servers: []string{"http://" + addr}, Tokens: map[string]string{}, Client: &http.Client{},
	}
	var lines strings.Builder
	for i := range users {
		user := fmt.Sprint("u", i)
		l.Tokens[user] = strings.Repeat(user, 10)
		fmt.Fprintf(&lines, "%s:%s\n", user, l.Tokens[user])
	}
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte(lines.String()), 0o600))
	workspace := filepath.Join(dir, "workspace")
	require.NoError(t, os.Mkdir(workspace, 0o700))
	m := &mortal{t: t, addr: addr, log: &apptest.LogBuffer{}}
	m.args = append([]string{"serve", "--addr", addr, "--workspace", workspace, "--provider", "offline",
		"--tokens", tokens, "--sends-per-minute", "1000000", "--writes-per-second", "1000000"}, flags...)
	t.Cleanup(func() {
		m.kill()
		if t.Failed() {
			t.Log(m.log.String())
		}
	})
	return m, l
}

// start starts the server and waits until it answers.
func (m *mortal) start() {
	m.t.Helper()
	m.launch()
	m.await()
}

// launch starts the server.
func (m *mortal) launch() {
	m.t.Helper()
	m.cmd = program.Command(context.WithoutCancel(m.t.Context()), m.t, m.args...)
	m.cmd.Stderr, m.cmd.Stdout = m.log, m.log
	require.NoError(m.t, m.cmd.Start())
}

// await waits until the server answers.
func (m *mortal) await() {
	m.t.Helper()
	apptest.Eventually(m.t, "the server answers", func() bool {
		if m.cmd.ProcessState != nil {
			return false
		}
		resp, err := http.Get("http://" + m.addr + "/api/health")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
}

// kill ends the server as kill -9 does.
func (m *mortal) kill() {
	if m.cmd != nil {
		_ = m.cmd.Process.Kill() // it may have ended
		_ = m.cmd.Wait()
		m.cmd = nil
	}
}

// Whatever was acknowledged before a kill is there after it, once, and every reader resumes as if
// nothing had been.
func TestNothingAcknowledgedIsLostByAKill(t *testing.T) {
	const users, chats = 3, 4 // chats of each user
	m, l := newMortal(t, users, "--data", filepath.Join(t.TempDir(), "data"),
		"--spaces", apptest.SpacesFileOf(t, "u0", map[string]bool{"beta": true}))
	m.start()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute+time.Duration(*kills)*5*time.Second)
	defer cancel()
	var readers []*ledger.Reader
	var mu sync.Mutex
	var load, reading sync.WaitGroup
	origins := map[string]string{}
	for user := range l.Tokens {
		origin, err := l.Origin(ctx, user)
		require.NoError(t, err)
		origins[user] = origin
		for range 2 {
			reading.Go(func() {
				r := l.Follow(ctx, user, origin, l.Marker(user))
				mu.Lock()
				defer mu.Unlock()
				readers = append(readers, r)
			})
		}
		for i := range chats {
			load.Go(func() { l.Chat(ctx, user, fmt.Sprintf("%s-%d", user, i), *killTurns/users/chats+1) })
		}
	}
	for i := range *killJobs {
		load.Go(func() { l.Work(ctx, fmt.Sprint("u", i%users), fmt.Sprint("job-", i), 5) })
	}
	for user := range l.Tokens {
		load.Go(func() { l.Observe(ctx, user, "agent-of-"+user, *killTurns/users/2+1) })
		load.Go(func() { l.Run(ctx, user, "runs-of-"+user, *killTurns/users/4+1) })
	}
	load.Go(func() { l.Say(ctx, "u0", "beta", apptest.TokenOf("beta"), "beta", *killTurns/4+1) })
	for range *kills {
		time.Sleep(time.Duration(20+rand.IntN(400)) * time.Millisecond)
		m.kill()
		m.start()
	}
	load.Wait()
	reference := finish(ctx, t, l, origins)
	reading.Wait()
	v := l.Judge(ctx, readers, reference)
	t.Logf("%d kills: %s", *kills, v)
	assert.Empty(t, v.Problems)
	assert.Zero(t, v.Lost+v.Doubled+v.Open)
	assert.GreaterOrEqual(t, v.Acknowledged, *killTurns+*killJobs*6)
	assertTold(t, v)
	assert.NotContains(t, m.log.String(), "panic")
}

// assertTold holds that each kind was told, and that nothing of it is lost or doubled.
func assertTold(t *testing.T, v *ledger.Verdict) {
	t.Helper()
	for _, kind := range []string{ledger.Prompts, ledger.Calls, ledger.Displays, ledger.Runs, ledger.Posts} {
		tally := v.Kinds[kind]
		assert.Positive(t, tally.Acknowledged, kind)
		assert.Zero(t, tally.Lost+tally.Doubled, "%s: %+v %v", kind, tally, v.Told)
	}
	t.Log(strings.Join(v.Told, "\n"))
}

// finish waits until nothing goes on, marks the end of each user's stream, and returns readers that
// read everything at once.
func finish(ctx context.Context, t *testing.T, l *ledger.Ledger, origins map[string]string) map[string]*ledger.Reader {
	t.Helper()
	whole := map[string]*ledger.Reader{}
	for user, origin := range origins {
		require.NoError(t, l.Settle(ctx, user))
		require.True(t, l.Mark(ctx, user))
		whole[user] = l.Follow(ctx, user, origin, l.Marker(user))
	}
	return whole
}
