//go:build unix

package jobs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/apptest/program"
)

// soaked is candor serve in a process of its own.
type soaked struct {
	apptest.Client
	pid int

	mu      sync.Mutex
	charged int // to all sessions, at most
}

// startSoaked starts candor serve with default limits, until the test ends.
func startSoaked(t *testing.T) *soaked {
	t.Helper()
	apptest.HideProviders(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	var lines strings.Builder
	for _, user := range []string{"ann", "bob", "eve"} {
		fmt.Fprintf(&lines, "%s:%s\n", user, apptest.TokenOf(user))
	}
	require.NoError(t, os.WriteFile(tokens, []byte(lines.String()), 0o600))
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the test's own
	cmd := program.Command(ctx, t, "serve", "--addr", "127.0.0.1:0", "--workspace", t.TempDir(),
		"--tokens", tokens, "--log-level", "error",
		"--provider", "script", "--script", apptest.ScriptFile(t, apptest.Answering("It is done.")))
	var out apptest.LogBuffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	require.NoError(t, cmd.Start())
	address := regexp.MustCompile(`serves at (http://\S+)`)
	apptest.Eventually(t, "the server runs", func() bool { return address.MatchString(out.String()) })
	s := &soaked{pid: cmd.Process.Pid}
	own := &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	s.Client = apptest.Client{T: t, URL: address.FindStringSubmatch(out.String())[1], Caller: own}
	var watching sync.WaitGroup
	watching.Go(func() { s.watch(t.Context()) })
	t.Cleanup(func() {
		defer cancel()
		watching.Wait()
		assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, cmd.Wait())
	})
	return s
}

// watch reads what sessions are charged, every second.
func (s *soaked) watch(ctx context.Context) {
	charged := regexp.MustCompile(`(?m)^candor_session_bytes (\S+)`)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		resp, err := s.Caller.Do(s.Request(ctx, "eve", http.MethodGet, "/metrics", ""))
		if err != nil {
			continue // the test is over
		}
		raw, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if found := charged.FindSubmatch(raw); found != nil {
			n, _ := strconv.ParseFloat(string(found[1]), 64)
			s.mu.Lock()
			s.charged = max(s.charged, int(n))
			s.mu.Unlock()
		}
	}
}

// memory is the most that a server has used, in bytes.
type memory struct{ charged, resident int }

// String formats the sizes.
func (m memory) String() string {
	return fmt.Sprintf("%d MiB charged, %d MiB resident", m.charged>>20, m.resident>>20)
}

// most returns the most memory that the server has used so far.
func (s *soaked) most() memory {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(fileText(fmt.Sprintf("/proc/%d/status", s.pid)))
	require.NotNil(s.T, found)
	kib, err := strconv.Atoi(found[1])
	require.NoError(s.T, err)
	return memory{s.charged, kib << 10}
}

// worked returns how long the processors have worked for the server so far.
func (s *soaked) worked() (total time.Duration) {
	_, stat, _ := strings.Cut(fileText(fmt.Sprintf("/proc/%d/stat", s.pid)), ") ")
	fields := strings.Fields(stat)
	require.Greater(s.T, len(fields), 12)
	for _, ticks := range fields[11:13] { // in user mode and in the kernel, in hundredths of a second
		n, err := strconv.Atoi(ticks)
		require.NoError(s.T, err)
		total += time.Duration(n) * 10 * time.Millisecond
	}
	return total
}

// fileText returns what is in a file, "" if it cannot be read.
func fileText(name string) string {
	raw, _ := os.ReadFile(name)
	return strings.TrimSpace(string(raw))
}

// The variables that make a test binary a neighbour of the honest user: which, of the server at
// which URL, and the file that gets how its requests were answered.
const (
	neighbourEnv = "CANDOR_SOAK_NEIGHBOUR"
	soakedEnv    = "CANDOR_SOAK_SERVER"
	answersEnv   = "CANDOR_SOAK_ANSWERS"
)

