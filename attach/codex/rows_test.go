package codex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// row returns a row of a rollout.
func row(kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-11-20T10:00:00+01:00","type":%q,"payload":{%s}}`+"\n", kind, payload)
}

func item(payload string) string  { return row("response_item", payload) }
func event(payload string) string { return row("event_msg", payload) }

// The beginning of a rollout, and of a turn.
var (
	begun  = row("session_meta", `"id":"s","cwd":"/w","cli_version":"0.1"`)
	turned = begun + row("turn_context", `"turn_id":"t"`) + event(`"type":"user_message","message":"Hi"`)
)

// ran returns a call of a command, and a record behind it.
func ran(id string) string {
	return item(`"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"`+id+`"`) +
		row("token_usage_record", `"response_id":"r-`+id+`","usage":{"input_tokens":3,"output_tokens":2}`)
}

// output returns what the model was told of a call.
func output(id, text string) string {
	return item(fmt.Sprintf(`"type":"function_call_output","call_id":%q,"output":%q`, id, text))
}

// one returns the only sighting for which is holds.
func one(t *testing.T, list []attach.Sighting, is func(s *attach.Sighting) bool) attach.Sighting {
	t.Helper()
	var found []attach.Sighting
	for i := range list {
		if is(&list[i]) {
			found = append(found, list[i])
		}
	}
	require.Len(t, found, 1, attachtest.JSON(t, list))
	return found[0]
}

func isReturned(s *attach.Sighting) bool { return s.Returned != nil }
func isCalled(s *attach.Sighting) bool   { return s.Called != nil }
func isEnded(s *attach.Sighting) bool    { return s.Ended != nil }
func isUsed(s *attach.Sighting) bool     { return s.Used != nil }

// TestTheCallsOfAnAnswerAreAGroup holds that a record names the answer before it, and that in files without records the
// results of calls, or the count of tokens, end an answer. Usage is given once in both.
func TestTheCallsOfAnAnswerAreAGroup(t *testing.T) {
	call := func(id string) string {
		return item(`"type":"function_call","name":"ls","arguments":"{}","call_id":"` + id + `"`)
	}
	record := func(id string) string {
		return row("token_usage_record", `"response_id":"`+id+`","usage":{"input_tokens":9,"output_tokens":1}`)
	}
	count := event(`"type":"token_count","info":{"last_token_usage":{"input_tokens":9,"output_tokens":1}}`)
	for name, c := range map[string]struct{ rows, groups string }{
		"records name them": {call("a") + call("b") + record("r1") + call("c") + record("r2"), "r1 r1 r2"},
		"results end them": {call("a") + call("b") + output("a", "") + output("b", "") + call("c") +
			output("c", ""), "a a c"},
		"older files count them": {call("a") + call("b") + count + output("a", "") + call("c") + count +
			count, "a a c"},
		"a record comes late": {call("a") + output("a", "") + record("r1") + call("b") + record("r2"), "a r2"},
		"the file ends":       {call("a"), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, turned+c.rows)
			var groups, used []string
			for _, s := range list {
				if s.Called != nil {
					groups = append(groups, s.Group)
				}
				if s.Used != nil {
					used = append(used, s.Group)
				}
			}
			assert.Equal(t, c.groups, strings.Join(groups, " "))
			if strings.Contains(c.rows, "usage") {
				assert.Len(t, used, 2, "usage is given once for each answer")
				assert.Subset(t, groups, used)
			}
		})
	}
}

