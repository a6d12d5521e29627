package keyvalue

// Where a template says {a12}, ruletest.Fill puts twelve random letters and digits,
// so that nothing in this file looks like a live credential. The corpus of package
// safety takes its seeds from the order of both lists: add to their ends.

// examples are texts in which the rule must find a credential: operators and quotes of
// configuration files first, then sentences, then source code, command lines and
// Markdown.
var examples = []string{
	"password={a12}", "password: {a12}", `password = "{a6} {a6} {a4}"`, `{"password":"{a12}"}`,
	`{\"password\":\"{a12}\"}`, "DB_PASSWORD={a16}", "the admin password is {a4}7{a4}", "api_key: '{a20}'",
	"apiKey: {a20}", "my_secret={a12}", `"client_secret" => "{a30}"`, `setProperty("API_TOKEN", "{a24}")`,
	"<dbPassword>{a12}</dbPassword>", "https://x.test/cb?access_token={a24}&state=1",
	"export SECRET_KEY={a32}", "passwd {a0}= {a10}9", "password for the database is {a4}9{a4}",
	"log in with password {a5}4{a3}{}7 now", "das Passwort lautet {a8}4", "the password '{a8}4' works",
	"var apiToken string = \"{a24}\"", "{l3}_token ::= \"{a24}\"", "apiToken: string = \"{a24}\"",
	"- name: DB_PASSWORD\n  value: {a16}", "my_secret: |\n  {a20}\n", "api_key = r\"{a24}\"",
	"api_secret = [\"{a24}\"]", "gh secret set API_TOKEN --body \"{a24}\"", "login --token {a24} now",
	"the api token ({a24})", "api token \u2192 {a24}", "| api_token | {a24} |", "**api_secret**: `{a24}`",
	"the token was set to {a20}4", "if token == \"{a24}\" {", "pass word: {a12}", "{\"pass phrase\": \"{a20}\"}",
	"The Pass Phrase is {a20}",
	"use {a24} as the password", "{h40} is the Stripe API key.", "`API_TOKEN` is `{h32}`", "`API_TOKEN` to `{a24}`",
	"the token printed in the log was {h32}",
	"<b>root token</b> {a24}", "the recovery code is a1b2c-d3e4f", "the license key (AB1CD-2EFGH-IJK3L-MNOPQ)",
	"the token is {a12}.{a30}", "api_token: &anchor {a24}", "if token != \"{a24}\" {", "is {h32} the right token?",
	"echo '{a24}' | gh secret set API_TOKEN", "login(\"{a24}\") // API_TOKEN", "We lost {a24}, our token.",
	"the Mailroom key is {h32}", "CLARIFAI_PAT={h32}", "the session cookie is {a24}", "the Pusher secret {h20} is old",
}

// counterexamples are texts that the rule must leave alone. Most of them were once
// masked by mistake in the transcripts of agents: code about credentials, the output
// of tests, placeholders, versions, digests and the names of resources.
var counterexamples = []string{
	"if token == 'IDENTIFIER': advance(token)", "if (secret === 'TopLevelDomain')", "token == 'Identifier2'",
	"I use the token `next` from the lexer: token = tokens[i+1]; if token == 'IDENTIFIER'", "password == confirm1",
	"pass words around", "the pass word of the day is easy",
	"password: required", "the password is wrong", "the token is expired", "max_tokens: 4096",
	"token_count=5123", `author = "james.fake"`, "password=$DB_PASSWORD", "password=${DB_PASS}",
	"password = os.environ['DB_PASSWORD']", `token: "<your-token>"`, "secret: xxxxxxxx",
	"password=********", "api_key=YOUR_API_KEY", "token = getToken()",
	"oauth_redirect_uri=https://a.test/cb", "public_key = 9Cnzj4p4WGeKLs1Pt8Qu", "the key: value pairs",
	"pwd=/home/bob", "next_page_token=CAUQAA9xk2", "password := config.Password",
	"secretName: app-decryption-1", "password=[REDACTED:named-password]",
	"token [REDACTED:github-pat]\"0 00000000000A00X0",
	"cache key: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", "token.count = 12345678",
	"LLM_SECRET_NAME = \"NEXUS-GPT4-API-KEY\"", "task-notification", "keyboard: qwertz1", "compass=north12",
	"send(\"my token is \" + newToken2())", "get(\"/x?token=\"+t2, 5)", `"/etc/passwd": "only some may"`,
	`PWD: '/Users/ann2'`, "f.token=f.token[0]:c-1", "the secret my-app-7d9f8b6c5d-x2x4z is mounted",
	"the password must be at least 12 characters", "password should be sha256sum2 hashed",
	"token abc123def456abc123def456", "--- PASS: TestUser2Login (0.00s)", "PASS: test_http2.py",
	"pass: step-3 done", "IMAGE_TOKEN = 0x000C", "PrivateKey: testRSA2048PrivateKey,",
	"dk.encryptionKey1024 = ek.encryptionKey1024",
	"jsonwebtoken: sha512-3q2+7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq==",
	"PyJWT==2.8.0", `"fs-minipass": "^3.0.3"`,
	"arn:aws:secretsmanager:us-east-1:123456123456:secret:prod/db-aB3xY9",
	"restored from key: node-cache-Linux-x64-npm-3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e",
	"token: RefreshTokenRotationStrategy", "password=storeHandlerManager", "PASSWORD=STORE_LOGIN_DEFAULT",
	"TOKEN_FILE=internal/server/token_store.go", "secrets: inherit", `credentials: "same-origin"`,
	"at builder_token (app/api/client_header_test.go:838:7)", "Credentials: &types.Credentials{",
	"user_pass = '%s:%s' % x", "a token is `args[token.index]`", `{"refreshToken": "refresh token"}`,
	"Token: '#dddddd'", `api_key: "os.environ['API_KEY']"`, "token: ghp_...", "password: !vault",
	"token: op://vault/item/field", "--secret id=npmrc,src=.npmrc", "_token = r'(?:[%s]+|%s)'",
	"`urn:oauth:token-type:jwt`, `urn:aws:token-type:aws4_request`", "prompt='Password: ', stream=None",
}
