package oracle

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// draw fills a template: %h40 is 40 hex digits, %u a UUID, %b88 base64, %a12
// letters and digits, %d5 digits, %% a per cent sign.
func draw(rng *rand.Rand, template string) string {
	const hex, alnum = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	var b strings.Builder
	run := func(set string, n int) {
		for range n {
			b.WriteByte(set[rng.IntN(len(set))])
		}
	}
	for i := 0; i < len(template); i++ {
		if template[i] != '%' || i+1 >= len(template) {
			b.WriteByte(template[i])
			continue
		}
		kind, n := template[i+1], 0
		for i++; i+1 < len(template) && template[i+1]-'0' < 10; i++ {
			n = n*10 + int(template[i+1]-'0')
		}
		switch kind {
		case '%':
			b.WriteByte('%')
		case 'h':
			run(hex, n)
		case 'a':
			run(alnum, n)
		case 'd':
			run("123456789", n)
		case 'b':
			raw := make([]byte, n*3/4)
			for k := range raw {
				raw[k] = byte(rng.UintN(256))
			}
			b.WriteString(base64.StdEncoding.EncodeToString(raw))
		case 'u':
			for k, part := range []int{8, 4, 4, 4, 12} {
				if k > 0 {
					b.WriteByte('-')
				}
				run(hex, part)
			}
		}
	}
	return b.String()
}

// hard look like secrets and are none: digests, ids, integrity strings,
// placeholders, code that handles secrets, and words that begin like a token.
var hard = []string{
	"commit %h40", "HEAD is now at %h7 fix the parser", "sha256:%h64", "Digest: sha256:%h64", "md5sum %h32  file.tar.gz", `"integrity": "sha512-%b88"`,
	"h1:%b44", "github.com/a/b v1.2.3/go.mod h1:%b44", "request_id=%u", "trace_id: %h32", "span %h16", `"id": "%u"`, "uuid %u done", "etag: \"%h32\"",
	"image: registry/app@sha256:%h64", "cache-key: deps-%h64", "cache key: %h40", `"resolved": "https://r.test/a/-/a-1.0.0.tgz#%h40"`, "checksum=%h64", "Content-MD5: %b24",
	"password: required", "password: ${DB_PASSWORD}", "PASSWORD=$PASSWORD", "api_key=YOUR_API_KEY", "token: <your-token-here>", "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
	"export GITHUB_TOKEN=ghp_" + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "secret: {{ .Values.secret }}", "token = os.environ[\"GITHUB_TOKEN\"]", "apiKey: process.env.OPENAI_API_KEY",
	"password := os.Getenv(\"DB_PASSWORD\")", "api_key = config.get('api_key')", "client_secret: \"<redacted>\"", "password=********", "token: null", "secret = None",
	"postgres://user:password@localhost:5432/db", "https://user:${TOKEN}@host.test/x", "redis://localhost:6379/0", "mongodb://host:27017/db", "see https://x.test:8443/a@b",
	"max_tokens=%d4", "token_count: %d5", "prompt_tokens: %d4, completion_tokens: %d3", "next_page_token=%a16", "tokens used: %d5", "the tokenizer splits the key phrase",
	"author: jane.doe42", "public_key: %b44", "primary_key=%d6", "key: value", "keyboard=qwertz", "monkey_patch = apply_v2", "sort key %a8", "passed: 214, failed: 3", "pass=12 fail=0",
	"task-notification-service-worker-registration", "risk-assessment-report-for-the-quarter-ending", "disk-usage-monitor-daemon-configuration", "ask-a-question-about-the-thing-you-want-to-know",
	"AKIAIOSFODNN7" + "EXAMPLE", "sk-learn is a library", "the skeleton key_name is prod", "compass: north-by-northwest", "bypass=enabled1", "secretary: Jane Doe", "heroku release: v%d3",
	"linear commit: %h40", "sentry event %h32", "datadog trace id: %h32", "discord channel %d18", "the twitter thread %d18", "travis build %d9", "terraform plan %h12", "etsy listing %d10",
	"data:image/png;base64,%b120", "background: url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)", "-----BEGIN CERTIFICATE-----\n%b64\n%b64\n-----END CERTIFICATE-----",
	"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI%b43 me@host", "-----BEGIN PUBLIC KEY-----\n%b64\n-----END PUBLIC KEY-----", "eyJhbGciOiJIUzI1NiJ9", "0x%h40", "tx 0x%h64", "block %h64", "fingerprint SHA256:%b43",
	"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "the bearer token is missing", "Basic authentication is required", "authorization: required", "cookie: theme=dark", "csrf_token=%b44",
	"curl -u user:password https://x.test", "curl -u \"$USER:$PASS\" https://x.test", "docker run -u 1000:1000 img", "i18n key: settings.account.password.reset", "password.reset.title", "func TestPasswordHash(t *testing.T) {",
	"type Token struct { Kind int; Text string }", "if token == nil { return errNoToken }", "const token = await getToken(user)", "secretName: app-tls-prod-1", "secretKeyRef: {name: db, key: password}", "tokenEndpoint: https://idp.test/oauth/token",
	"passwordPolicy: strong", "hunter class: ranger", "version 1.2.3+%h7", "v0.0.0-20260813102231-%h12", "ami-%h17", "i-%h17", "arn:aws:s3:::bucket/%u", "vpc-%h8", "pod/app-%h10-x%h4", "session %u opened", "browserSessionId: %u",
	"1.8.0_%d3-b%d2", "192.168.1.1:8080", "lat=52.520%d3, lon=13.40%d4", "%d13", "2026-08-13T10:22:31.%d6Z", "ISBN 978-3-16-148410-0", "+49 30 %d8", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "================================",
	"aGVsbG8gd29ybGQgdGhpcyBpcyBwbGFpbiB0ZXh0IG5vdGhpbmcgZWxzZQ==", "https://x.test/p?utm_source=mail&id=%d9", "s3://bucket/%h2/%h64.json", "npm i left-pad@1.3.0", "pip install scikit-learn==1.4.2", "node_modules/.cache/%h32.js", "webpack:///%h20",
}

