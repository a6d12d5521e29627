//go:build realagents

// Package realtest runs the official TypeScript client against servers of the reference implementation, with and
// without candor wrap between them, and compares the bytes. make real-agents installs them; without them the tests
// report that they proved nothing.
//
// client.mjs has the plan of the client's actions.
package realtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/agenttest"
	"candor/web/envelope"
)

// asTap turns this test binary into a program that runs another one and keeps what goes through, in files that begin
// with the variable's value.
const asTap = "CANDOR_TEST_TAP"

func init() {
	if name := os.Getenv(asTap); name != "" {
		os.Exit(tap(name, os.Args[1:]))
	}
}

// tap runs a program and copies its input and output into name.in and name.out. More arguments that say a name and
// then "--" make it a tap of that name.
func tap(name string, args []string) int {
	if i := slices.Index(args, "--tap"); i == 0 {
		name, args = args[1], args[2:]
	}
	in, errIn := os.Create(name + ".in")
	out, errOut := os.Create(name + ".out")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	input, errPipe := cmd.StdinPipe()
	cmd.Stdout = io.MultiWriter(out, os.Stdout)
	if errIn != nil || errOut != nil || errPipe != nil || cmd.Start() != nil {
		return 99
	}
	go func() {
		_, _ = io.Copy(io.MultiWriter(in, input), os.Stdin)
		_ = input.Close()
	}()
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// servers are the programs of the servers, by the plan that is for them.
var servers = map[string]string{
	"everything": "server-everything/dist/index.js", "filesystem": "server-filesystem/dist/index.js",
	"memory": "server-memory/dist/index.js",
}

// program returns the command of a server. Where it is not installed, the test is skipped, and says so.
func program(tb testing.TB, plan string) []string {
	tb.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", servers[plan]))
	require.NoError(tb, err)
	if _, err := os.Stat(path); err != nil {
		agenttest.Missing(tb, "the real MCP client and servers are not installed; make real-agents installs them")
	}
	return []string{"node", path}
}

// binaries is a folder for the program of this source, which TestMain removes.
var binaries string

// built is the program of this source. It is built for the first test that needs it.
var built = sync.OnceValues(func() (string, error) {
	name := filepath.Join(binaries, "candor")
	out, err := exec.Command("go", "build", "-o", name, "candor/cmd/candor").CombinedOutput()
	if err != nil {
		_, _ = os.Stderr.Write(out)
	}
	return name, err
})

// TestMain has a folder for the program.
func TestMain(m *testing.M) {
	var err error
	if binaries, err = os.MkdirTemp("", "candor-wrap"); err != nil {
		panic(err)
	}
	status := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(status)
}

// candor takes what is posted to it.
type candor struct {
	*httptest.Server

	mu     sync.Mutex
	posted []attach.Sighting
}

// newCandor starts a server that takes all sightings.
func newCandor(t *testing.T) *candor {
	t.Helper()
	c := &candor{}
	take := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lines := json.NewDecoder(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		for {
			var s attach.Sighting
			if lines.Decode(&s) != nil {
				break
			}
			c.posted = append(c.posted, s)
		}
		_, _ = io.WriteString(w, `{"taken":1}`)
	})
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !envelope.Serve(w, r, func(string) (string, bool) { return "ann", true }, take) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// play runs a plan, and returns the reasons that the client gave. The client's side is kept as name.
func play(t *testing.T, plan, name string, command ...string) (reasons []string) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	args := append([]string{"client.mjs", plan, self, "--tap", name}, command...)
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), asTap + "=" + name,
		"CANDOR_TOKEN=ann", "MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", stderr.String())
	assert.NotContains(t, stderr.String(), "candor wrap:")
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// read returns the lines that went through a tap.
func read(t *testing.T, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.Split(string(raw), "\n")
}

