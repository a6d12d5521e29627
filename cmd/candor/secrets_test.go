package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// planted is a secret as it stands in text, and the part that may not come through.
type planted struct{ kind, text, secret string }

// plant makes one secret of each of twenty-two kinds, from the formats and a seed.
func plant() []planted {
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
	whole := func(kind, s string) planted { return planted{kind, s, s} }
	part := func(kind, format string) planted {
		secret := pick(alnum, 18) + "7q"
		return planted{kind, fmt.Sprintf(format, secret), secret}
	}
	segment := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	dashes := strings.Repeat("-", 5)
	body := pick(alnum+"+/", 64)
	return []planted{
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
		whole("jwt", segment(`{"alg":"HS256","typ":"JWT"}`)+"."+segment(`{"sub":"42","n":"`+pick(alnum, 10)+`"}`)+"."+pick(alnum, 43)),
		whole("near session", "sess"+"_"+pick(alnum, 40)),
		part("bearer", "Bearer %s"),
		part("authorization", "Authorization: Basic %s=="),
		part("password", "password=%s"),
		part("api key", `"api_key": "%s"`),
		part("postgres", "postgres://app:%s@db.internal:5432/app"),
		part("basic auth", "https://bot:%s@example.com/x"),
		{"private key", dashes + "BEGIN RSA PRIVATE " + "KEY" + dashes + "\n" + body + "\n" + dashes + "END RSA PRIVATE " + "KEY" + dashes, body},
	}
}

// confiding is a script that says the secret in every place a model or a tool can.
func confiding(p planted) map[string]any {
	said := "look: " + p.text + " (that is it)"
	call := func(id, tool string, args map[string]any) map[string]any {
		return map[string]any{"id": id, "name": tool, "arguments": args, "rationale": said}
	}
	return map[string]any{
		"steps": []any{
			map[string]any{"narrative": said, "tool_calls": []any{
				call("a", "works", map[string]any{"note": said, "nested": map[string]any{"list": []any{said}}, said: "a key"}),
				call("b", "fails", map[string]any{"password": p.secret}),
				call("c", "panics", map[string]any{}),
				call("d", "nobody "+p.text, map[string]any{}),
				call(p.text, "refused", map[string]any{}),
				call("f", "careful", map[string]any{"note": said}),
				call("g", "helper", map[string]any{"task": said}),
			}},
			map[string]any{"text": said},
		},
		"tools": map[string]any{
			"works": map[string]any{"result": map[string]any{"out": said, "token": p.secret}}, "fails": map[string]any{"error": said},
			"panics": map[string]any{"panic": said}, "refused": map[string]any{"result": "x"},
			"careful": map[string]any{"approval": "ask", "result": said},
		},
		"agents": map[string]any{"helper": map[string]any{
			"steps": []any{
				map[string]any{"narrative": said, "tool_calls": []any{call("a", "looks", map[string]any{"at": said})}},
				map[string]any{"text": said},
			},
			"tools": map[string]any{"looks": map[string]any{"result": said}},
		}},
		"deny": []any{"refused"},
	}
}

// Twenty-two distinct secrets stand in the user's words, the narrative, reasons,
// parameters, results, errors and the answer. None comes out anywhere.
func TestPlantedSecretsComeOutNowhere(t *testing.T) {
	for _, p := range plant() {
		t.Run(p.kind, func(t *testing.T) {
			s := startServer(t, settings{}, confiding(p))
			thread, origin := s.begin("ann")
			c, err := s.subscribe(t.Context(), "ann", origin, "")
			require.NoError(t, err)
			defer c.body.Close()
			s.send("ann", thread, "my secret is "+p.text)
			s.approve("ann", c.until(t, "approval_needed"))
			c.until(t, "response")
			stream := fmt.Sprintf("%+v", s.everything("ann", origin))
			history := s.do("ann", http.MethodGet, "/api/chat/history", "").body
			threads := s.do("ann", http.MethodGet, "/api/chat/threads", "").body
			require.Contains(t, history, `"rejected"`)
			require.Contains(t, history, "the tool panicked")
			require.Contains(t, history, `"handoffs"`)
			for place, text := range map[string]string{
				"the stream": stream, "history": history, "the list of threads": threads, "the logs": s.logs.String(),
			} {
				assertAbsent(t, p.secret, place, text)
			}
		})
	}
}

