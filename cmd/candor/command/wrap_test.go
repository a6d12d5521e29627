package command_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"
)

// asToolServer turns this test binary into an MCP server that says what it got.
const asToolServer = "CANDOR_TEST_RUN_AS_TOOL_SERVER"

func init() {
	if os.Getenv(asToolServer) != "" {
		os.Exit(toolServer())
	}
}

// toolServer lists a tool, repeats each call as its result, and ends with its input, or at a call of the tool die.
func toolServer() int {
	_, _ = os.Stderr.WriteString("the server is here\n")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var in struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		_ = json.Unmarshal(lines.Bytes(), &in)
		result := `{ "content":[{"type":"text","text":"` + os.Getenv("CANDOR_TOKEN") + `"}], "got":` +
			string(in.Params) + `}`
		switch {
		case strings.Contains(string(in.Params), `"die"`):
			return 7
		case in.Method == "tools/list":
			result = `{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		case in.Method == "initialize":
			result = `{"serverInfo":{"name":"repeater","version":"1"}}`
		}
		_, _ = os.Stdout.WriteString(`{"jsonrpc": "2.0", "id": ` + string(in.ID) + `, "result": ` + result + "}\n")
	}
	return 0
}

// wrapped is candor wrap around the tool server, within this process.
type wrapped struct {
	t      *testing.T
	in     *io.PipeWriter
	out    *bufio.Reader
	errOut *apptest.LogBuffer
	ended  chan error
}

// wrap starts candor wrap around this test binary.
func wrap(t *testing.T, ctx context.Context, flags ...string) *wrapped {
	t.Helper()
	t.Setenv(asToolServer, "1")
	self, err := os.Executable()
	require.NoError(t, err)
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	w := &wrapped{t: t, in: in, out: bufio.NewReader(out), errOut: &apptest.LogBuffer{}, ended: make(chan error, 1)}
	t.Cleanup(func() { _ = in.Close() })
	args := append(append([]string{"candor", "wrap"}, flags...), "--", self)
	go func() { w.ended <- command.Run(ctx, args, stdin, stdout, w.errOut); _ = stdout.Close() }()
	return w
}

// ask sends a line and returns the next one of the server.
func (w *wrapped) ask(line string) string {
	w.t.Helper()
	_, err := io.WriteString(w.in, line+"\n")
	require.NoError(w.t, err)
	answer, err := w.out.ReadString('\n')
	require.NoError(w.t, err)
	return strings.TrimSuffix(answer, "\n")
}

// meet opens the connection and lists the tools.
func (w *wrapped) meet() (listed string) {
	w.t.Helper()
	w.ask(`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"Cursor","version":"1.2"}}}`)
	return w.ask(`{"id":1,"method":"tools/list"}`)
}

func TestNoSecretInTheNameOfAWrappedClientIsKept(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	defer r.Stop()
	secret := apptest.Fixtures()["github_token"]
	w := wrap(t, t.Context(), "--server", r.URL)
	w.ask(`{"id":0,"method":"initialize","params":{"clientInfo":{"name":"` + secret + `","version":"1"}}}`)
	w.ask(echoCall)
	require.NoError(t, w.in.Close())
	require.NoError(t, <-w.ended)
	threads := strings.ToLower(r.Must(http.MethodGet, "/api/chat/threads", "", http.StatusOK))
	assert.Contains(t, threads, `"wrapper"`)
	assert.NotContains(t, threads, strings.ToLower(secret[4:20]))
}

// nobody listens there.
const nobody = "http://127.0.0.1:9"

const echoCall = `{"id":2,"method":"tools/call","params":{"name":"echo","arguments":` +
	`{"rationale":"I want to hear it.","a":[1, 2]}}}`

const echoAnswer = `{"jsonrpc": "2.0", "id": 2, "result": { "content":[{"type":"text","text":""}], ` +
	`"got":{"name":"echo","arguments":{"a":[1, 2]}}}}`

func TestAWrappedServersCallsStandOnTheServer(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	defer r.Stop()
	w := wrap(t, t.Context(), "--server", r.URL)
	assert.Contains(t, w.meet(), `"description":"One sentence: why this call now, and what you expect it to show."`)
	assert.Equal(t, echoAnswer, w.ask(echoCall), "and the server has no token")
	require.NoError(t, w.in.Close())
	require.NoError(t, <-w.ended)
	assert.Equal(t, "the server is here\n", w.errOut.String())

	threads := r.Must(http.MethodGet, "/api/chat/threads", "", http.StatusOK)
	for _, shown := range []string{`"cursor"`, `"repeater"`, `"wrapper"`} {
		assert.Contains(t, threads, shown)
	}
	var list struct {
		Threads []struct{ ID string }
	}
	require.NoError(t, json.Unmarshal([]byte(threads), &list), threads)
	require.Len(t, list.Threads, 1)
	history := r.Must(http.MethodGet, "/api/chat/history?thread_id="+list.Threads[0].ID, "", http.StatusOK)
	for _, shown := range []string{
		"I want to hear it.", `"tool_name":"echo"`, `"state":"completed"`, `"reason":["wrapper"]`,
	} {
		assert.Contains(t, history, shown)
	}
}

func TestCallsGoOnWithoutCandor(t *testing.T) {
	for name, c := range map[string]struct{ token, url, said string }{
		"nobody listens":    {"ann", nobody, "calls continue, but are not recorded for now: no answer from 127.0"},
		"there is no token": {"", nobody, "a token is needed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("CANDOR_TOKEN", c.token)
			t.Chdir(t.TempDir())
			w := wrap(t, t.Context(), "--server", c.url)
			w.meet()
			for range 3 {
				assert.Equal(t, echoAnswer, w.ask(echoCall))
			}
			require.NoError(t, w.in.Close())
			require.NoError(t, <-w.ended)
			assert.Equal(t, 1, strings.Count(w.errOut.String(), c.said), w.errOut)
			assert.Contains(t, w.errOut.String(), "8 facts could not be recorded")
		})
	}
}

func TestARefusalIsToldOnceAndAFullServerIsAskedAgain(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	var posts atomic.Int32
	var body atomic.Value
	s := httptest.NewServer(enveloped(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		if posts.Add(1) == 1 {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":"too_many_sightings","message":"It is\u001b[2J full."}`)
			return
		}
		body.Store(string(raw))
		_, _ = io.WriteString(w, `{"taken":1}`)
	}))
	defer s.Close()
	w := wrap(t, t.Context(), "--server", s.URL)
	w.meet()
	w.ask(echoCall)
	apptest.Eventually(t, "the refusal is told", func() bool { return strings.Contains(w.errOut.String(), "full.") })
	w.ask(echoCall)
	require.NoError(t, w.in.Close())
	require.NoError(t, <-w.ended)
	assert.NotContains(t, w.errOut.String(), "\x1b")
	var last attach.Sighting
	lines := strings.Split(strings.TrimSpace(body.Load().(string)), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	assert.NotNil(t, last.Ended)
}