// TestWhatTheModelSays holds that reasoning is a summary, or what some providers give of the text itself, and never a
// reason; and that what is encrypted leaves nothing but its size.
func TestWhatTheModelSays(t *testing.T) {
	list, report := read(t, turned+
		item(`"type":"reasoning","summary":[{"type":"summary_text","text":"I"},`+
			`{"type":"summary_text","text":"think"}],`+
			`"encrypted_content":"abcd"`)+
		item(`"type":"reasoning","summary":[],"encrypted_content":"abcdef"`)+
		item(`"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"Openly"}],`+
			`"encrypted_content":null`)+
		item(`"type":"message","role":"assistant","content":[]`)+
		item(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]`))
	got := attachtest.JSON(t, list)
	assert.Contains(t, got, `"said":{"text":"I\n\nthink","summary":true}`)
	assert.Contains(t, got, `"sealed":{"bytes":6}`)
	assert.Contains(t, got, `"said":{"text":"Openly","summary":true}`)
	assert.Contains(t, got, `"said":{"text":"Hello","final":true}`)
	assert.NotContains(t, got, "abcd")
	assert.Equal(t, 10, report.Sealed)
	assert.Equal(t, &attach.Ended{Answer: "Hello"}, one(t, list, isEnded).Ended, "no row tells of the end")
}

// TestCallsOfEachKind holds that parameters are given as the model wrote them, even if they are no JSON.
func TestCallsOfEachKind(t *testing.T) {
	for name, c := range map[string]struct{ item, want string }{
		"a function": {`"type":"function_call","name":"f","arguments":"{\"a\":1}","call_id":"c"`,
			`{"tool":"f","params":{"a":1}}`},
		"no JSON": {`"type":"function_call","name":"f","arguments":"{a","call_id":"c"`,
			`{"tool":"f","params":"{a"}`},
		"no arguments": {`"type":"function_call","name":"f","arguments":"","call_id":"c"`, `{"tool":"f"}`},
		"a freeform one": {`"type":"custom_tool_call","name":"apply_patch","input":"*** x","call_id":"c"`,
			`{"tool":"apply_patch","params":{"input":"*** x"}}`},
		"an older shell": {`"type":"local_shell_call","id":"c","action":{"command":["ls"]}`,
			`{"tool":"local_shell","params":{"command":["ls"]}}`},
		"the provider's": {`"type":"web_search_call","id":"c","action":{"query":"x"}`,
			`{"tool":"web_search","params":{"query":"x"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, turned+item(c.item))
			s := one(t, list, isCalled)
			assert.Contains(t, attachtest.JSON(t, []attach.Sighting{s}), `"call":"c","called":`+c.want)
			assert.Empty(t, s.Called.Reason)
		})
	}
}

// TestTurnsBeginAndEnd holds that a prompt within a turn is told, and begins none; and that in files that do not number
// turns every prompt begins one, and ends the one before it.
func TestTurnsBeginAndEnd(t *testing.T) {
	list, _ := read(t, turned+event(`"type":"user_message","message":"And this"`)+
		event(`"type":"turn_aborted","turn_id":"t","reason":"interrupted"`))
	assert.Equal(t, &attach.Ended{Interrupted: true}, one(t, list, isEnded).Ended)
	second := one(t, list, func(s *attach.Sighting) bool { return s.Prompted != nil && s.Prompted.Text == "And this" })
	assert.Equal(t, 1, second.Index, "a prompt within a turn stands behind the first")
	assert.Equal(t, "t", second.Turn)
	assert.Equal(t, time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), second.At)

	// Of a version that does not number turns.
	hello := item(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]`)
	list, _ = read(t, begun+event(`"type":"user_message","message":"One"`)+hello+
		event(`"type":"user_message","message":""`)+
		event(`"type":"user_message","message":"Two"`)+ran("c"))
	turns := ""
	for _, s := range list {
		if s.About == nil {
			turns += s.Turn + " "
		}
	}
	assert.Equal(t, "s-1 s-1 s-1 s-3 s-3 s-3 s-3 ", turns,
		"a prompt, an answer, an end; a prompt, a call, its usage, and the end of the file")
}

// TestSubAgentsBelongToTheSessionThatBeganThem holds, for each form in which a file says that it is a sub-agent's, that
// all of its facts are in the session and the turn of the agent that the person speaks to.
func TestSubAgentsBelongToTheSessionThatBeganThem(t *testing.T) {
	for name, c := range map[string]struct{ source, kind string }{
		"of a call": {`{"subagent":{"thread_spawn":{"parent_thread_id":"s","agent_role":"explorer"}}}`,
			"explorer"},
		"of no role":      {`{"subagent":{"thread_spawn":{"parent_thread_id":"s"}}}`, "default"},
		"of the program":  {`{"subagent":"review"},"parent_thread_id":"s"`, "review"},
		"of a new kind":   {`{"subagent":[7]},"parent_thread_id":"s","agent_role":"x"`, "x"},
		"of another time": {`"exec","session_id":"s","parent_thread_id":"s","agent_role":"y"`, "y"},
	} {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, row("session_meta", `"id":"a1","cwd":"/w","source":`+c.source)+
				event(`"type":"task_started","turn_id":"t2","root_turn_id":"t"`)+
				event(`"type":"user_message","message":"Look"`)+ran("c")+
				event(`"type":"task_complete","turn_id":"t2","last_agent_message":"Seen"`))
			require.Len(t, list, 4)
			for _, s := range list {
				assert.Equal(t, "s t a1", s.Session+" "+s.Turn+" "+s.Sub)
			}
			assert.Equal(t, &attach.Spawned{Kind: c.kind, Background: true}, list[0].Spawned)
			assert.Equal(t, &attach.Ended{Answer: "Seen"}, list[3].Ended)
			assert.Equal(t, 1, report.Skipped["task of a sub-agent"])
		})
	}
	list, _ := read(t, turned+item(`"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"c"`)+
		output("c", `{"agent_id":"a1","nickname":"Ann"}`))
	s := one(t, list, func(s *attach.Sighting) bool { return s.Spawned != nil })
	assert.Equal(t, "c a1", s.Call+" "+s.Sub, "where no event tells it")
	list, _ = read(t, turned+item(`"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c"`)+
		output("c", `{"agent_id":"a1","nickname":"Ann"}`))
	assert.NotContains(t, attachtest.JSON(t, list), `"spawned"`, "it is what a command wrote")
}

