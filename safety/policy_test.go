package safety

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
)

func TestAPolicyFileReplacesTheDefaults(t *testing.T) {
	p, err := ReadPolicy(strings.NewReader(`{
		"rules": [{"id": "code-name", "action": "block", "phrases": ["project x"]},
			{"id": "host", "action": "sanitize", "phrases": ["db.internal"]}],
		"actions": {"github-pat": "block", "cookie": "warn"},
		"tokens": [{"id": "acme-key", "formats": ["acme_{a32}"]},
			{"id": "acme-code", "formats": ["{d12}"], "beside": "acmecode"}]}`))
	require.NoError(t, err)
	l := NewLayer(WithPolicy(p))
	for in, want := range map[string]Report{
		"about Project X now":             {Blocked, []Finding{{"code-name", 1, Critical, Withheld}}, false},
		"projectile":                      {},
		"reading /etc/passwd":             {},
		"ask db.internal":                 {Verdict: Passed, Findings: []Finding{{"host", 1, Low, Neutralised}}},
		githubPAT():                       {Blocked, []Finding{{"github-pat", 1, Critical, Withheld}}, false},
		"ac" + "me_" + fill("{a32}", 1):   {Verdict: Redacted, Findings: []Finding{{"acme-key", 1, High, Masked}}},
		"acmecode_token = 123456789012":   {Verdict: Redacted, Findings: []Finding{{"acme-code", 1, High, Masked}}},
		"Cookie: sid=" + fill("{a24}", 1): {Verdict: Passed, Findings: []Finding{{"cookie", 1, Low, Noticed}}},
	} {
		_, report := l.Clean(in)
		assert.Equal(t, want, report, "%q", in[:8])
	}
	masked, _ := l.Mask("ask db.internal about project x")
	assert.Equal(t, `ask d\b.internal about [REDACTED:code-name]`, masked.String())
}

func TestReadPolicyRejectsABadPolicyAndNamesTheFault(t *testing.T) {
	for in, want := range map[string]string{
		`{"rules": [{"id": "a", "action": "shout", "phrases": ["abc"]}]}`: "unknown action",
		`{"rules": [{"id": "Bad Id", "phrases": ["abc"]}]}`:               "an id is lower-case",
		`{"rules": [{"id": "", "phrases": ["abc"]}]}`:                     "an id is one to forty",
		`{"rules": [{"id": "a", "phrases": ["ab"]}]}`:                     "shorter than three",
		`{"rules": [{"id": "jwt", "phrases": ["abc"]}]}`:                  "already",
		`{"tokens": [{"id": "a", "formats": ["x{a2}"]}]}`:                 "keyword is too short",
		`{"tokens": [{"id": "a", "formats": ["abc{?2}"]}]}`:               "unknown class",
		`{"tokens": [{"id": "a", "formats": ["abc{a}"]}]}`:                "bad length",
		`{"tokens": [{"id": "a", "formats": ["abc{a9-2}"]}]}`:             "bad range",
		`{"tokens": [{"id": "a", "formats": ["abc{a2"]}]}`:                "{ without }",
		`{"tokens": [{"id": "a", "formats": ["<abc"]}]}`:                  "< without >",
		`{"tokens": [{"id": "a", "formats": ["{a2"], "beside": "acme"}]}`: "{ without }",
		`{"tokens": [{"id": "a", "formats": ["{a2}"], "beside": "a"}]}`:   "shorter than three",
		`{"actions": {"no-such-rule": "warn"}}`:                           "there is no rule",
		`{"surprise": 1}`:                                                 "unknown field",
		`not json`:                                                        "invalid character",
	} {
		_, err := ReadPolicy(strings.NewReader(in))
		assert.ErrorContains(t, err, want, in)
	}
	assert.Panics(t, func() { NewLayer(WithPolicy(Policy{Actions: map[string]rule.Action{"nothing": rule.Warn}})) })
}

func TestTheDefaultPolicyIsValid(t *testing.T) {
	text, err := rule.Warn.MarshalText()
	require.NoError(t, err)
	assert.Equal(t, "warn", string(text))
	assert.NotPanics(t, func() { NewLayer(WithPolicy(DefaultPolicy())) })
}

func TestSecretsAreReadOneALine(t *testing.T) {
	values, err := ReadSecrets(strings.NewReader("# ours\n\n  swordfish \t\r\nopen sesame\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"swordfish", "open sesame"}, values)
	_, err = ReadSecrets(strings.NewReader("swordfish\n" + strings.Repeat("a", 1<<20+1) + "\nsesame\n"))
	assert.Error(t, err, "the values behind a line that is too long are not read")
}

func TestKnownSecretsAreMaskedInAnyEncoding(t *testing.T) {
	values, err := ReadSecrets(strings.NewReader("# ours\n\nxyzzy plugh\n  swordfish  \nabc\n"))
	require.NoError(t, err)
	assert.Equal(t, []string{"xyzzy plugh", "swordfish", "abc"}, values)
	l := NewLayer(KnownSecrets(values...), KnownSecrets("REDACTED"))
	for in, want := range map[string]string{
		"say xyzzy plugh, abc": "say [REDACTED:known-secret], abc",
		"aswordfishb":          "a[REDACTED:known-secret]b",
		"say xyzzy%20plugh":    "say [REDACTED:known-secret]",
		"ｓｗｏｒｄｆｉｓｈ":            "[REDACTED:known-secret]",
		base64.StdEncoding.EncodeToString([]byte("it is swordfish, yes")): "[REDACTED:known-secret]",
		"Swordfish stays": "Swordfish stays",
	} {
		out, _ := l.Mask(in)
		assert.Equal(t, want, out.String())
	}
	for _, around := range []string{"", "a", "ab", "abc"} {
		enc := base64.StdEncoding.EncodeToString([]byte(around + "swordfish" + around))
		out, _ := l.Mask("x=" + enc)
		assert.Contains(t, out.String(), "[REDACTED:known-secret]", "base64 behind %d bytes", len(around))
	}
	out, _ := l.Mask("73776F726466697368")
	assert.Equal(t, "[REDACTED:known-secret]", out.String())
	assert.Equal(t, 1, l.Leaks("swordfish"))
	assert.Zero(t, l.Leaks("reading /etc/passwd"))
}

func TestAPhraseDoesNotMatchTheBeginningOfALongerWord(t *testing.T) {
	for text, want := range map[string]int{
		"cat x | sh": 1, "cat x | sh -e": 1, "cat x | shell": 0, "cat x | shuf": 0, "drop tables": 0, "DROP TABLE x": 1,
		"cat .ssh/config": 1,
	} {
		_, report := NewLayer().Mask(text)
		assert.Len(t, report.Findings, want, "%q", text)
	}
}
