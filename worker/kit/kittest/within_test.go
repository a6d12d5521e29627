package kittest

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

// tree is what is read of a turn in which agents work within calls of others.
type tree struct {
	Input     string `json:"user_input"`
	Response  string `json:"response"`
	Stop      string `json:"stop"`
	Reasoning struct {
		Decisions []struct {
			Call    string `json:"call_id"`
			Agent   string `json:"agent"`
			Tool    string `json:"tool_name"`
			Reason  string `json:"rationale"`
			Source  string `json:"rationale_source"`
			Outcome string `json:"outcome"`
		} `json:"tool_decisions"`
		Handoffs []struct {
			Call string `json:"call_id"`
			From string `json:"from"`
			To   string `json:"to"`
		} `json:"handoffs"`
	} `json:"reasoning"`
	Stops []struct {
		Agent string `json:"agent"`
		Stop  string `json:"stop"`
	} `json:"step_stops"`
	Usage struct {
		Input int `json:"input_tokens"`
	} `json:"usage"`
}

// below writes the calls of an agent, and below each what the agents did that it began.
func (t tree) below(b *strings.Builder, agent, indent string) {
	for _, d := range t.Reasoning.Decisions {
		if d.Agent != agent {
			continue
		}
		fmt.Fprintf(b, "%s%s: %s (%s) %s\n", indent, d.Tool, d.Reason, d.Source, d.Outcome)
		for _, h := range t.Reasoning.Handoffs {
			if h.Call == d.Call && h.From == agent {
				fmt.Fprintf(b, "%s  %s:\n", indent, h.To)
				t.below(b, h.To, indent+"    ")
			}
		}
	}
	for _, s := range t.Stops {
		if s.Agent == agent && agent != "" {
			fmt.Fprintf(b, "%sstopped: %s\n", indent, s.Stop)
		}
	}
}

// inner is what the page has of a plan in which a tool calls an agent, with why that agent's model stopped.
const inner = `Who knows the port?
  scout: The scout reads files. (model) success
    scout:
      look: It may be there. (model) success
      stopped: %s
The port is 8080. stop
`

// over is what the page has of a plan in which an agent hands the run over.
const over = `Who pays?
  transfer_to_billing: Billing has the books. (model) success
    Billing:
      look: The books say it. (model) success
Ann pays. %s
`

// judgeTree holds what the page has of ann's only job, with the tokens of each answer once.
func judgeTree(t *testing.T, s *apptest.Server, want string, answers int) {
	t.Helper()
	var page struct{ Turns []tree }
	raw := s.Get("ann", "/api/jobs/"+onlyJob(t, s)).Body
	require.NoError(t, json.Unmarshal([]byte(raw), &page), raw)
	require.Len(t, page.Turns, 1)
	turn, b := page.Turns[0], &strings.Builder{}
	fmt.Fprintln(b, turn.Input)
	turn.below(b, "", "  ")
	fmt.Fprintln(b, turn.Response, cmp.Or(turn.Stop, "stop"))
	assert.Equal(t, want, b.String())
	assert.Equal(t, 100*answers, turn.Usage.Input)
}

// TestAnAgentWithinACallStandsUnderIt plays the libraries for Python.
func TestAnAgentWithinACallStandsUnderIt(t *testing.T) {
	for _, tt := range []struct {
		name, library, prompt, want string
		answers                     int
	}{
		{"an agent in a tool of LangChain", "langchain", "Who knows the port?", fmt.Sprintf(inner, "length"), 4},
		{"an agent as a tool of the Agents SDK", "agents", "Who knows the port?", fmt.Sprintf(inner, "refusal"), 4},
		{"one in a tool that is not reasoned", "plain", "Who knows the port?",
			strings.Replace(fmt.Sprintf(inner, "refusal"), "    scout:", "    Scout:", 1), 4},
		{"a run that is handed over", "agents", "Who pays?", fmt.Sprintf(over, "refusal"), 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, model := start(t), newStandIn(t)
			run(t, s.HTTP.URL, model, "python3", "programs/within.py", tt.library, tt.prompt)
			judgeTree(t, s, tt.want, tt.answers)
		})
	}
}

