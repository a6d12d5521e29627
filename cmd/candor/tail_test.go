package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tailing is candor tail in this process.
type tailing struct {
	out  logBuffer
	stop context.CancelFunc
	wg   sync.WaitGroup
	err  error
}

func startTail(t *testing.T, url string, flags ...string) *tailing {
	ctx, cancel := context.WithCancel(t.Context())
	tail := &tailing{stop: cancel}
	tail.wg.Go(func() {
		tail.err = run(ctx, append([]string{"candor", "tail", "--server", url}, flags...), strings.NewReader(""), &tail.out, &tail.out)
	})
	t.Cleanup(func() { tail.end() })
	return tail
}

func (t *tailing) end() error {
	t.stop()
	t.wg.Wait()
	return t.err
}

// cutting is a proxy whose event streams break off after some hundred bytes.
func cutting(t *testing.T, server string) (proxy *httptest.Server, cuts *atomic.Int64) {
	target, err := url.Parse(server)
	require.NoError(t, err)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.FlushInterval = -1
	forward.ErrorLog = nil
	random, cuts := rand.New(rand.NewPCG(1, 2)), &atomic.Int64{}
	var mu sync.Mutex
	proxy = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/chat/events" {
			forward.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		left := 300 + random.IntN(1500)
		mu.Unlock()
		defer cuts.Add(1)
		forward.ServeHTTP(&cutWriter{w, left}, r)
	}))
	proxy.Start()
	t.Cleanup(proxy.Close)
	return proxy, cuts
}

// cutWriter cuts the connection off after some bytes.
type cutWriter struct {
	http.ResponseWriter
	left int
}

