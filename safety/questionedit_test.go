package safety_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// otherToken returns a token that has the same mask as token's.
func otherToken() string { return "gh" + "p_" + "zY9xW7vU5tS3rQ1pO9nM7lK5jI3hG1fE9dC7" }

// edits are what a person makes of the arguments of a call. {token}, {other} and {password} stand for
// secrets, {t} for the mask of the first two and {p} for that of the third.
var edits = []struct{ name, arguments, edited, want, why string }{
	{"nothing", `{"a":"x"}`, `{"a":"x"}`, `{"a":"x"}`, ""},
	{"another value", `{"a":"x"}`, `{ "a": "y" }`, `{"a":"y"}`, ""},
	{"another number", `{"a":1}`, `{"a":2.50}`, `{"a":2.50}`, ""},
	{"a mask that stays", `{"body":"{token}","b":1}`, `{"body":"{t}","b":2}`, `{"body":"{token}","b":2}`, ""},
	{"a mask in a text that changes", `{"a":"curl -H 'A: {token}' https://x.test"}`,
		`{"a":"curl -v -H 'A: {t}' https://y.test"}`, `{"a":"curl -v -H 'A: {token}' https://y.test"}`, ""},
	{"a mask that is taken out", `{"a":"login -t {token}"}`, `{"a":"login"}`, `{"a":"login"}`, ""},
	{"a secret for another", `{"password":"{password}"}`, `{"password":"other"}`, `{"password":"other"}`, ""},
	{"a masked number that stays", `{"password":123456,"b":1}`, `{"password":"{p}","b":2}`,
		`{"password":123456,"b":2}`, ""},
	{"a mask elsewhere", `{"body":"{token}","b":"x"}`, `{"body":"{t}","b":"{t}"}`, "", "a mask"},
	{"a mask under another name", `{"body":"{token}"}`, `{"cookie":"{t}"}`, "", "a mask"},
	{"a mask as a name", `{"body":"{token}"}`, `{"{t}":"x"}`, "", "a mask"},
	{"a mask twice", `{"body":"{token}"}`, `{"body":"{t} {t}"}`, "", "a mask"},
	{"a mask of another rule", `{"body":"{token}"}`, `{"body":"{p}"}`, "", "a mask"},
	{"a mask where none was", `{"a":"x"}`, `{"body":"{t}"}`, "", "a mask"},
	{"a mask that is not closed", `{"body":"{token}"}`, `{"body":"[REDACTED:x"}`, "", "a mask"},
	{"a mask in a list that became longer", `{"body":["x","-t","{token}"]}`, `{"body":["x","y","-t","{t}"]}`,
		`{"body":["x","y","-t","{token}"]}`, ""},
	{"a mask in a list that became shorter", `{"body":["-t","{token}","x"]}`, `{"body":["-t","{t}"]}`,
		`{"body":["-t","{token}"]}`, ""},
	{"a mask that moved in a list", `{"body":["{token}","x","y"]}`, `{"body":["x","{t}"]}`, "", "a mask"},
	{"members in another order", `{"body":"{token}","b":{"c":"x"}}`, `{"b":{"c":"y"},"body":"{t}"}`,
		`{"b":{"c":"y"},"body":"{token}"}`, ""},
	{"what nobody sees stays", "{\"a\":\"x\u200by\",\"b\":1}", `{"a":"x[U+200B]y","b":2}`,
		"{\"a\":\"x\u200by\",\"b\":2}", ""},
	{"what nobody sees is read back", "{\"a\":\"x\u200by\"}", `{"a":"z[U+200B][U+0041]"}`,
		"{\"a\":\"z\u200b[U+0041]\"}", ""},
	{"a text that looks like a mask", `{"a":"[REDACTED:x] z"}`, `{"a":"[U+005B]REDACTED:x] y"}`,
		`{"a":"[REDACTED:x] y"}`, ""},
	{"a number of more digits than JavaScript reads", `{"a":1}`, `{"a":1.0000000000000001}`,
		`{"a":1.0000000000000001}`, ""},
	{"a long number stays", `{"a":12345678901234567890}`, `{"a":"12345678901234567890","b":1}`,
		`{"a":12345678901234567890,"b":1}`, ""},
	{"a long number is another", `{"a":12345678901234567890}`, `{"a":"12345678901234567891"}`,
		`{"a":12345678901234567891}`, ""},
	{"a long number is no text of many", `{"a":12345678901234567890}`, `{"a":"1,\"b\":2"}`, `{"a":"1,\"b\":2"}`, ""},
	{"a list for an object", `{"a":{"body":"{token}"}}`, `{"a":["{t}"]}`, "", "a mask"},
	{"one of two secrets under one mask", `{"body":["{token}","{other}"]}`, `{"body":["{t}"]}`, "", "which of them"},
	{"one of two for another text", `{"body":["{token}","{other}"]}`, `{"body":["{t}","x"]}`, "", "which of them"},
	{"one of two that look the same, deep", `{"body":[{"body":"{token}"},{"body":"{other}"},1]}`,
		`{"body":[{"body":"{t}"},1]}`, "", "which of them"},
	{"one of two that have names", `{"body":[{"a":"x","body":"{token}"},{"a":"y","body":"{other}"}]}`,
		`{"body":[{"a":"y","body":"{t}"}]}`, `{"body":[{"a":"y","body":"{other}"}]}`, ""},
	{"one of two that have names for another", `{"body":[{"a":"x","body":"{token}"},{"a":"y","body":"{other}"}]}`,
		`{"body":[{"a":"y","body":"{t}"},2]}`, "", "which of them"},
	{"one of two that have names, and its name", `{"body":[{"a":"x","body":"{token}"},{"a":"y","body":"{other}"}]}`,
		`{"body":[{"a":"z","body":"{t}"},{"a":"y"}]}`, "", "which of them"},
	{"two that change places", `{"body":[{"a":"x","body":"{token}"},{"a":"y","body":"{other}"}]}`,
		`{"body":[{"a":"y","body":"{t}"},{"a":"x","body":"{t}"}]}`, "", "which of them"},
	{"two of which one has another name", `{"body":[{"a":"x","body":"{token}"},{"a":"y","body":"{other}"}]}`,
		`{"body":[{"a":"z","body":"{t}"},{"a":"y","body":"{t}"}]}`,
		`{"body":[{"a":"z","body":"{token}"},{"a":"y","body":"{other}"}]}`, ""},
	{"both of two in a longer list", `{"body":["{token}","{other}"]}`, `{"body":["x","{t}","{t}"]}`,
		`{"body":["x","{token}","{other}"]}`, ""},
	{"one of two that are the same secret", `{"body":["{token}","{token}","x"]}`, `{"body":["{t}","x"]}`,
		`{"body":["{token}","x"]}`, ""},
	{"two in a text that may have changed places", `{"a":"-t {token} -u {other}"}`, `{"a":"-u {t} -t {t}"}`, "",
		"which of them"},
	{"two in a text with what stands between", `{"a":"-t {token} -u {other}"}`, `{"a":"-v -t {t} -u {t} x"}`,
		`{"a":"-v -t {token} -u {other} x"}`, ""},
	{"no JSON", `{"a":1}`, `{"a":`, "", "not JSON"},
	{"a member twice", `{"a":1}`, `{"a":1,"a":2}`, "", "twice"},
	{"too long", `{"a":1}`, `{"a":"` + strings.Repeat("x", 1<<16) + `"}`, "", "longer than"},
	{"too deep", `{"a":1}`, strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), "", "nested deeper"},
}

