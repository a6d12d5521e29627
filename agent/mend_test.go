package agent

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDamagedArgumentsAreMendedWhereTheyAreClear(t *testing.T) {
	for name, tt := range map[string]struct{ in, want string }{
		"an object stays byte for byte":           {`{"a": 1}`, `{"a": 1}`},
		"no arguments are none":                   {``, `{}`},
		"null is none":                            {` null `, `{}`},
		"an empty string is none":                 {`""`, `{}`},
		"an empty object in front is dropped":     {`{}{"a":1}`, `{"a":1}`},
		"and so are several":                      {"{}\n{} {\"a\":1}", `{"a":1}`},
		"an empty object alone stays":             {`{}`, `{}`},
		"a copy is dropped":                       {`{"a":1}{"a":1}`, `{"a":1}`},
		"what follows an object is not dropped":   {`{"a":1}}`, `{"a":1}}`},
		"JSON in a string is unwrapped":           {`"{\"a\":\"b\"}"`, `{"a":"b"}`},
		"and in a string in a string":             {`"\"{\\\"a\\\":1}\""`, `{"a":1}`},
		"with an empty object in front of it":     {`"{}{\"a\":1}"`, `{"a":1}`},
		"line breaks in strings are escaped":      {"{\"a\":\"x\ny\tz\"}", `{"a":"x\ny\tz"}`},
		"those between members are left":          {"{\n\"a\":\"\\n\"\n}", "{\n\"a\":\"\\n\"\n}"},
		"arguments that were cut off stay so":     {`{"a":"b`, `{"a":"b`},
		"a string that is no JSON stays":          {`"look"`, `"look"`},
		"a list stays":                            {`[1]`, `[1]`},
		"two objects with members are not chosen": {`{"a":1}{"a":2}`, `{"a":1}{"a":2}`},
	} {
		assert.Equal(t, tt.want, string(mended(json.RawMessage(tt.in))), name)
	}
}

func TestTheReasonIsRecoveredFromAnyPrefixOfTheArguments(t *testing.T) {
	const whole = `{"rationale":"To see \"it\" there.","path":"x`
	for end := len(`{"rationale":"T`); end <= len(whole); end++ {
		reason := reasonIn(json.RawMessage(whole[:end]))
		assert.NotEmpty(t, reason, whole[:end])
		assert.True(t, len(reason) < 4 || reason[:3] == "To " || end < len(`{"rationale":"To `), reason)
	}
	for name, tt := range map[string]struct{ in, want string }{
		"behind other damage":           {`{'path': 'x', "rationale": "To see.", oops`, "To see."},
		"cut off in its middle":         {`{"rationale":"To se`, "To se…"},
		"in a string that was cut off":  {`"{\"rationale\":\"To see.\",\"pa`, "To see."},
		"itself cut off in a string":    {`"{\"rationale\":\"To se`, "To se…"},
		"with an escape":                {`{"rationale":"a\nb","x`, "a\nb"},
		"behind an empty object":        {`{}{"rationale":"To see.","x":`, "To see."},
		"none":                          {`{"path":"rationale`, ""},
		"of another property's content": {`{"text":"a \"rationale\" b`, ""},
	} {
		assert.Equal(t, tt.want, reasonIn(json.RawMessage(tt.in)), name)
	}
}
