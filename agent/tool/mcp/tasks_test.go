package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// digger is a server with the tool dig, which becomes a task. It answers requests about the task with the next of its
// answers, and with the last of them again.
type digger struct {
	now     bool // by the revision 2026-07-28
	answers []string

	mu    sync.Mutex
	asked []string // requests about the tool and the task, and what of them matters
}

// dial opens a connection to the server, over pipes.
func (d *digger) dial(lost func(error), noise func()) (*connection, error) {
	theirs, ours := io.Pipe()
	answers, told := io.Pipe()
	go func() {
		defer told.Close()
		for lines := bufio.NewScanner(theirs); lines.Scan(); {
			if answer := d.answer(lines.Bytes()); answer != "" {
				_, _ = io.WriteString(told, answer+"\n")
			}
		}
	}()
	end := func() { _ = ours.Close(); _ = answers.Close() }
	return &connection{
		transport: &sdk.IOTransport{Reader: io.NopCloser(newMessageReader(answers, lost, noise)), Writer: ours},
		explain:   func(err error) error { return err }, abort: end, release: end,
	}, nil
}

// answer answers a request.
func (d *digger) answer(line []byte) string {
	var r struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Task   json.RawMessage `json:"task"`
			TaskID string          `json:"taskId"`
			Meta   json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &r) != nil || r.ID == nil {
		return ""
	}
	answer := `"error":{"code":-32601,"message":"no such method"}`
	switch r.Method {
	case "server/discover":
		if d.now {
			answer = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`
		}
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},` +
			`"serverInfo":{"name":"d","version":"1"}}`
	case "tools/list":
		answer = `"result":{"resultType":"complete","tools":[{"name":"dig","inputSchema":{"type":"object"},` +
			`"execution":{"taskSupport":"required"}}]}`
	case "tools/call", getTask, taskResult, cancelTask:
		answer = d.about(r.Method, r.Params.TaskID, string(r.Params.Task), string(r.Params.Meta))
	}
	return `{"jsonrpc":"2.0","id":` + string(r.ID) + `,` + answer + `}`
}

// about answers a request about the tool or the task.
func (d *digger) about(method, id, asTask, meta string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	offers := strings.Contains(meta, `"`+tasksExtension+`"`)
	if offers != d.now || method == "tools/call" && (asTask != "") == d.now {
		return `"error":{"code":-32021,"message":"tasks are not asked for as this revision wants"}`
	}
	d.asked = append(d.asked, strings.TrimSpace(method+" "+id))
	if method == cancelTask {
		return `"result":{"resultType":"complete","taskId":"t1","status":"cancelled"}`
	}
	answer := d.answers[0]
	d.answers = d.answers[min(1, len(d.answers)-1):]
	return answer
}