func (c *cutWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *cutWriter) Write(p []byte) (int, error) {
	if len(p) >= c.left {
		_, _ = c.ResponseWriter.Write(p[:c.left])
		_ = http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

func TestTailComesBackByItselfAndShowsEverythingOnce(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t, "--provider", "script", "--script", scripted(t, "../../testdata/turns/two-steps"))
	proxy, cuts := cutting(t, r.url)
	say := func() { r.must("POST", "/api/chat/send", `{"content":"why is login slow?"}`, 202) }
	say()
	eventually(t, "the first turn ends", func() bool { return r.turns()[0].Ended() })
	whole, cut := startTail(t, r.url, "--json", "--thread", "last"), startTail(t, proxy.URL, "--json", "--thread", "last")
	screen := startTail(t, proxy.URL, "--thread", "last")
	for _, tail := range []*tailing{whole, cut, screen} {
		eventually(t, "they have begun", func() bool { return strings.Contains(tail.out.String(), "4 million rows") })
	}
	const turns = 4
	for range turns - 1 {
		say()
	}
	answered := func(tail *tailing) bool { return strings.Count(tail.out.String(), `"type":"response"`) == turns-1 }
	eventually(t, "all arrives", func() bool { return answered(whole) && answered(cut) })
	eventually(t, "and is shown", func() bool { return strings.Contains(screen.out.String(), "Reasoning (turn 4)") })
	require.NoError(t, whole.end())
	require.NoError(t, cut.end())
	require.NoError(t, screen.end())
	assert.Greater(t, cuts.Load(), int64(5), "the proxy did cut")
	assert.Equal(t, whole.out.String(), cut.out.String(), "every event, once, in order")
	assert.Equal(t, turns, strings.Count(screen.out.String(), "› why is login slow?"))
	assert.Equal(t, turns, strings.Count(screen.out.String(), "The sessions table has 4 million rows"))
	assert.Contains(t, screen.out.String(), "Connected again; nothing was missed.")
	r.signal()
	require.NoError(t, <-r.exit)
}

func TestTailOfAJobShowsItFromItsBeginning(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t)
	var job struct {
		ID    string `json:"job_id"`
		Token string `json:"token"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.must("POST", "/api/jobs", `{"title":"tidy","prompt":"summarise"}`, 201)), &job))
	post := func(body string) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.url+"/api/jobs/"+job.ID+"/events", strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+job.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, 200, resp.StatusCode)
	}
	post(`{"event":"status","state":"running","message":"started","iteration":1}`)
	post(`{"event_type":"tool_use","data":{"tool_name":"shell","input":{"command":"git log"},"call_id":"call_1","rationale":"to see what was done"}}`)
	tail := startTail(t, r.url, "--job", job.ID)
	eventually(t, "what was before", func() bool { return strings.Contains(tail.out.String(), "git log") })
	post(`{"event_type":"tool_result","data":{"tool_name":"shell","output":"3 commits","call_id":"call_1"}}`)
	post(reasoningPost)
	post(`{"event":"result","success":true,"message":"done"}`)
	eventually(t, "what comes after", func() bool { return strings.Contains(tail.out.String(), "✓ done") })
	require.NoError(t, tail.end())
	assert.Equal(t, "── job "+job.ID+` ──

  ┄ Opened: tidy
  ┄ running. started
  ○ shell  "to see what was done"
    params: { "command": "git log" }
  ● shell
    ▸ 3 commits

  ┄ Reasoning
  Narrative: "Checked git log, now writing a summary file."
  ┄ shell  "ran git log to capture recent commits"
    → success
  ┄ write  "Tool selected to satisfy the current subtask."  (no reason given)
    → pending


  ✓ done

`, tail.out.String())
	r.signal()
	require.NoError(t, <-r.exit)
}

func TestCommandsThatLookExplainTheirMistakes(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", testToken)
	r := runServe(t)
	r.must("POST", "/api/chat/thread/new", "{}", 201)
	for _, tt := range []struct {
		name, args, want string
		status           int
	}{
		{"no thread", "reasoning", "reasoning takes a thread", 1},
		{"a turn that is none", "reasoning last some", `"some" is no turn: want a number, all or last`, 1},
		{"a thread that is none", "reasoning abcd1234", "no such thread", 2},
		{"a turn that is not there", "reasoning last 7", "as was said", 2},
		{"a thread without turns", "reasoning last", "no turn of this thread has ended yet", 2},
		{"too much", "reasoning a 1 2", "see candor reasoning --help", 1},
		{"tail of a thread that is none", "tail --thread abcd1234", "no such thread", 2},
		{"tail of a job that is none", "tail --job nope", "You have no such job.", 1},
		{"tail of words", "tail it", "tail takes no argument but flags", 1},
		{"export of nothing", "export", "export takes one thread", 1},
		{"a format that is none", "export last --format exe", `"exe" is none of md, jsonl, html`, 1},
		{"a color that is none", "tail --color pink", `"pink" is none of auto, always, never`, 1},
		{"a token file that is none", "tail --token-file nowhere", "", 2},
		{"a server that is none", "tail --server nowhere", "has to be a URL", 1},
		{"a server that is not there", "reasoning last --server http://127.0.0.1:1", "Is it running? candor serve starts it", 1},
		{"chat goes on with nothing", "chat --continue", "--thread and --continue need --server", 1},
		{"doctor of words", "doctor it", "doctor takes no argument", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"candor"}, strings.Fields(tt.args)...)
			switch {
			case tt.want == "":
				t.Setenv("CANDOR_TOKEN", "")
				tt.want, tt.status = "--token-file: open nowhere", 1
			case !strings.Contains(tt.args, "--server") && args[1] != "chat":
				args = append(args, "--server", r.url)
			}
			var out logBuffer
			err := run(t.Context(), args, strings.NewReader(""), &out, &out)
			require.ErrorContains(t, err, tt.want)
			assert.Equal(t, tt.status, exitStatus(err))
		})
	}
	r.signal()
	require.NoError(t, <-r.exit)
}

func TestShellsAreTaught(t *testing.T) {
	name, err := program()
	require.NoError(t, err)
	ask := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), name, args...).Output()
		require.NoError(t, err)
		return string(out)
	}
	for _, shell := range []string{"bash", "zsh", "fish", "pwsh"} {
		assert.Contains(t, ask("completion", shell), "--generate-shell-completion", shell)
	}
	for _, command := range []string{"serve", "chat", "reasoning", "tail", "export", "worker", "scan", "doctor"} {
		assert.Contains(t, ask("--generate-shell-completion"), command+":")
	}
	assert.Contains(t, ask("tail", "--t", "--generate-shell-completion"), "--thread:")
}

// Every command of the family has JSON, examples and its exit statuses in its help.
func TestEveryCommandOfTheFamilyExplainsItself(t *testing.T) {
	for _, command := range []string{"chat", "reasoning", "tail", "export", "scan", "doctor"} {
		var out logBuffer
		require.NoError(t, run(t.Context(), []string{"candor", command, "--help"}, strings.NewReader(""), &out, &out))
		for _, want := range []string{"EXIT STATUS", "EXAMPLES", "--json", "candor " + command} {
			assert.Contains(t, out.String(), want, command)
		}
	}
}