// TestCopiesOfAConversationAreNotGivenAgain reads a sub-agent that was given the conversation, as the real program
// wrote it, and forks of the form that older versions write, with all rows of the session before their own.
func TestCopiesOfAConversationAreNotGivenAgain(t *testing.T) {
	list, report := read(t, attachtest.Recorded(t, "sub2.jsonl"))
	assert.Greater(t, report.Copied, 10)
	assert.NotContains(t, attachtest.JSON(t, list), "PLAN:two go")
	fork := strings.ReplaceAll(attachtest.Recorded(t, "fork.jsonl"), "\n", "\x00")
	meta, rest, _ := strings.Cut(fork, "\x00")
	// Older versions copy all of the session that is forked behind the first row.
	copied := meta + "\n" + attachtest.Recorded(t, "session.jsonl") + strings.ReplaceAll(rest, "\x00", "\n")
	want, _ := read(t, attachtest.Recorded(t, "fork.jsonl"))
	list, report = read(t, copied)
	assert.Equal(t, attachtest.JSON(t, want), attachtest.JSON(t, list))
	assert.Greater(t, report.Copied, 90)
	// The first row of the copy may be missing.
	list, _ = read(t, meta+"\n"+attachtest.Recorded(t, "session.jsonl")[len(meta):]+
		strings.ReplaceAll(rest, "\x00", "\n"))
	assert.Equal(t, len(want), len(list))
}

// TestWhatIsNotReadIsCountedByKind holds that repetitions and the program's own affairs are skipped by name, so that a
// kind that is new shows.
func TestWhatIsNotReadIsCountedByKind(t *testing.T) {
	_, report := read(t, attachtest.Recorded(t, "session.jsonl")+
		row("compacted", `"message":"x","replacement_history":[]`)+
		item(`"type":"ghost_snapshot"`))
	assert.Equal(t, 1, report.Skipped["compacted"])
	assert.Equal(t, 1, report.Skipped["item ghost_snapshot"])
	assert.Positive(t, report.Skipped["world_state"])
	assert.Positive(t, report.Skipped["item_completed AgentMessage"])
	assert.Positive(t, report.Skipped["result that an event told"])
	assert.Equal(t, 64*2, report.Sealed)
}

// TestLongTextsAndAnswersAreBounded reads texts that are too long for a batch, and an answer that never ends.
func TestLongTextsAndAnswersAreBounded(t *testing.T) {
	const bound = 128 << 10
	long := strings.Repeat("é", bound)
	list, report := read(t, turned+item(`"type":"message","role":"assistant","content":[{"text":"`+long+`"}]`)+
		item(`"type":"function_call","name":"f","arguments":"{\"a\":\"`+long+`\"}","call_id":"c"`)+output("c", long)+
		event(`"type":"item_completed","item":{"type":"FileChange","id":"d","status":"completed","changes":{"f":"`+
			long+`"}}`))
	assert.Equal(t, 4, report.Cut)
	for _, s := range list {
		attachtest.AssertSound(t, s, 256)
	}
	var text strings.Builder
	text.WriteString(turned)
	for i := range 5000 {
		text.WriteString(item(fmt.Sprintf(`"type":"function_call","name":"f","arguments":"{}","call_id":"c%d"`, i)))
	}
	list, _ = read(t, text.String())
	groups := map[string]int{}
	for _, s := range list {
		groups[s.Group]++
	}
	assert.Equal(t, 256, groups["c0"], "an answer that does not end is given in parts")
	assert.Len(t, list, 5003)
}

// TestUsageThatNobodyBelievesIsNotGiven reads a record with a negative count.
func TestUsageThatNobodyBelievesIsNotGiven(t *testing.T) {
	list, _ := read(t, turned+ran("c")+row("token_usage_record", `"response_id":"x","usage":{"input_tokens":-3}`))
	assert.Equal(t, &attach.Used{Input: 3, Output: 2}, one(t, list, isUsed).Used)
}
