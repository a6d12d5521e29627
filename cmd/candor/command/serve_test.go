package command_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"candor/cmd/candor/apptest"
	"candor/cmd/candor/command"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// On SIGTERM a turn that can end in time does, streams get all of it, and nothing
// of the program is left.
func TestShutdownLetsTurnsAndStreamsFinish(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t, "--provider", "script", "--script", apptest.ScriptFile(t, apptest.Waiting(300)),
		"--shutdown-timeout", "1m")
	stream, err := r.Call("GET", "/api/chat/events", "")
	require.NoError(t, err)
	defer stream.Body.Close()
	r.Must("POST", "/api/chat/send", `{"content":"hi"}`, 202)
	r.Signal()
	apptest.Eventually(t, "no new turn is taken", func() bool {
		resp, err := r.Call("POST", "/api/chat/send", `{"content":"late"}`)
		if err != nil {
			return true // the turn has ended already, and with it the server
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusServiceUnavailable
	})
	all, err := io.ReadAll(stream.Body)
	require.NoError(t, err, "the stream ends, it is not cut")
	assert.Contains(t, string(all), `"content":"waited"`)
	assert.Contains(t, string(all), "event: reasoning_update")
	r.Wait()
}

func TestShutdownInterruptsWhatOutlastsItsTime(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer http.DefaultClient.CloseIdleConnections()
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t, "--provider", "script", "--script", apptest.ScriptFile(t, apptest.Waiting(600_000)),
		"--shutdown-timeout", "50ms")
	stream, err := r.Call("GET", "/api/chat/events", "")
	require.NoError(t, err)
	defer stream.Body.Close()
	r.Must("POST", "/api/chat/send", `{"content":"hi"}`, 202)
	r.Signal()
	all, err := io.ReadAll(stream.Body)
	require.NoError(t, err)
	assert.Contains(t, string(all), `"outcome":"cancelled"`)
	assert.Contains(t, string(all), `"state":"interrupted"`)
	r.Wait()
}

func TestATokenIsMadeAndShownOnceWhenNoneIsConfigured(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "")
	r := serve(t)
	apptest.Eventually(t, "the token is shown", func() bool { return strings.Contains(r.Out.String(), "token ") })
	shown := regexp.MustCompile(`token\s+(\S+)`).FindStringSubmatch(r.Out.String())
	require.Len(t, shown, 2)
	assert.GreaterOrEqual(t, len(shown[1]), 26)
	req, err := http.NewRequest("GET", r.URL+"/api/chat/threads", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+shown[1])
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	assert.NotContains(t, r.ErrOut.String(), shown[1], "logs do not have it")
	assert.NotContains(t, strings.ReplaceAll(r.Out.String(), "token      "+shown[1], ""), shown[1], "nor a link")
	r.Stop()
}

func TestAConfiguredTokenIsNotShown(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	r.Stop()
	assert.NotContains(t, r.Out.String()+r.ErrOut.String(), apptest.Token)
}

func TestMistakesAtTheCommandLineAreExplained(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	file := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(file, []byte("ann:short"), 0o600))
	for _, tt := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"a provider that is not there", []string{"--provider", "gpt"},
			`there is no provider "gpt"; use offline, script, openai or anthropic`},
		{"reasons of no kind", []string{"--reasons", "always"}, `"always" is neither required nor optional`},
		{"a threshold of no confidence", []string{"--confidence-threshold", "NaN"}, "NaN is not a number from 0 to 1"},
		{"no way to go on", []string{"--low-confidence", "x"}, `"x" is not ask, continue or orchestrator`},
		{"an API that is not there", []string{"--provider", "openai", "--model", "m", "--api", "soap"},
			`there is no API "soap"`},
		{"a tool that cannot be enabled", []string{"--enable", "sudo"}, `there is no tool "sudo" to enable`},
		{"an MCP file that is not there", []string{"--mcp", "nowhere.json"}, "nowhere.json"},
		{"a script that is not given", []string{"--provider", "script"},
			"the script provider needs a file: --script FILE"},
		{"a script that is not there", []string{"--provider", "script", "--script", "nowhere.json"}, "nowhere.json"},
		{"a workspace that is not there", []string{"--workspace", "/does/not/exist"}, "workspace:"},
		{"a bad tokens file", []string{"--tokens", file}, "line 1: want user:token"},
		{"a bad log level", []string{"--log-level", "loud"}, `"loud" is not debug, info, warn or error`},
		{"a bad log format", []string{"--log-format", "xml"}, `"xml" is neither text nor json`},
		{"an address in use or wrong", []string{"--addr", "256.0.0.1:1"}, "256.0.0.1"},
		{"an approval of no form", []string{"--approve", "shell"}, "--approve: want TOOL=MODE"},
		{"an approval of no mode", []string{"--approve", "shell=maybe"},
			`--approve shell: "maybe" is none of never, ask, always`},
		{"a level of reasoning that is none", []string{"--reasoning", "some"},
			`--reasoning: "some" is not full, summary or hidden`},
		{"a host with a scheme", []string{"--host", "https://candor.example"},
			`--host: "https://candor.example" is not a host name; want one such as candor.example`},
		{"a host with a port", []string{"--host", "candor.example:443"}, "without scheme, port and path"},
		{"any host", []string{"--host", "*"}, `"*" is not a host name`},
		{"an empty host", []string{"--host", " "}, `" " is not a host name`},
		{"every address as a host", []string{"--host", "0.0.0.0"}, "0.0.0.0 matches any address"},
		{"an argument that is no flag", []string{"here"}, `serve takes flags only, not the argument "here"`},
		{"a flag that is not there", []string{"--speed"}, "speed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			err := command.Run(ctx, append([]string{"candor", "serve", "--addr", "127.0.0.1:0"}, tt.flags...),
				strings.NewReader(""), atWrite(stop), io.Discard)
			require.Error(t, err, "it serves")
			assert.Contains(t, err.Error(), tt.want)
			assert.NotContains(t, err.Error(), "short")
		})
	}
}

