//go:build realagents

package realtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/claude"
	"candor/cmd/candor/agenttest"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// asking returns a player whose hooks report to a real server and wait there for ann.
func asking(t *testing.T) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, app.Settings{}, nil)
	p.token = apptest.TokenOf("ann")
	p.attach(t, commands(t).Approving(claude.WritingTools), s.HTTP.URL)
	return p, s
}

// begin runs the program beside the test, and returns what to wait for.
func (p *player) begin(t *testing.T, text string) (ended <-chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := p.run(t, text)
		done <- err
	}()
	return done
}

// made reports whether the call of the plan "write" ran.
func (p *player) made() bool {
	_, err := os.Stat(filepath.Join(p.work, "made.txt"))
	return err == nil
}

// TestAnApprovalInCandorLetsTheRealProgramRunItsTool holds that a call, which the program would refuse to run without a
// person, waits with what the model said before it, and runs once a person approves it in Candor.
func TestAnApprovalInCandorLetsTheRealProgramRunItsTool(t *testing.T) {
	p, s := asking(t)
	p.allowed = "Read"
	ended := p.begin(t, "PLAN:write go")
	q := agenttest.Question(t, s, nil)
	assert.Equal(t, "Bash", q["tool_name"])
	assert.Equal(t, "echo made > made.txt", q["parameters"].(apptest.M)["command"])
	history := s.Get("ann", "/api/chat/history?thread_id="+s.Session("ann").Threads()[0].ID).JSON()
	turn := history["turns"].([]any)[0].(apptest.M)
	assert.Equal(t, "I make the file.", turn["reasoning"].(apptest.M)["narrative"], "what it says stands beside it")
	assert.False(t, p.made())
	agenttest.Answer(t, s, q, "approve", "")
	require.NoError(t, <-ended)
	assert.True(t, p.made(), "it ran")
}

// TestADenialInCandorReachesTheRealProgramsModel holds that the model reads the person's words, and that the call does
// not run although the program's own rules allow it.
func TestADenialInCandorReachesTheRealProgramsModel(t *testing.T) {
	p, s := asking(t)
	ended := p.begin(t, "PLAN:write go")
	q := agenttest.Question(t, s, nil)
	agenttest.Answer(t, s, q, "deny", "Write to notes.txt instead.")
	require.NoError(t, <-ended)
	assert.False(t, p.made())
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	require.Len(t, p.model.heard, 2)
	assert.Contains(t, p.model.heard[1], "Write to notes.txt instead.")
}

// TestTheRealProgramGoesOnWhenCandorDiesWhileItWaits holds that a server that is gone holds nobody up: the program's
// own rules decide.
func TestTheRealProgramGoesOnWhenCandorDiesWhileItWaits(t *testing.T) {
	p, s := asking(t)
	ended := p.begin(t, "PLAN:write go")
	agenttest.Question(t, s, nil)
	require.NoError(t, s.HTTP.Listener.Close())
	s.HTTP.CloseClientConnections()
	require.NoError(t, <-ended)
	assert.True(t, p.made(), "its own rules allow the call")
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	assert.NotContains(t, strings.Join(p.model.heard, ""), "denied")
}
