//go:build realagents

package realtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/codex"
	"candor/cmd/candor/agenttest"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// asking returns a player whose hooks report to a real server and wait there for ann.
func asking(t *testing.T, settings app.Settings) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, settings, nil)
	p.token = apptest.TokenOf("ann")
	self, err := os.Executable()
	require.NoError(t, err)
	p.attach(t, codex.Commands(self).Approving(codex.WritingTools), s.HTTP.URL)
	// The command runs in a folder that no hook tells.
	p.model.plans["write"][0].Calls[0].Input["workdir"] = p.elsewhere()
	require.NoError(t, os.Mkdir(p.elsewhere(), 0o700))
	return p, s
}

// elsewhere returns the folder in which the plan "write" runs its command.
func (p *player) elsewhere() string { return filepath.Join(p.work, "elsewhere") }

// begin runs the program beside the test, and returns what to wait for.
func (p *player) begin(t *testing.T, text string) (ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := p.exec(t, trusted, text)
		done <- err
	}()
	return done
}

// made reports whether the call of the plan "write" ran.
func (p *player) made() bool {
	_, err := os.Stat(filepath.Join(p.elsewhere(), "made.txt"))
	return err == nil
}

// TestTheRealProgramRunsACallOnceAPersonApprovedIt holds that a command waits with all of its arguments, also that of a
// sub-agent, and runs once a person approves it in Candor.
func TestTheRealProgramRunsACallOnceAPersonApprovedIt(t *testing.T) {
	for _, plan := range []string{"write", "send"} {
		t.Run(plan, func(t *testing.T) {
			p, s := asking(t, app.Settings{})
			ended := p.begin(t, "PLAN:"+plan+" go")
			q := agenttest.Question(t, s, nil)
			assert.Equal(t, "Bash", q["tool_name"])
			assert.Equal(t, apptest.M{"cmd": "echo made > made.txt", "workdir": p.elsewhere()}, q["parameters"])
			assert.False(t, p.made())
			agenttest.Answer(t, s, q, "approve", "")
			require.NoError(t, <-ended)
			assert.True(t, p.made(), "it ran")
		})
	}
}

// TestADenialReachesTheRealProgramsModel holds that the model reads the person's words, and that the call does not run
// although the program's own rules allow it.
func TestADenialReachesTheRealProgramsModel(t *testing.T) {
	p, s := asking(t, app.Settings{})
	ended := p.begin(t, "PLAN:write go")
	agenttest.Answer(t, s, agenttest.Question(t, s, nil), "deny", "Write to notes.txt instead.")
	require.NoError(t, <-ended)
	assert.False(t, p.made())
	assert.Contains(t, p.model.heardLast(), "Write to notes.txt instead.")
}

// TestTheRealProgramGoesOnWithoutAnAnswer holds that nobody is held up: without an answer in time, or if the server is
// gone while a call waits, the program's own settings decide, which allow the call.
func TestTheRealProgramGoesOnWithoutAnAnswer(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		p, s := asking(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
		require.NoError(t, <-p.begin(t, "PLAN:write go"))
		assert.True(t, p.made())
		assert.NotEmpty(t, s.Session("ann").Threads())
	})
	t.Run("of a server that dies", func(t *testing.T) {
		p, s := asking(t, app.Settings{})
		ended := p.begin(t, "PLAN:write go")
		agenttest.Question(t, s, nil)
		require.NoError(t, s.HTTP.Listener.Close())
		s.HTTP.CloseClientConnections()
		require.NoError(t, <-ended)
		assert.True(t, p.made())
		assert.NotContains(t, p.model.heardLast(), "denied")
	})
}
