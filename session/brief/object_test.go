package brief

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

var layer = safety.NewLayer(safety.MaxBytes(1 << 20))

// jsonOf returns cleaned JSON.
func jsonOf(raw string) safety.JSON {
	cleaned, _ := layer.CleanJSON(json.RawMessage(raw))
	return cleaned
}

// objects are calls as agents make them. The first half was written before the rules.
var objects = []struct{ name, tool, params, want string }{
	{"a file is read", "file_read", `{"path":"internal/invoice/totals.go"}`, "internal/invoice/totals.go"},
	{"a piece of a file is read", "file_read", `{"path":"a/b.go","offset":4096}`, "a/b.go"},
	{"a file of Claude Code", "Read", `{"file_path":"/home/ann/billing/go.mod","limit":40}`,
		"/home/ann/billing/go.mod"},
	{"a folder", "file_list", `{"path":"docs"}`, "docs"},
	{"a search with its folder", "file_search", `{"query":"legacy_rates","path":"config"}`, "legacy_rates config"},
	{"the folder said first", "grep", `{"path":"deploy/","pattern":"ledger\\."}`, `ledger\. deploy/`},
	{"a glob", "Glob", `{"pattern":"**/*.go"}`, "**/*.go"},
	{"a command", "shell", `{"command":"go test ./... -run Totals"}`, "go test ./... -run Totals"},
	{"a command with its own description", "Bash",
		`{"description":"Run the test","command":"go test ./a","timeout":600}`,
		"go test ./a"},
	{"a command of words", "exec", `{"cmd":["golangci-lint","run","./..."]}`, "golangci-lint run ./..."},
	{"a command of several lines", "bash", `{"command":"set -e\n  make all\n"}`, "set -e make all"},
	{"an address", "http_get", `{"url":"https://rates.example/v1?day=1"}`, "rates.example/v1?day=1"},
	{"an address without encryption", "fetch", `{"url":"http://10.0.0.1/x"}`, "http://10.0.0.1/x"},
	{"a request with a method", "http", `{"method":"post","url":"https://a.example/b","body":{"x":1}}`,
		"POST a.example/b"},
	{"a request to read", "http", `{"method":"GET","url":"https://a.example/b"}`, "a.example/b"},
	{"a deletion", "delete_file", `{"path":"config/legacy_rates.yaml"}`, "config/legacy_rates.yaml"},
	{"an edit", "edit_file", `{"path":"a.go","old_string":"x","new_string":"y"}`, "a.go"},
	{"a file that is written", "write_file", `{"content":"package a\n","path":"a.go"}`, "a.go"},
	{"a move", "move_file", `{"source":"a.go","destination":"b/a.go"}`, "a.go → b/a.go"},
	{"a note", "memory_save", `{"text":"Ann prefers short answers."}`, "Ann prefers short answers."},
	{"notes that are sought", "memory_search", `{"query":"answers"}`, "answers"},
	{"a time zone", "time", `{"zone":"Europe/Berlin"}`, "Europe/Berlin"},
	{"a city", "weather", `{"city":"Oslo","days":3}`, "Oslo"},
	{"a task for a sub-agent", "researcher", `{"task":"Read both logs."}`, "Read both logs."},
	{"a task for a named agent", "Task",
		`{"description":"Review","prompt":"Review the fix.","subagent_type":"reviewer"}`,
		"reviewer: Review the fix."},
	{"a question to a named agent", "ask_agent", `{"question":"Is it right?","agent":"reviewer"}`,
		"reviewer: Is it right?"},
	{"an issue of a repository", "get_issue", `{"repo":"billing","number":482}`, "billing#482"},
	{"an issue with its owner", "get_issue", `{"owner":"acme","repo":"billing","issue_number":482}`,
		"acme/billing#482"},
	{"a log since a day", "git_log", `{"path":"internal/invoice","since":"2026-11-17"}`,
		"--since=2026-11-17 internal/invoice"},
	{"one test of a package", "run_tests", `{"package":"./internal/invoice","run":"TestTotals"}`,
		"--run=TestTotals ./internal/invoice"},
	{"no parameters", "clock", `{}`, ""},
	{"null", "clock", `null`, ""},
	{"a text instead of an object", "echo", `"hello"`, "hello"},
	{"a list instead of an object", "sum", `["a.go","b.go"]`, "a.go, b.go"},

	{"an envelope of arguments", "call_tool", `{"arguments":{"path":"a.go"}}`, "a.go"},
	{"arguments that are JSON in a text", "call_tool", `{"arguments":"{\"path\":\"a.go\"}"}`, "a.go"},
	{"the tool that a gateway calls", "call_tool", `{"name":"grep","arguments":{"pattern":"x"}}`, "grep: x"},
	{"files in a list of objects", "read_many", `{"files":[{"path":"a.go"},{"path":"b.go"}]}`, "a.go, b.go"},
	{"many files", "read_many", `{"paths":["a","b","c","d","e","f","g","h","i","j"]}`,
		"a, b, c, d, e, f, g, h, … 10 in all"},
	{"a patch of Codex", "apply_patch",
		`{"input":"*** Begin Patch\n*** Update File: a/b.go\n@@\n-x\n+y\n*** End Patch"}`,
		"a/b.go"},
	{"a patch that deletes", "apply_patch", `{"patch":"*** Begin Patch\n*** Delete File: old.go\n*** End Patch"}`,
		"delete old.go"},
	{"a unified diff", "apply_patch", `{"patch":"--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\n"}`, "x.go"},
	{"a diff that deletes", "apply_patch", `{"diff":"--- a/x.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"}`, "delete x.go"},
	{"a statement", "query_db", `{"database":"billing","sql":"select 1\nfrom rates"}`, "select 1 from rates"},
	{"only numbers", "resize", `{"width":640,"height":480}`, "width=640 height=480"},
	{"only a switch", "set_light", `{"on":true}`, "on=true"},
	{"an unknown name", "lookup_iban", `{"iban_country":"DE"}`, "DE"},
	{"an unknown name beside a long text", "publish", `{"markdown":"# Long\ntext","slug":"news-24"}`, "news-24"},
	{"a mail", "send_mail", `{"body":"Dear Bo","subject":"Rates","to":"bo@example.com"}`,
		"--subject=Rates bo@example.com"},
	{"a masked key in an address", "http_get", `{"url":"https://r.example/?key=[REDACTED:api-key]"}`,
		"r.example/?key=[REDACTED:api-key]"},
	{"a decision", "decide", `{"decision":"Ship on Monday","confidence":0.8}`, "Ship on Monday"},
	{"todos", "TodoWrite", `{"todos":[{"content":"Fix","status":"open"},{"content":"Test","status":"open"}]}`,
		"Fix, Test"},
	{"control characters and colours", "shell", `{"command":"echo \u001b[31mred\u0007\u202e"}`, `echo red`},
	{"our own property", "grep", `{"rationale":"I look","pattern":"x"}`, "x"},
	{"an empty path", "file_list", `{"path":""}`, ""},
	{"names in capitals", "Get", `{"FilePath":"a.txt"}`, "a.txt"},
	{"a browser's click", "click", `{"selector":"#pay","page":2}`, "#pay"},
	{"a state beside a name", "set_state", `{"state":"closed","id":"B-7"}`, "--state=closed B-7"},
	{"only a state", "set_state", `{"state":"closed"}`, "closed"},
	{"a list beside a name that is not meant", "remove_releases", `{"keep":"r214","remove":["r210","r211"]}`,
		"keep=r214 remove=r210, r211"},
	{"two lists", "sync_tags", `{"gone":["a"],"fresh":["b","c"]}`, "gone=a fresh=b, c"},
	{"only objects", "plan", `{"a":{"b":{"c":"deep"}}}`, "deep"},
	{"more than there is to say", "x", `{"a":{"b":{"c":{"d":{"e":"too deep"}}}}}`, ""},
}

