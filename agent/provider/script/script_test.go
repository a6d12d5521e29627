package script_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/script"
)

const lunch = `{
  "steps": [
    {"narrative": "I look at the clock.", "tool_calls": [
      {"id": "c1", "name": "clock", "arguments": {"b": 1, "a": 2}, "rationale": "The user wants the time."},
      {"name": "absent"}]},
    {"delay_ms": 20, "text": "It is noon."}
  ],
  "tools": {
    "clock": {"result": "12:00"},
    "nothing": {"result": null},
    "slow": {"delay_ms": 50, "result": {"ok": [true, "<b>"]}},
    "bad": {"error": "out of order"},
    "boom": {"panic": "kaboom"}
  },
  "deny": ["danger", "clock"]
}`

func load(t testing.TB, text string) *script.Script {
	t.Helper()
	s, err := script.Load(strings.NewReader(text))
	require.NoError(t, err)
	return s
}

// TestAMessageMayHaveStepsOfItsOwn holds that a turn of the script answers its message and no other.
func TestAMessageMayHaveStepsOfItsOwn(t *testing.T) {
	s := load(t, `{"steps":[{"text":"hm?"}],"turns":[{"message":"lunch?","steps":[{"text":"Yes."}]}]}`)
	for message, want := range map[string]string{"lunch?": "Yes.", "Lunch?": "hm?"} {
		asked := []agent.Message{{Role: agent.RoleUser, Text: message}}
		got, err := s.Respond(t.Context(), agent.Request{Messages: asked})
		require.NoError(t, err)
		assert.Equal(t, want, got.Text, message)
	}
	_, err := script.Load(strings.NewReader(`{"steps":[{"text":"hm?"}],"turns":[{"message":"lunch?","steps":[]}]}`))
	assert.ErrorContains(t, err, `turn "lunch?": it has no steps`)
}

var (
	user  = agent.Message{Role: agent.RoleUser, Text: "lunch?"}
	asked = agent.Message{Role: agent.RoleAssistant, Calls: []agent.Call{{ID: "c1", Name: "clock"}}}
	told  = agent.Message{Role: agent.RoleTool, CallID: "c1", Text: `"12:00"`}
	said  = agent.Message{Role: agent.RoleAssistant, Text: "It is noon."}
	nudge = agent.Message{Role: agent.RoleSystem, Text: "hurry"}
	tools = []agent.Spec{{Name: "clock"}}
)

func respond(t testing.TB, s *script.Script, messages ...agent.Message) agent.Response {
	t.Helper()
	got, err := s.Respond(t.Context(), agent.Request{Messages: messages, Tools: tools})
	require.NoError(t, err)
	return got
}

func TestTheStepDueFollowsFromTheConversation(t *testing.T) {
	s := load(t, lunch)
	first := respond(t, s, user)
	assert.Equal(t, agent.Response{Text: "I look at the clock.", Calls: []agent.Call{
		{ID: "c1", Name: "clock", Arguments: json.RawMessage(`{"b": 1, "a": 2}`),
			Reasoning: "The user wants the time."},
		{Name: "absent", Arguments: json.RawMessage(`{}`)},
	}}, first)
	assert.Equal(t, "It is noon.", respond(t, s, user, asked, told).Text)
	assert.Equal(t, "It is noon.", respond(t, s, user, asked, told, nudge).Text, "a system message starts no turn")
	assert.Equal(t, "The script has ended after its 2 steps.", respond(t, s, user, asked, told, asked, told).Text)
	assert.Equal(t, first, respond(t, s, user, asked, told, said, user), "each turn starts the script over")
}

func TestWithoutToolsAStepAnswersWithItsNarrative(t *testing.T) {
	got, err := load(t, lunch).Respond(t.Context(), agent.Request{Messages: []agent.Message{user}})
	require.NoError(t, err)
	assert.Equal(t, agent.Response{Text: "I look at the clock."}, got)

	got, err = load(t, `{"steps":[{"tool_calls":[{"name":"x"}]}]}`).
		Respond(t.Context(), agent.Request{Messages: []agent.Message{user}})
	require.NoError(t, err)
	assert.Equal(t, agent.Response{Text: "The script calls x here, but no tools are offered."}, got)
}

