package wrapper

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// pair is a connection whose clock goes on a second with each look, and the facts that it told.
type pair struct {
	*Conn
	facts []attach.Sighting
}

// newPair returns a connection that has been opened.
func newPair(o Options) *pair {
	at := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	o.Session, o.Folder, o.Now = "s", "/home/ann/notes", func() time.Time { at = at.Add(time.Second); return at }
	p := &pair{Conn: New(o)}
	p.client(`{"method":"initialize","params":{"clientInfo":{"name":"Cursor AI","version":"1.2"}},"id":0}`)
	p.server(`{"result":{"serverInfo":{"name":"notes","version":"3"}},"jsonrpc":"2.0","id":0}`)
	return p
}

// client and server have the pair see a line, and return what becomes of it.
func (p *pair) client(line string) string { return p.saw(p.FromClient([]byte(line))) }

func (p *pair) server(line string) string { return p.saw(p.FromServer([]byte(line))) }

func (p *pair) saw(m Message) string {
	for _, f := range m.Facts {
		var kept attach.Sighting
		if err := json.Unmarshal(line(f), &kept); err != nil {
			panic(err)
		}
		p.facts = append(p.facts, kept)
	}
	return string(m.Bytes)
}

// list has the server list tools, given as the members of their schemas by name.
func (p *pair) list(t *testing.T, tools ...string) (shown string) {
	t.Helper()
	assert.Equal(t, `{"method":"tools/list","id":"l"}`, p.client(`{"method":"tools/list","id":"l"}`))
	return p.server(`{"result":{"tools":[` + strings.Join(tools, ",") + `]},"jsonrpc":"2.0","id":"l"}`)
}

const (
	echo = `{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`
	mine = `{"name":"mine","inputSchema":{"type":"object","properties":{"rationale":{"type":"string"}}}}`
)

func TestACallIsTakenDownWithItsReasonAndItsResult(t *testing.T) {
	p := newPair(Options{})
	shown := p.list(t, echo, mine)
	assert.Equal(t, 1, strings.Count(shown, propertySchema))
	assert.Contains(t, shown, mine)
	const before, after = `{"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1},"arguments":{`,
		`"text":"a\u00e9"}},"jsonrpc":"2.0","id":7}` + "\r\n"
	assert.Equal(t, before+after, p.client(before+`"rationale":"I want to hear it.",`+after))
	for _, other := range []string{
		`{"method":"notifications/progress","params":{"progressToken":1,"progress":1}}`,
		`{"method":"sampling/createMessage","params":{},"jsonrpc":"2.0","id":7}`,
	} {
		assert.Equal(t, other, p.server(other))
	}
	answer := `{"jsonrpc":"2.0","id":7.0,"result":{"content":[{"type":"text","text":"a\u00e9"}]}}`
	assert.Equal(t, answer, p.server(answer))
	require.Len(t, p.facts, 3)
	about, called, returned := p.facts[0], p.facts[1], p.facts[2]
	assert.Equal(t, &attach.About{Version: "1.2", Folder: "/home/ann/notes", Title: "notes"}, about.About)
	for _, f := range p.facts {
		assert.Equal(t, []any{"cursor-ai", "s", attach.Wrapper}, []any{f.Agent, f.Session, f.Channel})
	}
	assert.Equal(t, "I want to hear it.", called.Called.Reason)
	assert.Equal(t, "echo", called.Called.Tool)
	assert.JSONEq(t, `{"text":"aé"}`, string(called.Called.Params))
	assert.JSONEq(t, `{"content":[{"type":"text","text":"aé"}]}`, string(returned.Returned.Result))
	assert.Equal(t, called.Call, returned.Call)
	assert.Equal(t, returned.At.Sub(called.At)+time.Second, returned.Returned.Took)
	end := p.End()
	require.Len(t, end, 1)
	assert.Equal(t, called.Turn, end[0].Turn)
	assert.NotNil(t, end[0].Ended)
}

