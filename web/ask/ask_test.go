package ask_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
	"candor/web/ask"
	"candor/web/client"
)

// asker is an MCP client of a server's questions.
type asker struct {
	t   *testing.T
	mcp *mcp.ClientSession
}

// over connects as a user through /mcp of a running server.
func over(t *testing.T, s *apptest.Server, token string) *asker {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: s.URL + "/mcp",
		HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true}
	return connect(t, transport)
}

// beside connects to a server of its own, which asks the running one as candor mcp does.
func beside(t *testing.T, url, user string) *asker {
	t.Helper()
	c, err := client.New(url, apptest.TokenOf(user))
	require.NoError(t, err)
	server := ask.New("1", func(http.Header) (*client.Client, error) { return c, nil }, nil, strings.TrimSpace)
	fromUs, in := io.Pipe()
	out, toUs := io.Pipe()
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, server.Run(t.Context(), fromUs, toUs)) })
	t.Cleanup(running.Wait) // connect's cleanup, which hangs up, runs before
	return connect(t, &mcp.IOTransport{Reader: out, Writer: in})
}

func connect(t *testing.T, transport mcp.Transport) *asker {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), transport, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return &asker{t: t, mcp: session}
}

type withToken string

// RoundTrip implements http.RoundTripper.
func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// ask calls a tool and returns its answer.
func (a *asker) ask(tool string, arguments apptest.M) ask.Decisions {
	a.t.Helper()
	text, failed := a.try(tool, arguments)
	require.False(a.t, failed, text)
	var out ask.Decisions
	require.NoError(a.t, json.Unmarshal([]byte(text), &out))
	return out
}

// try calls a tool and returns the text of its answer, and whether it failed.
func (a *asker) try(tool string, arguments apptest.M) (text string, failed bool) {
	a.t.Helper()
	r, err := a.mcp.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(a.t, err)
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func call(id, tool, why string, arguments apptest.M) apptest.M {
	return apptest.M{"id": id, "name": tool, "rationale": why, "arguments": arguments}
}

// reading is a script: a message that reads two things, and another whose model gives no reason.
var reading = apptest.M{
	"steps": []apptest.M{{"text": "I do not know."}},
	"turns": []apptest.M{
		{"message": "what may I do?", "steps": []apptest.M{
			{"narrative": "I look first.", "tool_calls": []apptest.M{
				call("c1", "list_folder", "See what stands in the folder.", apptest.M{"path": "."}),
				call("c2", "open_file", "The licence says who may use it.", apptest.M{"path": "LICENSE"}),
			}},
			{"text": "There is a licence."},
		}},
		{"message": "and the rest?", "steps": []apptest.M{
			{"tool_calls": []apptest.M{call("c1", "broken", "", apptest.M{"path": "no/such/file.txt"})}},
			{"text": "It is not there."},
		}},
	},
	"tools": apptest.M{
		"list_folder": apptest.M{"result": []string{"LICENSE"}},
		"open_file":   apptest.M{"result": "Use it as you like."},
		"broken":      apptest.M{"error": "there is no such file"},
	},
}

// played plays the script for ann, and returns the server and the thread.
func played(t *testing.T) (*apptest.Server, string) {
	t.Helper()
	s := apptest.Start(t, app.Settings{}, reading)
	thread, _ := s.Begin("ann")
	for n, message := range []string{"what may I do?", "and the rest?"} {
		s.Send("ann", thread, message)
		apptest.Eventually(t, "the turn ends", func() bool {
			turn, err := s.Session("ann").Turn(thread, n+1)
			return err == nil && turn.State.Ended()
		})
	}
	return s, thread
}

func TestEachWayAnswersTheSameQuestions(t *testing.T) {
	s, thread := played(t)
	for name, a := range map[string]*asker{
		"over HTTP": over(t, s, apptest.TokenOf("ann")), "over standard input": beside(t, s.URL, "ann"),
	} {
		t.Run(name, func(t *testing.T) {
			first := a.ask("why", apptest.M{"thread_id": thread, "turn_number": 1})
			require.Len(t, first.Decisions, 2)
			d := first.Decisions[1]
			assert.Equal(t, "open_file", d.Tool)
			assert.Equal(t, "LICENSE", d.Object)
			assert.Equal(t, "The licence says who may use it.", d.Reason)
			assert.Equal(t, "model", d.Source)
			assert.Equal(t, "success", d.Outcome)
			assert.NotEmpty(t, d.Result)

			byFile := a.ask("why", apptest.M{"file": "LICENSE"})
			require.NotEmpty(t, byFile.Decisions)
			assert.Equal(t, d.CallID, byFile.Decisions[0].CallID)
			assert.Equal(t, 1, byFile.Decisions[0].Turn)

			words := a.ask("search_reasons", apptest.M{"query": "why did it list the folder?"})
			require.NotEmpty(t, words.Decisions)
			assert.Equal(t, "list_folder", words.Decisions[0].Tool)

			newest := a.ask("recent_decisions", apptest.M{"limit": 1})
			require.Len(t, newest.Decisions, 1)
			assert.True(t, newest.More)
			assert.Equal(t, "fallback", newest.Decisions[0].Source, "its model gave no reason")
			assert.Equal(t, "error", newest.Decisions[0].Outcome)
			ofThread := a.ask("recent_decisions", apptest.M{"thread_id": thread, "limit": 1})
			assert.True(t, ofThread.More)
			assert.Equal(t, newest.Decisions[0].CallID, ofThread.Decisions[0].CallID)
		})
	}
}

func TestAQuestionThatCannotBeAnsweredSaysWhatToDo(t *testing.T) {
	s, thread := played(t)
	a := over(t, s, apptest.TokenOf("ann"))
	for name, tt := range map[string]struct {
		tool      string
		arguments apptest.M
		want      string
	}{
		"nothing is named":           {"why", apptest.M{}, "name what to explain"},
		"a turn of nothing":          {"why", apptest.M{"turn_number": 1}, "needs its thread_id"},
		"a turn before the first":    {"why", apptest.M{"thread_id": thread, "turn_number": -1}, "counts from 1"},
		"a turn that is not there":   {"why", apptest.M{"thread_id": thread, "turn_number": 9}, "no turn 9"},
		"a thread that is not there": {"why", apptest.M{"thread_id": "t-none"}, "no such thread"},
		"a job that is not there":    {"why", apptest.M{"job_id": "j-none"}, "no such job"},
		"a thread and a job":         {"why", apptest.M{"thread_id": thread, "job_id": "j"}, "not both"},
		"a search for nothing":       {"search_reasons", apptest.M{}, "say what to look for"},
		"more than an answer may have": {"search_reasons", apptest.M{"query": "x", "limit": 51},
			"limit is from 1 to 50"},
		"a search from before the first": {"search_reasons", apptest.M{"query": "x", "offset": -1},
			"offset counts from 0"},
		"an outcome that there is not": {"search_reasons", apptest.M{"outcome": "fine"},
			"outcome is one of pending, success"},
		"fewer than none":            {"recent_decisions", apptest.M{"limit": -1}, "limit is from 1 to 50"},
		"a member that there is not": {"recent_decisions", apptest.M{"thread": thread}, "thread"},
	} {
		t.Run(name, func(t *testing.T) {
			text, failed := a.try(tt.tool, tt.arguments)
			assert.True(t, failed, text)
			assert.Contains(t, text, tt.want)
		})
	}
}

func TestAnAnswerSaysWhatItLeavesOut(t *testing.T) {
	s, thread := played(t)
	a := over(t, s, apptest.TokenOf("ann"))
	for name, tt := range map[string]struct {
		tool      string
		arguments apptest.M
		note      string
	}{
		"a file that the turn did not touch": {"why", apptest.M{"thread_id": thread, "turn_number": 1, "file": "x.go"},
			"No decision of this turn matches."},
		"a tool that the thread did not call": {"why", apptest.M{"thread_id": thread, "tool": "rm"},
			"No decision in its latest turns matches."},
		"a tool that nobody called": {"search_reasons", apptest.M{"tool": "rm"},
			"Nothing was found. It may be under another tool: broken, list_folder, open_file."},
		"words that stand nowhere": {"search_reasons", apptest.M{"query": "zyzzyva"}, "Nothing was found."},
		"words of which only some stand there": {"search_reasons", apptest.M{"query": "licence zyzzyva"},
			"No decision has all of the words; these have some."},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.note, a.ask(tt.tool, tt.arguments).Note)
		})
	}
	assert.Len(t, a.ask("why", apptest.M{"tool": "List_Folder"}).Decisions, 1, "in whatever case")
	latest := a.ask("why", apptest.M{"thread_id": thread})
	require.Len(t, latest.Decisions, 1)
	assert.Equal(t, 2, latest.Decisions[0].Turn)
}