// HardNegatives are n fillings of each template.
func HardNegatives(n int) []string { return fillings(hard, n, rand.NewPCG(1, 2)) }

// fillings are n of each template.
func fillings(templates []string, n int, seed rand.Source) []string {
	rng := rand.New(seed)
	var out []string
	for range n {
		for _, t := range templates {
			out = append(out, draw(rng, t))
		}
	}
	return out
}

var (
	openings = []string{"I will", "Let me", "First I need to", "The next step is to", "To answer this I should", "Because the test failed, I will", "The user wants me to"}
	acts     = []string{"read the file %s", "search the repository for %s", "run the tests in %s", "compare %s with the previous version", "open %s and check the token handling", "call the API at %s", "look up the author of %s", "list the keys in %s"}
	objects  = []string{"internal/auth/token.go", "config/settings.yaml", "the sha256 digest sha256:%h64", "commit %h40", "package-lock.json (integrity sha512-%b88)", "request %u", "https://api.test/v1/users?page=2&limit=50", "~/.ssh/config", "docs/passwords.md", "the pull request 4312", "the function validatePassword(secret string) error"}
	becauses = []string{"to find out where the password is checked.", "so that the secret is not logged.", "because the key error comes from there.", "and then summarise it for the user: three points at most.", "since max_tokens was %d4 and token_count %d3.", "before changing anything; the author asked for a small diff.", "as the response had status 401 and no Authorization header."}
)

// CleanTexts are n texts such as an agent writes, with nothing to hide.
func CleanTexts(n int) []string {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(from []string) string { return from[rng.IntN(len(from))] }
	var out []string
	for range n {
		var b strings.Builder
		for range 3 + rng.IntN(4) {
			fmt.Fprintf(&b, "%s %s %s ", pick(openings), strings.Replace(pick(acts), "%s", pick(objects), 1), pick(becauses))
		}
		if rng.IntN(2) == 0 {
			b.WriteString("\n```json\n{\"id\": \"%u\", \"sha\": \"%h40\", \"tokens\": %d4, \"cache_key\": \"deps-%h32\"}\n```\n")
		}
		out = append(out, draw(rng, b.String()))
	}
	return out
}
