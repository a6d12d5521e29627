package wrapper

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// call has the client call a tool with a reason, and returns whether the server gets the reason.
func (p *pair) call(tool string) (reached bool) {
	sent := p.client(`{"id":1,"method":"tools/call","params":{"name":"` + tool + `",` +
		`"arguments":{"rationale":"why","a":1}}}`)
	return strings.Contains(sent, "rationale")
}

func TestThePropertyIsTakenOutOnlyWhereItWasAdded(t *testing.T) {
	t.Run("a tool that has one of its own keeps it", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo, mine)
		assert.False(t, p.call("echo"))
		assert.True(t, p.call("mine"))
	})
	t.Run("a client may have the list of an earlier process", func(t *testing.T) {
		p := newPair(Options{})
		assert.False(t, p.call("echo"))
		assert.Equal(t, "why", p.facts[1].Called.Reason)
		assert.JSONEq(t, `{"a":1}`, string(p.facts[1].Called.Params))
		p.client(`{"method":"tools/list","id":3}`)
		assert.False(t, p.call("echo"), "while the answer is on its way")
		p.list(t, mine)
		assert.False(t, p.call("echo"), "a tool that is on no list")
		assert.True(t, p.call("mine"))
	})
	t.Run("and a page of it", func(t *testing.T) {
		p := newPair(Options{})
		p.client(`{"method":"tools/list","params":{"cursor":"2"},"id":3}`)
		p.server(`{"result":{"tools":[` + mine + `]},"id":3}`)
		assert.False(t, p.call("echo"), "which stands on the first page")
		assert.True(t, p.call("mine"))
	})
	t.Run("members that are there twice", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo, mine)
		for given, want := range map[string]string{
			`"name":"echo","arguments":{"rationale":"x"},"arguments":{"a":1}`:
			/**/ `"name":"echo","arguments":{},"arguments":{"a":1}`,
			`"arguments":{"a":1},"arguments":{"a":2,"rationale":"x"},"name":"echo"`:
			/**/ `"arguments":{"a":1},"arguments":{"a":2},"name":"echo"`,
			`"name":"echo","\u0061rguments":{"rationale":"x","rationale":"y"},"arguments":null`:
			/**/ `"name":"echo","\u0061rguments":{},"arguments":null`,
			`"name":"mine","arguments":{"rationale":"x"},"name":"echo"`:
			/**/ `"name":"mine","arguments":{},"name":"echo"`,
			`"name":"mine","arguments":{"rationale":"x"},"arguments":{"rationale":"x"}`:
			/**/ `"name":"mine","arguments":{"rationale":"x"},"arguments":{"rationale":"x"}`,
		} {
			before := len(p.facts)
			for _, form := range []string{`{"method":"tools/call","params":{%s},"id":5}`,
				`{"id":5,"params":{%s},"method":"ping","method":"tools/call"}`} {
				assert.Equal(t, strings.Replace(form, "%s", want, 1), p.client(strings.Replace(form, "%s", given, 1)))
				p.server(`{"id":5,"result":{}}`)
			}
			assert.GreaterOrEqual(t, len(p.facts), before+4, "each is recorded")
		}
		twice := `{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"}},` +
			`"params":{"arguments":{"rationale":"y","a":1}}}`
		assert.Equal(t, `{"method":"tools/call","params":{"name":"echo","arguments":{}},`+
			`"params":{"arguments":{"a":1}}}`,
			p.client(twice))
	})
	t.Run("the latest list counts", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo)
		p.server(`{"method":"notifications/tools/list_changed"}`)
		assert.False(t, p.call("echo"), "as long as the client knows no other")
		p.list(t, strings.Replace(mine, "mine", "echo", 1))
		assert.True(t, p.call("echo"))
		p.list(t, echo)
		assert.False(t, p.call("echo"))
	})
	t.Run("after a list that is damaged nothing is ours", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo)
		p.client(`{"method":"tools/list","id":3}`)
		damaged := `{"result":{"tools":[` + echo + `],"x":tru},"id":3}`
		assert.Equal(t, damaged, p.server(damaged))
		assert.True(t, p.call("echo"))
	})
	t.Run("each message of a batch", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo)
		const first, second, last = ` [{"id":1,"method":"tools/call","params":{"name":"echo","arguments":{`,
			`}}},{"id":2}, {"id":3,"method":"tools/call","params":{"arguments":{"a":1`, `},"name":"echo"}}]`
		sent := p.client(first + `"rationale":"x"` + second + `,"rationale":"x"` + last)
		assert.Equal(t, first+second+last, sent)
	})
}

func TestToolsOfOneNameKeepWhatIsTheirs(t *testing.T) {
	t.Run("two tools of one name get none", func(t *testing.T) {
		p := newPair(Options{})
		assert.NotContains(t, p.list(t, echo, strings.Replace(mine, "mine", "echo", 1)), propertySchema)
		assert.True(t, p.call("echo"))
	})
	t.Run("a tool of the same name on a later page keeps its own", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo)
		p.client(`{"method":"tools/list","params":{"cursor":"2"},"id":3}`)
		page := `{"result":{"tools":[` + strings.Replace(mine, "mine", "echo", 1) + `]},"id":3}`
		assert.Equal(t, page, p.server(page))
		assert.True(t, p.call("echo"))
	})
	t.Run("and so does one on an earlier page", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, strings.Replace(mine, "mine", "echo", 1))
		p.client(`{"method":"tools/list","params":{"cursor":"2"},"id":3}`)
		page := `{"result":{"tools":[` + echo + `]},"id":3}`
		assert.Equal(t, page, p.server(page))
		assert.True(t, p.call("echo"))
	})
	t.Run("a later page adds to the list", func(t *testing.T) {
		p := newPair(Options{})
		p.list(t, echo)
		p.client(`{"method":"tools/list","params":{"cursor":"2"},"id":3}`)
		page := `{"result":{"tools":[` + strings.Replace(echo, "echo", "other", 1) + `]},"id":3}`
		assert.Contains(t, p.server(page), propertySchema)
		assert.False(t, p.call("echo"))
		assert.False(t, p.call("other"))
	})
}