// startNeighbour starts a neighbour in a process of its own, which runs only where the servers and
// the honest user leave a processor idle, since the processors of a real attacker are elsewhere.
// stop ends it and returns how often its requests were answered with which status.
func startNeighbour(t *testing.T, kind, url string) (stop func() map[int]int) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "chrt", "--idle", "0", program,
		"-test.run", "^TestBeANeighbour$", "-test.timeout", "0", "-test.v")
	answers := filepath.Join(t.TempDir(), "answers")
	cmd.Env = append(os.Environ(), neighbourEnv+"="+kind, soakedEnv+"="+url, answersEnv+"="+answers)
	cmd.Stderr = os.Stderr
	lifeline, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return func() (counted map[int]int) {
		lifeline.Close()
		require.NoError(t, cmd.Wait())
		require.NoError(t, json.Unmarshal([]byte(fileText(answers)), &counted))
		t.Logf("the %s neighbour used %s of the processors", kind,
			(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second))
		return counted
	}
}

// TestBeANeighbour is what TestSoak starts beside the server, until its input ends.
func TestBeANeighbour(t *testing.T) {
	kind := os.Getenv(neighbourEnv)
	if kind == "" {
		t.Skip("TestSoak runs it")
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, os.Stdin)
	}()
	answers := map[int]int{}
	switch kind {
	case "hostile":
		answers = attack(ctx, &apptest.Client{T: t, URL: os.Getenv(soakedEnv), Caller: http.DefaultClient})
	case "busy":
		var spinning sync.WaitGroup
		for range 2 * runtime.NumCPU() {
			spinning.Go(func() {
				for ctx.Err() == nil { // on purpose, as fast as it can
				}
			})
		}
		spinning.Wait()
	}
	require.NoError(t, os.WriteFile(os.Getenv(answersEnv), apptest.JSON(t, answers), 0o600))
}

// attack uses all routes at full speed until ctx ends.
func attack(ctx context.Context, s *apptest.Client) map[int]int {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 2 * len(attacks)
	ann := &hostile{s: s, answers: map[int]int{}}
	ann.begin("/api/jobs", hostileJob)
	var attacking sync.WaitGroup
	for _, attack := range attacks {
		attacking.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				attack(ann, n)
			}
		})
	}
	attacking.Go(func() { ann.openStreams(ctx) })
	attacking.Go(func() { ann.readStreams(ctx) })
	attacking.Wait()
	return ann.answers
}

// slowReaders is how many streams the hostile user opens and never reads.
const slowReaders = 50

// fastReaders is how many streams the hostile user reads as fast as they come.
const fastReaders = 10

// readStreams reads all that ever happened again and again.
func (h *hostile) readStreams(ctx context.Context) {
	var open sync.WaitGroup
	defer open.Wait()
	origin := h.origin()
	for range fastReaders {
		open.Go(func() {
			for ctx.Err() == nil {
				stream, err := h.s.Subscribe(ctx, "ann", origin, "")
				if err != nil {
					continue
				}
				_, _ = io.CopyN(io.Discard, stream.Body, 64<<20)
				stream.Body.Close()
			}
		})
	}
}

// openStreams opens streams from the beginning of the session, which nobody reads, and opens
// each again that the server has cut off.
func (h *hostile) openStreams(ctx context.Context) {
	var open sync.WaitGroup
	defer open.Wait()
	origin := h.origin()
	for range slowReaders {
		open.Go(func() {
			for ctx.Err() == nil {
				stream, err := h.s.Subscribe(ctx, "ann", origin, "")
				if err != nil {
					continue
				}
				select {
				case <-ctx.Done():
				case <-time.After(15 * time.Second): // longer than the server waits for a reader
				}
				stream.Body.Close()
			}
		})
	}
}

// origin returns the position before the first event of the user's session.
func (h *hostile) origin() string {
	r := h.s.Post("ann", "/api/chat/thread/new", "{}")
	require.Equal(h.s.T, http.StatusCreated, r.Status, r.Body)
	history := h.s.Get("ann", "/api/chat/history?thread_id="+r.JSON()["id"].(string))
	session, _, _ := strings.Cut(history.JSON()["event_id"].(string), "-")
	return session + "-0"
}
