package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oneServer returns a configuration with one server called test.
func oneServer(e Endpoint) Config { return Config{Servers: map[string]Endpoint{"test": e}} }

func TestToolsOverStdio(t *testing.T) {
	s := connected(t, oneServer(self(t)), Options{})
	assert.ElementsMatch(t, []string{"echo", "fail", "wait", "die", "environ", "grow"}, toolNames(s.Tools()))
	assert.Equal(t, []state{{name: "test", up: true, tools: 6}}, s.states())

	echo := named(t, s, "echo")
	assert.Equal(t, "It is echo.", echo.Spec().Description)
	got, err := echo.Run(t.Context(), json.RawMessage(`{"a":"<b>"}`))
	require.NoError(t, err)
	assert.Equal(t, `{"content":[{"type":"text","text":"{\"a\":\"<b>\"}"}]}`, string(got))

	_, err = named(t, s, "fail").Run(t.Context(), nil)
	assert.EqualError(t, err, "no such city")
}

func TestAProcessDoesNotSeeOurSecrets(t *testing.T) {
	t.Setenv("CANDOR_TEST_SECRET", "hush")
	var log logged
	s := connected(t, oneServer(self(t, "OWN=mine")), Options{Log: log.logger()})
	got, err := named(t, s, "environ").Run(t.Context(), nil)
	require.NoError(t, err)
	assert.NotContains(t, string(got), "hush")
	assert.Contains(t, string(got), "OWN=mine")
	assert.Contains(t, string(got), "PATH=")
	s.Close()
	assert.NotContains(t, log.String(), "hostile", "what a server writes to stderr is discarded")
}

func TestWhatIsNoMessageIsSkippedAndSaidOnce(t *testing.T) {
	var log logged
	e := self(t)
	e.Args = []string{"-c", `echo "Welcome!"; echo "[INFO] {hush}"; exec "$0"`, e.Command}
	e.Command = "sh"
	s := connected(t, oneServer(e), Options{Log: log.logger()})
	got, err := named(t, s, "echo").Run(t.Context(), nil)
	require.NoError(t, err)
	assert.Contains(t, string(got), "text")
	said := `msg="an MCP server writes something else than messages to its output, which is skipped" server=test`
	assert.Equal(t, 1, strings.Count(log.String(), said), log.String())
	assert.NotContains(t, log.String(), "hush")
}

func TestAProcessThatDiesDuringACall(t *testing.T) {
	var log logged
	s := connected(t, oneServer(self(t)), Options{Log: log.logger()})
	waiting := make(chan error, 1)
	go func() {
		_, err := named(t, s, "wait").Run(t.Context(), nil)
		waiting <- err
	}()
	_, err := named(t, s, "die").Run(t.Context(), nil)
	assert.ErrorContains(t, err, `the connection to the MCP server "test" broke during this call`)
	assert.ErrorContains(t, <-waiting, "broke during this call", "concurrent calls fail as well")

	echo := named(t, s, "echo")
	await(t, func() bool { // until the server is back
		_, err := echo.Run(t.Context(), nil)
		return err == nil
	})
	assert.Contains(t, log.String(), "the process ended: exit status 3")
}

func TestAnInterruptEndsACall(t *testing.T) {
	s := connected(t, oneServer(self(t)), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := named(t, s, "wait").Run(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = named(t, s, "echo").Run(t.Context(), nil)
	assert.NoError(t, err, "the session goes on")
}

func TestToolListChangesOverStdio(t *testing.T) {
	s := connected(t, oneServer(self(t)), Options{})
	_, err := named(t, s, "grow").Run(t.Context(), nil)
	require.NoError(t, err)
	await(t, func() bool { return len(s.Tools()) == 7 })
	got, err := named(t, s, "grown").Run(t.Context(), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[{"type":"text","text":"new"}]}`, string(got))
}

func TestAMissingCommandDoesNotAffectOtherServers(t *testing.T) {
	s := connected(t, Config{Servers: map[string]Endpoint{
		"good": self(t), "bad": {Command: "no-such-command-anywhere"},
	}}, Options{})
	assert.Len(t, s.Tools(), 6)
	got := s.states()
	require.Len(t, got, 2)
	assert.False(t, got[0].up)
	assert.EqualError(t, got[0].fault, `exec: "no-such-command-anywhere": executable file not found in $PATH`)
	assert.True(t, got[1].up)
}
