package opencode_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/opencode"
	"candor/attach/settings"
	"candor/web/envelope"
)

// driven is what became of a call that the plugin heard of.
type driven struct {
	Becomes string
	Shown   []string
	asked   []byte // what the plugin asked with; nil if it did not
}

// The answers of the server to a call that are no bodies.
const refuses, hangsUp, isSilent = "refuses", "hangs up", "is silent"

// drive has Node play OpenCode to the plugin, with calls by their ids, each of which has the server's answer. health is
// the status by which the server says whether it is there.
func drive(t *testing.T, plugin opencode.Plugin, token string, health int, calls map[string]object) map[string]*driven {
	t.Helper()
	var mu sync.Mutex
	asked := map[string][]byte{}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(health) })
	mux.HandleFunc("/api/hooks/opencode", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/api/hooks/opencode/ask", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		q, _ := opencode.Question(body)
		mu.Lock()
		asked[q.Call] = body
		mu.Unlock()
		switch reply, _ := calls[q.Call]["answer"].(string); reply {
		case refuses:
			w.WriteHeader(http.StatusUnauthorized)
		case hangsUp:
			panic(http.ErrAbortHandler)
		case isSilent:
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w, reply)
		}
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.NotContains(t, r.Header.Get("Authorization"), "Bearer")
		if r.URL.Path != envelope.Path || !envelope.Serve(w, r, func(string) (string, bool) { return "t", true }, mux) {
			mux.ServeHTTP(w, r)
		}
	}))
	defer s.Close()
	out := map[string]*driven{}
	require.NoError(t, json.Unmarshal(played(t, plugin, token, s.URL, calls), &out))
	mu.Lock()
	defer mu.Unlock()
	for id, one := range out {
		one.asked = asked[id]
	}
	return out
}

// played returns what drive.mjs prints of the plugin for a server. The plugin waits longer than it does elsewhere, so
// that nothing depends on how busy the machine is.
func played(t *testing.T, plugin opencode.Plugin, token, server string, calls map[string]object) []byte {
	t.Helper()
	text, err := plugin.Attach(nil, server)
	require.NoError(t, err)
	slow := strings.NewReplacer("settling = 10_000", "settling = 120_000", "greeting = 5000", "greeting = 120_000",
		"patience = 2000", "patience = 120_000")
	name := filepath.Join(t.TempDir(), "candor.mjs")
	require.NoError(t, os.WriteFile(name, []byte(slow.Replace(string(text))), 0o600))
	in, err := json.Marshal(calls)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), "node", "testdata/drive.mjs", name)
	cmd.Stdin, cmd.Env = bytes.NewReader(in), append(os.Environ(), settings.TokenVariable+"="+token)
	raw, err := cmd.Output()
	require.NoError(t, err, "%s", raw)
	return raw
}

// TestThePluginStopsACallOnlyWhereAPersonDeniedIt holds that whatever else a server does lets the call go on, and that
// the person in front of the program is told where nobody was asked.
func TestThePluginStopsACallOnlyWhereAPersonDeniedIt(t *testing.T) {
	const on, unasked, denies = "it goes on", "it goes on by the settings here", `{"decision":"deny","reason":"No."}`
	table := []struct {
		name           string
		call           object
		answer         string
		becomes, shown string
	}{
		{"denied", object{}, denies, "No.", ""},
		{"approved", object{}, `{}`, on, ""},
		{"unanswered", object{}, `{"message":"Nobody."}`, on, "Nobody."},
		{"answered by nothing", object{}, `null`, on, ""},
		{"answered by no JSON", object{}, `<html>`, on, unasked},
		{"refused", object{}, refuses, on, "it answers 401"},
		{"hung up on", object{}, hangsUp, on, unasked},
		{"a message that cannot be shown", object{"broken": true}, `{"message":"No"}`, on, ""},
		{"stopped by the person in front", object{"stopped": true}, isSilent, "The call was stopped", ""},
		{"stopped, and approved", object{"stopped": true}, `{}`, "The call was stopped", ""},
		{"denied to a sub-agent", object{"sub": true}, denies, "No.", ""},
		{"of a tool that reads", object{"tool": "read"}, denies, on, ""},
		{"a program of the model's", object{"tool": "execute"}, denies, "No.", ""},
		{"a call within it", object{"tool": "execute", "inner": "notes_add"}, denies, on, ""},
	}
	calls := map[string]object{}
	for i, c := range table {
		id := fmt.Sprint("c", i)
		calls[id] = object{"tool": "bash", "args": object{"command": "ls"}, "answer": c.answer}
		maps.Copy(calls[id], c.call)
	}
	all := drive(t, opencode.Approving(nil), "t", http.StatusOK, calls)
	for i, c := range table {
		out := all[fmt.Sprint("c", i)]
		assert.Contains(t, out.Becomes, c.becomes, c.name)
		assert.Contains(t, strings.Join(out.Shown, "\n"), c.shown, c.name)
		assert.Equal(t, c.shown == "", len(out.Shown) == 0, "%s: %v", c.name, out.Shown)
		assert.Equal(t, c.name != "of a tool that reads" && c.name != "a call within it", out.asked != nil, c.name)
	}
}

