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

// aStep returns the events that a worker posts for a step with two calls.
func aStep(n int) []worker.Event {
	input := json.RawMessage(`{"path":"logs/api/2026-02-21T10.log","query":"status=500","limit":50}`)
	output := json.RawMessage(`{"matches":[{"line":812,"text":"10:02:11 POST /login 500 in 31ms"}],"truncated":false}`)
	const why = "The error rate rose right after the deploy, so I read the log of that hour " +
		"and expect the first failing request in it."
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

// BenchmarkAcceptingEvents measures a post of a worker's events: decoding, cleaning and
// storing them. x-decoding is the ratio to an Echo handler that only decodes the body.
func BenchmarkAcceptingEvents(b *testing.B) {
	var tokens access.Tokens
	tokens.Add("ann", apptest.TokenOf("ann"))
	offline := app.Settings{Model: app.ModelSettings{Provider: "offline"},
		Tools: app.ToolSettings{Workspace: apptest.Root(b)}, WritesPerSecond: 1 << 30}
	a, err := app.New(offline, tokens, nil, slog.New(slog.DiscardHandler))
	require.NoError(b, err)
	defer a.Close(context.Background())
	post := func(h http.Handler, path, token, body string) *httptest.ResponseRecorder {
		req := httptest.NewRequest(http.MethodPost, "http://localhost"+path, strings.NewReader(body))
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
		step[i].ID = "" // so that no post is a repeat
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
	loadFor     = flag.Duration("load", 0, "how long TestJobsUnderLoad runs; 0 skips it")
	loadWatches = flag.String("load-watch", "job", "what a subscriber of TestJobsUnderLoad watches: job or all")
)

// The size of the load.
const (
	loadWorkers     = 50
	loadSubscribers = 500
	loadPerSecond   = 200 // events, of all workers together
)

// TestJobsUnderLoad measures speed: 50 workers post 200 events a second in all while 500
// subscribers watch, all in this process. It runs for as long as -load says.
func TestJobsUnderLoad(t *testing.T) {
	if *loadFor == 0 {
		t.Skip("set how long it runs: -load 1m")
	}
	settings := app.Settings{StreamsPerUser: loadSubscribers, SendsPerMinute: 1000}
	s := apptest.Start(t, settings, apptest.Answering("x"))
	s.Begin("ann")
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = loadWorkers
	start := time.Now()
	ids, clients := openJobs(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	subs := subscribeAll(ctx, t, s, ids, start)
	var posts [loadWorkers][]time.Duration
	var working sync.WaitGroup
	begun := time.Now()
	for i, c := range clients {
		working.Go(func() {
			posts[i] = postEvery(t, c, start, *loadFor, loadWorkers*time.Second/loadPerSecond, i)
		})
	}
	working.Wait()
	took, all := time.Since(begun), slices.Concat(posts[:]...)
	want := int64(len(all) * loadSubscribers)
	if *loadWatches == "job" {
		want = int64(len(all) / loadWorkers * loadSubscribers)
	}
	apptest.Eventually(t, "every subscriber has every event", func() bool { return subs.arrived.Load() >= want })
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cancel()
	subs.running.Wait()
	arrived, perSecond := subs.arrived.Load(), float64(len(all))/took.Seconds()
	t.Logf("%d events in %s: %.0f/s accepted, %d deliveries (%.0f/s)", len(all), took.Round(time.Second),
		perSecond, arrived, float64(arrived)/took.Seconds())
	t.Logf("post → answer      %s", spread(all))
	t.Logf("post → subscriber  %s", spread(slices.Concat(subs.delays[:]...)))
	t.Logf("heap in use %d MiB, of the system %d MiB, clients and their figures included; %s", m.HeapInuse>>20,
		m.Sys>>20, resident())
	assert.InDelta(t, loadPerSecond, perSecond, loadPerSecond/20, "the server keeps up")
}

// openJobs opens a job for each worker and returns their ids and clients.
func openJobs(t *testing.T, s *apptest.Server) (ids []string, clients []*worker.Client) {
	t.Helper()
	for range loadWorkers {
		id, token := s.NewJob("x")
		c, err := worker.NewClient(s.HTTP.URL, id, token)
		require.NoError(t, err)
		ids, clients = append(ids, id), append(clients, c)
	}
	return ids, clients
}

// subscribers are the streams that watch the jobs.
type subscribers struct {
	running sync.WaitGroup
	delays  [loadSubscribers][]time.Duration // of each stream's events; read it once running is done
	arrived atomic.Int64                     // events on all streams
}

// subscribeAll opens all streams, each of one job or, with -load-watch all, of the whole
// session. They run until ctx ends.
func subscribeAll(
	ctx context.Context, t *testing.T, s *apptest.Server, ids []string, start time.Time,
) *subscribers {
	t.Helper()
	subs := &subscribers{}
	for i := range loadSubscribers {
		path := "/api/chat/events"
		if *loadWatches == "job" {
			path = "/api/jobs/" + ids[i%len(ids)] + "/events"
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.HTTP.URL+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+apptest.TokenOf("ann"))
		req.Header.Set("Accept", "text/event-stream")
		resp, err := s.HTTP.Client().Do(req)
		require.NoError(t, err)
		subs.running.Go(func() {
			defer resp.Body.Close()
			subs.delays[i] = watch(bufio.NewReader(resp.Body), start, &subs.arrived)
		})
	}
	return subs
}

// postEvery posts an event each tick as the worker with index place. The message of an event
// is the time of its post, in microseconds since start. took has the duration of each post.
func postEvery(
	t *testing.T, c *worker.Client, start time.Time, total, tick time.Duration, place int,
) (took []time.Duration) {
	first := time.NewTimer(tick * time.Duration(place) / loadWorkers)
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

// watch reads a stream to its end and returns the age of each event on arrival.
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

// spread formats the median, the 99th percentile and the maximum of durations.
func spread(d []time.Duration) string {
	slices.Sort(d)
	at := func(q float64) time.Duration {
		return d[min(len(d)-1, int(q*float64(len(d))))].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %s  p99 %s  longest %s", at(0.5), at(0.99), at(1))
}

// resident returns the peak resident memory of the process, "" if the system does not
// report it.
func resident() string {
	raw, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "VmHWM") {
			return "most resident " + strings.Join(strings.Fields(line)[1:], " ")
		}
	}
	return ""
}