// TestATaskIsAwaitedWithinItsCall has tasks of both revisions.
func TestATaskIsAwaitedWithinItsCall(t *testing.T) {
	old := `"result":{"task":{"taskId":"t1","status":"working","pollInterval":5000}}`
	now := `"result":{"resultType":"task","taskId":"t1","status":"working","pollIntervalMs":5000}`
	is := func(rest string) string { return `"result":{"resultType":"complete","taskId":"t1",` + rest + `}` }
	found := `"result":{"content":[{"type":"text","text":"gold"}]}`
	for name, tt := range map[string]struct {
		now     bool
		answers []string
		want    string // the result, or the error
		asked   string
		took    time.Duration
	}{
		"the older revision, whose result is fetched": {false,
			[]string{old, is(`"status":"working","pollInterval":100`), is(`"status":"completed"`), found}, "gold",
			"tools/call, tasks/get t1, tasks/get t1, tasks/result t1", 5100 * time.Millisecond},
		"the newer revision, whose result is in the task": {true,
			[]string{now, is(`"status":"working"`), is(`"status":"completed",` + found)}, "gold",
			"tools/call, tasks/get t1, tasks/get t1", 6 * time.Second},
		"one that is over at once": {true,
			[]string{`"result":{"resultType":"task","taskId":"t1","status":"completed",` + found + `}`}, "gold",
			"tools/call", 0},
		"a tool that fails": {false,
			[]string{old, is(`"status":"failed"`), strings.Replace(found, "{", `{"isError":true,`, 1)}, "gold",
			"tools/call, tasks/get t1, tasks/result t1", 5 * time.Second},
		"a result that has to be mended": {true,
			[]string{now, is(`"status":"completed","result":{"isError":"true","content":"gold"}`)}, "gold",
			"tools/call, tasks/get t1", 5 * time.Second},
		"a failure of the protocol": {true,
			[]string{now, is(`"status":"failed","error":{"code":-32602,"message":"no such hill"}`)}, "no such hill",
			"tools/call, tasks/get t1", 5 * time.Second},
		"one that the server cancels": {true, []string{now, is(`"status":"cancelled","statusMessage":"rain"`)},
			"the server cancelled the task: rain", "tools/call, tasks/get t1", 5 * time.Second},
		"one that asks back": {true, []string{now, is(`"status":"input_required","inputRequests":{}`)},
			"the server asks back while it runs this tool",
			"tools/call, tasks/get t1, tasks/cancel t1", 5 * time.Second},
		"one that the server forgets": {true, []string{now, `"error":{"code":-32602,"message":"no such task"}`},
			"no such task", "tools/call, tasks/get t1", 5 * time.Second},
		"one that takes too long": {true,
			[]string{strings.Replace(now, "5000", "90000", 1), is(`"status":"working","pollIntervalMs":90000`)},
			"gave no answer within 20s", "tools/call, tasks/get t1, tasks/cancel t1", 20 * time.Second},
		"one without an id": {true, []string{`"result":{"resultType":"task"}`}, begunTask, "tools/call", 0},
		"no task at all":    {true, []string{found}, "gold", "tools/call", 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &digger{now: tt.now, answers: tt.answers}
				s := startServers(t, Options{}, map[string]dialer{"test": d.dial})
				defer s.Close()
				require.Len(t, s.Tools(), 1)
				s.Tools()[0].(*remoteTool).owner.limit = 20 * time.Second
				began := time.Now()
				got, err := s.Tools()[0].Run(t.Context(), nil)
				if err != nil {
					got = []byte(err.Error())
				}
				assert.Contains(t, string(got), tt.want)
				assert.Equal(t, tt.asked, strings.Join(d.asked, ", "))
				assert.Equal(t, tt.took, time.Since(began))
			})
		})
	}
}

func TestACallThatIsCancelledCancelsItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &digger{now: true, answers: []string{`"result":{"resultType":"task","taskId":"t1","status":"working"}`}}
		s := startServers(t, Options{}, map[string]dialer{"test": d.dial})
		defer s.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := s.Tools()[0].Run(ctx, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"tools/call", "tasks/cancel t1"}, d.asked)
	})
}

// TestRequestsAboutATaskNameItInAHeader holds what the newer revision wants over HTTP. An id that no header can hold is
// not named.
func TestRequestsAboutATaskNameItInAHeader(t *testing.T) {
	for id, want := range map[string]string{"t1": "dig t1", `t\n1`: "dig "} {
		d := &digger{now: true, answers: []string{
			`"result":{"resultType":"task","taskId":"` + id + `","status":"working","pollIntervalMs":1}`,
			`"result":{"resultType":"complete","taskId":"` + id + `","status":"completed","result":{"content":[]}}`}}
		var names []string
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if method := r.Header.Get("Mcp-Method"); method == "tools/call" || method == getTask {
				names = append(names, r.Header.Get("Mcp-Name"))
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, d.answer(body))
		}))
		dial := func(lost func(error), _ func()) (*connection, error) {
			return openHTTP(Endpoint{URL: server.URL}, lost)
		}
		s := startServers(t, Options{}, map[string]dialer{"test": dial})
		_, err := s.Tools()[0].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, want, strings.Join(names, " "))
		s.Close()
		server.Close()
	}
}
