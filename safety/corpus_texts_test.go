package safety_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/safety"
)

func surrounded(hits []string) (all []string) {
	before := []string{"", "the key ", "(", `"`, "=", "密钥", "`", "\\n", "%3D", "I checked it:\n", "token=",
		"https://x:", "\u200b", "é", "key: ", "_", "a", "\x1b[32m"}
	after := []string{"", " ", ".", ",", ")", "]", ">", "&", `"`, "'", "`", ";", ":", "!", "?", "}", "|", "\n", "\t",
		"。", "，", "的", "」", "…", "<", "@", "#", "*", "\\n", "%20", "\u200d", "-x", "\x00"}
	for k, h := range hits {
		if k%3 != 0 {
			all = append(all, before[k%len(before)]+h+after[k%len(after)])
			continue
		}
		all = append(all, "See "+before[(k+7)%len(before)]+h+after[(k+5)%len(after)]+" and go on, twice: "+h)
	}
	return all
}

// spelled formats each byte of s and joins the results.
func spelled(s, format, between string) string {
	var parts []string
	for i := range len(s) {
		parts = append(parts, fmt.Sprintf(format, s[i]))
	}
	return strings.Join(parts, between)
}

// fullWidth returns the full-width form of a printable ASCII character.
func fullWidth(r rune) rune {
	if r > 0x20 && r < 0x7f {
		return r - 0x21 + 0xff01
	}
	return r
}

var lookAlikes = strings.NewReplacer("p", "р", "o", "о", "a", "а", "A", "А", "s", "ѕ", "x", "х", "e", "е")

// fragmentSeams are what splits a secret into fragments.
var fragmentSeams = []string{
	"\u200b", "\u00ad", "\u202e", "\ufe0f", "\U000e0041", "\x00", "\x1b[31m", "\\\n", "\n", "\n> ", "\n# ",
	" |\n|   | ", `" + "`, `" . "`, "\"\n  \"", "<b>", "<!-- -->", "**", `\x1b[0m`, "&shy;", `\u200b`,
	"%E2%80%8B", "=\n", " ", "' '", "`",
}

// disguises rewrite a secret so that a scan for its plain form misses it.
var disguises = []func(string) string{
	func(s string) string { return strings.Map(fullWidth, s) },
	func(s string) string { return strings.Map(fullWidth, s[:len(s)/4]) + s[len(s)/4:] },
	func(s string) string { return lookAlikes.Replace(s[:len(s)/2]) + s[len(s)/2:] },
	url.QueryEscape,
	func(s string) string { return spelled(s, "%%%02X", "") },
	func(s string) string { return spelled(s, "%%25%02x", "") },
	func(s string) string { return spelled(s, `\u%04x`, "") },
	func(s string) string { return spelled(s, `\x%02x`, "") },
	func(s string) string { return spelled(s, `\%03o`, "") },
	func(s string) string { return spelled(s, "&#%d;", "") },
	func(s string) string { return spelled(s, "&#x%x;", "") },
	func(s string) string { return spelled(s, "=%02X", "") },
	func(s string) string { return spelled(s, "%02x", " ") },
	func(s string) string { return spelled(s, "%02X", ":") },
	func(s string) string { return "[" + spelled(s, "0x%02x", ", ") + "]" },
	func(s string) string { return "[" + spelled(s, "%d", ", ") + "]" },
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(" " + s + " tail")) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("zz " + s)) },
	func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	},
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(spelled(s, "%c", "\x00"))) },
	func(s string) string { return hex.EncodeToString([]byte(s)) },
	func(s string) string { return "0x" + strings.ToUpper(hex.EncodeToString([]byte(s))) },
	func(s string) string { return hex.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s)))) },
	strconv.QuoteToASCII,
	func(s string) string { return strconv.Quote(strconv.Quote(s)) },
	func(s string) string {
		e := base64.StdEncoding.EncodeToString([]byte("user: ci, and the token follows here: " + s + "."))
		return "data:\n  " + e[:40] + "\n  " + e[40:]
	},
}

// evasions hides every seventh secret in three ways and splits it at three places.
func evasions(hits []string) (all []string) {
	for k := 0; k < len(hits); k += 7 {
		h := hits[k]
		if len(h) < 12 || len(h) > 300 {
			continue
		}
		for n := range 3 {
			all = append(all, "I see "+disguises[(k/7*3+n)%len(disguises)](h)+" in the text")
			seam := fragmentSeams[(k/7*3+n)%len(fragmentSeams)]
			at := len(h) * (n + 1) / 4
			all = append(all, `I set it to "`+h[:at]+seam+h[at:]+`" first`, h[:at]+seam+h[at:len(h)-3]+seam+
				h[len(h)-3:])
		}
	}
	return all
}

