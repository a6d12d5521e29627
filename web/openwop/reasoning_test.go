package openwop_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/openwop"
)

// spoken are parts of a text as they are spoken.
func spoken(step int, parts ...string) (bodies []session.Body) {
	for i, part := range parts {
		bodies = append(bodies, session.Spoken{Step: step, Index: i, Text: words(part)})
	}
	return bodies
}

func narrated(step int, text string) session.Body {
	return session.Narrated{Step: step, Text: words(text), Source: session.FromModel}
}

func answer(text string) session.Body { return session.TurnCompleted{Response: words(text)} }

// shown lists the reasoning that a client is sent: deltas, and closes with what closed them.
func shown(events []wire) (all []string) {
	for _, e := range events {
		text, _ := e.Payload["reasoning"].(string)
		why, _ := e.Payload["x-candor-closed"].(string)
		switch delta, isDelta := e.Payload["delta"].(string); {
		case isDelta:
			all = append(all, "+"+delta)
		case e.Type == "agent.reasoned" && why != "":
			all = append(all, why)
		case e.Type == "agent.reasoned":
			all = append(all, "="+text)
		}
	}
	return all
}

var streaming = openwop.View{Version: openwop.V1, User: "ann", Verbosity: openwop.Full, Streaming: true}

// limited returns the view with another verbosity and a limit of 2 tokens, 8 bytes.
func limited(verbosity, limit openwop.Verbosity) openwop.View {
	v := streaming
	v.Verbosity, v.Limit, v.TokenLimit = verbosity, limit, 2
	return v
}

// shows is what a client with a view is shown of the reasoning in some facts.
type shows struct {
	view  openwop.View
	facts []session.Body
	want  []string
}

func (c shows) check(t *testing.T) {
	t.Helper()
	events := sent(t, projected(c.view, recorded(t, session.Workflow{Spoken: true}, lead(c.facts...))))
	assert.Equal(t, c.want, shown(events))
}

// blocked is a text that safety withheld.
var blocked = session.Narrated{Step: 1, Blocked: true}

func TestReasoningIsShownWhileItIsSpokenAndClosedOnce(t *testing.T) {
	summary := session.Narrated{Step: 1, Answer: true, Text: words("I knew."), Source: session.FromSummary}
	for name, c := range map[string]shows{
		"a narrative closes its parts": {
			streaming, append(spoken(1, "I look. ", "Then I act."), narrated(1, "I look. Then I act.")),
			[]string{"+I look. ", "+Then I act.", "=I look. Then I act."},
		},
		"a part with index 0 withdraws those before it": {
			streaming, append(spoken(1, "I see. "), append(spoken(1, "I look."), narrated(1, "I look."))...),
			[]string{"+I see. ", "withdrawn", "+I look.", "=I look."},
		},
		"an empty part withdraws those before it": {
			streaming, append(spoken(1, "I see. "), session.Spoken{Step: 1}, narrated(1, "I look.")),
			[]string{"+I see. ", "withdrawn", "=I look."},
		},
		"an empty part withdraws nothing where nothing was said": {
			streaming, []session.Body{session.Spoken{Step: 1}, answer("Done.")}, nil,
		},
		"a text that was withheld closes without words": {
			streaming, append(spoken(1, "I see. "), blocked), []string{"+I see. ", "withheld"},
		},
		"a withheld text says so also if none of it was spoken": {
			streaming, []session.Body{blocked}, []string{"withheld"},
		},
		"the answer is no reasoning": {
			streaming, append(spoken(1, "It is ", "sunny."), answer("It is sunny.")),
			[]string{"+It is ", "+sunny.", "answer"},
		},
		"a thought is reasoning of its own before the words that it stands beside": {
			streaming, append(spoken(1, "I look."), session.Narrated{
				Step: 1, Text: words("I look."), Source: session.FromModel, Thought: words("I guess."),
			}), []string{"+I look.", "=I guess.", "=I look."},
		},
		"a summary beside the answer is reasoning of its own": {
			streaming, append(spoken(1, "It is sunny."), summary, answer("It is sunny.")),
			[]string{"+It is sunny.", "answer", "=I knew."},
		},
		"a turn that fails closes what was spoken": {
			streaming, append(spoken(1, "I see. "), session.TurnFailed{Error: words("gone")}),
			[]string{"+I see. ", "withdrawn"},
		},
		"the text of another step closes what was spoken": {
			streaming, append(spoken(1, "I see. "), spoken(2, "I look.")...),
			[]string{"+I see. ", "withdrawn", "+I look."},
		},
	} {
		t.Run(name, c.check)
	}
}

