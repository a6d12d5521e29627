package safety

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func cleanJSON(in string) string {
	out, _ := NewLayer().CleanJSON(json.RawMessage(in))
	return string(out.Raw())
}

func TestJSONValuesAreMaskedByTheNameOfTheirKey(t *testing.T) {
	for _, name := range []string{"password", "apiKey", "userJwt", "password123", "clientSecret", "DB_PASSWORD",
		"access-token", "secret_key", "authorization", "dbpassword"} {
		assert.Equal(t, `{"`+name+`":"[REDACTED:secret-field]"}`, cleanJSON(`{"`+name+`": "open sesame 1"}`))
	}
	for _, name := range []string{"author", "max_tokens", "token_count", "oauth_redirect_uri", "browserSessionId",
		"next_page_token", "public_key", "compass", "secretary", "monkey"} {
		assert.Equal(t, `{"`+name+`":"open sesame 1"}`, cleanJSON(`{"`+name+`": "open sesame 1"}`))
	}
}

func TestASecretUnderAWeakNameIsMasked(t *testing.T) {
	random := fill("{a40}", 1)
	for _, name := range []string{"key", "auth", "hash_key", "salt"} {
		assert.Equal(t, `{"`+name+`":"[REDACTED:secret-field]"}`, cleanJSON(`{"`+name+`":"`+random+`"}`), name)
		assert.Equal(t, `{"`+name+`":"open sesame 1"}`, cleanJSON(`{"`+name+`":"open sesame 1"}`), name)
	}
}

func TestFindingsInsideAJSONStringAreCounted(t *testing.T) {
	_, report := NewLayer().CleanJSON(json.RawMessage(`{"body":"{\"apiKey\": \"open sesame\", \"n\": 1}"}`))
	assert.Equal(t, Redacted, report.Verdict)
	require.Len(t, report.Findings, 1)
	assert.Equal(t, "secret-field", report.Findings[0].Rule)
	assert.Equal(t, 1, report.Findings[0].Count)
}

func TestFindingsOfJSONThatIsCutAreCountedOnce(t *testing.T) {
	in := `{"a":"` + githubPAT() + `","b":["` + strings.Repeat(`some words","`, 10_000) + `"]}`
	out, report := NewLayer().CleanJSON(json.RawMessage(in))
	assert.Contains(t, string(out.Raw()), "[truncated")
	require.Len(t, report.Findings, 1)
	assert.Equal(t, 1, report.Findings[0].Count)
}

func TestJSONKeepsOrderNumbersAndMarkup(t *testing.T) {
	in := `{"z":1.50,"a":[1e9,-0,true,false,null,12345678901234567890],"m":"a<b>&c","e":"line\nbreak \"q\" \\ é",` +
		`"p":"C:\\","q":1}`
	assert.Equal(t, in, cleanJSON(in))
}

func TestJSONNumbersUnderSecretNamesAreMasked(t *testing.T) {
	assert.Equal(t, `{"password":"[REDACTED:secret-field]","secrets":["[REDACTED:secret-field]",true,null]}`,
		cleanJSON(`{"password": 123456, "secrets": ["open sesame", true, null]}`))
}

func TestJSONLeavesAndKeysAreCleanedByContent(t *testing.T) {
	key := githubPAT()
	out := cleanJSON(`{"note":"use ` + key + `","` + key + `":1,"x":["` + key + `"]}`)
	assert.Equal(t, `{"note":"use [REDACTED:github-pat]","[REDACTED:github-pat]":1,"x":["[REDACTED:github-pat]"]}`, out)
}

func TestMaskedJSONKeysStayDistinct(t *testing.T) {
	a, b := fill("ghp_{a36}", 1), fill("ghp_{a36}", 2)
	assert.Equal(t, `{"[REDACTED:github-pat]":1,"[REDACTED:github-pat]#2":2}`, cleanJSON(`{"`+a+`":1,"`+b+`":2}`))
}

func TestJSONInsideAJSONStringIsCleanedAsJSON(t *testing.T) {
	assert.Equal(t, `{"body":"{\"apiKey\":\"[REDACTED:secret-field]\",\"n\":1}"}`,
		cleanJSON(`{"body":"{\"apiKey\": \"open sesame\", \"n\": 1}"}`))
}

func TestInvalidJSONBecomesOneString(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":}`, "plain words", `{"a":1}{"b":2}`, "\xff"} {
		out := cleanJSON(in)
		var s string
		require.NoError(t, json.Unmarshal([]byte(out), &s), in)
	}
	assert.Equal(t, `"see [REDACTED:github-pat]"`, cleanJSON("see "+githubPAT()))
}

func TestDeepAndLargeJSONIsBoundedAndValid(t *testing.T) {
	deep := strings.Repeat(`{"a":[`, 200) + `1` + strings.Repeat(`]}`, 200)
	wide := `[` + strings.Repeat(`{"k":"some words","n":12345},`, 20000) + `0]`
	long := `{"a":"` + strings.Repeat("word ", 100_000) + `","b":2}`
	quotes := `["` + strings.Repeat(`\"`, 90_000) + `"]`
	digit := strings.Repeat("9", 300_000)
	for _, in := range []string{deep, wide, long, quotes, digit} {
		out := cleanJSON(in)
		require.True(t, json.Valid([]byte(out)))
		require.LessOrEqual(t, len(out), 100_000)
		require.Equal(t, out, cleanJSON(out), "cleaning twice changes it")
		require.Contains(t, out, "[truncated")
	}
}

