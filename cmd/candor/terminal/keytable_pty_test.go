//go:build unix

package terminal_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// answerTable is a server in front of another that notes the answers to questions, as action and call, and lets none
// arrive, so that what waits goes on waiting.
type answerTable struct {
	mu   sync.Mutex
	ids  []string // of the questions, in the order of their calls
	sent []string
}

// note refuses an answer.
func (a *answerTable) note(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var in struct {
		Action string          `json:"action"`
		ID     string          `json:"request_id"`
		Value  json.RawMessage `json:"value"`
	}
	_ = json.Unmarshal(raw, &in)
	a.mu.Lock()
	call := slices.Index(a.ids, in.ID) + 1
	a.sent = append(a.sent, strings.TrimSpace(fmt.Sprintf("%s %d %s", in.Action, call, in.Value)))
	a.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"error":"refused","message":"No answer arrives."}`)
}

// upTo returns what was sent before an answer, and forgets it, once that answer has come.
func (a *answerTable) upTo(t *testing.T, answer string) (before []string) {
	t.Helper()
	apptest.Eventually(t, answer, func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		at := slices.Index(a.sent, answer)
		if at < 0 {
			return false
		}
		before, a.sent = slices.Clone(a.sent[:at]), nil
		return true
	})
	return before
}

// waitingCalls is a terminal in front of which n calls wait, which have the numbers 1 to n.
func waitingCalls(t *testing.T, n int) (*console, *answerTable) {
	t.Helper()
	var calls []apptest.M
	for i := range n {
		calls = append(calls, apptest.M{"id": fmt.Sprint(i), "name": "careful", "rationale": "It has to go.",
			"arguments": apptest.M{"part": i + 1}})
	}
	s := apptest.Start(t, app.Settings{}, apptest.M{
		"steps": []apptest.M{{"tool_calls": calls}, {"text": "That was it."}},
		"tools": apptest.M{"careful": apptest.M{"approval": "ask", "result": "ok"}},
	})
	behind, err := url.Parse(s.HTTP.URL)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(behind)
	proxy.FlushInterval = -1
	answers := &answerTable{}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/chat/approval") {
			answers.note(w, r)
			return
		}
		r.Host = behind.Host
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	thread, _ := s.Begin("ann")
	c := openConsole(t, 120, []string{"CANDOR_TOKEN=" + apptest.TokenOf("ann")},
		"chat", "--server", front.URL, "--thread", thread)
	c.until("›")
	c.say("do it")
	apptest.Eventually(t, "all calls wait", func() bool {
		open, _ := s.Get("ann", "/api/chat/history?thread_id="+thread).JSON()["pending_approvals"].([]any)
		answers.mu.Lock()
		defer answers.mu.Unlock()
		answers.ids = nil
		for _, one := range open {
			answers.ids = append(answers.ids, one.(apptest.M)["request_id"].(string))
		}
		return len(open) == n
	})
	c.until(fmt.Sprintf(`"part": %d`, n))
	return c, answers
}

// The states that one, two and three waiting calls can be in, each with every key and Enter: which of them lets a call
// run, and which call. Nothing else may.
func TestNoKeyInATerminalApprovesWhatWasNotAsked(t *testing.T) {
	const up = "\x1b[A" // brings back the line before
	keys := strings.Split("abcdefghijklmnopqrstuvwxyzADENXY0123456789[]?., ", "")
	keys = append(keys, "\t", up, "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[3~", "\x7f", "\x01", "\x05")
	type state struct {
		name          string
		before, after string               // the keys around the one that is tried
		runs          [4]map[string]string // by the number of calls that wait
	}
	if testing.Short() {
		keys = []string{"y", "Y", "a", "n", "d", "v", "e", "x", "1", "2", " ", "\t", up, "\x7f"}
	}
	yes := map[string]string{"y": "approve 1", "Y": "approve 1"}
	twice := map[string]string{"y": "approve 1", "Y": "approve 1", "a": "always 1", "A": "always 1"}
	for _, s := range []state{
		{"nothing is typed", "", "", [4]map[string]string{1: yes}},
		{"a number is typed behind it", "", " 1", [4]map[string]string{1: yes, 2: yes, 3: yes}},
		{"another number", "", " 9", [4]map[string]string{}},
		{"always was said", "a\r", "", [4]map[string]string{1: {
			"y": "approve 1", "Y": "approve 1", "a": "always 1", "A": "always 1", up: "always 1"}}},
		{"always was said of the first", "a 1\r", " 1", [4]map[string]string{1: twice, 2: twice, 3: twice}},
		{"always was said and something else", "a\rx\r", "", [4]map[string]string{1: yes}},
		{"words of a denial are typed", "n 1 a dry run ", "", [4]map[string]string{}},
		{"words of a denial without a number", "n a dry run ", "", [4]map[string]string{}},
		{"words of a denial go on in the next line", "n 1 first\\\r", "", [4]map[string]string{}},
		{"words of a denial were taken back", "n 1 first\x15", "", [4]map[string]string{1: yes}},
		{"words of a denial were pasted as lines", "\x1b[200~n 1 first,\r", "\x1b[201~", [4]map[string]string{}},
	} {
		for n := 1; n <= 3; n++ {
			t.Run(fmt.Sprintf("%s, %d calls wait", s.name, n), func(t *testing.T) {
				c, answers := waitingCalls(t, n)
				for i, key := range keys {
					mark := fmt.Sprintf("mark %d", i)
					c.key(s.before + key + s.after + "\r\x15\rn 1 " + mark + "\r")
					var ran []string
					for _, sent := range answers.upTo(t, fmt.Sprintf("deny 1 %q", mark)) {
						if !strings.HasPrefix(sent, "deny ") {
							ran = append(ran, sent)
						}
					}
					assert.Equal(t, s.runs[n][key], strings.Join(ran, ", "), "%q", s.before+key+s.after)
				}
			})
		}
	}
}