func TestAnErrorStepFailsAsTheProvider(t *testing.T) {
	_, err := load(t, `{"steps":[{"error":"503 overloaded"}]}`).
		Respond(t.Context(), agent.Request{Messages: []agent.Message{user}})
	assert.EqualError(t, err, "503 overloaded")
}

func TestToolsReturnTheirScriptedOutcome(t *testing.T) {
	s := load(t, lunch)
	byName := map[string]agent.Tool{}
	var names []string
	for _, tool := range s.Tools() {
		names = append(names, tool.Spec().Name)
		byName[tool.Spec().Name] = tool
	}
	assert.Equal(t, []string{"bad", "boom", "clock", "nothing", "slow"}, names)
	assert.Equal(t, []string{"danger", "clock"}, s.Denied())
	require.NoError(t, new(agent.Toolbox).Replace(s.Tools()...))

	careful := load(t, `{"steps":[{"text":"ok"}],"tools":{"wipe":{"result":1,"approval":"ask"},"clock":{"result":1}}}`)
	for i, mode := range []agent.Approval{agent.ApprovalNever, agent.ApprovalAsk} {
		assert.Equal(t, mode, careful.Tools()[i].Spec().Approval)
	}

	got, err := byName["clock"].Run(t.Context(), json.RawMessage(`{"any":"thing"}`))
	require.NoError(t, err)
	assert.Equal(t, `"12:00"`, string(got))
	got, err = byName["nothing"].Run(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, `null`, string(got))
	_, err = byName["bad"].Run(t.Context(), nil)
	require.EqualError(t, err, "out of order")
	assert.PanicsWithValue(t, "kaboom", func() { _, _ = byName["boom"].Run(t.Context(), nil) })

	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got, err := byName["slow"].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, `{"ok": [true, "<b>"]}`, string(got), "a result keeps its bytes")
		assert.Equal(t, 50*time.Millisecond, time.Since(start))
	})
}

func TestDelaysEndWithTheirContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := load(t, lunch)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := s.Tools()[4].Run(ctx, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "slow")
		_, err = s.Respond(ctx, agent.Request{Messages: []agent.Message{user, asked, told}, Tools: tools})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.ErrorContains(t, err, "step 2")
		assert.Equal(t, 5*time.Millisecond, time.Since(start))
	})
}

