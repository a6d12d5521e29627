package safety

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// masks reports what is left of a text whose secret is replaced by §.
func masks(t *testing.T, template, secret string) {
	t.Helper()
	out, report := plainLayer().Mask(strings.Replace(template, "§", secret, 1))
	require.Equal(t, Redacted, report.Verdict, template)
	marker := "[REDACTED:" + report.Findings[0].Rule + "]"
	require.Equal(t, strings.Replace(template, "§", marker, 1), out.String(), template)
}

func TestOnlyTheValueOfAnAssignmentIsMasked(t *testing.T) {
	pw := fill("{a14}", 8)
	for _, template := range []string{
		"password=§", "password=§, then", "(password=§)", "[password=§]", "<password>§</password>",
		"password=§&user=bob", "password=§; Path=/", "password = '§'", "`password=§`",
		"password: §\n", "Password: §.", `"password" : "§",`, `{'password': '§'}`, "password => §",
		"password := \"§\"", "--password §=x"[:10] + "=§", "--password=§ --user bob", "PASSWORD=§\nUSER=bob",
		"the password is §, I think", "the password was §.", "password for the staging database is §!"[:37] + "§ now",
		"我的 password: §。", "password=§，然后", "key=1&api_key=§&x=2", "API_KEY=\"§\"",
		`setProperty("db.password", "§")`, `<add key="Password" value="§" />`, `{"name": "API_TOKEN", "value": "§"}`,
		`String apiToken = "§";`, "if (token != '§') {", `if token != "§" {`, "token !== '§'",
		"export TOKEN=§", "-e TOKEN=§ image", "dbPassword = \"§\"", "pass: \"§\"",
	} {
		masks(t, template, pw)
	}
}

func TestAQuotedValueMayHoldSpacesAndQuotes(t *testing.T) {
	for template, secret := range map[string]string{
		`password = "§"`:              "correct horse 7 battery",
		`password='§' and more`:       "two words 1",
		`{"password":"§"}`:            `a\"b c9`,
		`say \"password\": \"§\" now`: "one two 3",
		"password = \"§":              "never closed 1",
		"password = \"§\nnext line":   "cut at the line 1",
	} {
		masks(t, template, secret)
	}
}

func TestALongValueIsNotCutInsideARune(t *testing.T) {
	l := plainLayer()
	for shift := range 4 {
		for _, text := range []string{
			`token = "` + fill("{a12}", 2) + "abcd"[:shift] + strings.Repeat("é", 700) + strings.Repeat("€", 300),
			"token=" + fill("{a12}", 2) + "abcd"[:shift] + strings.Repeat("é", 300),
			`\"token\": \"` + fill("{a12}", 2) + "abcd"[:shift] + strings.Repeat("é", 300) + strings.Repeat("€", 300),
		} {
			once, _ := l.Mask(text)
			require.True(t, utf8.ValidString(once.String()))
			twice, _ := l.Mask(once.String())
			require.Equal(t, once, twice)
		}
	}
}

func TestLowEntropyPasswordsAreMasked(t *testing.T) {
	for template, secret := range map[string]string{
		"password=§": "hunter2", "PASSWORD=§": "swordfish", "db_password: §": "letmein1", "pwd=§ x": "abc123",
		"the password is §": "tr0ub4dor", `password: "§"`: "monkeys", "passcode: §": "8841",
	} {
		masks(t, template, secret)
	}
}

func TestASingleWordIsMaskedWhereOnlyAPasswordFits(t *testing.T) {
	masks(t, "db:\n  password: §\n  user: app", "swordfish")
	masks(t, "- secret: §", "abracadabra")
	masks(t, "the password is §, they said", "p@ssword")
	for _, s := range []string{"Password: swordfish is not allowed", "the password is case-sensitive",
		"password: mandatory", "see token: documentation and more"} {
		out, _ := plainLayer().Mask(s)
		assert.Equal(t, s, out.String())
	}
}

func TestProseAndCodeAboutSecretsAreKept(t *testing.T) {
	for _, s := range []string{
		"The password is required.", "the password is wrong, try again", "Password: optional",
		"the token is stored in the vault", "a secret is something nobody knows", "key: value", "token: string",
		"password = getpass.getpass()", "token := os.Getenv(\"TOKEN\")", "token = req.headers['authorization']",
		"password: process.env.DB_PASSWORD", "secret = config.get(\"secret\")",
		"if (password == null) return", "const token = await fetchToken()", "password=\"\"", "password=''",
		"PWD=/home/user/src1", "type Token struct {", "tokens: 42", "token: 4096", "maxTokens: 1024",
		"secret_access_key", "func (t Token) String() string", "password.length >= 8", "password != confirm",
		"token => token.value", "x.password = y.password", "api_key=<your api key>", "token={{ token }}",
		"secret: \"{{ .Values.secret }}\"", "password: %s", "password=%PASSWORD%", "password = @PASSWORD@",
		"strings.HasPrefix(e, \"PWD=\") || x", "type PrivateKey = ed25519.PrivateKey",
		"io.jsonwebtoken:jjwt-jackson-0.11.2",
	} {
		out, report := plainLayer().Mask(s)
		assert.Equal(t, s, out.String())
		assert.Equal(t, Passed, report.Verdict, s)
	}
}

func TestAuthorizationHeadersKeepTheirScheme(t *testing.T) {
	token := fill("{a32}", 9)
	for _, template := range []string{
		"Authorization: Bearer §", "authorization: bearer §.", "-H 'Authorization: Token §'",
		`"Authorization": "Bearer §"`, "X-Api-Key: §", "Proxy-Authorization: §", "Cookie: sid=§; theme=dark"[:14] +
			"=§"[1:] + "\n",
		"Set-Cookie: sid=§; HttpOnly", "Bearer § was sent",
	} {
		masks(t, template, token)
	}
}

func TestURLsKeepEverythingButTheirPassword(t *testing.T) {
	for template, secret := range map[string]string{
		"postgres://app:§@db.test:5432/x?sslmode=disable": "s3cr3tpw", "mysql://root:§@127.0.0.1/db": "p4:ss",
		"redis://:§@cache:6379/0": "r3dis", "https://bot:§@git.test/a.git, see": "gl99-tok",
		"amqp://g:§@mq": "a/b/9", "mongodb+srv://u:§@c.test": "p%40ss1", "(postgres://u:§@h/d)": "x9y8z7",
		"DATABASE_URL=postgres://u:§@h/d": "x9y8z7",
	} {
		masks(t, template, secret)
	}
	for _, s := range []string{"https://x.test:8080/a@b", "git@github.com:a/b.git", "ssh://git@host/a",
		"http://[::1]:8080/@x", "mailto:a@b.test", "postgres://user:password@h/d", "https://u:$TOKEN@h"} {
		out, _ := plainLayer().Mask(s)
		assert.Equal(t, s, out.String())
	}
}
