//go:build realagents

package realtest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkACallThroughTheWrapper has the server "everything" called 1,000 times bare and 1,000 times through the
// wrapper, in turns of ten, while a Candor of the same source records. It reports the medians and their difference.
func BenchmarkACallThroughTheWrapper(b *testing.B) {
	server := program(b, "everything")
	binary, err := built()
	require.NoError(b, err)
	url := serve(b, binary)
	bare := open(b, server...)
	wrapped := open(b, append([]string{binary, "wrap", "--server", url, "--"}, server...)...)
	for b.Loop() {
		var alone, through []time.Duration
		for range 100 {
			alone = append(alone, bare.calls(10, "")...)
			through = append(through, wrapped.calls(10, `"rationale":"I want to hear what it repeats.",`)...)
		}
		slices.Sort(alone)
		slices.Sort(through)
		ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
		b.ReportMetric(ms(alone[500]), "bare-ms")
		b.ReportMetric(ms(through[500]), "wrapped-ms")
		b.ReportMetric(ms(through[500]-alone[500]), "added-ms")
		b.ReportMetric(ms(through[990]-alone[990]), "added-p99-ms")
	}
}

// benchToken is the token of the server that records.
const benchToken = "a-token-for-the-benchmark"

// serve starts candor serve and returns its URL.
func serve(tb testing.TB, binary string) (url string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), binary, "serve", "--addr", "127.0.0.1:0", "--provider", "offline")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + tb.TempDir(), "CANDOR_TOKEN=" + benchToken}
	cmd.Dir = tb.TempDir()
	out, err := cmd.StdoutPipe()
	require.NoError(tb, err)
	require.NoError(tb, cmd.Start())
	lines := bufio.NewReader(out)
	for !strings.HasPrefix(url, "http://") {
		line, err := lines.ReadString('\n')
		require.NoError(tb, err)
		if at := strings.Index(line, "http://"); at >= 0 {
			url = strings.Fields(line[at:])[0]
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	tb.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return url
}

// peer is a connection to an MCP server.
type peer struct {
	b   *testing.B
	in  io.Writer
	out *bufio.Reader
	id  int
}

// open starts an MCP server, and lists its tools.
func open(b *testing.B, command ...string) *peer {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "CANDOR_TOKEN="+benchToken)
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	p := &peer{b: b, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	p.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench"}}`)
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(b, err)
	p.ask("tools/list", "{}")
	return p
}

// ask makes a request and reads up to its answer.
func (p *peer) ask(method, params string) {
	p.id++
	_, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","method":"%s","params":%s,"id":%d}`+"\n", method, params, p.id)
	require.NoError(p.b, err)
	for answer := fmt.Sprintf(`"id":%d}`, p.id); ; {
		line, err := p.out.ReadString('\n')
		require.NoError(p.b, err)
		if strings.Contains(line, answer) {
			return
		}
	}
}

// calls calls the tool echo n times, and returns how long each call took.
func (p *peer) calls(n int, reason string) (took []time.Duration) {
	for range n {
		start := time.Now()
		message := strings.Repeat("Say it again. ", 20)
		p.ask("tools/call", `{"name":"echo","arguments":{`+reason+`"message":"`+message+`"}}`)
		took = append(took, time.Since(start))
	}
	return took
}
