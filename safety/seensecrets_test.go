package safety

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/secrets"
)

// password returns a value that only a name can tell from other text.
func password(seed uint64) string { return fill("Tr0ub4dor&{a6}", seed) }

// remembering returns a layer whose memory has the values.
func remembering(values ...string) *Layer {
	l := NewLayer().Remember(NewSeenSecrets())
	for _, v := range values {
		l.Mask("The password is \"" + v + "\".")
	}
	return l
}

// disguised returns v as each encoding and joint shows it in which it has to be known.
func disguised(v string) map[string]string {
	wide := func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r + 0xfee0
		}
		return r
	}
	quoted := ""
	for _, b := range []byte(v) {
		quoted += fmt.Sprintf("\\x%02x", b)
	}
	return map[string]string{
		"alone": v, "in brackets": "(" + v + ")", "within a word": "x" + v + "y",
		"base64": base64.StdEncoding.EncodeToString([]byte(v)), "hex": hex.EncodeToString([]byte(v)),
		"base64 among other bytes": base64.StdEncoding.EncodeToString([]byte("ann:" + v + " and more of it")),
		"an address": url.QueryEscape(
			v,
		), "JSON": strings.ReplaceAll(v, "&", "\\u0026"), "bytes": quoted,
		"HTML": strings.ReplaceAll(v, "&", "&amp;"), "full width": strings.Map(wide, v),
		"two literals": `"` + v[:6] + `" + "` + v[6:] + `"`, "two lines": v[:7] + "\\\n" + v[7:],
		"three literals": `"` + v[:3] + `" . "` + v[3:8] + `" . "` + v[8:] + `"`,
		"reversed":       secrets.Reverse(v), "rot13": secrets.Rotate(v),
		"base32": base32.StdEncoding.EncodeToString([]byte(v)),
	}
}

func TestANamedValueIsKnownInEachEncoding(t *testing.T) {
	for name, text := range map[string]string{
		"a setting": "password=%s", "a sentence": "The admin password is %s.", "a DSN": "postgres://app:%s@db.test/x",
		"a command": "sshpass -p '%s' ssh bob@host", "JSON in a text": `{"password":"%s"}`,
		"Basic": "",
	} {
		v := password(3)
		text = fmt.Sprintf(text, v)
		if name == "Basic" {
			text = "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("ann:"+v))
		}
		l := NewLayer().Remember(NewSeenSecrets())
		l.Mask(text)
		for how, again := range disguised(v) {
			out, report := l.Mask("Here: " + again + " it is.")
			assert.True(t, found(report, seenBefore), "%s, repeated as %s: %s", name, how, out)
			assert.False(t, leaked(out.String(), again, 8), "%s, repeated as %s: %s", name, how, out)
			assert.True(
				t,
				strings.HasPrefix(out.String(), "Here: ") && strings.HasSuffix(out.String(), " it is."),
				out,
			)
		}
	}
}

func TestANamedValueIsMaskedInTheRestOfItsText(t *testing.T) {
	v, l := password(1), NewLayer()
	out, report := l.Mask("I use " + v + " here. The password is " + v + ". I will log in with " + v + " then.")
	assert.Equal(t, "I use "+v+" here. The password is [REDACTED:named-password]. "+
		"I will log in with [REDACTED:seen-before] then.", out.String())
	assert.Equal(t, []Finding{{"named-password", 1, High, Masked}, {seenBefore, 1, High, Masked}}, report.Findings)
	again, _ := l.Mask("I use " + v + " here.")
	assert.Contains(t, again.String(), v, "a layer without a memory remembers a text")
}

func TestANamedValueIsMaskedInTheRestOfItsTextInEachEncoding(t *testing.T) {
	l := plainLayer()
	for _, v := range []string{password(3), "Zqxjkvb!pwm-fth"} {
		for how, again := range disguised(v) {
			out, report := l.Mask("The password is \"" + v + "\".\nHere: " + again + " it is.")
			assert.True(t, found(report, seenBefore), "%s: %s", how, out)
			assert.False(t, leaked(out.String(), again, 8), "%s: %s", how, out)
		}
	}
}

func TestANamedValueIsKnownInLaterTexts(t *testing.T) {
	v := password(1)
	l := remembering(v)
	out, _ := l.Limit(300).Clean("Log in with " + v)
	assert.Equal(t, "Log in with [REDACTED:seen-before]", out.String())
	value, _ := l.CleanJSON(json.RawMessage(`{"` + v + `":["` + v + `"]}`))
	assert.JSONEq(t, `{"[REDACTED:seen-before]":["[REDACTED:seen-before]"]}`, string(value.Raw()))
	assert.Equal(t, 1, l.Leaks(v))
	other, _ := NewLayer().Remember(NewSeenSecrets()).Mask(v)
	assert.Equal(t, v, other.String(), "another memory knows it")
	assert.Same(t, l, l.Remember(nil))
}

func TestAValueUnderASecretKeyIsKnownInLaterTexts(t *testing.T) {
	l, v := NewLayer().Remember(NewSeenSecrets()), password(2)
	l.CleanJSON(json.RawMessage(`{"login":{"password":"` + v + `"}}`))
	out, _ := l.Mask(v)
	assert.Equal(t, "[REDACTED:seen-before]", out.String())
}

