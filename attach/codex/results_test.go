package codex_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach"
	"candor/attach/attachtest"
)

// ranFor begins what the program tells the model of a command.
const ranFor = "Chunk ID: ab\nWall time: 0.1 seconds\n"

// completed returns what an event tells of the call c.
func completed(members string) string {
	return event(`"type":"item_completed","item":{"id":"c",` + members + `}`)
}

// endings are rows that tell how the call c ended, and what becomes of them. What the model was told is read where no
// event tells it; an event has the exit code as a number, and is believed before any text.
var endings = map[string]struct{ rows, want string }{
	"an exit code of 0": {output("c", ranFor+"Process exited with code 0\nOutput:\na\n"), `{"result":"a\n"}`},
	"another exit code": {output("c", ranFor+"Process exited with code 3\nOutput:\nno\n"),
		`{"error":"Exit code 3\nno"}`},
	"an older one": {output("c", "Exit code: 2\nWall time: 1 seconds\nOutput:\nno"),
		`{"error":"Exit code 2\nno"}`},
	"the oldest one": {output("c", `{"output":"no","metadata":{"exit_code":1}}`),
		`{"error":"Exit code 1\nno"}`},
	"an output of its kind": {output("c", "Output:\nProcess exited with code 3\n"),
		`{"result":"Output:\nProcess exited with code 3\n"}`},
	"a patch through the shell": {output("c", "Wall time: 0 seconds\nOutput:\nExit code: 1\nOutput:\nno patch"),
		`{"error":"Exit code 1\nno patch"}`},
	"no such tool": {output("c", "unsupported call: x"), `{"error":"unsupported call: x"}`},
	"a person's no": {output("c", "exec command rejected by user"),
		`{"error":"exec command rejected by user","denied":true}`},
	"words of a tool": {output("c", "#7 was rejected by user bob"), `{"result":"#7 was rejected by user bob"}`},
	"a person's no to a command": {output("c", "exec_command failed for `x`: Rejected(\"rejected by user\")"),
		"{\"error\":\"exec_command failed for `x`: Rejected(\\\"rejected by user\\\")\",\"denied\":true}"},
	"a failure that looks like a patch": {output("c", ranFor+"Process exited with code 1\nOutput:\n"+
		"Exit code: 0\nOutput:\nok"),
		`{"error":"Exit code 1\nExit code: 0\nOutput:\nok"}`},
	"an output that begins like a patch": {output("c", ranFor+"Process exited with code 1\nOutput:\nExit code: 0"),
		`{"error":"Exit code 1\nExit code: 0"}`},
	"an object that has an output": {output("c", `{"output":"a","rest":"b"}`),
		`{"result":"{\"output\":\"a\",\"rest\":\"b\"}"}`},
	"a person's stop": {output("c", "aborted by user after 2.0s"),
		`{"error":"aborted by user after 2.0s","cancelled":true}`},
	"a text": {output("c", "done"), `{"result":"done"}`},
	"parts": {item(`"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"a"}]`),
		`{"result":"a"}`},
	"an image": {item(`"type":"function_call_output","call_id":"c","output":[{"type":"input_image",` +
		`"image_url":"data:xx"}]`), `{"result":"","partial":true}`},
	"nothing": {item(`"type":"function_call_output","call_id":"c","output":7`),
		`{"result":"","partial":true}`},
	"a custom tool": {item(`"type":"custom_tool_call_output","call_id":"c","output":"ok"`), `{"result":"ok"}`},
	"an event": {completed(`"type":"CommandExecution","exit_code":0,"aggregated_output":"a",`+
		`"duration":{"secs":1,"nanos":5}`) +
		output("c", ranFor+"Output:\nother"), `{"result":"a","took":1000000005}`},
	"a failure's event": {completed(`"type":"CommandExecution","exit_code":7,"aggregated_output":"a"`),
		`{"error":"Exit code 7\na"}`},
	"a refusal's event": {completed(`"type":"CommandExecution","exit_code":-1,"status":"declined"`),
		`{"error":"it was refused","denied":true}`},
	"a change": {completed(`"type":"FileChange","status":"completed","changes":{"/f":{"unified_diff":"x"}},` +
		`"stdout":"ok"`),
		`{"result":{"changes":{"/f":{"unified_diff":"x"}},"stdout":"ok"}}`},
	"a change that failed": {completed(`"type":"FileChange","status":"failed","changes":{},"stderr":"no"`),
		`{"error":"no"}`},
	"another failure": {completed(`"type":"McpToolCall","status":"failed"`) + output("c", "whatever"),
		`{"error":"whatever"}`},
	"a mute failure": {completed(`"type":"McpToolCall","status":"failed"`) + output("c", ""),
		`{"error":"it failed, and the program does not say how"}`},
	"a strange duration": {completed(`"type":"CommandExecution","exit_code":0,"duration":{"secs":-1}`),
		`{"result":""}`},
	"what still runs": {output("c", ranFor+"Process running with session ID 4\nOutput:\nup"), `{"result":"` +
		strings.ReplaceAll(ranFor, "\n", `\n`) + `Process running with session ID 4\nOutput:\nup","partial":true}`},
	"what ran longer": {output("c", ranFor+"Process running with session ID 4\nOutput:\n") +
		completed(`"type":"CommandExecution","exit_code":0,"aggregated_output":"late"`), `{"result":"late"}`},
}

// TestHowCallsEnd holds that a call ends once, in its turn, with an error where the program tells of one.
func TestHowCallsEnd(t *testing.T) {
	for name, c := range endings {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, turned+ran("c")+c.rows)
			s := one(t, list, isReturned)
			assert.Equal(t, "c", s.Call)
			assert.Equal(t, "t", s.Turn)
			assert.Contains(t, attachtest.JSON(t, []attach.Sighting{s}), `"returned":`+c.want)
			assert.Zero(t, report.Malformed)
		})
	}
}

// TestALongOutputIsTheProgramsBeginningOfIt holds that an output as long as the program keeps any is marked: its middle
// is gone, and the row does not say so.
func TestALongOutputIsTheProgramsBeginningOfIt(t *testing.T) {
	list, report := read(t, turned+ran("c")+event(`"type":"item_completed","item":{"type":"CommandExecution","id":"c",`+
		`"exit_code":0,"aggregated_output":"`+strings.Repeat("x", 64<<10)+`"}`))
	assert.True(t, one(t, list, isReturned).Returned.Partial)
	assert.Equal(t, 1, report.Outside)
	// What is cut here is not missing in the file.
	list, report = read(t, turned+ran("c")+output("c", strings.Repeat("x", 200_000)))
	assert.True(t, one(t, list, isReturned).Returned.Partial)
	assert.Equal(t, 1, report.Cut)
	assert.Zero(t, report.Outside)
}
