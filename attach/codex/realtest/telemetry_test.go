//go:build realagents

package realtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/codex"
	"candor/attach/transcript"
	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// exporter is what the program's configuration has for telemetry. Without log_user_prompt it keeps prompts back.
const exporter = `[otel]
log_user_prompt = %t
exporter = { otlp-http = { endpoint = "%s/v1/logs", protocol = "%s", headers = { Authorization = "Bearer %s" } } }
`

// exporting returns a player whose telemetry goes to a real server as ann's, in a protocol of OTLP, and who has no
// hooks.
func exporting(t *testing.T, protocol string, prompts bool) (*player, *apptest.Server) {
	t.Helper()
	p := newPlayer(t)
	s := apptest.Start(t, app.Settings{}, nil)
	p.token = apptest.TokenOf("ann")
	require.NoError(t, os.Remove(filepath.Join(p.home, "hooks.json")))
	text := fmt.Sprintf(config, p.model.URL) + fmt.Sprintf(exporter, prompts, s.HTTP.URL, protocol, p.token)
	require.NoError(t, os.WriteFile(filepath.Join(p.home, "config.toml"), []byte(text), 0o600))
	return p, s
}

// twice plays a session and goes on with it, and returns what the stand-in sent.
func (p *player) twice(t *testing.T) []said {
	t.Helper()
	p.session = p.run(t, trusted, "PLAN:one go")
	p.run(t, trusted, "resume", p.session, "PLAN:two go")
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	return p.model.sent
}

// TestTelemetryOfTheRealProgramAloneTellsItsCalls holds that each prompt is a turn, also one that is kept back, with
// the calls that the stand-in asked for, those of sub-agents as theirs, and how they ended. It knows no texts, no calls
// side by side, and no ends of turns.
func TestTelemetryOfTheRealProgramAloneTellsItsCalls(t *testing.T) {
	for protocol, prompts := range map[string]bool{"json": true, "binary": false} {
		t.Run(protocol, func(t *testing.T) {
			p, s := exporting(t, protocol, prompts)
			var want []string
			for _, a := range p.twice(t) {
				for _, c := range a.Calls {
					want = append(want, line(t, a, c, nil, false, attach.Telemetry))
				}
			}
			got, texts, turns := told(t, s, false)
			assert.ElementsMatch(t, want, got)
			assert.Empty(t, texts)
			for i, turn := range turns {
				asked := map[bool]string{true: []string{"PLAN:one go", "PLAN:two go"}[i]}[prompts]
				assert.Equal(t, asked+" processing", fmt.Sprint(turn["user_input"], " ", turn["state"]))
			}
			assert.Contains(t, s.Get("ann", "/metrics").Body, `what="an event that is not read"} 0`)
		})
	}
}

// TestTelemetryHooksAndFileOfTheRealProgramTellOneDecision holds that three channels of one session make its turns, in
// which each call that the stand-in asked for is one decision, told by all channels that know it, and each text is
// there once.
func TestTelemetryHooksAndFileOfTheRealProgramTellOneDecision(t *testing.T) {
	for name, hooked := range map[string]bool{"all three": true, "telemetry, and later the file": false} {
		t.Run(name, func(t *testing.T) {
			p, s := exporting(t, "json", true)
			if hooked {
				self, err := os.Executable()
				require.NoError(t, err)
				p.attach(t, codex.Commands(self).Reporting(), s.HTTP.URL)
			}
			var want, words []string
			steps := map[string]int{}
			for _, a := range p.twice(t) {
				steps[a.Plan]++
				if a.Text != "" {
					words = append(words, a.Text)
				}
				for _, c := range a.Calls {
					by := []attach.Channel{attach.File, attach.Hooks, attach.Telemetry}
					if !hooked || c.ID == strayCall || c.Tool == "write_stdin" {
						by = []attach.Channel{attach.File, attach.Telemetry}
					}
					want = append(want, line(t, a, c, steps[a.Plan], len(a.Calls) > 1, by...))
				}
			}
			p.imported(t, s)
			got, texts, turns := told(t, s, true)
			assert.ElementsMatch(t, want, got)
			assert.ElementsMatch(t, words, texts)
			for i, asked := range []string{"PLAN:one go", "PLAN:two go"} {
				assert.Equal(t, asked+" completed", fmt.Sprint(turns[i]["user_input"], " ", turns[i]["state"]))
			}
		})
	}
}