func TestHowMuchOfReasoningAClientIsShown(t *testing.T) {
	for name, c := range map[string]shows{
		"a server that does not stream shows whole texts": {
			openwop.View{Version: openwop.V1, Verbosity: openwop.Full}, append(spoken(1, "I look."), narrated(1,
				"I look.")),
			[]string{"=I look."},
		},
		"off shows nothing": {
			limited(openwop.Off, ""), append(spoken(1, "I look."), narrated(1, "I look."), blocked), nil,
		},
		"a client that may see nothing is shown nothing": {
			limited(openwop.Full, openwop.Off), append(spoken(1, "I look."), narrated(1, "I look.")), nil,
		},
		"a summary ends at its limit, on a whole character": {
			limited(openwop.Summary, ""), []session.Body{narrated(1, "12345678"), narrated(2, "1234ä6789")},
			[]string{"=12345678", "=1234…"},
		},
		"full is the whole text": {
			limited(openwop.Full, ""), []session.Body{narrated(1, "1234567890")}, []string{"=1234567890"},
		},
		"a client may be limited to summaries": {
			limited(openwop.Full, openwop.Summary), []session.Body{narrated(1, "1234567890")}, []string{"=12345…"},
		},
		"deltas end where the summary does": {
			limited(openwop.Summary, ""), append(spoken(1, "12345", "67ä90", "more"), narrated(1, "1234567ä90more")),
			[]string{"+12345", "+67", "=12345…"},
		},
		"deltas end where a client's limit is": {
			limited(openwop.Full, openwop.Summary), append(spoken(1, "12345", "67890", "more"), narrated(1,
				"1234567890more")),
			[]string{"+12345", "+678", "=12345…"},
		},
	} {
		t.Run(name, c.check)
	}
}

func TestWhatAClosedBlockSaysOfItself(t *testing.T) {
	log := recorded(t, session.Workflow{}, lead(append(spoken(1, "It is sunny."), answer("It is sunny."))...))
	closed := of(sent(t, projected(streaming, log)), "agent.reasoned")
	require.Len(t, closed, 1)
	assert.Equal(t, map[string]any{
		"agentId": "host:candor", "reasoning": "", "verbosity": "off", "x-candor-step": 1.0,
		"x-candor-closed": "answer",
	}, closed[0].Payload)
}

func TestEachAgentHasABlockOfItsOwn(t *testing.T) {
	helper := func(b session.Body) fact { return fact{"helper_1", b} }
	log := recorded(t, session.Workflow{}, []fact{
		{"", session.ToolCalled{Step: 1, Call: "call_1", Tool: words("helper"), Rationale: session.Fallback()}},
		{"", session.Handoff{Call: "call_1", To: "helper_1", Text: words("look")}},
		helper(session.Spoken{Step: 1, Text: words("I ")}), {"", session.Spoken{Step: 2, Text: words("We ")}},
		helper(session.Spoken{Step: 1, Index: 1, Text: words("looked.")}),
		helper(session.Handoff{Call: "call_1", From: "helper_1", Text: words("I looked.")}),
		{"", narrated(2, "We wait.")},
	})
	events := sent(t, projected(streaming, log))
	assert.Equal(t, []string{"+I ", "+We ", "+looked.", "answer", "=We wait."}, shown(events))
	deltas := of(events, "agent.reasoning.delta")
	for i, want := range []struct {
		agent    string
		sequence float64
	}{{"host:helper_1", 0}, {"host:candor", 0}, {"host:helper_1", 1}} {
		assert.Equal(t, want.agent, deltas[i].Payload["agentId"])
		assert.Equal(t, want.sequence, deltas[i].Payload["sequence"])
	}
}

func TestARationaleIsReasoningOnlyIfTheModelGaveIt(t *testing.T) {
	call := func(id string, r session.Rationale) session.Body {
		return session.ToolCalled{Step: 1, Call: id, Tool: words("look"), Rationale: r, Params: value(`{}`)}
	}
	log := recorded(t, session.Workflow{}, lead(
		call("call_1", session.Rationale{Text: words("to see"), Source: session.FromModel}),
		call("call_2", session.Fallback()),
	))
	events := sent(t, projected(streaming, log))
	assert.Equal(t, []string{"=to see"}, shown(events))
	assert.Equal(t, "call_1", of(events, "agent.reasoned")[0].Payload["x-candor-call-id"])
	calls := of(events, "agent.toolCalled")
	assert.Equal(t, map[string]any{"text": "to see", "source": "model"}, calls[0].Payload["x-candor-rationale"])
	assert.Equal(t, "fallback", calls[1].Payload["x-candor-rationale"].(map[string]any)["source"])

	for _, v := range []openwop.View{limited(openwop.Off, ""), limited(openwop.Full, openwop.Off)} {
		for _, e := range of(sent(t, projected(v, log)), "agent.toolCalled") {
			assert.NotContains(t, e.Payload, "x-candor-rationale", "it is reasoning")
		}
	}
}

func TestWithoutATokenLimitASummaryHas512Tokens(t *testing.T) {
	log := recorded(t, session.Workflow{}, lead(narrated(1, strings.Repeat("word ", 1000))))
	v := limited(openwop.Summary, "")
	v.TokenLimit = 0
	text := of(sent(t, projected(v, log)), "agent.reasoned")[0].Payload["reasoning"].(string)
	assert.Len(t, text, 512*4)
}

func TestVersionsNameTheVerbositiesDifferently(t *testing.T) {
	for _, c := range []struct {
		version openwop.Version
		name    string
		want    openwop.Verbosity
	}{
		{openwop.V1, "off", openwop.Off}, {openwop.V1, "none", ""}, {openwop.V1, "full", openwop.Full},
		{openwop.V2, "none", openwop.Off}, {openwop.V2, "off", ""}, {openwop.V2, "summary", openwop.Summary},
		{openwop.V1, "", ""}, {openwop.V2, "FULL", ""},
	} {
		got, ok := openwop.ParseVerbosity(c.version, c.name)
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.want != "", ok)
	}
}