// TestTheOfficialClientAndServersSeeNoWrapper holds that a server gets the bytes that it would get without the wrapper,
// that the client gets what the server wrote but for the property in lists, and that what is recorded is what happened.
func TestTheOfficialClientAndServersSeeNoWrapper(t *testing.T) {
	for plan := range servers {
		t.Run(plan, func(t *testing.T) {
			server, dir, work := program(t, plan), t.TempDir(), t.TempDir()
			if plan == "filesystem" {
				server = append(server, work)
			}
			binary, err := built()
			require.NoError(t, err)
			self, err := os.Executable()
			require.NoError(t, err)
			file := func(name string) string { return filepath.Join(dir, name) }
			play(t, plan, file("bare"), server...)
			c := newCandor(t)
			require.NoError(t, os.RemoveAll(filepath.Join(work, "a.txt")))
			wrap := append([]string{binary, "wrap", "--server", c.URL, "--", self, "--tap", file("server")}, server...)
			reasons := play(t, plan, file("client"), wrap...)

			judgeBytes(t, read(t, file("client.in")), read(t, file("server.in")), isCall)
			judgeBytes(t, read(t, file("client.out")), read(t, file("server.out")), isList)
			for _, way := range []string{".in", ".out"} {
				bare, wrapped := read(t, file("bare"+way)), read(t, file("server"+way))
				judgeRuns(t, bare, wrapped)
			}
			judgeFacts(t, reasons, c)
		})
	}
}

// TestTheOfficialClientReachesAServerOverHTTP holds that a client that speaks standard input and output gets from a
// server over HTTP what it gets from the same server as a program, but for the property.
func TestTheOfficialClientReachesAServerOverHTTP(t *testing.T) {
	server, dir := program(t, "everything"), t.TempDir()
	binary, err := built()
	require.NoError(t, err)
	play(t, "everything", filepath.Join(dir, "bare"), server...)
	c := newCandor(t)
	url := overHTTP(t, server)
	name := filepath.Join(dir, "client")
	reasons := play(t, "everything", name, binary, "wrap", "--server", c.URL, "--url", url)
	got := read(t, name+".out")
	for i := range got {
		got[i] = withoutProperty(got[i])
	}
	// What a server says before its stream is open is lost over HTTP.
	early := func(line string) bool {
		return strings.Contains(line, `"notifications/tools/list_changed"`) || strings.Contains(line, "Roots updated")
	}
	bare := read(t, filepath.Join(dir, "bare.out"))
	judgeRuns(t, slices.DeleteFunc(bare, early), slices.DeleteFunc(got, early))
	judgeFacts(t, reasons, c)
}

// overHTTP starts a server that speaks HTTP, and returns its URL.
func overHTTP(t *testing.T, server []string) string {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(free.Addr().String())
	require.NoError(t, err)
	require.NoError(t, free.Close())
	cmd := exec.CommandContext(t.Context(), server[0], server[1], "streamableHttp")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "PORT=" + port}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(stderr)
	for line := ""; !strings.Contains(line, port); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return "http://127.0.0.1:" + port + "/mcp"
}

func isCall(line string) bool { return strings.Contains(line, `"method":"tools/call"`) }
func isList(line string) bool { return strings.Contains(line, `"result":{"tools":[`) }

// judgeBytes holds that both sides of the wrapper have the same lines in the same order, but for the property in those
// that may change. What is left there without it is the same, too.
func judgeBytes(t *testing.T, client, server []string, mayChange func(string) bool) {
	t.Helper()
	require.Len(t, client, len(server))
	changed := 0
	for i := range client {
		if client[i] == server[i] {
			continue
		}
		changed++
		require.True(t, mayChange(server[i]), "%.300s\n%.300s", client[i], server[i])
		require.Equal(t, server[i], withoutProperty(client[i]))
	}
	assert.Positive(t, changed)
}

// clock is the time of day, which a server tells.
var clock = regexp.MustCompile(`\d+:\d+:\d+ [AP]M`)

// judgeRuns holds that what went to or from a server is the same in two runs. The order may differ where both sides
// speak at once.
func judgeRuns(t *testing.T, bare, wrapped []string) {
	t.Helper()
	for _, lines := range [][]string{bare, wrapped} {
		for i := range lines {
			lines[i] = clock.ReplaceAllString(lines[i], "noon")
		}
		slices.Sort(lines)
	}
	for i := range min(len(bare), len(wrapped)) {
		require.True(t, bare[i] == wrapped[i], "%.300s\n%.300s", bare[i], wrapped[i])
	}
	assert.Len(t, wrapped, len(bare))
}
