package keyvalue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/lex"
)

func TestAnOperatorIsReadUpToTheValue(t *testing.T) {
	for op, texts := range map[Op][]string{
		OpTight: {"token=‸v", "token:‸v", "token:=‸v", "token:|\n  ‸v"},
		OpLoose: {
			"token = ‸v", "token := ‸v", "token ::= ‸v", "token => ‸v", "token => \n‸v", "token ?= ‸v",
			"token || ‸v",
			"token -> ‸v", "token += ‸v", "token: string = ‸v", "token string = ‸v", "token --body ‸v",
			"token -b ‸v",
			"token <- ‸'v'", "token <<< ‸'v'", "token: &str = ‸'v'", "token: &'static str = ‸'v'",
			"token=\\\n  ‸v",
			"'token' {\n  type = string\n  default = ‸'v'\n}",
			"'token' {\n  default      = ‸'v'\n}", "token value=‸'v'", "token = r‸'v'",
			"token = [ ‸'v'", "token = $‸'v'", "'token'=‸'v'",
		},
		OpColon: {
			"token: ‸v", "token:‸'v'", "'token': ‸'v'", "**token**: ‸v", "\\\"token\\\": ‸\\\"v",
			"token: |-\n  ‸v",
			"**token:** ‸v", "token\n  value: ‸v", "'token', 'value': ‸'v'", "token: string",
		},
		opIs: {
			"token es ‸v", "token est ‸v", "token is ‸v", "token of my account was ‸v",
			"token is now set to ‸v", "Token lautet ‸v",
			"token of one two three four is ‸v",
		},
		opComma:  {"'token', ‸'v'", `"token=%s", ‸"v"`, `"token={}", ‸"v"`},
		opTag:    {"token> ‸v", "token</key>\n<string>‸v"},
		opBeside: {"token ‸g1H2j3K4", "token ‸'abcdefg'", "token to be ‸g1H2j3K4"},
		opFlag: {
			"token != ‸'v'", `token != ‸"v"`, "token !== ‸'v'", "token!=‸'v'", "token==‸v", "token === ‸'v'",
			"token | ‸v", "token → ‸v", "token — ‸v", "token (‸v", "'token'\r\n\r\n‸v", "token是‸v",
			"tokenは‸v", "token：‸v",
			"token 【‸v】", "setToken(‸'v')", "'token', defaultValue: ‸'v'", "token, value: ‸v", "token holds ‸v",
			"token != ‸'v'", "token !== ‸'v'", `token!=‸"v"`,
			"TOKEN as ‸v", "`token` set to ‸`v`", "token provided: ‸v", "token. It's ‸v",
			"token in the mail. I have ‸v",
			"'token'\n  plaintext_value = ‸'v'", "token\n  id: 5\n  value: ‸v",
		},
	} {
		for _, text := range texts {
			before, after, marked := strings.Cut(text, "‸")
			s := before + after
			at, got := ReadOperator(s, strings.Index(strings.ToLower(s), "token")+len("token"))
			assert.Equal(t, op, got, "%q", s)
			if marked {
				assert.Equal(t, len(before), at, "%q", s)
			}
		}
	}
}

func TestNothingJoinsANameToProseOrCode(t *testing.T) {
	for _, s := range []string{
		"token", "token ", "token(v)", "token --> v", "token ... v", "token|v", "token, 'v'", "'token', v",
		"'token', `v`", "token =\n v", "token\nvalue v", "token</b>", "token</key>\n<integer>", "token “v”",
		"token refresh v",
		"token as v", "token. It has v", "token, values: v", "token { x }", "'token' {\n}\ndefault = v",
		"token <- v"[:8],
		"token of", "token of the", "token of one two three four five is v", "token i",
		"token ! 'v'", "token != v", "token !", "'token' is v",
		"token . v",
	} {
		_, op := ReadOperator(s, strings.Index(s, "token")+len("token"))
		assert.Equal(t, OpNone, op, "%q", s)
	}
}

func TestASentenceIsReadOnlyForANameThatPromises(t *testing.T) {
	for name, want := range map[string]Op{
		"password": opIs, "keys": opIs, "author": OpNone, "auth": OpNone, "max_tokens": OpNone,
	} {
		_, op := ReadOperator(name+" for it is v", len(name))
		assert.Equal(t, want, op, name)
	}
}

func TestASpaceIsEnoughBehindAFlag(t *testing.T) {
	for s, want := range map[string]Op{
		"--token value": opFlag, "-token value": opFlag, "my-token value": OpNone, "--to value": OpNone,
	} {
		end := strings.IndexByte(s, ' ')
		_, op := joined(s, 0, end-2, end)
		assert.Equal(t, want, op, s)
	}
}

func TestAVariableAndItsValueNeedNoSign(t *testing.T) {
	for s, want := range map[string]int{
		"API_TOKEN g1H2j3K4": 10, "api_token\tvalue": 10, "API_TOKEN,value": 10, "printenv API_TOKEN\nvalue": 19,
		"echo $API_TOKEN\nvalue": 16, "API_TOKEN production <<< 'v'": 25, "API_TOKEN - <<< v": 16,
		"API_TOKEN is needed": 0, "api_token g1H2j3K4": 0, "TOKEN g1H2j3K4": 0, "API_TOKEN, value": 0,
		"API_TOKEN\nvalue": 0,
	} {
		right := strings.Index(strings.ToLower(s), "token") + len("token")
		assert.Equal(t, want, besideVariable(s, lex.WordChars.Back(s, right, 20), right), "%q", s)
	}
}

func TestAValueEndsWhereItsQuotesOrItsBytesDo(t *testing.T) {
	long := strings.Repeat("é", 400)
	for text, want := range map[string]struct {
		value       string
		quoted, cut bool
	}{
		`‸'a "b" c' d`:       {`a "b" c`, true, false},
		`‸"a\"b" c`:          {`a\"b`, true, false},
		"‸'abc\nd":           {"abc", true, true},
		"‸'" + long:          {long[:maxQuoted], true, true},
		`‸\"a b\" c`:         {"a b", true, false},
		`‸\"a\nb\" c`:        {`a\nb`, true, false},
		"‸\\\"ab c\n\\\"":    {"ab", true, true},
		"‸abc, d":            {"abc", false, false},
		"‸abc. D":            {"abc", false, false},
		"‸a.b?":              {"a.b", false, false},
		"‸ab&user=bob":       {"ab", false, false},
		"‸ab&amp;user=bob":   {"ab", false, false},
		"‸ab&cd":             {"ab&cd", false, false},
		"‸schön 1":           {"schön", false, false},
		"‸ab。cd":             {"ab", false, false},
		"‸a" + long:          {"a" + long[:maxUnquoted-2], false, false},
		"‸":                  {"", false, false},
		"password=‸(ab)":     {"(ab", false, false},
		"password = ‸\\ab c": {"", false, false},
	} {
		before, after, _ := strings.Cut(text, "‸")
		v := ReadValue(before+after, len(before))
		assert.Equal(t, want.value, (before + after)[v.From:v.To], "%q", text)
		assert.Equal(t, want.quoted, v.Quoted, "%q", text)
		assert.Equal(t, want.cut, v.Cut, "%q", text)
	}
}
