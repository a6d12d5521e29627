package oracle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Case is a named text whose scan is timed.
type Case struct{ Name, Text string }

// BenchCases returns the texts on which the layer is timed beside gitleaks. gitleaks
// skips a text without its keywords, so its speed depends on the words around a secret:
// the secrets are in plain prose, in settings, and in a reason that names their vendors.
// One flood repeats six words about credentials, the other all keywords of gitleaks.
func BenchCases() []Case {
	clean := strings.Join(CleanTexts(80), "\n")
	aws, github, slack := Generate(`AKIA[A-Z2-7]{16}`, 1), Generate(`ghp_[a-zA-Z0-9]{36}`, 2),
		Generate(`xoxb-[0-9]{12}-[0-9]{12}-[a-zA-Z0-9]{24}`, 3)
	alone := "I found " + aws + " and " + github + " next to " + slack + " in the log. "
	set := "The file .env sets AWS_ACCESS_KEY_ID=" + aws + ", GITHUB_TOKEN=" + github + " and SLACK_BOT_TOKEN=" +
		slack + ". "
	named := "I looked at the deployment to see why the API calls fail. The AWS access key " + aws +
		" is in the .env file, the GitHub token is " + github +
		" and the Slack bot token " + slack + " is set in the secret. I will check each of them against the " +
		"access list and rotate the key that leaked. "
	return []Case{
		{"clean 500 B", rationale},
		{"clean 20 KB", clean[:20_000]},
		{"plain prose 20 KB", prose(20_000)},
		{"three secrets, alone", alone + prose(500-len(alone))},
		{"three secrets, set", set + prose(500-len(set))},
		{"three secrets, named", named + prose(500-len(named))},
		{"flood of few words, 20 KB", strings.Repeat("password secret token api_key authorization bearer ",
			400)[:20_000]},
		{"flood of all keywords, 20 KB", strings.Repeat(strings.Join(keywords(), " ")+" ", 20)[:20_000]},
		{"clean 100 KB", prose(100_000)},
	}
}

// keywords returns the words that make gitleaks try its rules, sorted.
func keywords() []string {
	all := map[string]bool{}
	for _, r := range Detector().Config.Rules {
		for _, k := range r.Keywords {
			all[k] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// rationale is a typical reason of an agent. It mentions keys and tokens and contains
// no secret.
const rationale = `I need to check why the request to the billing API fails with status 401, so I will read ` +
	`internal/auth/token.go first. ` +
	`The token is loaded in NewClient and the key comes from the configuration; commit ` +
	`3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e changed how the access header is built. ` +
	`After that I run the tests in ./internal/auth and compare max_tokens and token_count with the values in ` +
	`config.yaml. If the secret is missing the error says so, and I report it to the author.`

// prose returns n bytes of what an agent writes between calls. It contains no keyword.
func prose(n int) string {
	const text = `I will open the configuration and look at how the connection is set up, because the error in ` +
		`the log points at a wrong host name. ` +
		`The function in internal/server/handler.go returns 404 when the route is not found; the test expects ` +
		`200. Let me compare both versions (v1.4.2 and v1.5.0), ` +
		`list the files that changed, and run "go test ./..." again. If that passes, I write a short summary: ` +
		`what failed, why, and what I did about it.` + "\n"
	return strings.Repeat(text, n/len(text)+1)[:n]
}

// WorstCases returns texts of 100 KB that could make a scanner slow: literals that start
// a match which never completes, nested encodings, and random bytes. A quadratic
// matcher shows in them.
func WorstCases() []Case {
	var out []Case
	fill := func(unit string) {
		out = append(out, Case{fmt.Sprintf("%.24q", unit), strings.Repeat(unit, 100_000/len(unit)+1)[:100_000]})
	}
	for _, unit := range []string{
		"a", "-", "\n", "=", "\"", "\\", "%", "&", "\x00", "\u200b", "é", "ｐ", "password=", "password is ", `token="`,
		`{"key":`, "://", "http://a:b@", "http://a:", "eyJ", "eyJ-", "eyJ.", "ghp_", "glpat-", "glcbt-",
		"sk-", "sk-ant-", "-----BEGIN ", "-----BEGIN RSA PRIVATE " + "KEY-----\n", "AKIA", "AKIA" +
			"AAAAAAAAAAAAAAAA ", "Bearer ", "Basic QUJD ", "Cookie: a=", "a=b; ", "%41", "%2541", "\\u0041", "&#65;",
		"\\\\", "\\\"", "![](http", "](http", "<|im",
		"system:", "\nuser:", "curl -u ", " -u a:", "data:\n a: YWJj\n", "kind: secret\ndata:\n", "twitter ",
		"twitter_key=", "linear is ", "1|a", "12345678901234|a", ".G", "Q~", "-us1", ".atlasv1.", "_mmk", "T3BlbkFJ",
		"AAAAAAAA", "YWJjZGVm", "6162", "QUJDRA==\n",
		"ignore all ", "seed phrase ", "ſ", "token: x\n", "key ", "authorization: token ", "x-api-key: ", "{a:",
		"ops_eyJ", "sntrys_eyJ", "t1.", "pat.", "s.", "a.ey", "eyA.ey", "sc_a.a.acc_",
		"<add key=\"password\" value=\"", "https://a", ";", "a:b@c ",
	} {
		fill(unit)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	fromSet := func(name, set string) { out = append(out, Case{name, pick(rng, set, 100_000)}) }
	fromSet("random letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/")
	fromSet("random hex", "0123456789abcdef")
	fromSet("random ASCII", " !\"#$%&'()*+,-./0123456789:;"+
		"<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\n")
	fromSet("random signs", "\\%&\"'=:-_./ \n")
	return out
}
