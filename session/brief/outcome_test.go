package brief

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// textOf returns a cleaned text.
func textOf(raw string) safety.Text {
	cleaned, _ := layer.Clean(raw)
	return cleaned
}

// quoted returns a text as JSON.
func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}

// mcp returns an answer of an MCP server with one text.
func mcp(s string) string { return `{"content":[{"type":"text","text":` + quoted(s) + `}]}` }

// failed is a call with an error.
func failed(said string) session.Call {
	return session.Call{Outcome: session.Errored, Error: textOf(said)}
}

// answered is a call that was not run after an answer.
func answered(a session.Answer) session.Call {
	return session.Call{Outcome: session.Rejected, Approval: &session.Approval{Answer: a}}
}

// log is what a test run of 161 lines prints.
var log = "=== RUN   TestTotals\n" + strings.Repeat("    totals_test.go:12: off by one\n", 158) +
	"--- FAIL: TestTotals (0.03s)\nFAIL\texit status 1\n"

// results are what tools return. The first half was written before the rules.
var results = []struct{ name, result, want string }{
	{"a change of a file", `{"filePath":"a.go","structuredPatch":[{"oldStart":1,"lines":[" a","-b","+c","+d"]},` +
		`{"oldStart":9,"lines":["-e"]}]}`, "+2 −2"},
	{"a new file", `{"type":"create","filePath":"a.go","content":"a\nb\n","structuredPatch":[]}`, "2 lines"},
	{"matches", `{"matches":[{"path":"a","line":1},{"path":"b","line":2},{"path":"a","line":9}]}`,
		"3 matches in 2 files"},
	{"one match", `{"matches":[{"path":"a","line":1}]}`, "1 match"},
	{"no match", `{"matches":[],"files_searched":9}`, "0 matches"},
	{"a failed command", `{"exit_code":1,"stdout":` + quoted(log) + `,"stderr":""}`, "FAIL, exit 1, 161 lines"},
	{"a command that says nothing", `{"exit_code":0,"stdout":"","stderr":""}`, "exit 0, no output"},
	{"a command that says a line", `{"exit_code":0,"stdout":"main\n","stderr":""}`, "main"},
	{"a command that says why it failed", `{"exit_code":127,"stdout":"","stderr":"sh: jq: not found\n"}`,
		"exit 127, sh: jq: not found"},
	{"a command of Claude Code that says nothing",
		`{"stdout":"","stderr":"","interrupted":false,"isImage":false}`, "no output"},
	{"a command of Claude Code that was interrupted",
		`{"stdout":"","stderr":"","interrupted":true}`, "interrupted, no output"},
	{"a command of Claude Code that only warns",
		`{"stdout":"","stderr":"warning: old\n","interrupted":false}`, "warning: old"},
	{"a command of Claude Code that says a line",
		`{"stdout":"ship it\n","stderr":"","interrupted":false}`, "ship it"},
	{"a command of many lines", `{"exit_code":0,"stdout":"a\nb\nc\nd\n"}`, "4 lines"},
	{"a file", `{"path":"a.go","text":"a\nb\nc\nd\n","offset":0,"size":8}`, "4 lines"},
	{"a part of a file", `{"path":"a.go","text":"a\nb\nc\nd\n","offset":0,"size":80,"next_offset":8}`,
		"4 lines, not all"},
	{"a folder", `{"path":".","entries":[{"path":"a"},{"path":"b"}],"total":2}`, "2 entries"},
	{"a text that was cut", quoted(strings.Repeat("x", 500) + "\n\n[truncated: 500 of 900 bytes shown]"),
		strings.Repeat("x", 119) + "…"},
	{"lines that were cut", quoted("a\nb\nc\n\n[truncated: 5 of 900 bytes shown]"), "3 lines, not all"},
	{"a part of a folder", `{"path":".","entries":[{"path":"a"},{"path":"b"}],"total":200}`, "2 of 200 entries"},
	{"a page that is missing", `{"url":"https://a.example/","status":404,"type":"text/html","body":"<h1>no"}`,
		"404, 6 bytes"},
	{"a page", `{"url":"https://a.example/","status":200,"body":"` + strings.Repeat("x", 2148) + `"}`, "200, 2.1 kB"},
	{"a status alone", `{"status":404}`, "404"},
	{"a deletion", `{"deleted":true,"bytes":2148}`, "deleted, 2.1 kB"},
	{"a deletion with its path", `{"deleted":"config/a.yaml","size":2148}`, "deleted, 2.1 kB"},
	{"a deletion that did not happen", `{"deleted":false}`, "not deleted"},
	{"a text of MCP", mcp("3 matches in 2 files"), "3 matches in 2 files"},
	{"lines of MCP", mcp("a\nb\nc\nd"), "4 lines"},
	{"JSON in a text of MCP", mcp(`{"deleted":true,"bytes":12}`), "deleted, 12 bytes"},
	{"a failed test of MCP", mcp(log), "FAIL, exit 1, 161 lines"},
	{"structured content of MCP", `{"structured":{"items":[1,2]},"content":[{"type":"text","text":"{}"}]}`, "2 items"},
	{"structured content as sent", `{"structuredContent":{"items":[1]},"content":[]}`, "1 item"},
	{"an image", `{"content":[{"type":"image","mime":"image/png","bytes":3000}]}`, "image/png, 3.0 kB"},
	{"two texts", `[{"type":"text","text":"a\nb"},{"type":"text","text":"c\nd"}]`, "4 lines"},
	{"an empty envelope", `{"content":[]}`, "empty"},
	{"an empty text", `""`, "empty"},
	{"a short text", `"It is raining in Oslo."`, "It is raining in Oslo."},
	{"an answer of two sentences", `"agrees; wants a third rate. The rest is fine."`,
		"agrees; wants a third rate. The rest is fine."},
	{"a long answer", `"It holds. ` + strings.Repeat("And more of it. ", 20) + `"`, "It holds. …"},
	{"a number", `42`, "42"},
	{"a switch", `true`, "true"},
	{"a list", `[1,2,3]`, "3 items"},
	{"nothing", `null`, "nothing returned"},
	{"documents", `{"documents":[{"id":1}],"query":"x"}`, "1 document"},

	{"many lines", quoted(strings.Repeat("x\n", 1412)), "1,412 lines"},
	{"a state and a count", `{"state":"open","comments":4}`, "state open, comments 4"},
	{"an ok", `{"ok":true}`, "ok"},
	{"a success", `{"success":true,"id":"r-9"}`, "ok, id r-9"},
	{"a failure in a result", `{"success":false,"error":"No such branch. Create it first."}`, "No such branch."},
	{"an error in a result", `{"error":{"code":4,"message":"quota exceeded"}}`, "quota exceeded"},
	{"an error of MCP", `{"isError":true,"content":[{"type":"text","text":"no such file: a.go"}]}`,
		"no such file: a.go"},
	{"a message", `{"message":"Pull request opened."}`, "Pull request opened."},
	{"a written file", `{"written":true,"path":"a.go","bytes":512}`, "written, 512 bytes"},
	{"a created thing", `{"created":"PR 17"}`, "created PR 17"},
	{"a count", `{"count":14}`, "count 14"},
	{"more members than a line holds", `{"a":1,"b":2,"c":3,"d":4}`, "a 1, b 2, c 3, …"},
	{"an object of objects", `{"a":{"b":1},"c":{"d":2}}`, "2 members, 25 bytes"},
	{"an empty object", `{}`, "empty"},
	{"rows in an unknown list", `{"rates":[1,2,3]}`, "3 rates"},
	{"a passed test", quoted("ok  \tbilling/internal/invoice\t0.214s\nPASS\nPASS\nPASS\n"), "PASS, 4 lines"},
	{"a diff", quoted("--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n-a\n+b\n+c\n"), "+2 −1"},
	{"colours", quoted("\x1b[31mred\x1b[0m\n"), "red"},
}