// namedValues are names beside values, with what may stand between them.
func namedValues() (all []string) {
	names := []string{"password", "DB_PASSWORD", "passwd", "api_key", "apiKey", "client_secret", "token",
		"access-token", "secret", "key", "pin", "passphrase", "auth", "credentials",
		"user", "max_tokens", "public_key", "primary key", "signing key", "the password of the database", "Kennwort",
		"пароль", "密码", "seed phrase", "connection string", "author", "pass", "pw"}
	ways := []string{"¤=§", "¤: §", "¤ is §", "¤ := \"§\"", "\"¤\": \"§\"", "¤='§'", "export ¤=§", "¤ => '§',",
		"¤ -> §", "¤ = [\"§\"]", "--¤ §", "--¤=§", "-D¤=§", "?¤=§&a=1", "set ¤ to §", "the ¤ was set to \"§\"",
		"my ¤ (§) is", "using ¤ § now", "| ¤ | § |", "**¤**: `§`", "- name: ¤\n  value: §",
		"<add key=\"¤\" value=\"§\"/>", "<¤>§</¤>", "val ¤: String = \"§\"", "¤ string = \"§\"", "setenv(\"¤\", \"§\")",
		"{\\\"¤\\\": \\\"§\\\"}", "¤ must not be §", "¤: |\n  §\n", "new ¤(§)", "¤==§", "if ¤ != \"§\" {", "// ¤: §",
		"¤\t§", "¤,§", "# ¤ §"}
	held := []string{"hunter2", "swordfish", "{a16}", "{a8}!{d3}", "{x32}", "{h40}", "correct horse battery",
		"os.Getenv(\"X\")", "${DB_PASSWORD}", "YOUR_API_KEY", "<your-token>", "null", "required",
		"internal/auth/token.go",
		"a.b.c", "********", "{d6}", "{b43}=", "https://x.test/a", "getToken(user)", "true", "Tr0ub4dor&3",
		"päßwört9", "letmein1", "$argon2id$v=19$m=65536", "{z20}", "changeme", "xxxxxxxx",
		"{h8}-{h4}-{h4}-{h4}-{h12}", "the old one"}
	for i, name := range names {
		for j, way := range ways {
			value := fill(held[(i*7+j)%len(held)], uint64(i*100+j))
			all = append(all, strings.NewReplacer("¤", name, "§", value).Replace(way))
		}
	}
	return all
}

// values are JSON with secrets under all kinds of keys.
func values(hits []string) (all []string) {
	keys := []string{"note", "password", "apiKey", "api_key", "value", "name", "token", "description", "headers",
		"Authorization", "env", "key", "secret", "data", "max_tokens"}
	for k := 0; k < len(hits); k += 5 {
		at := func(n int) string { return keys[(k/5+n)%len(keys)] }
		inner, _ := json.Marshal(map[string]any{at(1): hits[k], at(2): []any{1.5, true, nil, "plain",
			hits[(k+3)%len(hits)]}})
		outer, _ := json.MarshalIndent(map[string]any{at(3): string(inner),
			at(4): map[string]any{at(5): "open sesame", "id": 12345, "x": -7.25e3},
			"env": []any{map[string]any{"name": "DB_PASSWORD", "value": "swordfish"}, map[string]any{"key": at(6),
				"value": hits[k]}}}, "", "\t")
		all = append(all, string(inner), string(outer))
	}
	deep := strings.Repeat(`{"a":[`, 50)
	return append(all, deep+`"x"`+strings.Repeat("]}", 50), deep, `{"password":1234,"pin":true,"token":null}`,
		`{"a":1,"a":2,"a#2":3}`, `["password","hunter2"]`, `[{"name":"token","value":"x y z"}]`, " ", "{}", "[",
		`"\ud800"`)
}

// documents are some twenty texts behind one another, as notes, logs and code are.
func documents(hits, lines []string) (all []string) {
	rng := rand.New(rand.NewPCG(3, 17))
	frames := []string{"%s\n", "> %s\n", "1. %s\n", "```\n%s\n```\n", "I read `%s` there. ", "The line says: %s\n\n",
		"| a | %s |\n", "// %s\n", "%s ", "    %s\r\n"}
	for range 120 {
		var b strings.Builder
		for range 15 + rng.IntN(12) {
			text := lines[rng.IntN(len(lines))]
			if rng.IntN(4) == 0 {
				text = hits[rng.IntN(len(hits))]
			}
			fmt.Fprintf(&b, frames[rng.IntN(len(frames))], text)
		}
		all = append(all, b.String())
	}
	return all
}

