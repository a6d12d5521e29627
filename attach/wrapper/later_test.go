package wrapper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// told writes the calls and their ends in a form that is easy to compare.
func (p *pair) told() (lines []string) {
	for _, f := range p.facts {
		switch r := f.Returned; {
		case f.Called != nil:
			lines = append(lines, fmt.Sprint(f.Call, " ", f.Called.Tool, " ", string(f.Called.Params), " ",
				f.Called.Reason))
		case r != nil && r.Cancelled:
			lines = append(lines, fmt.Sprint(f.Call, " cancelled ", r.Error))
		case r != nil && r.Error != "":
			lines = append(lines, fmt.Sprint(f.Call, " failed ", r.Error))
		case r != nil && r.Partial:
			lines = append(lines, fmt.Sprint(f.Call, " done"))
		case r != nil:
			lines = append(lines, fmt.Sprint(f.Call, " returned ", string(r.Result)))
		}
	}
	return lines
}

// ended returns what is told up to the end of the connection.
func (p *pair) ended() []string {
	p.saw(Message{Facts: p.End()})
	return p.told()
}

// say has the client and the server say lines, which begin with > and <, and holds that each passes as it is, but for
// the property.
func (p *pair) say(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		pass := p.server
		if line[0] == '>' {
			pass = p.client
		}
		assert.Equal(t, strings.Replace(line[1:], `"rationale":"why",`, "", 1), pass(line[1:]))
	}
}

// TestACallThatAsksBackIsOneCall holds that a call which the server answers with a question, and which the client then
// sends again under another id, is one call with one end, and that the reason goes to the server neither time.
func TestACallThatAsksBackIsOneCall(t *testing.T) {
	const args = `"arguments":{"rationale":"why","to":"ben"}`
	const asks = `"result":{"resultType":"input_required","inputRequests":{"sure":{"method":"elicitation/create"}}`
	for name, tt := range map[string]struct{ lines, want []string }{
		"by the state that the server wants back": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send",` + args + `}}`,
			`<{"id":1,` + asks + `,"requestState":"s1"}}`,
			`>{"id":2,"method":"tools/call","params":{"name":"send",` + args + `,"requestState":"s1",` +
				`"inputResponses":{"sure":{"action":"accept"}}}}`,
			`<{"id":2,"result":{"resultType":"complete","content":[]}}`,
		}, []string{`s-1 send {"to":"ben"} why`, `s-1 returned {"resultType":"complete","content":[]}`}},
		"by the tool and the arguments": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send",` + args + `}}`,
			`<{"id":1,` + asks + `}}`,
			`>{"id":2,"method":"tools/call","params":{"inputResponses":{},` + args + `,"name":"send"}}`,
			`<{"id":2,"error":{"code":1,"message":"full"}}`,
		}, []string{`s-1 send {"to":"ben"} why`, `s-1 failed full`}},
		"twice, and two calls side by side": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send","arguments":{"to":"a"}}}`,
			`>{"id":2,"method":"tools/call","params":{"name":"send","arguments":{"to":"b"}}}`,
			`<{"id":2,` + asks + `,"requestState":"b1"}}`, `<{"id":1,` + asks + `,"requestState":"a1"}}`,
			`>{"id":3,"method":"tools/call","params":{"name":"send","arguments":{"to":"a"},"requestState":"a1"}}`,
			`>{"id":4,"method":"tools/call","params":{"name":"send","arguments":{"to":"b"},"requestState":"b1"}}`,
			`<{"id":3,` + asks + `,"requestState":"a2"}}`, `<{"id":4,"result":{"n":"b"}}`,
			`>{"id":5,"method":"tools/call","params":{"name":"send","arguments":{"to":"a"},"requestState":"a2"}}`,
			`<{"id":5,"result":{"n":"a"}}`,
		}, []string{`s-1 send {"to":"a"} `, `s-2 send {"to":"b"} `, `s-2 returned {"n":"b"}`,
			`s-1 returned {"n":"a"}`}},
		"whom nobody answers": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send"}}`, `<{"id":1,` + asks + `}}`,
			`>{"id":2,"method":"tools/call","params":{"name":"send"}}`, `<{"id":2,"result":{}}`,
		}, []string{"s-1 send  ", "s-2 send  ", "s-2 returned {}",
			"s-1 cancelled the server asked back, and got no answer"}},
		"which the client stops": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send"}}`, `<{"id":1,` + asks + `,"requestState":"s"}}`,
			`>{"id":2,"method":"tools/call","params":{"name":"send","requestState":"s"}}`,
			`>{"method":"notifications/cancelled","params":{"requestId":2,"reason":"enough"}}`,
		}, []string{"s-1 send  ", "s-1 cancelled the client cancelled the call: enough"}},
		"an answer that nobody asked for is a call": {[]string{
			`>{"id":1,"method":"tools/call","params":{"name":"send","requestState":"x"}}`, `<{"id":1,"result":{}}`,
		}, []string{"s-1 send  ", "s-1 returned {}"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(Options{})
			p.say(t, tt.lines...)
			assert.Equal(t, tt.want, p.ended())
		})
	}
}

