package client

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRequestsCarryWhatTheServerExpects(t *testing.T) {
	for _, tt := range []struct {
		name, request, body, answer string
		call                        func(c *Client) (any, error)
		want                        any
	}{
		{"send", "POST /api/chat/send", `{"content":"hi","thread_id":"t"}`, `{"thread_id":"t","turn_number":2}`,
			func(c *Client) (any, error) { return c.Send(t.Context(), "t", "hi") }, Sent{ThreadID: "t", TurnNumber: 2}},
		{"interrupt", "POST /api/chat/interrupt", `{"thread_id":"t"}`, `{}`,
			func(c *Client) (any, error) { return nil, c.Interrupt(t.Context(), "t") }, nil},
		{"approve", "POST /api/chat/approval", `{"request_id":"r","action":"always"}`, `{}`,
			func(c *Client) (any, error) { return nil, c.Approve(t.Context(), "r", "always") }, nil},
		{"decide", "POST /api/chat/approval", `{"request_id":"r","action":"approve","value":"hold"}`, `{}`,
			func(c *Client) (any, error) { return nil, c.Decide(t.Context(), "r", "hold") }, nil},
		{"a new thread", "POST /api/chat/thread/new", `{}`, `{"id":"t","state":"idle"}`,
			func(c *Client) (any, error) { return c.NewThread(t.Context()) }, Thread{ID: "t", State: "idle"}},
		{"delete a thread", "DELETE /api/chat/threads/t%2F1", ``, ``,
			func(c *Client) (any, error) { return nil, c.DeleteThread(t.Context(), "t/1") }, nil},
		{"threads", "GET /api/chat/threads", ``, `{"threads":[{"id":"a"},{"id":"b"}],"active_thread":"b"}`,
			func(c *Client) (any, error) {
				list, active, err := c.Threads(t.Context())
				return map[string][]Thread{active: list}, err
			}, map[string][]Thread{"b": {{ID: "a"}, {ID: "b"}}}},
		{"status", "GET /api/gateway/status", ``, `{"version":"v1","llm_model":"m","user":"ann"}`,
			func(c *Client) (any, error) { return c.Status(t.Context()) },
			Status{Version: "v1", Model: "m", User: "ann"}},
		{"history, the page before a turn", "GET /api/chat/history?before=t0&limit=7&thread_id=t", ``,
			`{"thread_id":"t","event_id":"s-9"}`,
			func(c *Client) (any, error) { return c.History(t.Context(), "t", 7, "t0") },
			Page{ThreadID: "t", EventID: "s-9"}},
		{"export", "GET /api/chat/export?format=md&thread_id=t", ``, "# Why",
			func(c *Client) (any, error) {
				var out bytes.Buffer
				err := c.Export(t.Context(), "t", "md", &out)
				return out.String(), err
			}, "# Why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := serving(t, func(w http.ResponseWriter, r *http.Request) {
				raw, _ := io.ReadAll(r.Body)
				assert.Equal(t, tt.request, r.Method+" "+r.URL.RequestURI())
				if tt.body != "" {
					assert.JSONEq(t, tt.body, string(raw))
					assert.Equal(t, "application/json", r.Header.Get("Content-Type"))
				}
				_, _ = io.WriteString(w, tt.answer)
			})
			got, err := tt.call(c)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestATurnIsFoundOrNot(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("turn") {
		case "1":
			_, _ = io.WriteString(w, `{"turn_number":1,"state":"interrupted","later":"member"}`)
		case "2":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":"no_turn","message":"The thread has no such turn."}`)
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":"no_thread","message":"You have no such thread."}`)
		}
	})
	got, found, err := c.Turn(t.Context(), "t", 1)
	require.NoError(t, err)
	assert.True(t, found && got.Ended())
	assert.Contains(t, string(got.Raw), `"later"`, "members that the client does not know are kept")

	_, found, err = c.Turn(t.Context(), "t", 2)
	require.NoError(t, err)
	assert.False(t, found)

	_, found, err = c.Turn(t.Context(), "t", 3)
	assert.True(t, Is(err, "no_thread"), "%v", err)
	assert.False(t, found)
}

func TestTheLogOfAJobIsReadPageByPage(t *testing.T) {
	var asked []string
	c := serving(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI())
		switch r.URL.Query().Get("after") {
		case "0":
			_, _ = io.WriteString(w, `{"events":[{"id":1,"data":{"type":"job_started","job_id":"j"}},{"id":4,"data":7}],
				"has_more":true,"event_id":"s-1"}`)
		default:
			_, _ = io.WriteString(w, `{"events":[{"id":5,"data":{"type":"job_result","job_id":"j"}}],"event_id":"s-2"}`)
		}
	})
	var kinds, cursors []string
	for page, err := range c.JobLog(t.Context(), "j/1") {
		require.NoError(t, err)
		cursors = append(cursors, page.EventID)
		require.LessOrEqual(t, len(cursors), 2, "a page was read again: %s", asked)
		for _, e := range page.Events {
			kinds = append(kinds, e.Type)
		}
	}
	assert.Equal(t, []string{"job_started", "job_result"}, kinds, "what is no event is left out")
	assert.Equal(t, []string{"s-1", "s-2"}, cursors)
	assert.Equal(t, []string{"/api/jobs/j%2F1/events?after=0", "/api/jobs/j%2F1/events?after=4"}, asked)
}

func TestIterationEndsAfterAnError(t *testing.T) {
	c := serving(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"gone","message":"It is gone."}`)
	})
	var failures []string
	for _, err := range c.Turns(t.Context(), "t") {
		failures = append(failures, err.Error())
	}
	for _, err := range c.JobLog(t.Context(), "j") {
		failures = append(failures, err.Error())
	}
	failures = append(failures, c.Export(t.Context(), "t", "md", io.Discard).Error())
	assert.Equal(t, []string{"It is gone.", "It is gone.", "It is gone."}, failures)
}

func TestAnEventOfAnApprovalHoldsTheApproval(t *testing.T) {
	e := Event{RequestID: "r", AllowAlways: true, Description: "Runs a command."}
	e.ToolName, e.Rationale = "shell", "to see the disk"
	assert.Equal(t, Approval{RequestID: "r", ToolName: "shell", Description: "Runs a command.",
		Rationale: "to see the disk", AllowAlways: true}, e.Approval())
}
