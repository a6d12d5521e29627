package gemini_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/gemini"
	"candor/attach/rows"
)

// qwenRow returns a row of Qwen Code's.
func qwenRow(second int, kind, more string) string {
	return fmt.Sprintf(`{"uuid":"u%d","parentUuid":null,"sessionId":"q","timestamp":"2026-11-20T09:00:%02dZ",`+
		`"type":%q,`+
		`"cwd":"/w","version":"0.24.4",%s}`+"\n", second, second, kind, more)
}

// qwenParts returns a row's message.
func qwenParts(parts string) string { return `"message":{"role":"model","parts":[` + parts + `]}` }

// readQwen returns the sightings of a file, and the report.
func readQwen(t *testing.T, text string) (all []attach.Sighting, report rows.Report) {
	t.Helper()
	r := gemini.NewQwenReader(false)
	for s, err := range r.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		attachtest.AssertSound(t, s, 128)
		all = append(all, s)
	}
	return all, r.Report()
}

// TestAFileOfQwenCodeIsRead reads a turn with a thought, a text between calls, results and an answer.
func TestAFileOfQwenCodeIsRead(t *testing.T) {
	list, report := readQwen(t,
		qwenRow(1, "system", `"subtype":"session_source"`)+
			qwenRow(2, "user", qwenParts(`{"text":"why?"}`))+
			qwenRow(3, "assistant", `"model":"qwen3","usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4},`+
				qwenParts(`{"text":"I think","thought":true},{"text":"First."},{"functionCall":{"id":"c1",`+
					`"name":"read","args":{"b":1,"a":2}}},`+
					`{"text":"Then."},{"functionCall":{"id":"c2","name":"run","args":{}}}`))+
			qwenRow(4, "tool_result", qwenParts(`{"functionResponse":{"id":"c1","response":{"output":"one"}}}`)+
				`,"toolCallResult":{"callId":"c1","status":"success"}`)+
			qwenRow(5, "tool_result", qwenParts(`{"functionResponse":{"id":"c2","response":{"error":"exit 1"}}}`))+
			qwenRow(6, "assistant", qwenParts(`{"text":"Done."}`))+
			qwenRow(7, "system", `"subtype":"custom_title","systemPayload":{"customTitle":"Logins"}`))
	for i := range list {
		assert.Equal(t, "qwen", list[i].Agent)
		assert.Equal(t, "q", list[i].Session)
	}
	got := attachtest.JSON(t, list)
	for _, want := range []string{
		`"about":{"version":"0.24.4","folder":"/w"}`, `"turn":"u2","prompted":{"text":"why?"}`,
		`"group":"u3","said":{"text":"I think","summary":true}`, `"group":"u3","index":1,"said":{"text":"First."}`,
		`"index":2,"call":"c1","called":{"tool":"read","params":{"a":2,"b":1}}`,
		`"index":3,"said":{"text":"Then."}`, `"index":4,"call":"c2","called":{"tool":"run","params":{}}`,
		`"call":"c1","returned":{"result":"one"}`, `"call":"c2","returned":{"error":"exit 1"}`,
		`"used":{"input":9,"output":4}`, `"ended":{"answer":"Done."}`, `"about":{"title":"Logins"}`,
	} {
		assert.Contains(t, got, want)
	}
	assert.Equal(t, map[string]int{"system session_source": 1}, report.Skipped)
	assert.Zero(t, report.Malformed)
}

func TestTurnsOfQwenCodeEnd(t *testing.T) {
	ask := qwenRow(2, "user", qwenParts(`{"text":"why?"}`))
	answer := qwenRow(3, "assistant", qwenParts(`{"text":"So."}`))
	for name, c := range map[string]struct {
		rows string
		want []string
	}{
		"with the file": {ask + answer, []string{"why? ended: So."}},
		"with a later prompt": {ask + answer + qwenRow(4, "user", qwenParts(`{"text":"and?"}`)),
			[]string{"why? ended: So.", "and? ended:"}},
		"in a call": {ask + qwenRow(3, "assistant", qwenParts(`{"functionCall":{"name":"run"}}`)),
			[]string{"why? ended:"}},
		"with a row that says so": {ask + answer + qwenRow(4, "system", `"subtype":"turn_result"`),
			[]string{"why? ended: So."}},
		"what the program asks": {ask + answer + qwenRow(4, "user",
			`"subtype":"goal_runtime",`+qwenParts(`{"text":"check"}`)),
			[]string{"why? ended: So."}},
		"a command of the client": {ask + answer + qwenRow(4, "user", qwenParts(`{"text":"/clear"}`)),
			[]string{"why? ended: So."}},
		"half a row, and the same": {ask + answer[:40] + answer, []string{"why? ended: So."}},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := readQwen(t, c.rows)
			assert.Equal(t, c.want, attachtest.Turns(list, false))
		})
	}
}
