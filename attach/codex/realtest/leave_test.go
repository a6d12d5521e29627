//go:build realagents

package realtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/agenttest"
	"candor/cmd/candor/app"
)

// frontEnd is the program as front ends run it, which asks them what a person may do.
type frontEnd struct {
	in    io.Writer
	out   *bufio.Scanner
	asked int // how often it asked whether a command may leave the sandbox
}

// message is one of the program's messages to a front end.
type message struct {
	ID     any             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
}

// face starts the program for a front end, until the test ends.
func (p *player) face(t *testing.T) *frontEnd {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(stop)
	cmd := p.command(ctx, t, "app-server")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	f := &frontEnd{in: in, out: bufio.NewScanner(out)}
	f.out.Buffer(nil, 16<<20)
	f.call(t, "initialize", object{"clientInfo": object{"name": "test", "title": "test", "version": "1"}}, nil)
	f.send(object{"method": "initialized"})
	return f
}

// send sends a message to the program.
func (f *frontEnd) send(message object) {
	raw, _ := json.Marshal(message)
	_, _ = fmt.Fprintf(f.in, "%s\n", raw) // the answer is missing if it fails
}

// next returns the next message for which is holds, and denies what the program asks on the way.
func (f *frontEnd) next(t *testing.T, is func(m message) bool) (m message) {
	t.Helper()
	for f.out.Scan() {
		m = message{}
		require.NoError(t, json.Unmarshal(f.out.Bytes(), &m))
		if strings.HasSuffix(m.Method, "/requestApproval") {
			f.asked++
			f.send(object{"id": m.ID, "result": object{"decision": "decline"}})
		}
		if is(m) {
			return m
		}
	}
	require.Fail(t, "the program ended")
	return m
}

// call calls a method and decodes its result.
func (f *frontEnd) call(t *testing.T, method string, params object, result any) {
	t.Helper()
	f.send(object{"id": method, "method": method, "params": params})
	m := f.next(t, func(m message) bool { return m.ID == method && m.Method == "" })
	require.NotEmpty(t, m.Result, method)
	if result != nil {
		require.NoError(t, json.Unmarshal(m.Result, result))
	}
}

// trust lets the hooks run, as a person does who looked at them, and has Codex ask a person about its sandbox.
func (p *player) trust(t *testing.T) {
	t.Helper()
	name := filepath.Join(p.home, "config.toml")
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	text := strings.NewReplacer(`"never"`, `"on-request"`, "danger-full-access", "read-only").Replace(string(raw))
	var list struct {
		Data []struct {
			Hooks []struct{ Key, CurrentHash string }
		}
	}
	p.face(t).call(t, "hooks/list", object{"cwds": []string{p.work}}, &list)
	require.Len(t, list.Data, 1)
	for _, h := range list.Data[0].Hooks {
		text += fmt.Sprintf("[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.CurrentHash)
	}
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// TestAnApprovalInCandorLetsACommandLeaveTheRealProgramsSandbox holds that a command whose arguments ask for that, and
// for which the program would ask the person in front of it, runs once a person who saw it approved it in Candor, and
// that without an answer there the program asks by itself.
func TestAnApprovalInCandorLetsACommandLeaveTheRealProgramsSandbox(t *testing.T) {
	for name, c := range map[string]struct {
		settings app.Settings
		approved bool
	}{
		"approved":          {app.Settings{}, true},
		"without an answer": {app.Settings{ApprovalTimeout: time.Millisecond}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := asking(t, c.settings)
			input := p.model.plans["write"][0].Calls[0].Input
			input["sandbox_permissions"], input["justification"] = "require_escalated", "May I?"
			p.trust(t)
			f := p.face(t)
			var begun struct{ Thread struct{ ID string } }
			f.call(t, "thread/start", object{"cwd": p.work}, &begun)
			f.call(t, "turn/start", object{"threadId": begun.Thread.ID,
				"input": []object{{"type": "text", "text": "PLAN:write go"}}}, nil)
			if c.approved {
				q := agenttest.Question(t, s, nil)
				assert.Equal(t, "require_escalated", q["parameters"].(object)["sandbox_permissions"])
				agenttest.Answer(t, s, q, "approve", "")
			}
			f.next(t, func(m message) bool { return m.Method == "turn/completed" })
			assert.Equal(t, c.approved, p.made())
			assert.Equal(t, !c.approved, f.asked == 1, "it asked %d times", f.asked)
		})
	}
}