// TestThePluginGivesAStrangerNothing holds that whoever listens at the server's address while it is away gets neither
// the token nor what the plugin tells, and denies no call.
func TestThePluginGivesAStrangerNothing(t *testing.T) {
	var mu sync.Mutex
	var heard strings.Builder
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		assert.NoError(t, r.Write(&heard))
		_, _ = io.WriteString(w, `{"decision":"deny","reason":"Mine now."}`)
	}))
	defer s.Close()
	out := map[string]*driven{}
	require.NoError(t, json.Unmarshal(played(t, opencode.Approving(nil), "a-token-of-a-person", s.URL,
		map[string]object{"c": {"tool": "bash", "args": object{"command": "a-command"}}}), &out))
	assert.Equal(t, "it goes on", out["c"].Becomes)
	assert.Contains(t, strings.Join(out["c"].Shown, "\n"), "not that of a server with this token")
	assert.Contains(t, heard.String(), envelope.Path)
	for _, secret := range []string{"a-token-of-a-person", "a-command", "bash"} {
		assert.NotContains(t, heard.String(), secret)
	}
}

// TestThePluginAsksNobodyWithoutAServerOrAToken holds that calls go on then, and that this is said.
func TestThePluginAsksNobodyWithoutAServerOrAToken(t *testing.T) {
	for said, c := range map[string]struct {
		token  string
		health int
	}{"(it answers 503)": {"t", http.StatusServiceUnavailable}, "CANDOR_TOKEN is not set": {"", http.StatusOK}} {
		out := drive(t, opencode.Approving(nil), c.token, c.health, map[string]object{"c": {"tool": "bash"}})["c"]
		assert.Equal(t, "it goes on", out.Becomes)
		assert.Contains(t, strings.Join(out.Shown, "\n"), said)
		assert.Nil(t, out.asked)
	}
}

// TestThePluginAsksWithTheArgumentsThatRun holds that these are the hook's, of the call that the model asked for, and
// that those which are too long are left out.
func TestThePluginAsksWithTheArgumentsThatRun(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	table := map[string]struct{ args, want object }{
		"as-they-are":  {object{"command": "ls"}, object{"command": "ls"}},
		"long":         {object{"command": long}, object{"command": long}},
		"far-too-long": {object{"command": strings.Repeat(long, 20)}, nil},
		"none":         {object{}, object{}},
		"hostile":      {object{`"},"asked":{"`: "<&>\u2028"}, object{`"},"asked":{"`: "<&>\u2028"}},
	}
	calls := map[string]object{}
	for id, c := range table {
		calls[id] = object{"tool": "notes_add", "args": c.args, "answer": "{}"}
	}
	all := drive(t, opencode.Approving([]string{"notes_.*"}), "t", http.StatusOK, calls)
	for id, c := range table {
		q, ok := opencode.Question(all[id].asked)
		require.True(t, ok, id)
		assert.Equal(t, id+" notes_add", q.Call+" "+q.Tool)
		var got object
		if c.want != nil {
			require.NoError(t, json.Unmarshal(q.Arguments, &got), id)
		}
		assert.Equal(t, c.want, got)
		list, err := opencode.Hook(all[id].asked)
		require.NoError(t, err)
		assert.Equal(t, "called notes_add", words(list))
		assert.JSONEq(t, `{"said":"by the model"}`, string(list[0].Called.Params))
	}
}