// TestTheCallOfATaskEndsWithTheTask holds that a call which became a task ends with what became of the task, in both
// forms that the protocol had for it, and that requests about it are no calls.
func TestTheCallOfATaskEndsWithTheTask(t *testing.T) {
	const call = `>{"id":1,"method":"tools/call","params":{"name":"dig","task":{"ttl":1}}}`
	const begun = `<{"id":1,"result":{"task":{"taskId":"t1","status":"working"}}}`
	const begunNow = `<{"id":1,"result":{"resultType":"task","taskId":"t1","status":"working"}}`
	get := func(status string) []string {
		return []string{`>{"id":2,"method":"tasks/get","params":{"taskId":"t1"}}`, `<{"id":2,"result":{"taskId":"t1",` +
			status + `}}`}
	}
	for name, tt := range map[string]struct {
		lines []string
		want  string
	}{
		"whose result is fetched": {append([]string{call, begun}, append(get(`"status":"completed"`),
			`>{"id":3,"method":"tasks/result","params":{"taskId":"t1"}}`, `<{"id":3,"result":{"content":[]}}`)...),
			`returned {"content":[]}`},
		"whose failure is fetched": {[]string{call, begun,
			`>{"id":3,"method":"tasks/result","params":{"taskId":"t1"}}`,
			`<{"id":3,"result":{"isError":true,"content":[{"type":"text","text":"rock"}]}}`}, `failed rock`},
		"whose result stands in its state": {append([]string{call, begunNow},
			append(get(`"status":"working"`), get(`"status":"completed","result":{"n":1}`)...)...), `returned {"n":1}`},
		"whose error stands in its state": {append([]string{call, begunNow},
			get(`"status":"failed","error":{"code":1,"message":"rock"}`)...), "failed rock"},
		"whose end the server tells": {[]string{call, begunNow,
			`<{"method":"notifications/tasks","params":{"taskId":"t1","status":"completed","result":{"n":2}}}`},
			`returned {"n":2}`},
		"that the client cancels": {[]string{call, begun, `>{"id":4,"method":"tasks/cancel","params":{"taskId":"t1"}}`,
			`<{"id":4,"result":{"taskId":"t1","status":"cancelled","statusMessage":"as you wish"}}`},
			"cancelled the task was cancelled: as you wish"},
		"that is done, and whose result nobody fetches": {append([]string{call, begun}, get(`"status":"completed"`)...),
			"done"},
		"that failed, and whose error nobody fetches": {[]string{call, begun,
			`<{"method":"notifications/tasks/status","params":{"taskId":"t1","status":"failed",` +
				`"statusMessage":"rock"}}`},
			"failed the task failed: rock"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(Options{})
			p.say(t, tt.lines...)
			assert.Equal(t, []string{"s-1 dig  ", "s-1 " + tt.want}, p.ended())
			last := p.facts[len(p.facts)-2]
			assert.Equal(t, p.facts[1].Turn, last.Turn)
			assert.Equal(t, last.At.Sub(p.facts[1].At), last.Returned.Took-secondsBetween, "from its beginning")
		})
	}
	p := newPair(Options{})
	p.say(t, call, begun)
	assert.Equal(t, []string{"s-1 dig  "}, p.ended(), "of which no more is heard")
}

// secondsBetween is how much later a call is told than it began, by the clock of a pair.
const secondsBetween = 1e9