// atWrite calls a function at each write. The first thing that a server writes is that it is up.
type atWrite func()

func (f atWrite) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

func TestATokenThatCanBeGuessedIsRefused(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", "short-one")
	err := command.Run(t.Context(), []string{"candor", "serve", "--addr", "127.0.0.1:0"}, strings.NewReader(""),
		io.Discard, io.Discard)
	require.ErrorContains(t, err, "at least 16 characters")
	assert.NotContains(t, err.Error(), "short-one")
}

func TestACommandThatIsNotThereIsExplained(t *testing.T) {
	var out, errOut bytes.Buffer
	for args, want := range map[string]string{
		"sevre":         `there is no command "sevre"; did you mean serve?; see candor --help`,
		"xyz":           `there is no command "xyz"; see candor --help`,
		"serve --adr x": "serve has no flag --adr; did you mean --addr?; see candor serve --help",
		"serve --xyz x": "serve has no flag --xyz; see candor serve --help",
		"tail -thraed":  "tail has no flag --thraed; did you mean --thread?; see candor tail --help",
	} {
		all := append([]string{"candor"}, strings.Fields(args)...)
		require.EqualError(t, command.Run(t.Context(), all, strings.NewReader(""), &out, &errOut), want)
	}
	assert.Empty(t, errOut.String(), "one line says it")
	require.NoError(t, command.Run(t.Context(), []string{"candor"}, strings.NewReader(""), &out, &errOut))
	assert.Contains(t, out.String(), "why did the agent do that?")
}

func TestTheVersionIsSaidByACommandAndByAFlag(t *testing.T) {
	var byCommand, byFlag bytes.Buffer
	require.NoError(t, command.Run(t.Context(), []string{"candor", "version"}, nil, &byCommand, io.Discard))
	require.NoError(t, command.Run(t.Context(), []string{"candor", "--version"}, nil, &byFlag, io.Discard))
	assert.Contains(t, byFlag.String(), "candor version ")
	assert.Equal(t, byFlag.String(), byCommand.String())
}

func TestAnAddressThatIsTakenIsExplained(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	args := []string{"candor", "serve", "--workspace", t.TempDir(), "--addr", ln.Addr().String()}
	err = command.Run(t.Context(), args, strings.NewReader(""), io.Discard, io.Discard)
	require.EqualError(t, err, "--addr: "+ln.Addr().String()+
		" is in use, perhaps by another Candor; stop that program, or choose another address, "+
		"such as --addr 127.0.0.1:8090")
}

func TestIdleSessionsAreEvictedByTheServer(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t, "--session-idle", "1ms")
	r.Must("POST", "/api/chat/thread/new", "{}", 201)
	apptest.Eventually(t, "the session is dropped", func() bool {
		return strings.Contains(r.ErrOut.String(), "idle sessions dropped")
	})
	r.Stop()
}

func TestListeningBeyondThisMachineIsWarnedOf(t *testing.T) {
	const warning = "listening beyond this machine without TLS"
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t)
	r.Stop()
	assert.NotContains(t, r.ErrOut.String(), warning)
	assert.NotContains(t, r.Out.String(), "hosts ")
	r = serve(t, "--addr", "0.0.0.0:0", "--host", "Candor.Example")
	assert.Contains(t, r.Out.String(),
		"  hosts      localhost, this machine's addresses, candor.example; --host NAME adds a name")
	r.Must("GET", "/api/health", "", 200)
	r.Stop()
	assert.Contains(t, r.ErrOut.String(), warning)
}

// A name that is not the server's may be that of a site whose owner let it point here.
func TestHostsAreThoseOfTheAddressAndTheFlags(t *testing.T) {
	t.Setenv("CANDOR_TOKEN", apptest.Token)
	r := serve(t, "--host", "candor.example", "--host", "[2001:db8:0::1]")
	defer r.Stop()
	for host, want := range map[string]int{"candor.example": 200, "candor.example:9": 200, "[2001:db8::1]:8080": 200,
		"localhost": 200, "evil.example": 421, "candor.example.evil": 421} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.URL+"/api/chat/threads", nil)
		require.NoError(t, err)
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+apptest.Token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, want, resp.StatusCode, host)
	}
}
