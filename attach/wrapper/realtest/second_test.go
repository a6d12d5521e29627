//go:build realagents

package realtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/tool/mcp"
	"candor/cmd/candor/agenttest"
)

// secondVersion says which version of the SDK's second client and server is installed, and skips the test if none is.
func secondVersion(t *testing.T) {
	t.Helper()
	for _, name := range []string{"client", "server"} {
		raw, err := os.ReadFile(filepath.Join("node_modules", "@modelcontextprotocol", name, "package.json"))
		if err != nil {
			agenttest.Missing(t, "the second version of MCP's SDK is not installed; make real-agents installs it")
		}
		var about struct{ Version string }
		require.NoError(t, json.Unmarshal(raw, &about))
		t.Logf("@modelcontextprotocol/%s %s", name, about.Version)
	}
}

// playSecond plays the plan of client2.mjs against a server, and returns what the client saw, without the property.
// What it does side by side may end in any order.
func playSecond(t *testing.T, server ...string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"client2.mjs"}, server...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CANDOR_TOKEN=ann"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, stderr.String())
	assert.NotContains(t, stderr.String(), "candor wrap:")
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, line := range lines {
		line = strings.ReplaceAll(line, inSchema+",", "")
		lines[i] = strings.ReplaceAll(line, inSchema, "")
	}
	slices.Sort(lines)
	return lines
}

// secondOverHTTP starts the server over HTTP, and returns its URL.
func secondOverHTTP(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "server2.mjs", "http")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(out)
	url, err := lines.ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return strings.TrimSpace(url)
}

// TestTheSecondSDKSeesNoWrapper holds that the official client of the second version, pinned to the revision
// 2026-07-28, sees the same with the wrapper and without, over standard input and output and over HTTP: structures,
// failures, a call that asks back, progress, cancellation, a task. Each call is recorded once, with its reason and its
// real end.
func TestTheSecondSDKSeesNoWrapper(t *testing.T) {
	secondVersion(t)
	binary, err := built()
	require.NoError(t, err)
	for name, remote := range map[string]bool{"over standard input and output": false, "over HTTP": true} {
		t.Run(name, func(t *testing.T) {
			c := newCandor(t)
			bare, wrapped := []string{"node", "server2.mjs"}, []string{binary, "wrap", "--server", c.URL}
			if remote {
				bare, wrapped = []string{secondOverHTTP(t)}, append(wrapped, "--url", secondOverHTTP(t))
			} else {
				wrapped = append(append(wrapped, "--"), bare...)
			}
			want, got := playSecond(t, bare...), playSecond(t, wrapped...)
			require.Equal(t, len(want), len(got), "%s\n\n%s", strings.Join(want, "\n"), strings.Join(got, "\n"))
			for i := range want {
				assert.JSONEq(t, want[i], got[i])
			}
			assert.Equal(t, secondCalls, c.calls(t))
		})
	}
}

// secondCalls are the calls of client2.mjs, in any order: the tool, the parameters, the reason and the end.
var secondCalls = []string{
	`count {"to":3} "Call count: why not?" => counted to 3`,
	`deploy {"to":"production"} "Call deploy: why not?" => accept true: production`,
	`dig {} "Call dig: why not?" => gold`,
	`fail {} "Call fail: why not?" => error: no such row`,
	`no-such-tool {} "" => error: Tool no-such-tool not found`,
	`place {"at":"Tromsø"} "Call place: why not?" => at Tromsø`,
	`wait {} "Call wait: why not?" => cancelled`,
	`weather {"city":"Bern"} "Call weather: why not?" => 4 in Bern`,
	`weather {"city":"Bonn"} "Call weather: why not?" => 4 in Bonn`,
	`weather {"city":"Nice"} "The person asks how warm it is." => 4 in Nice`,
	`weather {"city":"Oslo"} "Call weather: why not?" => 4 in Oslo`,
	`weather {"city":"Rome"} "Call weather: why not?" => 4 in Rome`,
	`weather {"city":7} "Call weather: why not?" => error: Input validation error: ` +
		`Invalid arguments for tool weather: ` +
		`city: Invalid input: expected string, received number`,
}

