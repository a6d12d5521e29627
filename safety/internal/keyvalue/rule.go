package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// Rule is the rule for a value beside a name: password=…, "apiKey": "…",
// token is …, <Token>…</Token>, setProperty("API_TOKEN", "…").
func Rule() rule.Rule {
	return rule.Rule{
		ID:          "named-password",
		Specificity: rule.ByName,
		Fold:        true, Word: &rule.Word{End: nameEnd, Match: valueOf},
		Keywords: []string{"passw", "passphrase", "passcode", "pwd", "pass=", "pass:", "pass\"", "pass'", "pass =", "pass is", "secret", "token", "key", "auth", "cred", "jwt", "psk", "pw:", "pw=",
			"mnemonic", "senha", "motdepasse", "contrasena"},
		Match: findNamed,
		Open:  openNamed,
		// A name, its operator and its value, each at their longest.
		Lookahead: 900,
		Hits: []string{
			"password={a12}", "password: {a12}", `password = "{a6} {a6} {a4}"`, `{"password":"{a12}"}`, `{\"password\":\"{a12}\"}`,
			"DB_PASSWORD={a16}", "the admin password is {a4}7{a4}", "api_key: '{a20}'", "apiKey: {a20}", "my_secret={a12}",
			`"client_secret" => "{a30}"`, `setProperty("API_TOKEN", "{a24}")`, "<dbPassword>{a12}</dbPassword>",
			"https://x.test/cb?access_token={a24}&state=1", "export SECRET_KEY={a32}", "passwd {a0}= {a10}9",
			"password for the database is {a4}9{a4}", "log in with password {a5}4{a3}{}7 now", "das Passwort lautet {a8}4", "the password '{a8}4' works", "var apiToken string = \"{a24}\"", "{l3}_token ::= \"{a24}\"",
			"apiToken: string = \"{a24}\"", "- name: DB_PASSWORD\n  value: {a16}", "my_secret: |\n  {a20}\n", "api_key = r\"{a24}\"", "api_secret = [\"{a24}\"]", "gh secret set API_TOKEN --body \"{a24}\"",
			"login --token {a24} now", "the api token ({a24})", "api token \u2192 {a24}", "| api_token | {a24} |", "**api_secret**: `{a24}`", "the token was set to {a20}4",
		},
		Misses: []string{
			"password: required", "the password is wrong", "the token is expired", "max_tokens: 4096", "token_count=5123", `author = "james.fake"`,
			"password=$DB_PASSWORD", "password=${DB_PASS}", "password = os.environ['DB_PASSWORD']", `token: "<your-token>"`, "secret: xxxxxxxx",
			"password=********", "api_key=YOUR_API_KEY", "token = getToken()", "oauth_redirect_uri=https://a.test/cb", "public_key = 9Cnzj4p4WGeKLs1Pt8Qu",
			"the key: value pairs", "pwd=/home/bob", "next_page_token=CAUQAA9xk2", "password := config.Password", "secretName: app-decryption-1",
			"password=[REDACTED:named-password]", "cache key: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", "token.count = 12345678",
			"LLM_SECRET_NAME = \"NEXUS-GPT4-API-KEY\"", "task-notification", "keyboard: qwertz1", "compass=north12",
			"send(\"my token is \" + newToken2())", "get(\"/x?token=\"+t2, 5)", `"/etc/passwd": "only some may"`, `PWD: '/Users/ann2'`, "f.token=f.token[0]:c-1",
			"the secret my-app-7d9f8b6c5d-x2x4z is mounted", "the password must be at least 12 characters", "password should be sha256sum2 hashed", "token abc123def456abc123def456",
			"--- PASS: TestUser2Login (0.00s)", "PASS: test_http2.py", "pass: step-3 done", "IMAGE_TOKEN = 0x000C", "PrivateKey: testRSA2048PrivateKey,",
			"dk.encryptionKey1024 = ek.encryptionKey1024",
			"jsonwebtoken: sha512-3q2+7wAbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq==", "PyJWT==2.8.0", `"fs-minipass": "^3.0.3"`, "arn:aws:secretsmanager:us-east-1:123456123456:secret:prod/db-aB3xY9",
			"restored from key: node-cache-Linux-x64-npm-3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", "token: RefreshTokenRotationStrategy", "password=storeHandlerManager", "PASSWORD=STORE_LOGIN_DEFAULT", "TOKEN_FILE=internal/server/token_store.go",
			"secrets: inherit", `credentials: "same-origin"`, "at builder_token (app/api/client_header_test.go:838:7)", "Credentials: &types.Credentials{", "user_pass = '%s:%s' % x", "a token is `args[token.index]`", `{"refreshToken": "refresh token"}`, "Token: '#dddddd'",
			`api_key: "os.environ['API_KEY']"`, "token: ghp_...", "password: !vault", "token: op://vault/item/field", "--secret id=npmrc,src=.npmrc", "_token = r'(?:[%s]+|%s)'", "`urn:oauth:token-type:jwt`, `urn:aws:token-type:aws4_request`", "prompt='Password: ', stream=None",
		},
	}
}

