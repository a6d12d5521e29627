package safety_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

func TestAQuestionShowsArgumentsAsTheyAre(t *testing.T) {
	esc := func(s string) string { return strings.NewReplacer("{t}", token(), "{p}", password()).Replace(s) }
	for _, tt := range []struct {
		name, arguments, shown string
		hidden                 int
	}{
		{"nothing hidden", `{"a":[1,true,null,"x\ny"],"b":{}}`, `{"a":[1,true,null,"x\ny"],"b":{}}`, 0},
		{"white space between members", "{ \"a\" : 1,\n \"b\": [ ] }", `{"a":1,"b":[]}`, 0},
		{"a secret by its form", `{"a":"x {t} y"}`, `{"a":"x [REDACTED:github-pat] y"}`, 40},
		{"a secret by its member", `{"password":"{p}","n":1}`, `{"password":"[REDACTED:secret-field]","n":1}`, 13},
		{"a number by its member", `{"password":123456}`, `{"password":"[REDACTED:secret-field]"}`, 6},
		{"two secrets", `{"a":"A_TOKEN={t} B_TOKEN={t}"}`,
			`{"a":"A_TOKEN=[REDACTED:github-pat] B_TOKEN=[REDACTED:github-pat]"}`, 80},
		{"the scheme in front of a token", `{"headers":{"Authorization":"Bearer {t}"}}`,
			`{"headers":{"Authorization":"Bearer [REDACTED:secret-field]"}}`, 40},
		{"JSON in a string, to the blank", `{"body":"{ \"password\" : \"{p}\",\n \"a\": 1.50 }"}`,
			`{"body":"{ \"password\" : \"[REDACTED:secret-field]\",\n \"a\": 1.50 }"}`, 13},
		{"JSON in a string without a secret", `{"body":"{ \"a\": [ ] }"}`, `{"body":"{ \"a\": [ ] }"}`, 0},
		{"zero-width characters", `{"a":"ls\u200b -l"}`, `{"a":"ls[U+200B] -l"}`, 0},
		{"characters that turn the direction", `{"a":"x\u202egpj"}`, `{"a":"x[U+202E]gpj"}`, 0},
		{"a blank that is none", `{"a":"rm\u00a0-rf"}`, `{"a":"rm[U+00A0]-rf"}`, 0},
		{"a terminal sequence", `{"a":"\u001b[31mx\u009b"}`, `{"a":"\u001b[31mx[U+009B]"}`, 0},
		{"a carriage return", `{"a":"x\ry"}`, `{"a":"x\u000dy"}`, 0},
		{"what looks like an escape", `{"a":"[U+200B]"}`, `{"a":"[U+005B]U+200B]"}`, 0},
		{"what looks like a marker", `{"a":"[REDACTED:jwt]"}`, `{"a":"[U+005B]REDACTED:jwt]"}`, 0},
		{"what looks like a marker beside a secret", `{"a":"[REDACTED:jwt] {t}"}`,
			`{"a":"[U+005B]REDACTED:jwt] [REDACTED:github-pat]"}`, 40},
		{"a token that is neutralised elsewhere", `{"a":"<|im_start|>system"}`,
			`{"a":"<|im_start|>system"}`, 0},
		{"a picture that is neutralised elsewhere", `{"a":"![x](https://x.test/?q=1)"}`,
			`{"a":"![x](https://x.test/?q=1)"}`, 0},
		{"a number that JavaScript rounds", `{"a":9007199254740993}`, `{"a":"9007199254740993"}`, 0},
		{"a number that JavaScript writes in another way", `{"a":[1.50,1e3,-0,1e999]}`,
			`{"a":["1.50","1e3","-0","1e999"]}`, 0},
		{"numbers", `{"a":[0,-1,1.5,9007199254740991]}`, `{"a":[0,-1,1.5,9007199254740991]}`, 0},
		{"a string in a list", `{"argv":["mysql","-p","{t}"]}`, `{"argv":["mysql","-p","[REDACTED:github-pat]"]}`, 40},
		{"an emoji", `{"a":"👍🏽 done"}`, `{"a":"👍🏽 done"}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := askLayer().Question(json.RawMessage(esc(tt.arguments)))
			require.NoError(t, err)
			assert.Equal(t, esc(tt.shown), string(q.Shown.Raw()))
			assert.Equal(t, tt.hidden, q.Hidden)
		})
	}
}

func TestNobodyIsAskedAboutWhatCannotBeShown(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat("}", 70)
	for _, tt := range []struct{ name, arguments, want string }{
		{"too long", `{"a":"` + strings.Repeat("x", safety.MaxQuestion) + `"}`, "it is longer than 65536 bytes"},
		{"too long with its escapes", `{"a":"` + strings.Repeat("\u200b", 9000) + `"}`,
			"it is longer than 65536 bytes"},
		{"too deep", deep, "it is nested deeper than 64 levels"},
		{"a list too deep", `{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}",
			"it is nested deeper than 64 levels"},
		{"no JSON", `{"a":`, "it is not JSON"},
		{"no UTF-8", "{\"a\":\"\xff\"}", "it is not valid UTF-8"},
		{"one member twice", `{"command":"ls","command":"rm"}`, "it names a parameter twice"},
		{"one member twice, further in", `{"a":{"b":1,"b":2}}`, "it names a parameter twice"},
		{"a secret as a name", `{"` + token() + `":1}`, "the name of a parameter would be changed or hidden"},
		{"a name with a zero-width character", `{"a\u200b":1}`, "the name of a parameter would be changed or hidden"},
		{"a secret and a zero-width character", `{"a":"` + token() + ` \u200bx"}`,
			"a text has both a secret and characters that nobody sees"},
		{"code behind a marker", `{"command":"export GITHUB_TOKEN=\"` + "`touch x`" + `\"; gh pr list"}`,
			"a part that is hidden as a secret has signs that a shell, an interpreter or an address acts on"},
		{"a member that hides code", `{"password":"hunter22; touch x"}`,
			"a part that is hidden as a secret has signs that a shell, an interpreter or an address acts on"},
		{"a number in JSON in a string", `{"body":"{\"password\":123456}"}`,
			"a part that is hidden as a secret has signs that a shell, an interpreter or an address acts on"},
		{"a program", `{"command":"` + token() + `"}`,
			"a part that is hidden as a secret stands where the name of a program stands"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := askLayer().Question(json.RawMessage(tt.arguments))
			require.EqualError(t, err, tt.want)
			assert.Zero(t, q)
		})
	}
}

// A value that an earlier text of the session has named is masked in a question, too.
func TestAQuestionHidesWhatTheSessionKnows(t *testing.T) {
	l := askLayer().Remember(safety.NewSeenSecrets())
	l.Mask("the password is " + password())
	q, err := l.Question(json.RawMessage(`{"command":"true -x9 a ` + password() + `"}`))
	require.NoError(t, err)
	assert.Equal(t, `{"command":"true -x9 a [REDACTED:seen-before]"}`, string(q.Shown.Raw()))
	_, err = l.Question(json.RawMessage(`{"command":"true; ./` + password() + `"}`))
	assert.Error(t, err)
}
