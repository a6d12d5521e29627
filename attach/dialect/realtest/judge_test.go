//go:build realagents

package realtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// TestTheRealSDKsSpansTellWhatTheModelAskedFor plays the agent for each encoding, each version's names, streamed and
// not, and judges what the server has of it by what the stand-in sent.
func TestTheRealSDKsSpansTellWhatTheModelAskedFor(t *testing.T) {
	installed(t)
	for encoding, heard := range map[string]string{
		"json":     "/v1/traces application/json  => OK {}",
		"protobuf": "/v1/traces application/x-protobuf gzip => OK ",
	} {
		for _, names := range []string{"v7", "v6"} {
			for _, way := range []string{"generate", "stream"} {
				t.Run(strings.Join([]string{encoding, names, way}, " "), func(t *testing.T) {
					s, g, model := play(t, encoding, names, way)
					kinds, requests := g.heard()
					assert.Equal(t, []string{heard}, kinds, "nothing was left unread")
					assert.Greater(t, requests, 2, "inner spans came before outer ones")
					sent := model.said()
					require.Equal(t, plan, sent)
					judge(t, s, sent)
				})
			}
		}
	}
}

// turn is what is read of a turn.
type turn struct {
	Input    string `json:"user_input"`
	Response string `json:"response"`
	State    string `json:"state"`
	Calls    []struct {
		Result string `json:"result_preview"`
		Error  string `json:"error"`
	} `json:"tool_calls"`
	Reasoning struct {
		Narratives []struct {
			Step int    `json:"step"`
			Text string `json:"narrative"`
		} `json:"narratives"`
		Source    string `json:"narrative_source"` // of the last one
		Decisions []struct {
			Tool    string          `json:"tool_name"`
			Params  json.RawMessage `json:"parameters"`
			Source  string          `json:"rationale_source"`
			Outcome string          `json:"outcome"`
			Agent   string          `json:"agent"`
			Step    int             `json:"step"`
			Group   *int            `json:"parallel_group"`
		} `json:"tool_decisions"`
	} `json:"reasoning"`
	Usage struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
}

// results is what the tools of agent.mjs return, by the call.
var results = map[string]string{
	"call_a": `success {"city":"Oslo","degrees":4}`, "call_b": `success {"city":"Athens","degrees":6}`,
	"call_c": "error the bell is broken",
}

// judge holds that ann has one conversation with one turn, in which each answer that was sent is a step: its words, or
// else its thought, and its calls in their order, each once and with its own result. Nothing else is, no reason
// is made up, and the tokens of each answer count once.
func judge(t *testing.T, s *apptest.Server, sent []answer) {
	t.Helper()
	threads := s.Session("ann").Threads()
	require.Len(t, threads, 1)
	var page struct {
		Turns []turn `json:"turns"`
	}
	raw := s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).Body
	require.NoError(t, json.Unmarshal([]byte(raw), &page), raw)
	require.Len(t, page.Turns, 1)
	var wanted []string
	source := ""
	for i, a := range sent {
		if len(a.calls) == 0 {
			continue
		}
		if source = "model"; a.text == "" {
			source = "summary"
		}
		wanted = append(wanted, fmt.Sprint(i+1, ": ", cmp.Or(a.text, a.thought)))
		for _, c := range a.calls {
			wanted = append(wanted, fmt.Sprint("  ", c.tool, " ", c.args, " ", results[c.id], " ", len(a.calls) > 1))
		}
	}
	got := page.Turns[0]
	assert.Equal(t, wanted, got.told(t), raw)
	assert.Equal(t, source, got.Reasoning.Source)
	assert.Equal(t, []string{prompt, sent[len(sent)-1].text, "completed"}, []string{got.Input, got.Response, got.State})
	assert.Equal(t, []int{100 * len(sent), 10 * len(sent)}, []int{got.Usage.Input, got.Usage.Output})
}

// told returns the steps of a turn in the form that judge compares: a line for what was said, and one for each call,
// with whether others ran beside it.
func (u turn) told(t *testing.T) (lines []string) {
	t.Helper()
	said := map[int]string{}
	for _, n := range u.Reasoning.Narratives {
		said[n.Step] = fmt.Sprint(n.Step, ": ", n.Text)
	}
	require.Len(t, u.Calls, len(u.Reasoning.Decisions))
	step := 0
	for i, d := range u.Reasoning.Decisions {
		assert.Equal(t, []string{"fallback", ""}, []string{d.Source, d.Agent}, "nobody gave a reason or began an agent")
		if d.Step != step {
			lines = append(lines, said[d.Step])
		}
		step = d.Step
		lines = append(lines, fmt.Sprint("  ", d.Tool, " ", string(d.Params), " ", d.Outcome, " ",
			u.Calls[i].Result, u.Calls[i].Error, " ", d.Group != nil))
	}
	return lines
}