// An import tells of sessions in no order of time, and of all of them long after they were.
func TestTheDecisionsOfWatchedAgentsHaveTheirOwnTimes(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	for _, day := range []string{"03", "05", "04"} {
		at := "2026-11-" + day + "T10:00:00Z"
		about := `{"agent":"claude","channel":"file","session":"s` + day + `","turn":"p","at":"` + at + `",`
		r := s.Post("ann", "/api/attached", about+`"prompted":{"text":"tidy up"}}`+"\n"+
			about+`"call":"c1","called":{"tool":"Bash","params":{"command":"ls `+day+`"}}}`)
		require.Equal(t, http.StatusOK, r.Status, r.Body)
	}
	a := over(t, s, apptest.TokenOf("ann"))
	var times []string
	for _, d := range a.ask("recent_decisions", nil).Decisions {
		times = append(times, d.HappensAt)
		why := a.ask("why", apptest.M{"thread_id": d.ThreadID}).Decisions
		require.Len(t, why, 1)
		assert.Equal(t, d.HappensAt, why[0].HappensAt)
	}
	assert.Equal(t, []string{"2026-11-05T10:00:00Z", "2026-11-04T10:00:00Z", "2026-11-03T10:00:00Z"}, times)
}

func TestAJobIsExplained(t *testing.T) {
	s := apptest.Start(t, app.Settings{}, nil)
	id, token := s.NewJob("audit it")
	r := s.PostEvents(id, token, `[
		{"event":"tool_use","tool_name":"grep","call_id":"c1","input":{"pattern":"x"},
			"rationale":"Find where it is used."},
		{"event":"tool_result","tool_name":"grep","call_id":"c1","outcome":"success","output":"2 matches"}]`)
	require.Equal(t, http.StatusOK, r.Status, r.Body)
	d := over(t, s, apptest.TokenOf("ann")).ask("why", apptest.M{"job_id": id})
	require.Len(t, d.Decisions, 1)
	assert.Equal(t, id, d.Decisions[0].JobID)
	assert.Equal(t, "Find where it is used.", d.Decisions[0].Reason)
}