// TestCallsOfWhichToolsWait holds that a list of tools is all that waits, and that without one all tools do but those
// that are known to read.
func TestCallsOfWhichToolsWait(t *testing.T) {
	for list, want := range map[string]string{
		"": "bash bashful notes_add readme", "bash": "bash", "bash,notes_.*": "bash notes_add", "read": "read",
	} {
		calls := map[string]object{}
		for _, tool := range []string{"bash", "bashful", "glob", "notes_add", "read", "readme", "task"} {
			calls[tool] = object{"tool": tool, "args": object{}, "answer": "{}"}
		}
		var tools, waited []string
		if list != "" {
			tools = strings.Split(list, ",")
		}
		all := drive(t, opencode.Approving(tools), "t", http.StatusOK, calls)
		for _, tool := range slices.Sorted(maps.Keys(all)) {
			if all[tool].asked != nil {
				waited = append(waited, tool)
			}
		}
		assert.Equal(t, want, strings.Join(waited, " "), list)
	}
}

// TestAPluginThatOnlyReportsCannotStopACall holds that its file has nothing of what waits.
func TestAPluginThatOnlyReportsCannotStopACall(t *testing.T) {
	const server = "http://127.0.0.1:8080"
	plain, err := opencode.Plugin{}.Attach(nil, server)
	require.NoError(t, err)
	assert.Contains(t, string(plain), "and changes nothing of it")
	for _, word := range []string{"tool.execute.before", "/ask", "throw"} {
		assert.NotContains(t, string(plain), word)
	}
	asks, err := opencode.Approving(nil).Attach(plain, server)
	require.NoError(t, err)
	for _, word := range []string{"tool.execute.before", "/ask", "lets calls wait there", "unasked(client)"} {
		assert.Contains(t, string(asks), word)
	}
	assert.NotContains(t, string(asks), "changes nothing of it")
	assert.NotContains(t, string(asks), "ASKED")
	to, err := opencode.Plugin{}.AttachedTo(asks)
	require.NoError(t, err)
	assert.Equal(t, server, to)
	again, err := opencode.Plugin{}.Attach(asks, server)
	require.NoError(t, err)
	assert.Equal(t, string(plain), string(again), "attaching without the flag ends it")
}

func TestOnlyACallThatThePluginAsksAboutIsAskedAbout(t *testing.T) {
	call := callOf("x", "c", "running", object{"input": object{"a": 1}})
	asked := object{"asked": object{"arguments": object{"a": 2}}}
	message := answer("a", "s", "u", "", 2)
	q, ok := opencode.Question(payload(t, "s", "s", message, asked, nil, call))
	require.True(t, ok)
	assert.Equal(t, attach.Question{Call: "c", Tool: "x", Arguments: json.RawMessage(`{"a":2}`)}, q)
	q, ok = opencode.Question(payload(t, "s", "s", message, object{"asked": object{}}, call))
	require.True(t, ok)
	assert.Empty(t, q.Arguments, "those that are too long")
	for name, raw := range map[string][]byte{
		"what is only told": payload(t, "s", "s", message, nil, call),
		"no part":           payload(t, "s", "s", message, asked),
		"no call":           payload(t, "s", "s", message, asked, object{"type": "text", "text": "x"}),
		"an id of two":      payload(t, "s", "s", message, asked, callOf("x", "a b", "running", nil)),
		"no tool":           payload(t, "s", "s", message, asked, callOf("", "c", "running", nil)),
		"no JSON":           []byte("{"),
	} {
		_, ok := opencode.Question(raw)
		assert.False(t, ok, name)
	}
}

func TestAVerdictIsWhatThePluginReads(t *testing.T) {
	for want, reply := range map[string]any{
		`{}`: opencode.Reply(attach.Allow, "unsaid"),
		`{"message":"` + attach.Unanswered + `"}`: opencode.Reply(attach.Ask, "unsaid"),
		`{"decision":"deny","reason":"Not now."}`: opencode.Reply(attach.Deny, "Not now."),
	} {
		raw, err := json.Marshal(reply)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
}
