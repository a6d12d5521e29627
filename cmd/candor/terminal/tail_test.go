package terminal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tailing is candor tail in this process.
type tailing struct {
	out  apptest.LogBuffer
	stop context.CancelFunc
	wg   sync.WaitGroup
	err  error
}

func startTail(t *testing.T, url string, flags ...string) *tailing {
	ctx, cancel := context.WithCancel(t.Context())
	tail := &tailing{stop: cancel}
	tail.wg.Go(func() {
		tail.err = command.Run(ctx, append([]string{"candor", "tail", "--server", url}, flags...),
			strings.NewReader(""), &tail.out, &tail.out)
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

// What is wrong at the start is said at once, and nothing pretends to watch.
func TestTailSaysWhyItCannotBegin(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	run := func(url string) (string, error) {
		tail := startTail(t, url)
		tail.wg.Wait()
		return tail.out.String(), tail.err
	}
	out, err := run("http://127.0.0.1:1")
	require.ErrorContains(t, err, "connection refused. Is it running?")
	assert.Empty(t, out)

	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat/events" {
			w.WriteHeader(http.StatusBadGateway)
		}
		_, _ = w.Write([]byte("{}"))
	}))
	defer s.Close()
	_, err = run(s.URL)
	require.ErrorContains(t, err, "it answers with status 502")

	r := program.Serve(t)
	t.Setenv("CANDOR_TOKEN", "of-another-server-of-ours")
	out, err = run(r.URL)
	require.ErrorContains(t, err, "the server does not know this token")
	assert.Empty(t, out)
}

func TestTailComesBackByItselfAndShowsEverythingOnce(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := program.Serve(t, "--provider", "script", "--script", apptest.Script(t, apptest.TurnsDir(t, "two-steps")))
	proxy, cuts := cutting(t, r.URL)
	say := func() { r.Must("POST", "/api/chat/send", `{"content":"why is login slow?"}`, 202) }
	say()
	apptest.Eventually(t, "the first turn ends", func() bool { return r.Turns()[0].Ended() })
	whole, cut := startTail(t, r.URL, "--json", "--thread", "last"), startTail(t, proxy.URL, "--json", "--thread",
		"last")
	screen := startTail(t, proxy.URL, "--thread", "last")
	for _, tail := range []*tailing{whole, cut, screen} {
		apptest.Eventually(t, "they have begun", func() bool {
			return strings.Contains(tail.out.String(),
				"4 million rows")
		})
	}
	const turns = 4
	for range turns - 1 {
		say()
	}
	answered := func(tail *tailing) bool { return strings.Count(tail.out.String(), `"type":"response"`) == turns-1 }
	apptest.Eventually(t, "all arrives", func() bool { return answered(whole) && answered(cut) })
	apptest.Eventually(t, "and is shown", func() bool {
		return strings.Count(screen.out.String(), "The sessions table has 4 million rows") == turns
	})
	require.NoError(t, whole.end())
	require.NoError(t, cut.end())
	require.NoError(t, screen.end())
	assert.Greater(t, cuts.Load(), int64(5), "the proxy did cut")
	assert.Equal(t, whole.out.String(), cut.out.String(), "every event, once, in order")
	assert.Equal(t, turns, strings.Count(screen.out.String(), "› why is login slow?"))
	assert.Equal(t, turns, strings.Count(screen.out.String(), "The sessions table has 4 million rows"))
	const said = "First I look for what was written down about it.\n"
	assert.Equal(t, turns, strings.Count(screen.out.String(), "\n  "+said), "whole, when its step has ended")
	for n := range turns {
		assert.Equal(t, 1, strings.Count(screen.out.String(), fmt.Sprintf("why is login slow?, turn %d\n", n+1)))
	}
	assert.Contains(t, screen.out.String(), "Connected again; nothing was missed.")
	assert.Contains(t, screen.out.String(), "No connection to "+proxy.URL+"; trying again.", "it names the address")
	r.Stop()
}