func TestJSONListEntriesAreMaskedByTheirName(t *testing.T) {
	assert.Equal(t, `[{"name":"API_TOKEN","value":"[REDACTED:secret-field]"},{"name":"PORT","value":"eight thousand"}]`,
		cleanJSON(`[{"name":"API_TOKEN","value":"eight thousand"},{"name":"PORT","value":"eight thousand"}]`))
}

func TestJSONFieldsThatDescribeACredentialAreKept(t *testing.T) {
	in := `{"credentials":{"type":"basic","username":"bob","enabled":true,"expires":1700000000}}`
	assert.Equal(t, in, cleanJSON(in))
	assert.Equal(t, `{"credentials":{"type":"basic","data":"[REDACTED:secret-field]"}}`,
		cleanJSON(`{"credentials":{"type":"basic","data":"open sesame"}}`))
}

func TestPlaceholdersUnderSecretNamesAreKept(t *testing.T) {
	for _, in := range []string{`{"password":""}`, `{"password":"${DB_PASSWORD}"}`, `{"token":"<token>"}`,
		`{"secret":"[REDACTED:jwt]"}`, `{"apiKey":"OPENAI_API_KEY"}`, `{"apiKey":null}`, `{"password":true}`} {
		assert.Equal(t, in, cleanJSON(in))
	}
}

func TestJSONSecretsNextToTheirNameAreMasked(t *testing.T) {
	l := plainLayer()
	for in, want := range map[string]string{
		`["Cookie","session=Winter42Harbor"]`: `["Cookie","[REDACTED:secret-field]"]`,
		`{"headers":[["X-Api-Key","Winter42Harbor"]]}`: `{"headers":[["X-Api-Key",` +
			`"[REDACTED:secret-field]"]]}`,
		`{"args":["--password","Winter42Harbor","-v"]}`: `{"args":["--password",` +
			`"[REDACTED:secret-field]","-v"]}`,
		`{"content":"Winter42Harbor","field":"password"}`: `{"content":"[REDACTED:secret-field]",` +
			`"field":"password"}`,
		`{"v":"Winter42Harbor","k":"api_key"}`: `{"v":"[REDACTED:secret-field]",` +
			`"k":"api_key"}`,
		`{"密码":"Winter42","mot_de_passe":"Harbor7"}`: `{"密码":"[REDACTED:secret-field]",` +
			`"mot_de_passe":"[REDACTED:secret-field]"}`,
		`{"Mot-de-Passe":"Harbor7"}`:                 `{"Mot-de-Passe":"[REDACTED:secret-field]"}`,
		`{"required":["password","email","token2"]}`: `{"required":["password","email","token2"]}`,
		`["username","password"]`:                    `["username","password"]`,
		`{"label":"Password","text":"Enter your password, 8 letters"}`: `{"label":"Password","text":"Enter your ` +
			`password, 8 letters"}`,
		`{"api_key_env":"OPENAI_API_KEY","name":"token","kind":{"v":1}}`: `{"api_key_env":"OPENAI_API_KEY",` +
			`"name":"token","kind":{"v":1}}`,
	} {
		out, _ := l.CleanJSON([]byte(in))
		assert.Equal(t, want, string(out.Raw()))
		again, _ := l.CleanJSON(out.Raw())
		assert.Equal(t, string(out.Raw()), string(again.Raw()))
	}
}

func TestAWeakNameMakesARandomValueASecret(t *testing.T) {
	value := fill("{a40}", 5)
	for _, name := range []string{"key", "auth"} {
		assert.Equal(t, `{"`+name+`":"[REDACTED:secret-field]"}`, cleanJSON(`{"`+name+`":"`+value+`"}`))
		assert.Equal(t, `{"`+name+`":"main menu"}`, cleanJSON(`{"`+name+`":"main menu"}`))
	}
	assert.Equal(t, `{"note":"`+value+`"}`, cleanJSON(`{"note":"`+value+`"}`))
}

func TestJSONIsKept64LevelsDeep(t *testing.T) {
	nested := func(levels int, inner string) string {
		return strings.Repeat("[", levels) + inner + strings.Repeat("]", levels)
	}
	assert.Equal(t, nested(64, "1"), cleanJSON(nested(64, "1")))
	assert.Equal(t, nested(64, `"[truncated: nested too deep]"`), cleanJSON(nested(65, "1")))
}

func TestASecretInJSONInsideAStringIsReported(t *testing.T) {
	_, report := NewLayer().CleanJSON(json.RawMessage(`{"body":"{\"apiKey\": \"open sesame\", \"pin\": 1}"}`))
	assert.Equal(t, Report{Verdict: Redacted, Findings: []Finding{{"secret-field", 1, High, Masked}}}, report)
}

// A value that is too long is cleaned again with room for the notice; only that counts.
func TestFindingsOfACutJSONCountWhatWasWritten(t *testing.T) {
	in := `[` + strings.Repeat(`"`+githubPAT()+`",`, 2000) + `0]`
	out, report := NewLayer(MaxBytes(10_000)).CleanJSON(json.RawMessage(in))
	shown := strings.Count(string(out.Raw()), "[REDACTED:github-pat]")
	require.Contains(t, string(out.Raw()), "more]")
	require.Len(t, report.Findings, 1)
	assert.Equal(t, shown+1, report.Findings[0].Count, "the last one was masked, and then cut")
}