func TestAConnectionWithoutCallsTellsNothing(t *testing.T) {
	p := newPair(Options{})
	p.list(t, echo)
	assert.Empty(t, p.facts)
	assert.Empty(t, p.End())
}

func TestARequiredReasonStandsInTheSchema(t *testing.T) {
	assert.Contains(t, newPair(Options{Required: true}).list(t, echo), `"required":["rationale"]`)
	assert.NotContains(t, newPair(Options{}).list(t, echo), `"required"`)
}

func TestWhatIsNoneOfOursPassesAsItIs(t *testing.T) {
	p := newPair(Options{})
	p.list(t, echo)
	for _, line := range []string{
		"", "\n", "no JSON", "{", "[", `[{"id":1`, `"tools/call"`, `{"method":5}`, "\xef\xbb\xbf{}",
		`{"method":"tools/call"}`, `{"method":"tools/call","params":[]}`, `{"method":"tools/call","params":{"name":7}}`,
		`{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"}},"damaged":tru}`,
		`{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"}}`,
		`{"method":"resources/read","id":{"a":[]},"params":{"rationale":"x"}}`,
		`{"method":"notifications/cancelled","params":{"requestId":99}}`, `{"method":"notifications/cancelled"}`,
		`{"id":null,"result":{}}`, `{"id":5,"result":{"tools":[` + echo + `]}}`,
		`{"id":"l","method":"x","result":{"tools":[` + echo + `]}}`,
	} {
		assert.Equal(t, line, p.client(line))
		assert.Equal(t, line, p.server(line))
	}
	assert.Empty(t, p.facts)
}

func TestHowCallsOfToolsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   attach.Returned
	}{
		"with an error of the tool": {`{"id":1,"result":{"isError":true,"content":[{"type":"text","text":"no"},` +
			`{"type":"image","data":"x"},{"type":"text","text":"such file"}]}}`,
			attach.Returned{Error: "no\nsuch file"}},
		"with an error that is one part": {`{"id":1,"result":{"isError":true,"content":{"type":"text","text":"no"}}}`,
			attach.Returned{Error: "no"}},
		"with an error that is a text": {`{"id":1,"result":{"isError":true,"content":"no"}}`,
			attach.Returned{Error: "no"}},
		"with one that says nothing": {`{"id":1,"result":{"isError":true}}`,
			attach.Returned{Error: "the tool failed and does not say why"}},
		"with an error of the protocol": {`{"id":1,"error":{"code":-32602,"message":"no such tool"}}`,
			attach.Returned{Error: "no such tool"}},
		"with an error without words": {`{"id":1,"error":null}`, attach.Returned{Error: "the server refused the call"}},
		"with nothing": {`{"id":1}`,
			attach.Returned{Error: "the answer has neither a result nor an error"}},
		"with a result that is none": {`{"id":1,"result":null}`, attach.Returned{Result: json.RawMessage("null")}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(Options{})
			p.call("echo")
			assert.Equal(t, c.answer, p.server(c.answer))
			require.Len(t, p.facts, 3)
			got := *p.facts[2].Returned
			got.Took = 0
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.answer, p.server(c.answer), "a second answer")
			assert.Len(t, p.facts, 3)
		})
	}
	t.Run("because the client gave up", func(t *testing.T) {
		p := newPair(Options{})
		p.call("echo")
		p.client(`{"method":"notifications/cancelled","params":{"requestId":1,"reason":"timeout"}}`)
		require.Len(t, p.facts, 3)
		assert.True(t, p.facts[2].Returned.Cancelled)
		assert.Equal(t, "the client cancelled the call: timeout", p.facts[2].Returned.Error)
	})
}

