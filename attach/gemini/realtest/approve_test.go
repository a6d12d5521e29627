//go:build realagents

package realtest

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/gemini"
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
	p.attach(t, gemini.Commands(self).Approving(gemini.WritingTools), s.HTTP.URL)
	return p, s
}

// begin runs the program in a mode in which it lets every tool run, beside the test, and returns what to wait for.
func (p *player) begin(t *testing.T) (ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.exec(t, "PLAN:write go", "--approval-mode", "yolo") }()
	return done
}

// made returns what the calls of the plan "write" wrote.
func (p *player) made() string {
	raw, _ := os.ReadFile(filepath.Join(p.work, "made.txt"))
	return string(raw)
}

// TestTheRealProgramGoesOnByItsSettingsOnceAPersonApproved holds that each of two equal calls waits for an answer of
// its own, and that an approval is no more than that the program's own settings decide.
func TestTheRealProgramGoesOnByItsSettingsOnceAPersonApproved(t *testing.T) {
	const refusal = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"echo\"\n" +
		"decision = \"deny\"\npriority = 900\n"
	for name, c := range map[string]struct{ policy, want string }{
		"which allow them": {"", "made\nmade\n"}, "which deny them": {refusal, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := asking(t, app.Settings{})
			policies := filepath.Join(p.home, ".gemini", "policies")
			require.NoError(t, os.MkdirAll(policies, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(policies, "mine.toml"), []byte(c.policy), 0o600))
			ended := p.begin(t)
			q := agenttest.Question(t, s, nil)
			assert.Equal(t, "run_shell_command", q["tool_name"])
			assert.Equal(t, apptest.M{"command": "echo made >> made.txt"}, q["parameters"])
			agenttest.Answer(t, s, q, "approve", "")
			other := agenttest.Question(t, s, q)
			assert.Empty(t, p.made(), "both calls begin together")
			agenttest.Answer(t, s, other, "approve", "")
			require.NoError(t, <-ended)
			assert.Equal(t, c.want, p.made())
		})
	}
}

// TestADenialReachesTheRealProgramsModel holds that the model reads the person's words, and that the call does not run
// although the program's own settings allow it, and its equal does.
func TestADenialReachesTheRealProgramsModel(t *testing.T) {
	p, s := asking(t, app.Settings{})
	ended := p.begin(t)
	q := agenttest.Question(t, s, nil)
	agenttest.Answer(t, s, q, "deny", "Once is enough.")
	agenttest.Answer(t, s, agenttest.Question(t, s, q), "approve", "")
	require.NoError(t, <-ended)
	assert.Equal(t, "made\n", p.made())
	assert.Contains(t, p.model.heard, "Once is enough.")
}

// TestTheRealProgramGoesOnWithoutAnAnswer holds that nobody is held up: without an answer in time, or if the server is
// gone while calls wait, the program's own settings decide, which allow them.
func TestTheRealProgramGoesOnWithoutAnAnswer(t *testing.T) {
	t.Run("in time", func(t *testing.T) {
		p, s := asking(t, app.Settings{ApprovalTimeout: 20 * time.Millisecond})
		require.NoError(t, <-p.begin(t))
		assert.Equal(t, "made\nmade\n", p.made())
		assert.NotEmpty(t, s.Session("ann").Threads())
	})
	t.Run("of a server that dies", func(t *testing.T) {
		p, s := asking(t, app.Settings{})
		ended := p.begin(t)
		agenttest.Question(t, s, nil)
		require.NoError(t, s.HTTP.Listener.Close())
		s.HTTP.CloseClientConnections()
		require.NoError(t, <-ended)
		assert.Equal(t, "made\nmade\n", p.made())
		assert.NotContains(t, p.model.heard, "denied")
	})
}
