//go:build unix

package terminal_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
)

// BenchmarkFirstPrompt is a conversation from its start to its first prompt. process-ms
// is what a process takes that does nothing, beyond-ms what the prompt takes on top.
func BenchmarkFirstPrompt(b *testing.B) {
	name := buildCandor(b)
	var prompt, nothing time.Duration
	n := 0
	for b.Loop() {
		start := time.Now()
		require.NoError(b, exec.CommandContext(b.Context(), name, "--help").Run())
		nothing += time.Since(start)
		prompt += until(b, "› ", nil, name, "chat", "--provider", "offline")
		n++
	}
	b.ReportMetric(float64(nothing.Microseconds())/1000/float64(n), "process-ms")
	b.ReportMetric(float64((prompt-nothing).Microseconds())/1000/float64(n), "beyond-ms")
}

// BenchmarkTailOfALongThread is candor tail of a thread of 10,000 turns, from the start
// of the process to the last turn's reasons.
func BenchmarkTailOfALongThread(b *testing.B) {
	const turns = 10_000
	name := buildCandor(b)
	url := longThread(b, turns)
	env := append(os.Environ(), "CANDOR_TOKEN="+apptest.Token)
	var took time.Duration
	n := 0
	for b.Loop() {
		took += until(b, "Nothing runs.", env, name, "tail", "--server", url, "--thread",
			"last")
		n++
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(n), "start-ms")
}

// until runs a command in a terminal until it shows text, and says how long that took.
func until(b *testing.B, text string, env []string, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), name, args...)
	cmd.Env = env
	start := time.Now()
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 80})
	require.NoError(b, err)
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = tty.Close()
	}()
	expect(b, tty, text)
	return time.Since(start)
}

// expect reads a terminal byte by byte up to a text.
func expect(b *testing.B, tty io.Reader, text string) {
	b.Helper()
	var seen bytes.Buffer
	var one [1]byte
	for !bytes.HasSuffix(seen.Bytes(), []byte(text)) {
		_, err := tty.Read(one[:])
		require.NoError(b, err, seen.String())
		seen.Write(one[:])
	}
}

// longThread serves one thread of so many turns with two calls each.
func longThread(b *testing.B, turns int) (url string) {
	b.Helper()
	store := session.NewMemory(nil)
	b.Cleanup(func() { store.Close() })
	s, err := store.Open(b.Context(), access.LocalUser)
	require.NoError(b, err)
	e, err := s.OpenThread()
	require.NoError(b, err)
	layer := safety.NewLayer()
	text := func(s string) safety.Text { t, _ := layer.Clean(s); return t }
	params, _ := layer.CleanJSON([]byte(`{"query":"recent project updates","limit":5}`))
	result, _ := layer.CleanJSON([]byte(`{"documents":["one","two","three"]}`))
	for range turns {
		begun, err := s.Accept(e.Thread, text("search for recent project updates"), nil)
		require.NoError(b, err)
		for i := range 2 {
			id := "call_" + strconv.Itoa(i+1)
			for _, body := range []session.Body{
				session.Narrated{Step: i + 1, Text: text("I look it up."), Source: session.FromModel},
				session.ToolCalled{Step: i + 1, Call: id, Tool: text("memory_search"), Rationale: session.Fallback(),
					Params: params},
				session.ToolReturned{Call: id, Outcome: session.Success, Result: result},
				session.StepEnded{Step: i + 1},
			} {
				_, err := s.Append(begun.Ref, body)
				require.NoError(b, err)
			}
		}
		_, err = s.Append(begun.Ref, session.TurnCompleted{Response: text("These are the updates.")})
		require.NoError(b, err)
	}
	var tokens access.Tokens
	tokens.Add(access.LocalUser, apptest.Token)
	srv := httptest.NewServer(web.New(web.Options{Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler)}))
	b.Cleanup(srv.Close)
	return srv.URL
}

// buildCandor builds the program: what a test binary takes to start says nothing about it.
func buildCandor(b *testing.B) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "candor")
	out, err := exec.CommandContext(b.Context(), "go", "build", "-o", name, "candor/cmd/candor").CombinedOutput()
	require.NoError(b, err, string(out))
	return name
}

// BenchmarkInterrupt is from Ctrl-C in a running tool to the prompt under the turn's
// reasons.
func BenchmarkInterrupt(b *testing.B) {
	name := buildCandor(b)
	script := apptest.ScriptFile(b, apptest.Waiting(600_000))
	cmd := exec.CommandContext(b.Context(), name, "chat", "--provider", "script", "--script", script)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 80})
	require.NoError(b, err)
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = tty.Close()
	}()
	expect(b, tty, "leaves.")
	var took time.Duration
	n := 0
	for b.Loop() {
		_, err := tty.WriteString("wait\r")
		require.NoError(b, err)
		expect(b, tty, "○ ")
		expect(b, tty, "○ ")
		start := time.Now()
		_, err = tty.WriteString("\x03")
		require.NoError(b, err)
		expect(b, tty, "Interrupted.")
		expect(b, tty, "→")
		expect(b, tty, "\n› ")
		took += time.Since(start)
		n++
	}
	b.ReportMetric(float64(took.Microseconds())/1000/float64(n), "interrupt-ms")
}
