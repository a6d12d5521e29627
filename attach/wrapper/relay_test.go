package wrapper

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// relayed returns what a relay from the client of a pair writes.
func (p *pair) relayed(t *testing.T, in io.Reader) string {
	t.Helper()
	var out bytes.Buffer
	told := func(f []attach.Sighting) { p.facts = append(p.facts, f...) }
	r := Relay{Read: p.FromClient, Long: p.LongFromClient, Told: told}
	require.NoError(t, r.Run(&out, in))
	return out.String()
}

func TestLinesPassOneByOne(t *testing.T) {
	p := newPair(Options{})
	p.list(t, echo)
	in := "{\"id\":1}\r\n\nno JSON\n" +
		`{"method":"tools/call","id":2,"params":{"name":"echo","arguments":{"rationale":"x","a":"` +
		strings.Repeat("y", 200_000) + `"}}}` + "\nthe end without a newline"
	want := strings.Replace(in, `"rationale":"x",`, "", 1)
	assert.Equal(t, want, p.relayed(t, strings.NewReader(in)))
	assert.Equal(t, want, p.relayed(t, iotest.OneByteReader(strings.NewReader(in))))
	assert.Len(t, p.facts, 3)
	assert.Equal(t, "x", p.facts[1].Called.Reason)
}

func TestALineThatIsTooLongIsPassedOnAsItArrives(t *testing.T) {
	call := func(before string) string {
		return `{"method":"tools/call","id":2,"params":{"name":"echo",` + before +
			`"arguments":{"rationale":"x", "a":"` + strings.Repeat("y", 3*MaxMessage) + `","b":1}}}` + "\n"
	}
	for name, c := range map[string]struct{ in, out string }{
		"the property stands in its beginning": {call(""), strings.Replace(call(""), `"rationale":"x", `, "", 1)},
		"the arguments come too late": {call(`"_meta":"` + strings.Repeat("z", 2*MaxMessage) + `",`),
			call(`"_meta":"` + strings.Repeat("z", 2*MaxMessage) + `",`)},
		"another message": {strings.Repeat("{", 3*MaxMessage), strings.Repeat("{", 3*MaxMessage)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPair(Options{})
			p.list(t, echo)
			got := p.relayed(t, strings.NewReader(c.in+`{"method":"ping"}`))
			assert.True(t, got == c.out+`{"method":"ping"}`)
			assert.Equal(t, 1, p.Long())
			assert.Empty(t, p.facts)
		})
	}
}

func TestTheBeginningOfALongCallLosesTheProperty(t *testing.T) {
	p := newPair(Options{})
	p.list(t, echo, mine)
	for name, c := range map[string]struct{ in, out string }{
		"all of the arguments stand there": {
			`{"method":"tools/call","params":{"arguments":{"rationale":"x"},"name":"echo","_meta":"yyy`,
			`{"method":"tools/call","params":{"arguments":{"rationale":"x"},"name":"echo","_meta":"yyy`},
		"the name comes first": {
			`{"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"rationale":"x"},"_meta":"yyy`,
			`{"method":"tools/call","params":{"name":"echo","arguments":{"a":1},"_meta":"yyy`},
		"behind the property nothing is known": {
			`{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"`,
			`{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"`},
		"arguments that are there twice": {
			`{"method":"tools/call","params":{"name":"echo","arguments":{"rationale":"x"},` +
				`"arguments":{"rationale":"x","a":"yyy`,
			`{"method":"tools/call","params":{"name":"echo","arguments":{},"arguments":{"a":"yyy`},
		"a name that is not known yet, which may be another tool's": {
			`{"method":"tools/call","params":{"arguments":{"rationale":"x","a":"yyy`,
			`{"method":"tools/call","params":{"arguments":{"rationale":"x","a":"yyy`},
		"another tool": {
			`{"method":"tools/call","params":{"name":"mine","arguments":{"rationale":"x","a":"yyy`,
			`{"method":"tools/call","params":{"name":"mine","arguments":{"rationale":"x","a":"yyy`},
		"no method":  {`{"id":1,"params":{"name":"echo"`, `{"id":1,"params":{"name":"echo"`},
		"no colon":   {`{"method":"tools/call","params"`, `{"method":"tools/call","params"`},
		"no params":  {`{"method":"tools/call","params":`, `{"method":"tools/call","params":`},
		"half a key": {`{"method":"tools/call","par`, `{"method":"tools/call","par`},
	} {
		want := c.out
		if name == "all of the arguments stand there" {
			want = `{"method":"tools/call","params":{"arguments":{},"name":"echo","_meta":"yyy`
		}
		assert.Equal(t, want, string(p.LongFromClient([]byte(c.in))), name)
	}
	p.list(t, echo)
	assert.Equal(t, `{"method":"tools/call","params":{"arguments":{"a":"yyy`, string(p.LongFromClient([]byte(
		`{"method":"tools/call","params":{"arguments":{"rationale":"x","a":"yyy`))), "all tools have the property")
}

func TestALongListOfToolsHasNoProperty(t *testing.T) {
	p := newPair(Options{})
	p.list(t, echo)
	p.LongFromServer([]byte("{"))
	assert.False(t, p.call("echo"), "some other message")
	p.client(`{"id":9,"method":"tools/list"}`)
	assert.Equal(t, "{", string(p.LongFromServer([]byte("{"))))
	assert.True(t, p.call("echo"))
}

// failing is a writer and a reader that fail.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("gone") }
func (failing) Read([]byte) (int, error)  { return 0, errors.New("gone") }

func TestARelayEndsWhenItCannotGoOn(t *testing.T) {
	p := newPair(Options{})
	r := Relay{Read: p.FromClient, Long: p.LongFromClient, Told: func([]attach.Sighting) {}}
	require.EqualError(t, r.Run(failing{}, strings.NewReader("a\n")), "gone")
	require.EqualError(t, r.Run(failing{}, strings.NewReader(strings.Repeat("a", MaxMessage+100_000))), "gone")
	require.EqualError(t, r.Run(io.Discard, failing{}), "gone")
}