// The object is looked for in cleaned parameters, as the session has them.
func TestTheObjectOfACallIsItsKeyParameter(t *testing.T) {
	for _, c := range objects {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, Object(jsonOf(c.params)).String())
		})
	}
}

// Of a long path the first folders and the name tell the most.
func TestALongPathLosesItsMiddle(t *testing.T) {
	long := "/home/ann/" + strings.Repeat("deeper/", 60) + "legacy_rates.yaml"
	got := Object(jsonOf(`{"path":"` + long + `"}`)).String()
	assert.LessOrEqual(t, len([]rune(got)), MaxLine)
	assert.Greater(t, len([]rune(got)), MaxLine/2)
	assert.True(t, strings.HasPrefix(got, "/home/ann/deeper/"), got)
	assert.True(t, strings.HasSuffix(got, "/legacy_rates.yaml"), got)
	assert.Contains(t, got, "/…/")
}

func TestALongCommandLosesItsEnd(t *testing.T) {
	got := Object(jsonOf(`{"command":"` + strings.Repeat("echo é; ", 90) + `"}`)).String()
	assert.LessOrEqual(t, len([]rune(got)), MaxLine)
	assert.True(t, strings.HasSuffix(got, "…"), got)
}

// A mark that lost its end would read like text of the model.
func TestAMarkIsNotCutInTwo(t *testing.T) {
	for n := range 30 {
		long := strings.Repeat("x", MaxLine-n) + " [REDACTED:api-key] and more"
		got := Object(jsonOf(`{"command":"` + long + `"}`)).String()
		if strings.Contains(got, "[") {
			assert.Contains(t, got, "[REDACTED:api-key]")
		}
	}
}

func TestALineHasNoControlCharacters(t *testing.T) {
	assert.Equal(t, "[31mred ok é", flat("\x1b[31mred\x07\u202e\u2028\t ok\u0000 é\u200b\n"))
	assert.Equal(t, "👩\u200d🔧", flat("👩\u200d🔧"), "the joiner of an emoji stays")
}

// Parameters come in the order of the schema as the model wrote them, never in that of a map.
func TestTheSchemasOrderDoesNotDependOnTheMachine(t *testing.T) {
	params := jsonOf(`{"zeta":"z","alpha":"a","omega":"o"}`)
	want := Object(params)
	for range 20 {
		assert.Equal(t, want, Object(params))
	}
	assert.Equal(t, "--alpha=a --omega=o z", want.String())
}
