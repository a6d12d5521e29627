package jobs_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/session"
	"candor/web/access"
	"candor/worker"
)

// aStep is what a worker posts of one step with two calls.
func aStep(n int) []worker.Event {
	input := json.RawMessage(`{"path":"logs/api/2026-02-21T10.log","query":"status=500","limit":50}`)
	output := json.RawMessage(`{"matches":[{"line":812,"text":"10:02:11 POST /login 500 in 31ms"}],"truncated":false}`)
	const why = "The error rate rose right after the deploy, so I read the log of that hour and expect the first failing request in it."
	var events []worker.Event
	var decisions []worker.Decision
	for i := range 2 {
		call := fmt.Sprintf("call_%d", 2*n+i)
		events = append(events, worker.ToolUse(call, "file_search", input),
			worker.ToolResult(call, "file_search", session.Success, output, "", 1))
		decisions = append(decisions, worker.Decision{
			ToolName: "file_search", Outcome: session.Success,
			Reason: worker.Reason{Rationale: why, Source: session.FromModel, Group: new(0)},
		})
	}
	return append(events, worker.Reasoning("I search the log of that hour first.", decisions...))
}

// BenchmarkAcceptingEvents is what taking a worker's events costs: decoded, cleaned
// again, kept. x-decoding is that over the cost of an Echo handler that decodes the
// same body and does nothing with it.
func BenchmarkAcceptingEvents(b *testing.B) {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	offline := app.Settings{Model: app.ModelSettings{Provider: "offline"},
		Tools: app.ToolSettings{Workspace: apptest.Root(b)}}
	a, err := app.New(offline, tokens, nil, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	defer a.Close(context.Background())
	post := func(h http.Handler, path, token, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		return w
	}
	var job struct {
		ID    string `json:"job_id"`
		Token string `json:"token"`
	}
	opened := post(a, "/api/jobs", apptest.TokenOf("ann"), `{"prompt":"x"}`)
	require.NoError(b, json.Unmarshal(opened.Body.Bytes(), &job))

	step := aStep(1)
	for i := range step {
		step[i].ID = "" // each time anew
	}
	raw, err := json.Marshal(map[string]any{"events": step})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if w := post(a, "/api/jobs/"+job.ID+"/events", job.Token, string(raw)); w.Code != http.StatusOK {
			b.Fatal(w.Body.String())
		}
	}
	perPost := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(len(step))/perPost.Seconds(), "events/s")

	decoding := echo.New()
	decoding.POST("/events", func(c echo.Context) error {
		var in struct {
			Events []worker.Event `json:"events"`
		}
		if err := json.NewDecoder(c.Request().Body).Decode(&in); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, map[string]int{"events": len(in.Events)})
	})
	start := time.Now()
	for range b.N {
		post(decoding, "/events", "x", string(raw))
	}
	b.ReportMetric(float64(perPost)/(float64(time.Since(start))/float64(b.N)), "x-decoding")
}

var (
	loadFor     = flag.Duration("load", 0, "how long TestJobsUnderLoad runs; 0 leaves it out")
	loadWatches = flag.String("load-watch", "job", "what a subscriber of TestJobsUnderLoad sees: job or all")
)

// TestJobsUnderLoad is no test of what is right, but of how fast it is: 50 workers
// post 200 events a second in all beside 500 subscribers, all in this process. It
// runs when -load says how long.
func TestJobsUnderLoad(t *testing.T) {
	if *loadFor == 0 {
		t.Skip("give it a time: -load 1m")
	}
	const workers, subscribers, perSecond = 50, 500, 200
	s := apptest.Start(t, app.Settings{StreamsPerUser: subscribers, SendsPerMinute: 1000}, apptest.Answering("x"))
	s.Begin("ann")
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = workers
	start, ids, clients := time.Now(), make([]string, workers), make([]*worker.Client, workers)
	for i := range workers {
		id, token := s.NewJob("x")
		c, err := worker.NewClient(s.HTTP.URL, id, token)
		require.NoError(t, err)
		ids[i], clients[i] = id, c
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var watching, working sync.WaitGroup
	delays, arrived := make([][]time.Duration, subscribers), atomic.Int64{}
	for i := range subscribers {
		path := "/api/chat/events"
		if *loadWatches == "job" {
			path = "/api/jobs/" + ids[i%workers] + "/events"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HTTP.URL+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
		req.Header.Set("Accept", "text/event-stream")
		resp, err := s.HTTP.Client().Do(req)
		require.NoError(t, err)
		watching.Go(func() {
			defer resp.Body.Close()
			delays[i] = watch(bufio.NewReader(resp.Body), start, &arrived)
		})
	}
	posts, begun := [workers][]time.Duration{}, time.Now()
	for i, c := range clients {
		working.Go(func() { posts[i] = fiftieth(t, c, start, *loadFor, workers*time.Second/perSecond, i) })
	}
	working.Wait()
	took, posted := time.Since(begun), 0
	for _, p := range posts {
		posted += len(p)
	}
	want := int64(posted * subscribers)
	if *loadWatches == "job" {
		want = int64(posted / workers * subscribers)
	}
	apptest.Eventually(t, "every subscriber has everything", func() bool { return arrived.Load() >= want })
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cancel()
	watching.Wait()
	t.Logf("%d events in %s: %.0f/s accepted, %d deliveries (%.0f/s)", posted, took.Round(time.Second),
		float64(posted)/took.Seconds(), arrived.Load(), float64(arrived.Load())/took.Seconds())
	t.Logf("post → answer      %s", spread(slices.Concat(posts[:]...)))
	t.Logf("post → subscriber  %s", spread(slices.Concat(delays...)))
	t.Logf("heap in use %d MiB, of the system %d MiB, clients and their figures included; %s", m.HeapInuse>>20,
		m.Sys>>20, resident())
	assert.InDelta(t, perSecond, float64(posted)/took.Seconds(), perSecond/20, "the server keeps up")
}

// fiftieth is one of the workers: an event each tick, which says when it was posted.
func fiftieth(t *testing.T, c *worker.Client, start time.Time, total, tick time.Duration,
	place int) (took []time.Duration) {
	first := time.NewTimer(tick * time.Duration(place) / 50)
	<-first.C
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for range int(total / tick) {
		<-ticker.C
		now := time.Now()
		if _, err := c.Post(t.Context(), worker.Status("sent", strconv.FormatInt(now.Sub(start).Microseconds(),
			10))); !assert.NoError(t, err) {
			return took
		}
		took = append(took, time.Since(now))
	}
	return took
}

// watch reads a stream to its end and gives how old events were when they came.
func watch(lines *bufio.Reader, start time.Time, arrived *atomic.Int64) (delays []time.Duration) {
	const mark = `"state":"sent","message":"`
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return delays
		}
		_, rest, ok := strings.Cut(string(line), mark)
		if !ok {
			continue
		}
		sent, _, _ := strings.Cut(rest, `"`)
		if us, err := strconv.ParseInt(sent, 10, 64); err == nil {
			delays = append(delays, time.Since(start)-time.Duration(us)*time.Microsecond)
			arrived.Add(1)
		}
	}
}

func spread(d []time.Duration) string {
	slices.Sort(d)
	at := func(q float64) time.Duration {
		return d[min(len(d)-1, int(q*float64(len(d))))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %s  p99 %s  longest %s", at(0.5), at(0.99), at(1))
}

// resident is the process's memory as the system counts it, where it says so.
func resident() string {
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "VmHWM") {
			return "most resident " + strings.Join(strings.Fields(line)[1:], " ")
		}
	}
	return ""
}