// approve answers the question that the last frame asks.
func (s *server) approve(user string, frames []frame) {
	s.t.Helper()
	request := regexp.MustCompile(`"request_id":"([^"]+)"`).FindStringSubmatch(frames[len(frames)-1].data)
	require.Len(s.t, request, 2)
	r := s.do(user, http.MethodPost, "/api/chat/approval", fmt.Sprintf(`{"request_id":%q,"action":"approve"}`, request[1]))
	require.Equal(s.t, http.StatusAccepted, r.status, r.body)
}

func TestAProvidersErrorLeaksNothing(t *testing.T) {
	for _, p := range plant() {
		s := startServer(t, settings{}, map[string]any{"steps": []any{map[string]any{"error": "401 for " + p.text}}})
		thread, origin := s.begin("ann")
		c, err := s.subscribe(t.Context(), "ann", origin, "")
		require.NoError(t, err)
		s.send("ann", thread, "hi")
		c.until(t, "error")
		c.body.Close()
		history := s.do("ann", http.MethodGet, "/api/chat/history", "").body
		require.Contains(t, history, `"failed"`)
		assertAbsent(t, p.secret, "history", history)
		assertAbsent(t, p.secret, "the stream", fmt.Sprintf("%+v", s.everything("ann", origin)))
		assertAbsent(t, p.secret, "the logs", s.logs.String())
	}
}

func TestErrorAnswersRepeatNoInput(t *testing.T) {
	s := startServer(t, settings{sends: 10_000}, nil)
	s.begin("ann")
	for _, p := range plant() {
		q := url.QueryEscape(p.text)
		body := string(mustJSON(t, map[string]string{"content": "hi", "thread_id": p.text}))
		for _, r := range []reply{
			s.do("ann", http.MethodPost, "/api/chat/send", body),
			s.do("ann", http.MethodPost, "/api/chat/send", `{"content": `+p.text),
			s.do("ann", http.MethodPost, "/api/chat/send?token="+q, body),
			s.do("ann", http.MethodPost, "/api/chat/interrupt", body),
			s.do("ann", http.MethodGet, "/api/chat/history?thread_id="+q, ""),
			s.do("ann", http.MethodGet, "/api/chat/history?limit="+q, ""),
			s.do("ann", http.MethodGet, "/api/chat/history?before="+q, ""),
			s.do("ann", http.MethodGet, "/api/chat/events?last_event_id="+q, ""),
			s.do("ann", http.MethodGet, "/api/chat/events?thread_id="+q, ""),
			s.do("ann", http.MethodGet, "/api/"+url.PathEscape(p.text), ""),
			s.do("nobody "+strings.ReplaceAll(p.secret, "\n", ""), http.MethodGet, "/api/chat/history", ""),
		} {
			require.GreaterOrEqual(t, r.status, 400, p.kind)
			assertAbsent(t, p.secret, "an error answer", r.body)
		}
		assertAbsent(t, p.secret, "the logs", s.logs.String())
	}
}

// everything is what a client that was there from the start has been sent.
func (s *server) everything(user, origin string) []frame {
	s.t.Helper()
	own, err := s.app.store.Open(s.t.Context(), user)
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	c, err := s.subscribe(ctx, user, origin, "")
	require.NoError(s.t, err)
	last := fmt.Sprint(strings.TrimSuffix(origin, "0"), own.Head())
	var all []frame
	for !slices.ContainsFunc(all, func(f frame) bool { return f.id == last }) {
		f, err := c.next()
		require.NoError(s.t, err)
		all = append(all, f)
	}
	return all
}

// assertAbsent fails if any eight bytes of the secret came through, without
// printing them.
func assertAbsent(t *testing.T, secret, place, text string) {
	t.Helper()
	for i := 0; i+8 <= len(secret); i++ {
		if strings.Contains(text, secret[i:i+8]) {
			assert.Fail(t, "a secret came through", "%d bytes at %d, in %s", 8, i, place)
			return
		}
	}
}