// soup are fragments of texts that have run into one another.
func soup(texts []string) (all []string) {
	rng := rand.New(rand.NewPCG(5, 23))
	for range 900 {
		var b strings.Builder
		for range 2 + rng.IntN(8) {
			text := texts[rng.IntN(len(texts))]
			from := rng.IntN(len(text))
			b.WriteString(text[from:min(len(text), from+1+rng.IntN(60))])
			if rng.IntN(3) == 0 {
				b.WriteString([]string{" ", "\n", "=", ": ", `"`, "\\", "%", "&", "\u200b", "：", "\xff", "/", "-",
					"<", "\u0301"}[rng.IntN(15)])
			}
		}
		all = append(all, b.String())
	}
	return all
}

// repetitions are what could make a scanner slow, and what it remembers of it.
func repetitions() (all []string) {
	for k, unit := range []string{"a", "-", "\n", "=", "\"", "\\", "%", "&", "\x00", "\u200b", "é", "ｐ", "password=",
		"password is ", `token="`, `{"key":`, "://", "http://a:b@", "eyJ", "eyJ.", "ghp_", "sk-", "sk-ant-",
		"-----BEGIN ", "AKIA", "Bearer ", "Basic QUJD ", "Cookie: a=", "%41", "%2541", "\\u0041", "&#65;", "![](http",
		"<|im", "system:", "\nuser:", "curl -u ", "data:\n a: YWJj\n", "twitter_key=", "1|a", ".G", "AAAAAAAA",
		"YWJjZGVm", "6162", "QUJDRA==\n", "ignore all ", "seed phrase ", "ſ", "key ", "authorization: token ", "{a:",
		"t1.", "<script", "[INST]", "0x41, ", "65, ", "41 42 ", "\"+\"", "[REDACTED:", "\u202e", "🔑", "a\u0301"} {
		n := 600 + 400*(k%3)
		all = append(all, strings.Repeat(unit, n/len(unit)+1), "x "+strings.Repeat(unit, n/len(unit)+1)+
			" password=hunter2x "+strings.Repeat(unit, 9))
	}
	return all
}

// files are files of this repository that stay as they are.
func files(t *testing.T) (all []string) {
	root := filepath.Join("..", "testdata")
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		slash := filepath.ToSlash(name)
		if err != nil || d.IsDir() || filepath.Base(name) != "script.json" && !strings.Contains(slash, "/providers/") {
			return err
		}
		b, err := os.ReadFile(name)
		if len(b) < 60_000 {
			all = append(all, string(b))
		}
		return err
	}))
	return all
}

func policyOptions(t *testing.T) []safety.Option {
	p, err := safety.ReadPolicy(strings.NewReader(`{
		"rules": [{"id": "our-phrase", "action": "review", "phrases": ["project nightjar", "internal only"]}],
		"actions": {"github-pat": "block"},
		"tokens": [{"id": "acme-key", "formats": ["acme_{a32}", "acme-{x8}-{d4}"]},
			{"id": "acme-beside", "formats": ["{a24}"], "beside": "zanzibar"}]}`))
	require.NoError(t, err)
	return []safety.Option{safety.WithPolicy(p), safety.KnownSecrets(knownValues()...)}
}

// overlapping are hits of rules whose formats a more general rule has, too.
func overlapping(hits []string) (all []string) {
	for _, h := range hits {
		for _, sign := range []string{"sk-", "-us", "tfp_"} {
			if strings.Contains(h, sign) {
				all = append(all, h)
				break
			}
		}
	}
	return all
}

// generalRulesWarn makes the general rules leave the text alone, so that the
// particular ones are seen to find it.
func generalRulesWarn() []safety.Option {
	p := safety.DefaultPolicy()
	p.Actions = map[string]safety.Action{"openai-api-key": safety.Warn, "proxied-model-key": safety.Warn,
		"anthropic-key":      safety.Warn,
		"openrouter-api-key": safety.Review, "mailchimp-api-key": safety.Warn, "typeform-api-token": safety.Warn}
	return []safety.Option{safety.WithPolicy(p)}
}

func knownValues() []string {
	return []string{"the blue whale sings", fill("{a20}", 77), "wachtwoord-9", fill("{a40}", 78)}
}

func policyTexts() (all []string) {
	texts := []string{"acme_{a32}", "acme-{x8}-{d4} here", "zanzibar key {a24}", "ZANZIBAR_TOKEN={a24}",
		"Project Nightjar is internal only", "ghp_{a36}", "acme_{a10}", "the zanzibar route {h40}"}
	for k := range 8 {
		all = append(all, filled(texts, uint64(k)*31)...)
	}
	for _, known := range knownValues() {
		all = append(all, known, "x "+known+".", base64.StdEncoding.EncodeToString([]byte(known)),
			hex.EncodeToString([]byte(known)), url.QueryEscape(known), known[:8]+"\n"+known[8:], known[:9]+`" + "`+
				known[9:], strings.ToUpper(known))
	}
	return all
}