// TestWhatEndsLaterIsBounded holds that calls which never end take bounded memory.
func TestWhatEndsLaterIsBounded(t *testing.T) {
	p := newPair(Options{})
	for i := range maxPending + 5 {
		p.client(fmt.Sprintf(`{"id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":%d}}}`, i))
		p.server(`{"id":1,"result":{"resultType":"input_required"}}`)
		p.client(`{"id":1,"method":"tools/call","params":{"name":"b"}}`)
		p.server(fmt.Sprintf(`{"id":1,"result":{"task":{"taskId":"t%d"}}}`, i))
	}
	assert.Len(t, p.asking, maxPending)
	assert.Len(t, p.tasks, maxPending)
	assert.Nil(t, p.tasks["t4"])
	p.server(`{"id":1,"result":{"task":{"taskId":"` + strings.Repeat("x", 300) + `"}}}`)
	assert.Len(t, p.tasks, maxPending)
}

// newEra has a client of the revision without a first request call a tool.
const newEra = `{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1},"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"Note Taker","version":"4"}%s}}}`

// TestNamesStandInMetaWithoutAFirstRequest holds that the client's and the server's names are read where the newer
// revisions have them, also when the first message is a call.
func TestNamesStandInMetaWithoutAFirstRequest(t *testing.T) {
	const server = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"notes","version":"3"}}`
	p := &pair{Conn: New(Options{Session: "s"})}
	p.say(t, ">"+fmt.Sprintf(newEra, ""), `<{"id":1,"result":{"content":[],`+server+`}}`)
	require.Len(t, p.facts, 4)
	assert.Equal(t, "note-taker", p.facts[0].Agent)
	assert.Equal(t, "4", p.facts[0].About.Version)
	assert.Equal(t, &attach.About{Title: "notes"}, p.facts[2].About, "as soon as it is known")
	p = &pair{Conn: New(Options{Session: "s"})}
	p.say(t, `>{"id":0,"method":"server/discover","params":{}}`, `<{"id":0,"result":{`+server+`}}`)
	p.say(t, ">"+fmt.Sprintf(newEra, ""), `<{"id":1,"result":{}}`)
	require.Len(t, p.facts, 3)
	assert.Equal(t, &attach.About{Title: "notes", Version: "4"}, p.facts[0].About)
}

// TestAReasonBesideTheArgumentsIsRead holds that the reason which a client gives in the _meta of a call counts where
// the model gave none among the arguments, and that the server gets it as it came.
func TestAReasonBesideTheArgumentsIsRead(t *testing.T) {
	const given = `,"io.modelcontextprotocol/aiInvocation":{"invocationReason":"To hear it.","model":"opus"}`
	for name, tt := range map[string]struct{ line, want string }{
		"alone": {fmt.Sprintf(newEra, given), "To hear it."},
		"beside the model's own": {strings.Replace(fmt.Sprintf(newEra, given), `{"a":1}`, `{"rationale":"why","a":1}`,
			1),
			"why"},
		"as something else": {fmt.Sprintf(newEra, `,"io.modelcontextprotocol/aiInvocation":{"invocationReason":7}`),
			""},
		"as no object": {fmt.Sprintf(newEra, `,"io.modelcontextprotocol/aiInvocation":"x"`), ""},
		"without any":  {fmt.Sprintf(newEra, ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pair{Conn: New(Options{Session: "s"})}
			p.say(t, ">"+tt.line)
			assert.Equal(t, tt.want, p.facts[1].Called.Reason)
			assert.JSONEq(t, `{"a":1}`, string(p.facts[1].Called.Params))
		})
	}
}

// TestNamesAreCleanedBeforeTheyBecomeOthers holds that a name is cleaned as it came: in small letters no secret in it
// would be found.
func TestNamesAreCleanedBeforeTheyBecomeOthers(t *testing.T) {
	clean := func(name string) string { return strings.ReplaceAll(name, "SeCrEt", "[masked]") }
	p := &pair{Conn: New(Options{Session: "s", Clean: clean})}
	p.say(t, `>{"id":0,"method":"initialize","params":{"clientInfo":{"name":"a SeCrEt","version":"SeCrEt"}}}`,
		`<{"id":0,"result":{"serverInfo":{"name":"`+strings.Repeat("x", 1020)+`SeCrEt"}}}`,
		`>{"id":1,"method":"tools/call","params":{"name":"echo"}}`)
	assert.Equal(t, "a-masked", p.facts[0].Agent)
	assert.Equal(t, "[masked]", p.facts[0].About.Version)
	assert.NotContains(t, p.facts[0].About.Title, "Se")
}
