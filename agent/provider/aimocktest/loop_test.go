package aimock

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// reasons are the rationales that the mocked model gives for looking at a path. It gives
// none for other paths.
var reasons = map[string]string{
	"why/a": "The user wants to know what is in a, and I expect its files.",
	"why/b": "b is next to a, and I expect it to be empty.",
}

// rawThoughts is reasoning that must never show up in a narrative.
const rawThoughts = "Raw thoughts that are nobody's business."

// looking returns a call for each path, with its rationale if there is one.
func looking(paths ...string) (out []toolCall) {
	for _, p := range paths {
		args := map[string]string{"path": p}
		if why, ok := reasons[p]; ok {
			args["rationale"] = why
		}
		out = append(out, toolCall{"look", args})
	}
	return out
}

// first is the answer to a message before any tool has run.
func first(user string, a answer) fixture {
	return fixture{Match: match{User: user, Answered: new(false)}, Response: a}
}

// after is the answer to a message once a tool has returned a result that contains
// result.
func after(user, result string, a answer) fixture {
	return fixture{Match: match{User: user, Answered: new(true), Result: result}, Response: a}
}

// scenario is one way a turn can go.
type scenario struct {
	words    string
	fixtures []fixture
	steps    [][]string // the paths of the calls of each step
	says     string     // the text before the first call
	answers  string     // the text that ends the turn
}

var scenarios = []scenario{
	{
		words: "[plain]",
		fixtures: []fixture{
			first("[plain]", answer{Content: "A plain answer, long enough to come in several pieces."}),
		},
		answers: "A plain answer, long enough to come in several pieces.",
	},
	{
		words: "[one tool]",
		fixtures: []fixture{
			first("[one tool]", answer{Content: "I look at a first.", Calls: looking("why/a")}),
			after("[one tool]", "why/a", answer{Content: "It is in a."}),
		},
		steps: [][]string{{"why/a"}}, says: "I look at a first.", answers: "It is in a.",
	},
	{
		words: "[three tools]",
		fixtures: []fixture{
			first("[three tools]", answer{Calls: looking("why/a", "mute/b", "why/b")}),
			after("[three tools]", "", answer{Content: "It is in all of them."}),
		},
		steps: [][]string{{"why/a", "mute/b", "why/b"}}, answers: "It is in all of them.",
	},
	{
		words: "[two steps]",
		fixtures: []fixture{
			first("[two steps]", answer{Content: "First a.", Calls: looking("why/a")}),
			after("[two steps]", "why/a", answer{Content: "Then b.", Calls: looking("mute/b")}),
			after("[two steps]", "mute/b", answer{Content: "It is in b."}),
		},
		steps: [][]string{{"why/a"}, {"mute/b"}}, says: "First a.", answers: "It is in b.",
	},
	{
		words: "[thinking]",
		fixtures: []fixture{
			first("[thinking]", answer{Reasoning: rawThoughts, Content: "I look.", Calls: looking("why/b")}),
			after("[thinking]", "why/b", answer{Reasoning: rawThoughts, Content: "I thought about it."}),
		},
		steps: [][]string{{"why/b"}}, says: "I look.", answers: "I thought about it.",
	},
}

// allFixtures returns the fixtures of every scenario.
func allFixtures() (out []fixture) {
	for _, s := range scenarios {
		out = append(out, s.fixtures...)
	}
	return out
}

func TestEveryScenarioCompletesOnEveryBackend(t *testing.T) {
	m := start(t, allFixtures())
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			r := newRig(t, backend, m.url, http.DefaultTransport)
			defer r.close(t.Context())
			for _, s := range scenarios {
				turn := r.say(t, "user", s.words)
				require.Equal(t, session.Completed, turn.State, "%s: %s", s.words, turn.Error)
				assert.Equal(t, s.answers, turn.Response.String())
				checkSteps(t, s, turn)
			}
			assert.Equal(t, 7, r.checkLog(t, "user"))
			assert.Zero(t, r.dispatcher.Unrecorded())
		})
	}
}

// checkSteps checks that a turn made the calls of its scenario, in their order, and that
// its narrative is the model's text alone.
func checkSteps(t *testing.T, s scenario, turn session.Turn) {
	t.Helper()
	steps := slices.DeleteFunc(slices.Clone(turn.Steps), func(s session.Step) bool { return s.Answer })
	require.Len(t, steps, len(s.steps), s.words)
	for i, step := range steps {
		var paths []string
		for _, c := range step.Calls {
			assert.Equal(t, session.Success, c.Outcome, c.Error)
			assert.Equal(t, len(step.Calls) > 1, c.Group != nil, "calls that ran in parallel have a group")
			for _, p := range s.steps[i] {
				if string(c.Params.Raw()) == `{"path":"`+p+`"}` {
					paths = append(paths, p)
				}
			}
		}
		assert.Equal(t, s.steps[i], paths, s.words)
		assert.NotContains(t, step.Narrative.String(), rawThoughts)
	}
	if len(turn.Steps) > 0 {
		assert.Equal(t, s.says, turn.Steps[0].Narrative.String(), s.words)
	}
}