// calls returns the calls that were recorded, each with its only end.
func (c *candor) calls(t *testing.T) (all []string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	ends, titles := map[string][]string{}, 0
	for _, s := range c.posted {
		assert.Equal(t, "second-client", s.Agent)
		if s.About != nil && s.About.Title == "second-server" && s.About.Version == "2.1.0" {
			titles++
		}
		if s.Returned == nil {
			continue
		}
		var result struct {
			Content []struct{ Text string }
		}
		end := "error: " + s.Returned.Error
		switch {
		case s.Returned.Cancelled:
			end = "cancelled"
		case s.Returned.Error == "":
			require.NoError(t, json.Unmarshal(s.Returned.Result, &result))
			end = result.Content[0].Text
		}
		ends[s.Call] = append(ends[s.Call], end)
	}
	assert.Equal(t, 1, titles, "the names stand in _meta")
	for _, s := range c.posted {
		if s.Called != nil {
			require.Len(t, ends[s.Call], 1, s.Called.Tool)
			all = append(all, fmt.Sprintf("%s %s %q => %s", s.Called.Tool, s.Called.Params, s.Called.Reason,
				ends[s.Call][0]))
		}
	}
	slices.Sort(all)
	return all
}

// TestATaskOfTheFirstSDKIsOneCall holds that a call which became a task by the older revision, whose result the client
// fetches, is one call, whose end is that result.
func TestATaskOfTheFirstSDKIsOneCall(t *testing.T) {
	server := program(t, "everything")
	binary, err := built()
	require.NoError(t, err)
	c := newCandor(t)
	// The server ends minutes after its input; so the client has to be the one who tells the wrapper to end.
	args := append([]string{"client.mjs", "tasks", binary, "wrap", "--server", c.URL, "--"}, server...)
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CANDOR_TOKEN=ann"}
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "result\ttrue")
	c.mu.Lock()
	defer c.mu.Unlock()
	require.Len(t, c.posted, 4)
	assert.Equal(t, `Call 1: "why" not?`, c.posted[1].Called.Reason)
	assert.JSONEq(t, `{"topic":"tea"}`, string(c.posted[1].Called.Params))
	assert.Equal(t, c.posted[1].Call, c.posted[2].Call)
	assert.Contains(t, string(c.posted[2].Returned.Result), `"content":[{"type":"text"`)
}

// TestOurClientSpeaksTheNewRevision holds that the loop's client of MCP reads what a server of the second version says,
// over both transports: structures as they are, failures in the tool's words, and of what it does not offer that.
func TestOurClientSpeaksTheNewRevision(t *testing.T) {
	secondVersion(t)
	here, err := os.Getwd()
	require.NoError(t, err)
	for name, e := range map[string]mcp.Endpoint{
		"over standard input and output": {Command: "node", Args: []string{"server2.mjs"}, Dir: here},
		"over HTTP":                      {URL: secondOverHTTP(t)},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcp.Connect(mcp.Config{Servers: map[string]mcp.Endpoint{"second": e}}, mcp.Options{})
			defer s.Close()
			s.Await(t.Context())
			tools := map[string]agent.Tool{}
			for _, one := range s.Tools() {
				tools[one.Spec().Name] = one
			}
			require.Len(t, tools, 7)
			for _, one := range []struct{ tool, args, want, err string }{
				{"weather", `{"city":"Oslo"}`,
					`{"structured":{"city":"Oslo","degrees":4},"content":[{"type":"text","text":"4 in Oslo"}]}`, ""},
				{"place", `{"at":"Tromsø"}`, `{"content":[{"type":"text","text":"at Tromsø"}]}`, ""},
				{"fail", `{}`, "", "no such row"},
				{"deploy", `{"to":"production"}`, "", "the request's client capabilities do not declare"},
				{"dig", `{}`, "", "the server began a task instead of answering"},
			} {
				got, err := tools[one.tool].Run(t.Context(), json.RawMessage(one.args))
				if one.err != "" {
					assert.ErrorContains(t, err, one.err)
					continue
				}
				require.NoError(t, err)
				assert.JSONEq(t, one.want, string(got))
			}
		})
	}
}

// TestOurServerSpeaksTheNewRevision holds that the official client of the second version, pinned to the revision
// 2026-07-28, asks Candor's own MCP server over both transports, and that a question which says why it is asked is a
// decision.
func TestOurServerSpeaksTheNewRevision(t *testing.T) {
	secondVersion(t)
	binary, err := built()
	require.NoError(t, err)
	url := serve(t, binary)
	for name, args := range map[string][]string{
		"over HTTP":                      {url + "/mcp", benchToken},
		"over standard input and output": {binary, "mcp", "--server", url},
	} {
		cmd := exec.CommandContext(t.Context(), "node", append([]string{"ask.mjs"}, args...)...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "CANDOR_TOKEN=" + benchToken}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		assert.Contains(t, string(out), "recent_decisions search_reasons why\n", name)
	}
	list, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/chat/search?q=before", nil)
	require.NoError(t, err)
	list.Header.Set("Authorization", "Bearer "+benchToken)
	resp, err := http.DefaultClient.Do(list)
	require.NoError(t, err)
	defer resp.Body.Close()
	found, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(string(found), `"participant":"asking-client"`), "%s", found)
}
