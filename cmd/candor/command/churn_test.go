package command_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

var churnFor = flag.Duration("churn", 0, "how long TestAServerStaysAsLargeAsItIs opens, fills and deletes; 0 skips it")

// size is what a server holds at a moment.
type size struct{ goroutines, files, resident, stored, cpu float64 }

// TestAServerStaysAsLargeAsItIs has clients open conversations and jobs, fill, follow and delete them, and compares
// what it holds in the second quarter of the time with the last.
func TestAServerStaysAsLargeAsItIs(t *testing.T) {
	if *churnFor == 0 {
		t.Skip("set how long it runs: -churn 20m")
	}
	const users = 4
	data := filepath.Join(t.TempDir(), "data")
	m, l := newMortal(t, users, "--data", data)
	m.start()
	c := &churn{Client: apptest.Client{T: t, URL: l.Servers[0], Caller: &http.Client{}}, tokens: l.Tokens}
	ctx, cancel := context.WithTimeout(t.Context(), *churnFor)
	defer cancel()
	var clients sync.WaitGroup
	for user := range l.Tokens {
		for range 3 {
			clients.Go(func() { c.repeat(ctx, user, c.converse) })
			clients.Go(func() { c.repeat(ctx, user, c.work) })
			clients.Go(func() { c.repeat(ctx, user, c.follow) })
		}
	}
	var sizes []size
	every := time.NewTicker(max(time.Second, *churnFor/120))
	defer every.Stop()
	for ctx.Err() == nil {
		select {
		case <-every.C:
			sizes = append(sizes, c.size(data))
		case <-ctx.Done():
		}
	}
	clients.Wait()
	require.Greater(t, len(sizes), 8)
	before, after := largest(sizes[len(sizes)/4:len(sizes)/2]), largest(sizes[len(sizes)*3/4:])
	worked := sizes[len(sizes)-1].cpu - sizes[0].cpu
	t.Logf("%v: %d conversations and %d jobs opened, filled and deleted, %d streams; the server used %.2f processors",
		*churnFor, c.done["conversation"], c.done["job"], c.done["stream"], worked/churnFor.Seconds())
	for name, of := range map[string]func(size) float64{
		"goroutines":           func(s size) float64 { return s.goroutines },
		"file descriptors":     func(s size) float64 { return s.files },
		"resident memory, MiB": func(s size) float64 { return s.resident / (1 << 20) },
		"files, MiB":           func(s size) float64 { return s.stored / (1 << 20) },
	} {
		t.Logf("%-21s at most: second quarter %.1f, last quarter %.1f", name, of(before), of(after))
		assert.LessOrEqual(t, of(after), 1.1*of(before)+4, name)
	}
}

// largest returns the largest of each figure.
func largest(all []size) (most size) {
	for _, s := range all {
		most.goroutines, most.files = max(most.goroutines, s.goroutines), max(most.files, s.files)
		most.resident, most.stored = max(most.resident, s.resident), max(most.stored, s.stored)
	}
	return most
}

// churn is a load that leaves nothing behind.
type churn struct {
	apptest.Client
	tokens map[string]string

	mu   sync.Mutex
	done map[string]int
}

// repeat does one thing after the other, with a short pause between them.
func (c *churn) repeat(ctx context.Context, user string, do func(ctx context.Context, as func(*http.Request)) string) {
	for ctx.Err() == nil {
		what := do(ctx, apptest.WithToken(c.tokens[user]))
		c.mu.Lock()
		if c.done == nil {
			c.done = map[string]int{}
		}
		c.done[what]++
		c.mu.Unlock()
		rest(ctx, 5*time.Millisecond)
	}
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// converse has a conversation and deletes it once its last turn has ended.
func (c *churn) converse(ctx context.Context, as func(*http.Request)) string {
	thread := c.Post("", "/api/chat/thread/new", "{}", as).JSON()["id"].(string)
	for i := range 5 {
		in := apptest.JSON(c.T, apptest.M{"thread_id": thread, "content": fmt.Sprint("what time is it? ", i)})
		require.Equal(c.T, http.StatusAccepted, c.Post("", "/api/chat/send", string(in), as).Status)
	}
	c.delete("/api/chat/threads/"+thread, as)
	return "conversation"
}

// work does a job and deletes it.
func (c *churn) work(_ context.Context, as func(*http.Request)) string {
	opened := c.Post("", "/api/jobs", `{"title":"tidy","prompt":"tidy up"}`, as)
	require.Equal(c.T, http.StatusCreated, opened.Status, opened.Body)
	id, token := opened.JSON()["job_id"].(string), opened.JSON()["token"].(string)
	for range 10 {
		require.Equal(c.T, http.StatusOK, c.PostEvents(id, token, apptest.ReasoningPost).Status)
	}
	require.Equal(c.T, http.StatusOK, c.PostEvents(id, token, `{"event":"result","success":true}`).Status)
	c.delete("/api/jobs/"+id, as)
	return "job"
}

// delete deletes something as soon as that can be done.
func (c *churn) delete(path string, as func(*http.Request)) {
	apptest.Eventually(c.T, "it can be deleted", func() bool {
		r := c.Do("", http.MethodDelete, path, "", as)
		return r.Status != http.StatusConflict
	})
}

// follow reads a stream for a second.
func (c *churn) follow(ctx context.Context, as func(*http.Request)) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req := c.Request(ctx, "", http.MethodGet, "/api/chat/events", "", as)
	resp, err := c.Caller.Do(req)
	if err != nil {
		return "refused stream"
	}
	defer resp.Body.Close()
	for s := apptest.NewStream(resp.Body, ""); err == nil; {
		_, err = s.Next()
	}
	return "stream"
}

// size asks the server how large it is.
func (c *churn) size(dir string) (s size) {
	for line := range strings.Lines(c.Get("", "/metrics", apptest.WithToken(c.tokens["u0"])).Body) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, _ := strconv.ParseFloat(value, 64)
		switch name {
		case "go_goroutines":
			s.goroutines = n
		case "process_open_fds":
			s.files = n
		case "process_resident_memory_bytes":
			s.resident = n
		case "process_cpu_seconds_total":
			s.cpu = n
		}
	}
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				s.stored += float64(info.Size())
			}
		}
		return nil
	})
	require.NotZero(c.T, s.resident, "the metrics of the process")
	return s
}
