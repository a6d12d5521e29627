package apptest

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Planted is a made-up secret: a text that contains it, and the part of the text that
// must not be shown anywhere.
type Planted struct{ Kind, Text, Secret string }

// Plant returns one secret of each of twenty-two kinds, the same on every call, so that a
// failure can be repeated. A test puts Text wherever a model, a tool or a user can put
// text and then checks every output with [AssertAbsent].
func Plant() []Planted {
	random := rand.New(rand.NewPCG(20, 26))
	pick := func(alphabet string, n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	const digits, lower, upper = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	const alnum, hex = digits + lower + upper, digits + "abcdef"
	whole := func(kind, s string) Planted { return Planted{kind, s, s} }
	part := func(kind, format string) Planted {
		secret := pick(alnum, 18) + "7q"
		return Planted{kind, fmt.Sprintf(format, secret), secret}
	}
	segment := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	dashes := strings.Repeat("-", 5)
	body := pick(alnum+"+/", 64)
	return []Planted{
		whole("openai", "sk-"+"proj-"+pick(alnum, 40)),
		whole("anthropic", "sk-"+"ant-api03-"+pick(alnum+"-_", 93)+"AA"),
		whole("aws id", "AKI"+"A"+pick("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)),
		whole("github", "gh"+"p_"+pick(alnum, 36)),
		whole("github fine grained", "github"+"_pat_"+pick(alnum, 22)+"_"+pick(alnum, 59)),
		whole("stripe", "sk_"+"live_"+pick(alnum, 24)),
		whole("google", "AI"+"za"+pick(alnum, 35)),
		whole("slack", "xox"+"b-"+pick(digits, 12)+"-"+pick(digits, 12)+"-"+pick(alnum, 24)),
		whole("sendgrid", "SG"+"."+pick(alnum, 22)+"."+pick(alnum, 43)),
		whole("twilio", "SK"+pick(hex, 32)),
		whole("openrouter", "sk-"+"or-v1-"+pick(hex, 64)),
		whole("groq", "gsk"+"_"+pick(alnum, 52)),
		whole("telegram", pick("123456789", 10)+":"+"AA"+pick(alnum, 33)),
		whole("jwt", segment(`{"alg":"HS256","typ":"JWT"}`)+"."+segment(`{"sub":"42","n":"`+pick(alnum,
			10)+`"}`)+"."+pick(alnum, 43)),
		whole("near session", "sess"+"_"+pick(alnum, 40)),
		part("bearer", "Bearer %s"),
		part("authorization", "Authorization: Basic %s=="),
		part("password", "password=%s"),
		part("api key", `"api_key": "%s"`),
		part("postgres", "postgres://app:%s@db.internal:5432/app"),
		part("basic auth", "https://bot:%s@example.com/x"),
		{"private key", dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + body + "\n" + dashes +
			"END RSA PRIVATE " + "KEY" + dashes, body},
	}
}

// Confiding is a script that contains the secret in every place that a model or a tool
// can put text.
func Confiding(p Planted) M {
	said := "look: " + p.Text + " (that is it)"
	call := func(id, tool string, args M) M {
		return M{"id": id, "name": tool, "arguments": args, "rationale": said}
	}
	return M{
		"steps": []M{
			M{"narrative": said, "tool_calls": []any{
				call("a", "works", M{"note": said, "nested": M{"list": []any{said}}, said: "a key"}),
				call("b", "fails", M{"password": p.Secret}),
				call("c", "panics", M{}),
				call("d", "nobody "+p.Text, M{}),
				call(p.Text, "refused", M{}),
				call("f", "careful", M{"note": said}),
				call("g", "helper", M{"task": said}),
			}},
			M{"text": said},
		},
		"tools": M{
			"works": M{"result": M{"out": said, "token": p.Secret}}, "fails": M{"error": said},
			"panics": M{"panic": said}, "refused": M{"result": "x"},
			"careful": M{"approval": "ask", "result": said},
		},
		"agents": M{"helper": M{
			"steps": []any{
				M{"narrative": said, "tool_calls": []any{call("a", "looks", M{"at": said})}},
				M{"text": said},
			},
			"tools": M{"looks": M{"result": said}},
		}},
		"deny": []any{"refused"},
	}
}

// AssertAbsent fails if text contains any eight bytes of the secret in a row, without
// printing them. place says where the text comes from.
func AssertAbsent(t testing.TB, secret, place, text string) {
	t.Helper()
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+8]) {
			assert.Fail(t, "a secret came through", "%d bytes at %d, in %s", 8, i, place)
			return
		}
	}
}