func TestAnswersAreKnownByIDsThatServersWriteAnew(t *testing.T) {
	for asked, answered := range map[string]string{
		`1`: `1.0`, `1e2`: `100`, `"\u0061"`: `"a"`, `-3`: `-3`, `"1"`: `"1"`, `9007199254740993`: `9007199254740993`,
		`{"a":1}`: `{"a":1}`, `1.5`: `1.5`,
	} {
		p := newPair(Options{})
		p.client(`{"id":` + asked + `,"method":"tools/call","params":{"name":"echo"}}`)
		p.server(`{"id":` + answered + `,"result":{}}`)
		assert.Len(t, p.facts, 3, asked)
	}
	p := newPair(Options{})
	p.client(`{"id":1,"method":"tools/call","params":{"name":"echo"}}`)
	p.server(`{"id":"1","result":{}}`)
	assert.Len(t, p.facts, 2, "a text is no number")
}

// TestAnIDThatSeveralRequestsHaveTellsNoAnswer holds that no call gets the result of another one.
func TestAnIDThatSeveralRequestsHaveTellsNoAnswer(t *testing.T) {
	const call, answer = `{"method":"tools/call","params":{"name":"echo"},"id":%s}`, `{"result":{"n":%d},"id":%s}`
	p := newPair(Options{})
	p.list(t, echo)
	p.client(fmt.Sprintf(call, "7"))
	p.client(fmt.Sprintf(call, "7.0"))
	p.client(fmt.Sprintf(call, "null"))
	p.client(`{"method":"notifications/cancelled","params":{"requestId":"8"}}`)
	told := len(p.facts)
	for i, id := range []string{"7", "null", "7"} {
		p.server(fmt.Sprintf(answer, i, id))
	}
	assert.Len(t, p.facts, told, "whose answers these are is not known")
	p.client(fmt.Sprintf(call, "7"))
	p.server(fmt.Sprintf(answer, 4, "7"))
	require.Len(t, p.facts, told+2, "an id may be used again")
	last := p.facts[told+1]
	assert.Equal(t, "s-4", last.Call)
	assert.JSONEq(t, `{"n":4}`, string(last.Returned.Result))
}

func TestATurnHasABoundedNumberOfCalls(t *testing.T) {
	p := newPair(Options{})
	for i := range maxCalls + 1 {
		p.client(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"echo"}}`, i))
	}
	p.server(fmt.Sprintf(`{"id":%d,"result":{}}`, maxCalls-1))
	require.Len(t, p.facts, maxCalls+4)
	assert.NotNil(t, p.facts[maxCalls+1].Ended)
	assert.Equal(t, "1", p.facts[maxCalls+1].Turn)
	assert.Equal(t, "2", p.facts[maxCalls+2].Turn)
	assert.Equal(t, "1", p.facts[maxCalls+3].Turn, "the result belongs where the call does")
}

func TestOpenRequestsAndToolsAreBounded(t *testing.T) {
	p := newPair(Options{})
	for i := range maxPending + 5 {
		p.client(fmt.Sprintf(`{"id":%d,"method":"tools/call","params":{"name":"echo"}}`, i))
	}
	p.client(`{"id":"` + strings.Repeat("x", maxRequest) + `","method":"tools/call","params":{"name":"echo"}}`)
	assert.Len(t, p.open, maxPending)
	before := len(p.facts)
	p.server(`{"id":4,"result":{}}`)
	assert.Len(t, p.facts, before, "the oldest were forgotten")
	p.server(`{"id":5,"result":{}}`)
	assert.Len(t, p.facts, before+1)

	many := make([]string, maxTools+1)
	for i := range many {
		many[i] = fmt.Sprintf(`{"name":"t%d","inputSchema":{}}`, i)
	}
	p = newPair(Options{})
	assert.Equal(t, maxTools, strings.Count(p.list(t, many...), propertySchema))
	assert.True(t, p.call(fmt.Sprintf("t%d", maxTools)))
	p.list(t, echo)
	assert.False(t, p.call("echo"), "tools that are gone make room")
	assert.Len(t, p.tools.known, 1)
	long := fmt.Sprintf(`{"name":"%s","inputSchema":{}}`, strings.Repeat("n", maxToolName+1))
	assert.NotContains(t, p.list(t, long), propertySchema)
}
