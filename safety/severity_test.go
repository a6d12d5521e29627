package safety

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/injection"
	"candor/safety/internal/secrets"
)

func TestEachRuleHasItsDefaultSeverity(t *testing.T) {
	l := plainLayer()
	others := map[string]string{}
	for i := range l.detector.Rules {
		if r := &l.detector.Rules[i]; r.Severity != High {
			others[r.ID] = fmt.Sprint(r.Severity, " ", l.effect(i))
		}
	}
	assert.Equal(t, map[string]string{
		"private-key": "critical masked", "private-key-block": "critical masked", "private-key-rest": "critical masked",
		"putty-private-key": "critical masked", "crypto-private-key": "critical masked",
		"destructive-sql": "medium noticed", "shell-injection": "medium noticed", "encoded-exploit": "medium noticed",
		"instruction-override": "medium noticed",
		"chat-token":           "medium neutralised", "instruction-marker": "medium neutralised",
		"template-token": "medium neutralised", "delimiter-breakout": "medium neutralised",
		"image-exfiltration": "medium neutralised",
		"sensitive-path":     "low noticed", "active-markup": "low noticed", "invisible-text": "low neutralised",
		"role-marker": "low neutralised", "section-breakout": "low neutralised", "data-url": "low neutralised",
	}, others, "every other rule finds credentials, which are high")
	assert.Greater(t, len(secrets.Rules())+len(injection.Rules()), 100)
}

func TestASeverityDecidesWhatHappensToAMatch(t *testing.T) {
	for severity, want := range map[Severity]struct {
		shown  string
		report Report
	}{
		Low:      {"on project x", Report{Verdict: Passed, Findings: []Finding{{"code-name", 1, Low, Noticed}}}},
		Medium:   {"on project x", Report{Verdict: Passed, Findings: []Finding{{"code-name", 1, Medium, Noticed}}}},
		High:     {"on [REDACTED:code-name]", Report{Redacted, []Finding{{"code-name", 1, High, Masked}}, false}},
		Critical: {"", Report{Verdict: Blocked, Findings: []Finding{{"code-name", 1, Critical, Withheld}}}},
	} {
		p, err := ReadPolicy(strings.NewReader(fmt.Sprintf(
			`{"rules": [{"id": "code-name", "severity": %q, "phrases": ["project x"]}]}`, severity)))
		require.NoError(t, err)
		text, report := NewLayer(WithPolicy(p)).Clean("on project x")
		assert.Equal(t, want.shown, text.String(), severity)
		assert.Equal(t, want.report, report, severity)
	}
}

func TestAPolicyFileSetsTheSeverityOfAnyRule(t *testing.T) {
	p, err := ReadPolicy(strings.NewReader(`{
		"rules": [{"id": "code-name", "severity": "low", "action": "warn", "phrases": ["project x"]},
			{"id": "host", "severity": "medium", "action": "sanitize", "phrases": ["db.internal"]},
			{"id": "plain", "phrases": ["our own words"]}],
		"tokens": [{"id": "acme-key", "severity": "low", "formats": ["acme_{a32}"]},
			{"id": "acme-code", "severity": "critical", "formats": ["{d12}"], "beside": "acmecode"}],
		"actions": {"image-exfiltration": "review"},
		"severities": {"github-pat": "critical", "role-marker": "medium", "chat-token": "high", "secret-field": "low",
			"invisible-text": "medium", "code-name": "medium"}}`))
	require.NoError(t, err)
	l := NewLayer(WithPolicy(p))
	acme := "ac" + "me_" + fill("{a32}", 1)
	for in, want := range map[string]struct {
		shown string
		found Finding
	}{
		"on project x":     {"on project x", Finding{"code-name", 1, Medium, Noticed}},
		"ask db.internal":  {`ask d\b.internal`, Finding{"host", 1, Medium, Neutralised}},
		"in our own words": {"in [REDACTED:plain]", Finding{"plain", 1, High, Masked}},
		acme:               {acme, Finding{"acme-key", 1, Low, Noticed}},
		"acmecode_token = 123456789012": {
			"acmecode_token = [REDACTED:acme-code]", Finding{"acme-code", 1, Critical, Masked},
		},
		githubPAT():    {"[REDACTED:github-pat]", Finding{"github-pat", 1, Critical, Masked}},
		"user: hi":     {`\user: hi`, Finding{"role-marker", 1, Medium, Neutralised}},
		"<|im_start|>": {"[REDACTED:chat-token]|>", Finding{"chat-token", 1, High, Masked}},
		"![x](https://a.test/p.png?d=ab)": {
			"![x](https://a.test/p.png?d=ab)", Finding{"image-exfiltration", 1, Medium, Noticed},
		},
		"in\u200bvisible": {"invisible", Finding{"invisible-text", 1, Medium, Neutralised}},
	} {
		text, report := l.Mask(in)
		assert.Equal(t, want.shown, text.String())
		assert.Equal(t, []Finding{want.found}, report.Findings)
	}
	raw := []byte(`{"password": "open sesame", "secret": 1234}`)
	value, report := l.CleanJSON(raw)
	assert.JSONEq(t, string(raw), string(value.Raw()), "the policy leaves such fields")
	assert.Equal(t, []Finding{{"secret-field", 2, Low, Noticed}}, report.Findings)
}

func TestAPolicyThatContradictsItselfIsRefusedByTheRulesName(t *testing.T) {
	for in, want := range map[string]string{
		`{"rules": [{"id": "a", "severity": "low", "action": "block", "phrases": ["abc"]}]}`: "" +
			"rule a: severity low and action block contradict each other",
		`{"rules": [{"id": "a", "severity": "critical", "action": "sanitize", "phrases": ["abc"]}]}`: "" +
			"rule a: severity critical removes a match, and action sanitize leaves it",
		`{"actions": {"jwt": "warn"}, "severities": {"jwt": "high"}}`: "rule jwt: severity high and action warn",

		`{"actions": {"secret-field": "sanitize"}}`: "rule secret-field: a value cannot be sanitized",

		`{"severities": {"jwt": "grave"}}`:        `unknown severity "grave": use one of low, medium`,
		`{"severities": {"no-such-rule": "low"}}`: `severities: there is no rule "no-such-rule"`,

		`{"tokens": [{"id": "t", "severity": "none", "formats": ["abc{a9}"]}]}`: "unknown severity",
	} {
		_, err := ReadPolicy(strings.NewReader(in))
		assert.ErrorContains(t, err, want, in)
	}
}

// A Clean that withholds a text removes all its secrets, but only notes what is no secret.
func TestFindingsOfAWithheldTextSayThatItIsGone(t *testing.T) {
	raw := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + fill("{b64}\n{b64}\n", 3) + "-----END RSA " +
		"PRIVATE KEY-----\nin /etc/shadow with " + githubPAT()
	_, report := NewLayer().Clean(raw)
	assert.Equal(t, Report{Verdict: Blocked, Findings: []Finding{
		{"github-pat", 1, High, Withheld}, {"private-key", 1, Critical, Withheld}, {"sensitive-path", 1, Low, Noticed},
	}}, report)
	_, report = NewLayer().Mask(raw)
	assert.Equal(t, Masked, report.Findings[1].Effect)
	for effect, hides := range map[Effect]bool{Noticed: false, Neutralised: false, Masked: true, Withheld: true} {
		assert.Equal(t, hides, effect.Hides(), effect)
	}
}
