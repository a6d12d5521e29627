package brief

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// FuzzLine holds that every line is short, of one line, valid UTF-8 and without control
// characters, that the same call gives the same line, and that what was masked stays masked.
func FuzzLine(f *testing.F) {
	for _, c := range objects {
		f.Add(c.params, "")
	}
	for _, c := range results {
		f.Add(c.result, "It failed.\nIt did.")
	}
	f.Add(`{"path":"`+strings.Repeat("ü/", 150)+`"}`, "\x00\xff")
	f.Add(`{"command":"\u202e\u0000\u001b[2J\ud83d"}`, strings.Repeat("é", 5000))
	f.Fuzz(func(t *testing.T, raw, said string) {
		const secret = "AKIA" + "2J4KLMNOPQRSTUVW"
		value := jsonOf(strings.ReplaceAll(raw, "KEY", secret))
		text := textOf(strings.ReplaceAll(said, "KEY", secret))
		lines := []Line{
			Object(value), First(text),
			Outcome(session.Call{Outcome: session.Success, Result: value}),
			Outcome(session.Call{Outcome: session.Errored, Error: text}),
			Outcome(denied(value)),
		}
		for _, l := range lines {
			assert.LessOrEqual(t, utf8.RuneCountInString(l.s), MaxLine)
			assert.True(t, utf8.ValidString(l.s), "%q", l.s)
			assert.False(t, strings.ContainsFunc(l.s, unicode.IsControl), "%q", l.s)
			assert.NotContains(t, l.s, secret)
		}
		assert.Equal(t, lines[0], Object(value))
	})
}

// denied is a call that a person denied with a word.
func denied(word safety.JSON) session.Call {
	return session.Call{Outcome: session.Rejected, Approval: &session.Approval{Answer: session.Deny, Value: word}}
}

func TestALineIsAStringInJSON(t *testing.T) {
	raw, err := json.Marshal(struct {
		A Line `json:"a,omitzero"`
		B Line `json:"b,omitzero"`
	}{A: Object(jsonOf(`{"path":"a\"b"}`))})
	assert.NoError(t, err)
	assert.Equal(t, `{"a":"a\"b"}`, string(raw))
	assert.True(t, Line{}.IsZero())
}
