//go:build realagents

package realtest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// serve starts the program as the server that its own terminal uses, and returns its address.
func (p *player) serve(t *testing.T) (address string) {
	t.Helper()
	cmd := p.command(t.Context(), t, "serve", "--port", "0")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); address != "" {
			return address
		}
	}
	require.Fail(t, "the program does not say where it listens")
	return ""
}

// posted returns what the program's server answers.
func posted(t *testing.T, address, body string) (answer apptest.M) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Less(t, resp.StatusCode, 300)
	_ = json.NewDecoder(resp.Body).Decode(&answer) // one answer has nothing
	return answer
}

// TestACallThatThePersonStoppedWaitsNoLonger holds that the question is over once the person in front of the program
// stops the agent while its calls wait, and that none of them runs afterwards.
func TestACallThatThePersonStoppedWaitsNoLonger(t *testing.T) {
	p, s := asking(t, app.Settings{})
	address := p.serve(t)
	session := posted(t, address+"/session", "{}")["id"].(string)
	posted(t, address+"/session/"+session+"/prompt_async", `{"parts":[{"type":"text","text":"PLAN:write go"}]}`)
	both := questions(t, s, 2)
	posted(t, address+"/session/"+session+"/abort", "{}")
	questions(t, s, 0)
	for _, q := range both {
		assert.Equal(t, http.StatusNotFound, answer(t, s, q, "approve", ""))
	}
	posted(t, address+"/session/"+session+"/message", `{"parts":[{"type":"text","text":"Hello"}]}`)
	assert.Empty(t, p.made())
}