// wrapOnce returns how candor wrap ends without a client.
func wrapOnce(t *testing.T, args ...string) error {
	t.Helper()
	args = append([]string{"candor", "wrap"}, args...)
	return command.Run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
}

func TestWrapEndsAsItsServerDoes(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	t.Run("with its status, though the client stays", func(t *testing.T) {
		w := wrap(t, t.Context(), "--server", nobody)
		w.meet()
		_, err := io.WriteString(w.in, `{"id":2,"method":"tools/call","params":{"name":"die"}}`+"\n")
		require.NoError(t, err)
		err = <-w.ended
		assert.Equal(t, 7, command.ExitStatus(err))
		assert.EqualError(t, err, "the MCP server ended with status 7")
	})
	t.Run("with the signal that is passed on to it", func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		w := wrap(t, ctx, "--server", nobody)
		w.meet()
		stop()
		assert.Equal(t, 128+15, command.ExitStatus(<-w.ended))
	})
	t.Run("as an error if there is no such program", func(t *testing.T) {
		err := wrapOnce(t, "--", "./no-such-program")
		assert.ErrorContains(t, err, "./no-such-program cannot be started")
		assert.Equal(t, 1, command.ExitStatus(err))
	})
}

func TestWrapSaysWhatIsWrongWithItsArguments(t *testing.T) {
	for said, args := range map[string][]string{
		"wrap takes --url or the program":          {"--url", "http://127.0.0.1:9/mcp", "--", "x"},
		"--url must be a URL":                      {"--url", "here"},
		"--header has no effect without --url":     {"--header", "A: b", "--", "x"},
		"--header must be 'NAME: VALUE'":           {"--url", nobody, "--header", "A b"},
		"variable NO_SUCH_KEY of the header A":     {"--url", nobody, "--header", "A: ${NO_SUCH_KEY}"},
		"wrap takes the program of an MCP server":  {},
		`"maybe" is neither required nor optional`: {"--reasons", "maybe", "--", "x"},
		"--server: the server must be a URL":       {"--server", "nowhere", "--", "x"},
	} {
		err := wrapOnce(t, args...)
		assert.ErrorContains(t, err, said)
		assert.Equal(t, 2, command.ExitStatus(err))
	}
}

func TestADollarInAHeaderIsPartOfItsKey(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	t.Setenv("tail", "of the environment")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":1,"result":%q}`, r.Header.Get("X-Key"))
	}))
	defer s.Close()
	for _, key := range []string{"pa$tail", "a$noSuchTail", "$$x", "${", "${}", "$1", "${a b}"} {
		var out apptest.LogBuffer
		args := []string{"candor", "wrap", "--server", nobody, "--url", s.URL, "--header", "X-Key: " + key}
		err := command.Run(t.Context(), args, strings.NewReader(`{"id":1,"method":"ping"}`), &out, io.Discard)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf(`{"id":1,"result":%q}`+"\n", key), out.String())
	}
}

func TestAServerThatSpeaksHTTPIsWrappedByItsURL(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "ann")
	t.Setenv("NOTES_KEY", "the key")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":1,"result":{"key":"`+r.Header.Get("X-Key")+`"}}`)
	}))
	defer s.Close()
	var out apptest.LogBuffer
	args := []string{"candor", "wrap", "--server", nobody, "--url", s.URL,
		"--header", "X-Key: Bearer ${NOTES_KEY}, more"}
	err := command.Run(t.Context(), args, strings.NewReader(`{"id":1,"method":"ping"}`), &out, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, `{"id":1,"result":{"key":"Bearer the key, more"}}`+"\n", out.String())
}
