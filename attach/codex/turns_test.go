package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
)

// The items of a conversation, as they stand in files with and without an envelope.
func message(role, text string) string {
	kind := map[string]string{"assistant": "output_text"}[role]
	if kind == "" {
		kind = "input_text"
	}
	return fmt.Sprintf(`"type":"message","role":%q,"content":[{"type":%q,"text":%q}]`, role, kind, text)
}

const (
	environment = "<environment_context>\n  <cwd>/home/ann/p</cwd>\n  <shell>bash</shell>\n</environment_context>"
	callsLs     = `"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"call_1"`
	toldLs      = `"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"ok\",` +
		`\"metadata\":{\"exit_code\":0}}"`
)

func items(list ...string) (text string) {
	for _, payload := range list {
		text += item(payload)
	}
	return text
}

// TestAPromptBeginsATurnWhicheverRowTellsOfIt has prompts that no event tells of, and what the program says in a
// person's name.
func TestAPromptBeginsATurnWhicheverRowTellsOfIt(t *testing.T) {
	both := func(text string) string {
		return item(message("user", text)) + event(fmt.Sprintf(`"type":"user_message","message":%q`, text))
	}
	started := func(turn string) string { return event(fmt.Sprintf(`"type":"task_started","turn_id":%q`, turn)) }
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"items alone": {items(message("developer", "<permissions instructions>"), message("user", environment),
			message("user", "fix the test"), message("assistant", "I look."), callsLs, toldLs, message("assistant",
				"Done."),
			message("user", "and the lint?"), message("assistant", "Clean.")),
			[]string{"fix the test said: I look. ended: Done.", "and the lint? ended: Clean."}},
		"the file ends with it": {items(message("user", "fix the test")), []string{"fix the test ended:"}},
		"an event behind the item": {both("one") + items(message("assistant", "1")) + both("two") +
			items(message("assistant", "2")), []string{"one ended: 1", "two ended: 2"}},
		"an event tells of one only": {both("one") + items(message("assistant", "1")) +
			event(`"type":"task_complete","last_agent_message":"1"`) + items(message("user", "two"),
			message("assistant", "2")),
			[]string{"one ended: 1", "two ended: 2"}},
		"words of the program within a turn": {both("one") + items(callsLs, toldLs,
			message("user", "The program says more."), message("assistant", "1")), []string{"one ended: 1"}},
		"marks of the program": {items(message("user",
			"# AGENTS.md instructions for /p\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
			message("user", "<turn_aborted>\nx</turn_aborted>"), message("user",
				"<subagent_notification>{}</subagent_notification>"),
			message("user", "<user_instructions>x</user_instructions>"), message("user", "go"), message("assistant",
				"1")),
			[]string{"go ended: 1"}},
		"marks of a person": {items(message("user", "<task>fix it</task>"), message("assistant", "1")),
			[]string{"<task>fix it</task> ended: 1"}},
		"turns with a name": {started("t1") + items(message("user", "one"), message("assistant", "1")) + started("t2") +
			items(message("user", "two"), message("assistant", "2")), []string{"one ended: 1", "two ended: 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, begun+c.rows)
			assert.Equal(t, c.want, attachtest.Turns(list, true))
			assert.Zero(t, report.Malformed)
		})
	}
}

// TestRowsWithoutAnEnvelopeAreRead reads a rollout as versions of early 2025 wrote it.
func TestRowsWithoutAnEnvelopeAreRead(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"id":"01a2bb4d-0000-7000-8000-000000000001","timestamp":"2026-11-20T09:00:00Z",` +
		`"instructions":null}` + "\n" +
		`{"record_type":"state"}` + "\n")
	for _, payload := range []string{message("user", environment), message("user", "fix the test"),
		message("assistant", "I look."), callsLs, toldLs, message("assistant", "Done.")} {
		text.WriteString("{" + payload + "}\n")
	}
	list, report := read(t, text.String())
	assert.Zero(t, report.Malformed)
	assert.Equal(t, []string{"fix the test said: I look. ended: Done."}, attachtest.Turns(list, true))
	assert.Equal(t, &attach.About{Folder: "/home/ann/p"}, one(t, list,
		func(s *attach.Sighting) bool { return s.About != nil }).About)
	last := list[0].At
	for _, s := range list[1:] {
		require.False(t, s.At.Before(last), "rows without a time keep their order")
		last = s.At
	}
	// An item without an envelope is none of a file that has envelopes.
	_, report = read(t, begun+"{"+message("user", "x")+"}\n")
	assert.Equal(t, 1, report.Malformed)
}

func TestTurnsEndWithTheirFile(t *testing.T) {
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"in the middle of a call": {items(callsLs), []string{"Hi ended:"}},
		"with a prompt":           {"", []string{"Hi ended:"}},
		"by another name": {event(`"type":"turn_complete","last_agent_message":"Yes."`),
			[]string{"Hi ended: Yes."}},
		"with an error": {event(`"type":"error","message":"no quota"`), []string{"Hi failed: no quota"}},
		"with an error and its end": {event(`"type":"error","message":"no quota"`) + event(`"type":"task_complete"`),
			[]string{"Hi failed: no quota"}},
		"with an answer behind an error": {event(`"type":"error","message":"busy"`) + items(message("assistant",
			"Yes.")),
			[]string{"Hi ended: Yes."}},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, turned+c.rows)
			assert.Equal(t, c.want, attachtest.Turns(list, true))
		})
	}
}

func TestAToolOfAServerHasItsName(t *testing.T) {
	for payload, want := range map[string]string{
		`"namespace":"mcp__ev","name":"echo"`:               "mcp__ev__echo",
		`"namespace":"mcp__ev__","name":"echo"`:             "mcp__ev__echo",
		`"namespace":"mcp__ev","name":"mcp__ev__echo"`:      "mcp__ev__echo",
		`"namespace":"multi_agent_v1","name":"spawn_agent"`: "spawn_agent",
		`"namespace":"","name":"exec_command"`:              "exec_command",
	} {
		list, _ := read(t, turned+item(`"type":"function_call","arguments":"{}","call_id":"c",`+payload))
		assert.Equal(t, want, one(t, list, isCalled).Called.Tool, payload)
	}
}

// TestCallsWithEqualOrEmptyIdsStayApart holds for providers that name nothing, or everything alike.
func TestCallsWithEqualOrEmptyIdsStayApart(t *testing.T) {
	for name, id := range map[string]string{"one id": "call_0", "no id": "", "no id of a program": "call of ls"} {
		t.Run(name, func(t *testing.T) {
			calls := item(fmt.Sprintf(`"type":"function_call","name":"ls","arguments":"{}","call_id":%q`, id))
			list, report := read(t, turned+calls+output(id, "one")+calls+output(id, "two"))
			assert.Zero(t, report.Malformed)
			var results []string
			of := map[string]int{}
			for _, s := range list {
				attachtest.AssertSound(t, s, 128)
				if s.Called != nil {
					of[s.Call] = len(of)
				}
				if s.Returned != nil {
					results = append(results, fmt.Sprint(of[s.Call], " ", string(s.Returned.Result)))
				}
			}
			assert.Equal(t, []string{`0 "one"`, `1 "two"`}, results)
		})
	}
}