// A person changes what a question shows, and what comes out has the secrets where they were.
func TestEditedArgumentsKeepTheSecretsWhereTheyWere(t *testing.T) {
	fill := strings.NewReplacer("{token}", token(), "{other}", otherToken(), "{password}", password(),
		"{t}", "[REDACTED:github-pat]", "{p}", "[REDACTED:secret-field]")
	for _, tt := range edits {
		t.Run(tt.name, func(t *testing.T) {
			got, err := askLayer().Edit([]byte(fill.Replace(tt.arguments)), []byte(fill.Replace(tt.edited)))
			if tt.why != "" {
				require.ErrorContains(t, err, tt.why)
				assert.NotContains(t, err.Error(), token())
				return
			}
			require.NoError(t, err)
			assert.Equal(t, fill.Replace(tt.want), string(got))
		})
	}
}

// Whatever a question shows, unchanged it means the arguments themselves.
func TestAnUnchangedQuestionIsTheCallItself(t *testing.T) {
	for _, tt := range edits {
		fill := strings.NewReplacer("{token}", token(), "{other}", otherToken(), "{password}", password())
		arguments := []byte(fill.Replace(tt.arguments))
		q, err := askLayer().Question(arguments)
		require.NoError(t, err, tt.name)
		got, err := askLayer().Edit(arguments, q.Shown.Raw())
		require.NoError(t, err, tt.name)
		assert.Equal(t, string(arguments), string(got), tt.name)
	}
}