// imported lets the server read the rollouts.
func (p *player) imported(t *testing.T, s *apptest.Server) {
	t.Helper()
	files := transcript.Walk{Places: []string{p.home}, Send: func(_ context.Context, batch []byte, _ int) error {
		r := s.Post("ann", "/api/attached", string(batch))
		assert.Equal(t, http.StatusOK, r.Status, r.Body)
		return nil
	}}
	require.NoError(t, files.Once(t.Context()))
}

// ends are the ends of calls that are the same by telemetry as by the file.
var ends = map[string]string{readCall: `"port: 8080\n"`, listCall: `"notes.txt\n"`,
	failedCall: "Exit code 3\nno such port", strayCall: "unsupported call: nosuch_tool", "call_sub0a": `"port: 8080\n"`,
	"call_two2a": `"late\n"`, "call_later0a": `"later\n"`}

// line writes what has to come of a call: its turn, agent, step, parameters, channels and end.
func line(t *testing.T, a said, c asked, step any, grouped bool, by ...attach.Channel) string {
	t.Helper()
	outcome := "success"
	if c.ID == failedCall || c.ID == strayCall || c.ID == badPatch {
		outcome = "error"
	}
	turn := map[string]int{"two": 1, "later": 1}[a.Plan]
	agent := map[string]any{"sub": "explorer_1", "later": "default_1"}[a.Plan]
	end := ends[c.ID]
	if c.ID == lateCall && by[0] == attach.File {
		end = `"late\n"` // telemetry has what it had written when the model was told
	}
	return asJSON(t, turn, agent, step, c.Tool, c.Input, outcome, grouped, by, end)
}

// asJSON writes values so that equal ones are the same.
func asJSON(t *testing.T, values ...any) string {
	t.Helper()
	raw, err := json.Marshal(values)
	require.NoError(t, err)
	return string(raw)
}

// told returns the decisions of ann's only conversation in the form of line, with or without steps, its texts, and its
// two turns.
func told(t *testing.T, s *apptest.Server, steps bool) (calls, texts []string, turns []apptest.M) {
	t.Helper()
	threads := s.Session("ann").Threads()
	require.Len(t, threads, 1, "a sub-agent is no conversation")
	for i, one := range s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).JSON()["turns"].([]any) {
		turn := one.(apptest.M)
		turns = append(turns, turn)
		reasons := turn["reasoning"].(apptest.M)
		for j, one := range reasons["tool_decisions"].([]any) {
			d, c := one.(apptest.M), turn["tool_calls"].([]any)[j].(apptest.M)
			assert.Equal(t, "fallback", d["rationale_source"], "nobody gave a reason")
			step := d["step"]
			if !steps {
				step = nil
			}
			end := ""
			for _, known := range ends {
				if known == c["result_preview"] || known == c["error"] {
					end = known
				}
			}
			calls = append(calls, asJSON(t, i, d["agent"], step, d["tool_name"], d["parameters"], d["outcome"],
				d["parallel_group"] != nil, d["sighted"].(apptest.M)["called"], end))
		}
		if text, _ := turn["response"].(string); text != "" {
			texts = append(texts, text)
		}
		narratives, _ := reasons["narratives"].([]any)
		for _, one := range narratives {
			texts = append(texts, one.(apptest.M)["narrative"].(string))
		}
	}
	require.Len(t, turns, 2)
	return calls, texts, turns
}
