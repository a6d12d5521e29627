package mcp

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func oneServer(e Endpoint) Config { return Config{Servers: map[string]Endpoint{"test": e}} }

func TestAProcessGivesItsToolsAndRunsThem(t *testing.T) {
	s := connected(t, oneServer(self(t)), Options{})
	assert.ElementsMatch(t, []string{"echo", "fail", "wait", "die", "environ", "grow"}, names(s.Tools()))
	assert.Equal(t, []Status{{Name: "test", Kind: "stdio", Up: true, Tools: 6}}, s.Status())

	echo := named(t, s, "echo")
	assert.Equal(t, "It is echo.", echo.Spec().Description)
	got, err := echo.Run(t.Context(), json.RawMessage(`{"a":"<b>"}`))
	require.NoError(t, err)
	assert.Equal(t, `{"content":[{"type":"text","text":"{\"a\":\"<b>\"}"}]}`, string(got))

	_, err = named(t, s, "fail").Run(t.Context(), nil)
	assert.EqualError(t, err, "no such city")
}

func TestAProcessSeesNoSecretsOfOurs(t *testing.T) {
	t.Setenv("CANDOR_TEST_SECRET", "hush")
	var log logged
	s := connected(t, oneServer(self(t, "OWN=mine")), Options{Log: log.logger()})
	got, err := named(t, s, "environ").Run(t.Context(), nil)
	require.NoError(t, err)
	assert.NotContains(t, string(got), "hush")
	assert.Contains(t, string(got), "OWN=mine")
	assert.Contains(t, string(got), "PATH=")
	s.Close()
	assert.NotContains(t, log.String(), "hostile", "what a server writes to stderr goes nowhere")
}

func TestAProcessThatDiesInMidCall(t *testing.T) {
	var log logged
	s := connected(t, oneServer(self(t)), Options{Log: log.logger()})
	waiting := make(chan error, 1)
	go func() {
		_, err := named(t, s, "wait").Run(t.Context(), nil)
		waiting <- err
	}()
	_, err := named(t, s, "die").Run(t.Context(), nil)
	assert.ErrorContains(t, err, `the connection to the MCP server "test" broke during this call`)
	assert.ErrorContains(t, <-waiting, "broke during this call", "calls beside it end too")

	echo := named(t, s, "echo")
	require.Eventually(t, func() bool {
		_, err := echo.Run(t.Context(), nil)
		return err == nil
	}, soon, often, "the same tool works again once the server is back")
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

func TestAListChangeIsPickedUp(t *testing.T) {
	s := connected(t, oneServer(self(t)), Options{})
	_, err := named(t, s, "grow").Run(t.Context(), nil)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(s.Tools()) == 7 }, soon, often)
	got, err := named(t, s, "grown").Run(t.Context(), nil)
	require.NoError(t, err)
	assert.JSONEq(t, `{"content":[{"type":"text","text":"new"}]}`, string(got))
}

func TestACommandThatIsNotThereKeepsNobodyAway(t *testing.T) {
	s := connected(t, Config{Servers: map[string]Endpoint{
		"good": self(t), "bad": {Command: "no-such-command-anywhere"},
	}}, Options{})
	assert.Len(t, s.Tools(), 6)
	status := s.Status()
	require.Len(t, status, 2)
	assert.False(t, status[0].Up)
	assert.EqualError(t, status[0].Fault, `exec: "no-such-command-anywhere": executable file not found in $PATH`)
	assert.True(t, status[1].Up)
}