func findNamed(s string, at, _ int) (int, int) { return valueOf(s, 0, at, nameEnd(s, at)) }

// valueOf is the value of the name that holds an anchor at at and ends at right. It
// starts at low or behind it.
func valueOf(s string, low, at, right int) (int, int) {
	if proseFollows(s, at, right) {
		return 0, 0
	}
	i, how := joined(s, low, at, right)
	if how == OpNone {
		return 0, 0
	}
	if how == opIs && shortWord(s, i) {
		return rule.Costly, rule.Costly
	}
	v := ReadValue(s, i)
	if (how == opIs || how == OpLoose) && !v.Quoted && oneWord(s[v.From:v.To]) {
		return rule.Costly, rule.Costly // of prose or code, the commonest case
	}
	left := max(low, nameStart(s, at))
	kind := KindOfKey(s[left:right])
	if kind == Weak && owned(s, left, right) {
		kind = keyed
	}
	if kind == Plain || strings.HasSuffix(s[:left], "/etc/") || right >= 13 && lex.HasFold(s, right-13, "authorization") {
		return 0, 0 // a header knows its schemes better
	}
	if v.To-v.From < 3 || i == right+1 && left > 0 && i < len(s) && lex.IsQuote(s[left-1]) && s[left-1] == s[i] || // the quote closes "PWD="
		!credible(s, s[left:right], kind, how, v) {
		return rule.Costly, rule.Costly
	}
	return v.From, v.To
}

// proseFollows reports whether behind a name that ends at right stands a word that
// joins nothing to it: the commonest case, told from eight bytes.
func proseFollows(s string, at, right int) bool {
	if right+9 > len(s) || s[right] != ' ' || !lex.IsLetter(s[right+1]) || at > 0 && lex.WordChars[s[at-1]] {
		return false
	}
	return !allHeads.May(s[right+1], s[right+2]) && !drawnStart(lex.Load8(s, right+1))
}

// shortWord reports whether what starts at i is a word of less than eight letters and
// nothing else, which is no credential.
func shortWord(s string, i int) bool {
	if i+8 > len(s) {
		return false
	}
	n := lex.LettersIn(lex.Load8(s, i))
	return n > 0 && n < 8 && strings.IndexByte(" ,;)\n", s[i+n]) >= 0
}

// joined reads what joins the name that holds an anchor and ends at right to its
// value: a sign or words, or the space of a command line, --token value.
func joined(s string, low, at, right int) (int, Op) {
	i, how := ReadOperator(s, right)
	if (how == OpNone || how == opBeside) && right+1 < len(s) && s[right] == ' ' && at > 0 && lex.WordChars[s[at-1]] {
		if left := max(low, nameStart(s, at)); s[left] == '-' && right-left > 4 {
			return right + 1, opFlag
		}
	}
	return i, how
}

// owned reports whether the word key follows one that makes it a credential: the
// api key, as words of a sentence.
func owned(s string, left, right int) bool {
	if left < 4 || s[left-1] != ' ' || !lex.EqualFold(s[left:right], "key") {
		return false
	}
	return KindOfWord(s[lex.Classes['z'].Back(s, left-1, 16):left-1])&ownsKey != 0
}

// openNamed reports whether a name's value may still be to come or to go on.
func openNamed(s string, at, end int) bool {
	right := nameEnd(s, at)
	if right == len(s) {
		return true
	}
	if KindOfKey(s[nameStart(s, at):right]) == Plain {
		return false
	}
	i, how := joined(s, 0, at, right)
	if how == OpNone {
		return Undecided(s, right)
	}
	return ReadValue(s, i).To+64 > len(s)
}

// Undecided reports whether an operator may still follow at i: as long as only
// words, quotes and signs stand there.
func Undecided(s string, i int) bool {
	stop := min(len(s), i+200)
	for j := i; j < stop; j++ {
		if !joining[s[j]] {
			return len(s)-j < 8
		}
	}
	return stop == len(s)
}

var joining = lex.NewClass(" \t\n\"'`\\]:=?|>+,A-Za-z0-9_-")

// nameEnd is where the name ends that holds an anchor. Some anchors hold what
// follows the name, too.
func nameEnd(s string, at int) int { return lex.WordRun(s, at, maxName+8) }

func nameStart(s string, at int) int { return lex.WordChars.Back(s, at, maxName) }

// maxName is how much of a name is looked at on either side of an anchor.
const maxName = 48