func TestTailOfAJobShowsItFromItsBeginning(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := program.Serve(t)
	var job struct {
		ID    string `json:"job_id"`
		Token string `json:"token"`
	}
	require.NoError(t, json.Unmarshal([]byte(r.Must("POST", "/api/jobs", `{"title":"tidy","prompt":"summarise"}`, 201)),
		&job))
	post := func(body string) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", r.URL+"/api/jobs/"+job.ID+"/events",
			strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+job.Token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, 200, resp.StatusCode)
	}
	post(`{"event":"status","state":"running","message":"started","iteration":1}`)
	post(`{"event_type":"tool_use","data":{"tool_name":"shell","input":{"command":"git log"},
		"call_id":"call_1","rationale":"to see what was done"}}`)
	tail := startTail(t, r.URL, "--job", job.ID)
	apptest.Eventually(t, "what was before, and how the job is now", func() bool {
		return strings.Contains(tail.out.String(), "git log") && strings.Contains(tail.out.String(), "heard just now")
	})
	post(`{"event_type":"tool_result","data":{"tool_name":"shell","output":"3 commits","call_id":"call_1"}}`)
	post(apptest.ReasoningPost)
	post(`{"event":"result","success":true,"message":"done"}`)
	apptest.Eventually(t, "what comes after", func() bool { return strings.Contains(tail.out.String(), "✓ done") })
	require.NoError(t, tail.end())
	assert.Equal(t, "  Watching "+r.URL+" as local: 1 job. Ctrl-C ends it.\n\n  <time>  job "+job.ID+`
  ┄ Opened: tidy
  ┄ running. started
  ○ shell  "to see what was done"
    params: { "command": "git log" }
  ┄ Running; its worker was heard just now.
  ● shell
    ▸ 3 commits

  ┄ Reasoning
  Narrative: "Checked git log, now writing a summary file."
  ┄ shell  "ran git log to capture recent commits"  (matched by tool and order)
    params: { "command": "git log" }
    → success
  ┄ write  "Tool selected to satisfy the current subtask."  (no reason given)
    → pending

  ✓ done

`, clockTime.ReplaceAllString(tail.out.String(), "  <time>  "))
	r.Stop()
}

// clockTime is the time in a heading.
var clockTime = regexp.MustCompile(`(?m)^  \d\d:\d\d  `)

// A job that waits says which line starts a worker, at first and after each restart. Why it
// failed is said last, whatever came after the failure.
func TestTailOfAJobSaysThatItWaitsAndWhyItFailed(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
	t.Setenv("CANDOR_TOKEN", apptest.TokenOf("ann"))
	const failure = `{"event":"result","success":false,"message":"no space left"}`
	id, token := s.NewJob("tidy up")
	waits := "This line starts one, with the job's token:\n" +
		"    CANDOR_JOB_TOKEN=… candor worker --server " + s.HTTP.URL + " --job " + id + "\n"
	tail := startTail(t, s.HTTP.URL, "--job", id)
	apptest.Eventually(t, "it waits", func() bool {
		return strings.Contains(tail.out.String(), "  ┄ Waiting for a worker. "+waits)
	})
	require.Equal(t, 200, s.PostEvents(id, token, failure).Status)
	require.Equal(t, 202, s.Post("ann", "/api/jobs/"+id+"/restart", "{}").Status)
	apptest.Eventually(t, "it waits again", func() bool {
		return strings.Contains(tail.out.String(), "  ┄ Waiting for a worker, run 2. "+waits)
	})
	require.NoError(t, tail.end())
	assert.Equal(t, 2, strings.Count(tail.out.String(), "Waiting for a worker"))

	id, token = s.NewJob("tidy up again")
	require.Equal(t, 200, s.PostEvents(id, token, failure).Status)
	tail = startTail(t, s.HTTP.URL, "--job", id)
	apptest.Eventually(t, "why it failed", func() bool {
		return strings.HasSuffix(tail.out.String(), "\n  ✗ Failed: no space left\n")
	})
	require.NoError(t, tail.end())
}