// Each result stands for those of many tools: of the built-in ones, of MCP servers with and without
// structured content, of test runners, and of HTTP.
func TestTheResultOfACallIsOneLine(t *testing.T) {
	for _, c := range results {
		t.Run(c.name, func(t *testing.T) {
			call := session.Call{Outcome: session.Success, Result: jsonOf(c.result)}
			assert.Equal(t, c.want, Outcome(call).String())
		})
	}
}

// A call that has no result says why, in the words of whoever refused it or of the error.
func TestTheEndOfACallIsOneLine(t *testing.T) {
	said := jsonOf(`"keep the charset"`)
	for _, c := range []struct {
		name string
		call session.Call
		want string
	}{
		{"it runs", session.Call{Outcome: session.Pending}, ""},
		{"it failed", failed("no such file: a.go. Look at the list first."),
			"no such file: a.go."},
		{"it failed in lines", failed("panic: nil map\n\ngoroutine 1"),
			"panic: nil map"},
		{"a command of Claude Code failed", failed("Exit code 2\n\nls: cannot access 'nope'\nmore"),
			"exit 2, ls: cannot access 'nope'"},
		{"a test of Claude Code failed", failed("Exit code 1\n" + log), "FAIL, exit 1, 161 lines"},
		{"a command of Claude Code failed without a word", failed("Exit code 1\n\n"), "exit 1, no output"},
		{"a file's name ends no sentence", failed("open a.b.yaml: denied"),
			"open a.b.yaml: denied"},
		{"it failed with a result", session.Call{Outcome: session.Errored, Result: jsonOf(`{"exit_code":2}`)},
			"exit 2, no output"},
		{"it failed without a word", session.Call{Outcome: session.Errored}, "failed"},
		{"a person denied it", answered(session.Deny),
			"denied"},
		{"a person denied it and said why", session.Call{Outcome: session.Rejected,
			Approval: &session.Approval{Answer: session.Deny, Value: said}}, "denied: keep the charset"},
		{"nobody answered", answered(session.Expired),
			"not run: nobody answered in time"},
		{"a policy refused it", session.Call{Outcome: session.Rejected, Error: textOf("the tool is denied here")},
			"not run: the tool is denied here"},
		{"it was refused without a word", session.Call{Outcome: session.Rejected}, "not run"},
		{"it was stopped", session.Call{Outcome: session.Cancelled, Error: textOf("x")}, "cancelled"},
		{"it was stopped before an answer", session.Call{Outcome: session.Cancelled,
			Approval: &session.Approval{Answer: session.Withdrawn}}, "cancelled"},
		{"nobody saw its result", session.Call{Outcome: session.Unknown}, "no result was seen"},
		{"an approved call", session.Call{Outcome: session.Success, Result: jsonOf(`"done"`),
			Approval: &session.Approval{Answer: session.Approve}}, "done"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Outcome(c.call).String()) })
	}
}

func TestAResultThatIsTooLongIsMeasuredOnly(t *testing.T) {
	big := strings.Repeat("many words\n", maxRead/11)
	of := func(text string) string {
		return Outcome(session.Call{Outcome: session.Success, Result: jsonOf(quoted(text))}).String()
	}
	assert.Equal(t, "286.0 kB", of(big))
	assert.Equal(t, "1,000 lines", of(big[:11_000]))
}