func TestErrorsNameTheWrongStepOrTool(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"empty":                   {"", "it is empty"},
		"not JSON":                {"{\n\"steps\": [\n}", "line 3"},
		"cut short":               {`{"steps":[`, "ends in the middle"},
		"a list":                  {`[]`, "cannot be array"},
		"two scripts":             {`{"steps":[{"text":"a"}]} {}`, "something follows after its end"},
		"unknown field":           {`{"steps":[{"text":"a"}],"stepz":1}`, `unknown field "stepz"`},
		"no steps":                {`{"steps":[]}`, "it has no steps"},
		"unknown field in a step": {`{"steps":[{"text":"a","txt":""}]}`, `step 1: unknown field "txt"`},
		"unknown field in a call": {`{"steps":[{"tool_calls":[{"name":"a","args":{}}]}]}`,
			`step 1: unknown field "args"`},
		"step of the wrong type":  {`{"steps":[{"tool_calls":[{"name":"a"}]},7]}`, "step 2: it cannot be number"},
		"field of the wrong type": {`{"steps":[{"text":7}]}`, "step 1: text cannot be number"},
		"step that does nothing":  {`{"steps":[{}]}`, "step 1: it needs exactly one of"},
		"step that does two":      {`{"steps":[{"text":"a","error":"b"}]}`, "step 1: it needs exactly one of"},
		"narrative without calls": {`{"steps":[{"text":"a","narrative":"b"}]}`,
			"step 1: a narrative stands before tool_calls"},
		"call without a name": {`{"steps":[{"tool_calls":[{"name":"a"},{"id":"x"}]}]}`,
			"step 1: call 2 has no name"},
		"never reached": {`{"steps":[{"text":"a"},{"text":"b"}]}`,
			"step 2: it is never reached: step 1 ends the turn"},
		"negative delay": {`{"steps":[{"text":"a","delay_ms":-1}]}`, "step 1: delay_ms is -1"},
		"endless delay":  {`{"steps":[{"text":"a","delay_ms":99999999}]}`, "step 1: delay_ms is 99999999"},
		"tool without an outcome": {`{"steps":[{"text":"a"}],"tools":{"t":{"delay_ms":1}}}`,
			`tool "t": it needs exactly one of`},
		"tool with two outcomes": {`{"steps":[{"text":"a"}],"tools":{"t":{"error":"a","panic":"b"}}}`,
			`tool "t": it needs`},
		"tool with unknown field": {`{"steps":[{"text":"a"}],"tools":{"t":{"reslt":1}}}`,
			`tool "t": unknown field "reslt"`},
		"tool without a name": {`{"steps":[{"text":"a"}],"tools":{"":{"result":1}}}`,
			`tool "": it has no name`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := script.Load(strings.NewReader(c.script))
			require.Error(t, err)
			assert.ErrorContains(t, err, "script: ")
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestATooLargeScriptIsRefused(t *testing.T) {
	_, err := script.Load(strings.NewReader(`{"steps":[{"text":"` + strings.Repeat("a", 9<<20) + `"}]}`))
	assert.ErrorContains(t, err, "larger than")
}

func TestAScriptSaysItsTextInPieces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := load(t, `{"steps": [{"text": "It is noon, and more.", "pieces": [2, 7], "piece_ms": 10}]}`)
		var pieces []string
		start := time.Now()
		resp, err := s.Respond(t.Context(), agent.Request{OnText: func(p string) { pieces = append(pieces, p) }})
		require.NoError(t, err)
		assert.Equal(t, []string{"It", " is noo", "n, and ", "more."}, pieces)
		assert.Equal(t, "It is noon, and more.", resp.Text)
		assert.Equal(t, 40*time.Millisecond, time.Since(start))

		stopped, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
		defer cancel()
		_, err = s.Respond(stopped, agent.Request{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
	for _, bad := range []string{
		`{"steps": [{"text": "x", "pieces": [0]}]}`, `{"steps": [{"text": "x", "piece_ms": -1}]}`,
	} {
		_, err := script.Load(strings.NewReader(bad))
		require.ErrorContains(t, err, "piece")
	}
}

// TestPlaceholdersGetMadeUpValues holds that a script with placeholders is played with values that look like
// credentials, the same within a script and others in the next.
func TestPlaceholdersGetMadeUpValues(t *testing.T) {
	const text = `{"steps":[{"text":"{{github_token}} {{github_token}} {{password}} {{private_key}} {{other}}"}]}`
	say := func() []string {
		got, err := load(t, text).Respond(t.Context(), agent.Request{Messages: []agent.Message{{Role: agent.RoleUser}}})
		require.NoError(t, err)
		return strings.SplitN(got.Text, " ", 4)
	}
	first, second := say(), say()
	assert.Regexp(t, "^ghp"+"_[A-Za-z0-9]{36}$", first[0])
	assert.Equal(t, first[0], first[1])
	assert.NotEqual(t, first[0], second[0], "made up anew")
	assert.Regexp(t, "^[a-z0-9]{10}[A-Z2-7]{8}$", first[2])
	assert.Regexp(t, "^-----BEGIN RSA PRIVATE "+"KEY-----\n[A-Z2-7]{26}\n[A-Z2-7]{26}\n-----END", first[3])
	assert.True(t, strings.HasSuffix(first[3], " {{other}}"), "what has no value stays")
}

func TestAStepMayHaveSealedReasoning(t *testing.T) {
	s := load(t, `{"steps":[{"text":"hm?","sealed_bytes":1240}]}`)
	got, err := s.Respond(t.Context(), agent.Request{Messages: []agent.Message{user}})
	require.NoError(t, err)
	assert.Equal(t, agent.Sealed{}.Encrypted(1240), got.Sealed)
	_, err = script.Load(strings.NewReader(`{"steps":[{"text":"hm?","sealed_bytes":-1}]}`))
	assert.ErrorContains(t, err, "step 1: sealed_bytes is -1")
}