// TestAnAgentWithinACallOfARealLibraryStandsUnderIt has the real libraries for JavaScript. The Agents SDK does not say
// why a chat completion stopped that was streamed, and streams no agent that is a tool.
func TestAnAgentWithinACallOfARealLibraryStandsUnderIt(t *testing.T) {
	installed(t)
	for _, tt := range []struct {
		name, want string
		answers    int
		program    []string
	}{
		{"an agent in a tool of LangGraph", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-langgraph.mjs", "Who knows the port?"}},
		{"an agent as a tool of the Agents SDK", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-openai.mjs", "Who knows the port?"}},
		{"an agent as a tool of the Agents SDK, streamed", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-openai.mjs", "Who knows the port?", "stream"}},
		{"an agent that a tool of the Agents SDK runs by hand", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-openai.mjs", "Who knows the port?", "by hand"}},
		{"an agent in a tool of the AI SDK, version 6", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-ai-sdk.mjs", "Who knows the port?", "generate"}},
		{"an agent in a tool of the AI SDK, version 6, streamed", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-ai-sdk.mjs", "Who knows the port?", "stream"}},
		{"an agent in a tool of the AI SDK, version 7", fmt.Sprintf(inner, "length"), 4,
			[]string{"within-ai-sdk.mjs", "Who knows the port?", "generate", "7"}},
		{"a run that is handed over", fmt.Sprintf(over, "length"), 3, []string{"within-openai.mjs", "Who pays?"}},
		{"a run that is handed over, streamed", fmt.Sprintf(over, "stop"), 3,
			[]string{"within-openai.mjs", "Who pays?", "stream"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, model := start(t), newStandIn(t)
			run(t, s.HTTP.URL, model, program(append([]string{"node"}, tt.program...))...)
			judgeTree(t, s, tt.want, tt.answers)
		})
	}
}

// TestTheStopOfAnAnswerIsTold gives the middleware of the AI SDK what models of its versions answer.
func TestTheStopOfAnAnswerIsTold(t *testing.T) {
	for reason, want := range map[string]string{
		`{ unified: "length", raw: "max_tokens" }`:      "length",
		`{ unified: "length", raw: undefined }`:         "length",
		`{ unified: "content-filter", raw: "refusal" }`: "refusal",
		`{ unified: "content-filter", raw: "x_y" }`:     "filter",
		`{ unified: "stop", raw: "a_word_of_its_own" }`: "",
		`"length"`: "length", `"stop"`: "", `undefined`: "",
	} {
		for _, way := range []string{"wrapGenerate", "wrapStream"} {
			t.Run(way+" "+reason, func(t *testing.T) {
				s := start(t)
				run(t, s.HTTP.URL, newStandIn(t), "node", "--input-type=module", "-e",
					"import { candor } from '../typescript/ai-sdk.js'; const finishReason = "+reason+";\n"+
						"const parts = [{ type: 'text-delta', delta: 'It is' }, { type: 'finish', finishReason }];\n"+
						"const content = [{ type: 'text', text: 'It is' }];\n"+
						"const doGenerate = async () => ({ content, finishReason });\n"+
						"const doStream = async () => ({ stream: ReadableStream.from(parts) });\n"+
						"const asked = { role: 'user', content: [{ type: 'text', text: 'Which port is it?' }] };\n"+
						"const middleware = candor(), given = { params: { prompt: [asked] }, doGenerate, doStream };\n"+
						"const { stream } = await middleware."+way+"(given);\n"+
						"for await (const part of stream ?? []);")
				var page struct{ Turns []tree }
				raw := s.Get("ann", "/api/jobs/"+onlyJob(t, s)).Body
				require.NoError(t, json.Unmarshal([]byte(raw), &page), raw)
				assert.Equal(t, "It is", page.Turns[0].Response)
				assert.Equal(t, want, page.Turns[0].Stop)
			})
		}
	}
}
