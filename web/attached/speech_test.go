package attached_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// interactive plays what the hooks of an interactive Claude Code post, a word each: p1 begins a call, d1 ends it, l1
// is the line that gives its reason, A and B are lines of plans, | ends an answer's calls and = begins its text anew.
// The lines of an answer are pieces of one message, told as they end and the last one when the answer has.
func interactive(t *testing.T, hooks string) (reasons []string, plans []string) {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, nil)
	post := func(event, members string) {
		t.Helper()
		body := fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s1","prompt_id":"p1"%s}`, event, members)
		r := s.Post("ann", "/api/hooks/claude", body)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
	post("UserPromptSubmit", `,"prompt":"go on"`)
	message, index, batch := 1, 0, []string{}
	for word := range strings.FieldsSeq(hooks) {
		call := strings.ReplaceAll(
			`,"tool_name":"Bash","tool_use_id":"toolu_N","tool_input":{"command":"ls N"}`, "N", word[1:])
		line := map[string]string{"A": "I look around first.", "B": "Now I know where."}[word]
		switch word[0] {
		case 'p':
			post("PreToolUse", call)
			batch = append(batch, fmt.Sprintf(`{"tool_use_id":"toolu_%s"}`, word[1:]))
		case 'd':
			post("PostToolUse", call+`,"tool_response":{"stdout":"x"},"duration_ms":2`)
		case '|':
			post("PostToolBatch", `,"tool_calls":[`+strings.Join(batch, ",")+`]`)
			batch = nil
		case '=':
			message, index = message+1, 0
		case 'l':
			line = "Reason for Bash: for " + word[1:]
			fallthrough
		default:
			post("MessageDisplay", fmt.Sprintf(`,"message_id":"m%d","index":%d,"delta":%q`, message, index, line+"\n"))
			index++
		}
	}
	post("Stop", `,"last_assistant_message":"Done."`)
	_, history := watched(t, s, "ann")
	reasoning := history["turns"].([]any)[0].(apptest.M)["reasoning"].(apptest.M)
	for _, one := range reasoning["tool_decisions"].([]any) {
		d := one.(apptest.M)
		reasons = append(reasons, fmt.Sprint(d["parameters"].(apptest.M)["command"], " ", d["rationale"]))
	}
	steps, _ := reasoning["narratives"].([]any)
	for _, one := range steps {
		plans = append(plans, one.(apptest.M)["narrative"].(string))
	}
	return reasons, plans
}

func TestTheReasonsOfAnInteractiveSessionAreThoseOfItsCalls(t *testing.T) {
	for name, hooks := range map[string]string{
		"all is told before the calls":                      "A l1 l2 p1 p2 d1 d2 | = B l3 p3 d3 |",
		"the last line comes when its call has begun":       "A l1 p1 l2 p2 d1 d2 | = B p3 l3 d3 |",
		"the last line comes when both calls have begun":    "A l1 p1 p2 l2 d1 d2 | = B p3 l3 d3 |",
		"the last line comes when the first call has ended": "A l1 p1 d1 l2 p2 d2 | = B p3 d3 l3 |",
		"the last line comes between two calls' ends":       "A l1 p1 d1 p2 l2 d2 | = B p3 d3 l3 |",
		"the last line comes when the calls have ended":     "A l1 p1 d1 p2 d2 | l2 = B p3 d3 | l3",
		"all lines come when the calls have begun":          "p1 p2 A l1 l2 d1 d2 | = p3 B l3 d3 |",
		"all lines come when the calls have ended":          "p1 d1 p2 d2 A l1 l2 | = p3 d3 B l3 |",
	} {
		t.Run(name, func(t *testing.T) {
			reasons, plans := interactive(t, hooks)
			assert.Equal(t, []string{"ls 1 for 1", "ls 2 for 2", "ls 3 for 3"}, reasons)
			assert.Equal(t, []string{"I look around first.", "Now I know where."}, plans)
		})
	}
}

// TestATextIsOfNoCallOfAnotherTurn holds that where the hooks of a turn's end and of the next prompt were missed, what
// the model said last is neither the words nor the reason of a call that comes then.
func TestATextIsOfNoCallOfAnotherTurn(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for _, one := range []string{`"UserPromptSubmit","prompt_id":"p1","prompt":"go on"`,
		`"MessageDisplay","prompt_id":"p1","message_id":"m1","delta":"Reason for Bash: an old one"`,
		`"PreToolUse","prompt_id":"p2","tool_name":"Bash","tool_use_id":"c1","tool_input":{}`,
		`"MessageDisplay","prompt_id":"p3","message_id":"m2","delta":"Reason for Bash: its own"`,
		`"PreToolUse","prompt_id":"p3","tool_name":"Bash","tool_use_id":"c2","tool_input":{}`,
	} {
		r := s.Post("ann", "/api/hooks/claude", `{"session_id":"s1","hook_event_name":`+one+`}`)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
	_, history := watched(t, s, "ann")
	turns := history["turns"].([]any)
	assert.Contains(t, fmt.Sprint(turns[0]), "narrative:Reason for Bash: an old one", "it stays where it was said")
	assert.NotContains(t, fmt.Sprint(turns[1:]), "an old one")
	assert.Contains(t, fmt.Sprint(turns), "rationale:its own")
}

func TestTheEndOfACallTakesNoTextFromTheNextOne(t *testing.T) {
	reasons, _ := interactive(t, "A l1 p1 = B l2 d1 p2 d2 |")
	assert.Equal(t, []string{"ls 1 for 1", "ls 2 for 2"}, reasons)
}

// A key is no less secret because its lines come one by one when the call after it has begun.
func TestASecretInSeveralPiecesOfATextIsMasked(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	body := strings.Repeat("MIIEpAIBAAKCAQEAx7Zq", 3)
	post := func(payload string) {
		require.Equal(t, http.StatusOK, s.Post("ann", "/api/hooks/claude", payload).Status)
	}
	say := func(index int, line string) {
		post(fmt.Sprintf(`{"hook_event_name":"MessageDisplay","session_id":"s1","prompt_id":"p1","message_id":"m1",
			"index":%d,"delta":%q}`, index, line+"\n"))
	}
	post(hookOf("UserPromptSubmit", "", ""))
	say(0, "The key:\n-----BEGIN RSA "+"PRIVATE KEY-----")
	post(hookOf("PreToolUse", "toolu_1", "ls"))
	say(1, body)
	say(2, "-----END RSA "+"PRIVATE KEY-----")
	_, history := watched(t, s, "ann")
	assert.Contains(t, fmt.Sprint(history), "private-key")
	apptest.AssertAbsent(t, body, "the history", fmt.Sprint(history))
}

// TestATextInPiecesIsBounded holds that a piece beyond the bound is dropped whole.
func TestATextInPiecesIsBounded(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	hooked(t, s, "claude", hookOf("UserPromptSubmit", "", ""))
	for i, text := range []string{strings.Repeat("x", 60<<10), strings.Repeat("y", 10<<10), "short"} {
		hooked(t, s, "claude", fmt.Sprintf(`{"hook_event_name":"MessageDisplay","session_id":"s1","prompt_id":"p1",
			"message_id":"m1","index":%d,"delta":%q}`, i, text))
	}
	_, history := watched(t, s, "ann")
	text := fmt.Sprint(history)
	assert.Contains(t, text, "xxx")
	assert.NotContains(t, text, "yyy")
}
