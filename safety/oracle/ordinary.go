package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// ordinary are lines of code, configuration and output that speak of keys and
// hold none, as people and tools write them: none of the product's own misses.
var ordinary = []string{
	"index %h7..%h7 100644", "* %h8 (HEAD -> main) Rename the token parser", "uses: actions/checkout@%h40 # v4.1.1", "git+https://github.com/a/lib.git@%h40#egg=lib", "SRCREV = \"%h40\"", "Merge: %h7 %h7", "tree %h40\nparent %h40", "v0.0.0-20260101120000-%h12",
	"Cache restored from key: node-cache-Linux-x64-npm-%h64", "cache-key=linux-%h40", "the sha256 of the key file is %h64", "Created secret sha256:%h64", "traceparent: 00-%h32-%h16-01", "Idempotency-Key: %u", "toolu_01%a22", "call_%a24", "chatcmpl-%a29", "msg_01%a22", "run_%a24 of thread_%a24", "evt_1%a23",
	"arn:aws:secretsmanager:us-east-1:%d12:secret:prod/db-%a6", "arn:aws:iam::%d12:role/token-service", "projects/acme/secrets/db-password/versions/3", "primaryKey: %u", "foreign key %u violates it", "key: %u, value: 3", "pvc-%u is bound", "subnet-%h17 sg-%h17", "web-%h10-x7k2p was evicted",
	"jsonwebtoken: sha512-%b88", `"jsonwebtoken@npm:^9.0.2":` + "\n  checksum: 10c0/%h128", "keyv@4.5.4:\n    resolution: {integrity: sha512-%b88}", "PyJWT==2.8.0 --hash=sha256:%h64", `    {file = "tokenizers-0.15.tar.gz", hash = "sha256:%h64"},`, "    --hash=sha256:%h64 \\", "narHash = \"sha256-%b44\"", `"zh:%h64",`,
	"github.com/golang-jwt/jwt/v5 v5.2.0/go.mod h1:%b44", `name = "secrecy"` + "\nchecksum = \"%h64\"", `"minipass": "^7.0.3",`, `"fs-minipass": "^3.0.3"`, "SHA256:%b43 jane@host (ED25519)", "sha384-%b64 crossorigin", "//# sourceMappingURL=main.%h8.js.map", "If-None-Match: \"%h32-5\"", "x-amz-content-sha256: %h64",
	"const [password, setPassword] = useState(\"\")", `<input type="password" name="password" placeholder="Password" />`, `"auth.password.label": "Passwort"`, "def test_token_is_refreshed_when_expired():", "token, err := jwt.Parse(raw, keyFunc)", "client = OpenAI(api_key=settings.openai_key)", "password = getpass.getpass()",
	"self.access_token = access_token", "Authorization: `Bearer ${token}`", `req.Header.Set("Authorization", "Bearer "+token)`, "SELECT id, password_hash FROM users WHERE token = $1", "mutation { login(password: $password) { token } }", "interface AuthToken { accessToken: string; refreshToken: string }", "case token.IDENT:", "keyboard.press(Key.enter)",
	"key := fmt.Sprintf(\"%%s:%%d\", host, port)", `localStorage.getItem("access_token")`, "SECRET_KEY = get_random_secret_key()", "valueFrom: {secretKeyRef: {name: app, key: token}}", "imagePullSecrets:\n- name: regcred", "RUN --mount=type=secret,id=aws cat /run/secrets/aws", "--secret id=npmrc,src=.npmrc", "kubectl get secret db -o jsonpath=\"{.data.password}\"",
	"PGPASSWORD=$PGPASSWORD psql", "postgresql://postgres:postgres@localhost:5432/test", "amqp://guest:guest@localhost:5672/", "/^(sk|pk)_(test|live)_[0-9a-zA-Z]{24}$/", "regex: ghp_[A-Za-z0-9]{36}", "`AKIA[0-9A-Z]{16}`", "eyJ[A-Za-z0-9_-]+\\.eyJ[A-Za-z0-9_-]+", "-----BEGIN (RSA |EC )?PRIVATE KEY-----",
	"secrets: inherit", "credentials: include", `credentials: "same-origin"`, "withCredentials: true", "auth: none", "auth_type: bearer", "grant_type=client_credentials", "expires_in: 3600", "hotkey=F12", "password_verify($password, $hash)", "KeyError: \"api_key\"", "Error: Incorrect API key provided", "column \"api_key\" of relation \"users\" does not exist",
	"token: AuthenticationTokenProvider", "auth_token = request_token_loader", "PASSWORD=STORE_LOGIN_DEFAULT", "TOKEN_FILE=internal/server/token_store.go", "at context_password (src/api/user_password.ts:248:65)", "Token(exchangetokenrequest *TokenRequest)", "class _Ed25519PrivateKey(Ed25519PrivateKey):", "_token = r'(?:[%%s]+|%%s)'",
	"Credentials: &types.Credentials{", "`urn:oauth:token-type:jwt`, `urn:aws:token-type:aws4_request`", "a token is `args[token.index]`", "prompt='Password: ', stream=None", "\"refreshToken\": \"refresh token\"", "Token: '#dddddd'", "user_pass = '%%s:%%s' % x", "token: ghp_...", "api_key: \"sk-ant-...\"", "client_secret=replace-me",
	"OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}", "password: !vault |", "token: op://vault/item/field", "password: '{{ vault_db_password }}'", "api_key: \"os.environ['API_KEY']\"", "secret: \u2022\u2022\u2022\u2022\u2022\u2022\u2022\u2022", "+ password = (sensitive value)", "level=INFO msg=\"token refreshed\" user=%d4 ttl=3600s", "{\"level\":\"info\",\"msg\":\"auth ok\",\"key\":\"user:%d4\"}",
	"the algolia index is products_production", "linear = torch.nn.Linear(512, 1024)", "linear issue: ENG-1234", "discord: connected", "cloudflare: proxied", "heroku: deploying", "sentry: initialized", "mapbox: v2.15.0", "dropbox: syncing", "beamer = LaTeX presentation", "kraken: a sea monster", "codecov: 87.5 %%", "travis: passing", "socketsymbol=\"socketsymboldispose\"",
	"deployed to heroku as %u", "the sentry trace is %h32", "a linear run took %h7 as its base", "cloudflare ray id: %h16", "datadog span %h16 of trace %h32", "https://docs.google.com/document/d/1%a43/edit", "/nix/store/%h32-openssl-3.0", "_next/static/chunks/%d3-%h16.js", "~/.cache/huggingface/hub/models--bert/snapshots/%h40", "dSYM UUID: %u (arm64)",
}

// OrdinaryLines are n fillings of each line.
func OrdinaryLines(n int) []string { return fillings(ordinary, n, rand.NewPCG(7, 8)) }

// AgentNotes are n notes of an agent on what it read, with such lines quoted in
// them, in prose and in blocks of code.
func AgentNotes(n int) []string {
	rng := rand.New(rand.NewPCG(9, 10))
	var out []string
	for range n {
		var b strings.Builder
		for range 2 + rng.IntN(4) {
			line := draw(rng, ordinary[rng.IntN(len(ordinary))])
			frame := []string{"I read `%s` there. ", "The line says: %s\n", "> %s\n", "```\n%s\n```\n", "Next: %s\n", "1. %s\n2. run the tests\n", "In the log stands (%s), which is as expected. "}
			fmt.Fprintf(&b, frame[rng.IntN(len(frame))], line)
		}
		out = append(out, b.String())
	}
	return out
}