func TestAMemoryMasksWhatStandsBeforeTheNameToo(t *testing.T) {
	v, l := password(1), NewLayer().Remember(NewSeenSecrets())
	out, report := l.Mask("I use " + v + ". The password is " + v + ".")
	assert.Equal(t, "I use [REDACTED:seen-before]. The password is [REDACTED:named-password].", out.String())
	assert.Equal(t, []Finding{{"named-password", 1, High, Masked}, {seenBefore, 1, High, Masked}}, report.Findings)
}

func TestJSONMembersBeforeTheNameAreMaskedToo(t *testing.T) {
	v := password(1)
	for _, l := range []*Layer{NewLayer(), NewLayer().Remember(NewSeenSecrets())} {
		out, report := l.CleanJSON(
			json.RawMessage(`{"a":"use ` + v + `","password":"` + v + `","b":"{\"c\":\"` + v + `\"}"}`),
		)
		assert.JSONEq(t, `{"a":"use [REDACTED:seen-before]","password":"[REDACTED:secret-field]",`+
			`"b":"{\"c\":\"[REDACTED:seen-before]\"}"}`, string(out.Raw()))
		assert.Equal(t, []Finding{{"secret-field", 1, High, Masked}, {seenBefore, 2, High, Masked}}, report.Findings)
	}
}

func TestAStreamKnowsWhatItsTextNamed(t *testing.T) {
	l := plainLayer()
	for _, v := range []string{password(1), "walnut orbit lantern copper", "my Tr0ub4dor& pass"} {
		for how, again := range disguised(v) {
			text := "It is this: password = '" + v + "'. Then " + again + " and again " + again + " it is."
			for _, sizes := range [][]int{{1}, {3, 1}, {7}, {64}} {
				whole, _ := l.Mask(text)
				joined, _, _ := streamed(l, text, sizes...)
				require.Equal(t, whole.String(), joined, "%s in pieces of %v", how, sizes)
				whole, _ = l.Remember(NewSeenSecrets()).Mask(text)
				joined, _, _ = streamed(l.Remember(NewSeenSecrets()), text, sizes...)
				require.Equal(t, whole.String(), joined, "%s in pieces of %v, with a memory", how, sizes)
				require.False(t, leaked(joined, again, 8), how)
			}
		}
	}
}

func TestAStreamShowsNoPartOfARememberedValue(t *testing.T) {
	plain := NewLayer()
	for _, v := range []string{password(1), "walnut orbit lantern copper", "my Tr0ub4dor& pass"} {
		for how, again := range disguised(v) {
			l := plain.Remember(NewSeenSecrets())
			l.Mask("The password is \"" + v + "\".")
			whole, _ := l.Mask("see " + again + " now")
			joined, _, _ := streamed(l, "see "+again+" now", 1)
			require.Equal(t, whole.String(), joined, how)
			require.False(t, leaked(joined, again, 8), how)
		}
	}
}

func TestOrdinaryTextStaysWhateverWasNamed(t *testing.T) {
	l := NewLayer().Remember(NewSeenSecrets())
	words := strings.Fields("production postgres15 swordfish my-app-credentials 2024-01-31T10:00:00 10.0.0.12:5432 " +
		"db-1.internal.example.org /run/secrets/token1 RefreshTokenRotation utf8mb4_general_ci 1234567890 hunter2")
	for _, w := range words {
		for _, text := range []string{"password=%s", "password: '%s'", "the password is %s.", `{"password":"%s"}`} {
			l.Mask(fmt.Sprintf(text, w))
		}
		l.CleanJSON(json.RawMessage(`{"password":"` + w + `"}`))
	}
	text := "Here are " + strings.Join(words, ", ") + " as they are."
	out, _ := l.Mask(text)
	assert.Equal(t, text, out.String())
}

func TestANamedValueThatThePolicyLeavesIsNotRemembered(t *testing.T) {
	p := DefaultPolicy()
	p.Severities = map[string]Severity{"named-password": Low}
	l, v := NewLayer(WithPolicy(p)).Remember(NewSeenSecrets()), password(1)
	out, _ := l.Mask("password=" + v + " and " + v)
	assert.Equal(t, "password="+v+" and "+v, out.String())
}

func TestAMemoryStaysBoundedUnderAttack(t *testing.T) {
	m := NewSeenSecrets()
	l := NewLayer().Remember(m)
	for n := range 20 {
		var text strings.Builder
		for k := range 1000 {
			fmt.Fprintf(&text, "password=%s\n", fill("x{a14}9K", uint64(1000*n+k)))
		}
		l.Mask(text.String())
	}
	last := fill("x{a14}9K", 19_001)
	out, _ := l.Mask("password=" + last + "\n" + strings.Repeat(last+" ", 3))
	assert.NotContains(t, out.String(), last)
	first, _ := l.Mask(fill("x{a14}9K", 1))
	assert.Contains(t, first.String(), "x", "20,000 values are kept")
}

func TestAMemoryIsSafeForConcurrentUse(t *testing.T) {
	l, v := NewLayer().Remember(NewSeenSecrets()), password(1)
	l.Mask("password=" + v)
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			for n := range uint64(30) {
				l.Mask("password=" + fill("{a14}&9", 100*g+n+2))
				out, _ := l.Mask("see " + v + " now")
				assert.Equal(t, "see [REDACTED:seen-before] now", out.String())
			}
		})
	}
	all.Wait()
}

func TestCleanTextWithAMemoryAllocatesLittle(t *testing.T) {
	l, text := remembering(password(1)), strings.Repeat("The_quick_brown_fox.", 40)
	assert.Zero(t, testing.AllocsPerRun(100, func() { l.Mask(text) }))
}
