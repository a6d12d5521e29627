package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCodeExpressionsAreNotMasked(t *testing.T) {
	l := plainLayer()
	for _, s := range []string{
		"token := yaml_token_t{", "const keyValue = foo(", "key := new(x)", "password = getpass.getpass(",
		"token := yaml_token_t{typ: x}", "secret = make([]byte, 32)",
		"password: input(prompt)", "token = parser.next_token(2)", "apiKey := keys[0]", "token=get_token2(x)",
		"token=$(cat /run/token)", "secret := sha256.Sum256(data)", "auth_token = tokens[i + 1]",
		"api_key = load_key2(path);", "password = b64decode(value)\n", "X-Api-Key: computeKey12345(request)",
	} {
		out, report := l.Mask(s)
		assert.Equal(t, s, out.String())
		assert.Equal(t, Passed, report.Verdict, s)
	}
}

func TestAPasswordThatContainsABracketIsMasked(t *testing.T) {
	for template, secret := range map[string]string{
		"password: §":    "xK9(mQ2$v",
		"password=§":     "t4u(r8e[w",
		"PASSWORD=§ x":   "a1b2[c3d4",
		`password = "§"`: "new(x)",
	} {
		masks(t, template, secret)
	}
}

func TestAJWTDirectlyBehindAWordIsMasked(t *testing.T) {
	l := plainLayer()
	for _, before := range []string{"", "x", "token", "Bearer", "_", "-", "5", "\\n", "%3D", "a="} {
		token := fill("eyJhbGci{}OiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ{k40}.{k43}", 3)
		out, report := l.Mask("see " + before + token + " there")
		require.Equal(t, Redacted, report.Verdict, "behind %q", before)
		require.False(t, leaked(out.String(), token, 8), "behind %q", before)
		require.True(t, strings.HasSuffix(out.String(), "] there"))
	}
	out, _ := l.Mask("journeyJourneyman.nothing.encoded")
	assert.Equal(t, "journeyJourneyman.nothing.encoded", out.String())
}
