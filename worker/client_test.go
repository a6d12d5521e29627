package worker

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

const testToken = "token-for-tests-only"

// clientOf speaks to a server that answers as told.
func clientOf(t *testing.T, answer http.HandlerFunc) *Client {
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	c, err := NewClient(s.URL+"/", "job-1", testToken)
	require.NoError(t, err)
	return c
}

func TestPostSendsTheFlatShapeAndReturnsTheNumbers(t *testing.T) {
	var body, path, auth string
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, path, auth = string(raw), r.URL.Path, r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `{"job_id":"job-1","seqs":[7,8]}`)
	})
	e := Reasoning("Checked git log.", Decision{ToolName: "shell", Outcome: session.Success, Reason: Reason{Rationale: "to see", Group: new(0)}})
	e.ID = "a"
	end := Result(true, "done")
	end.ID = "b"
	seqs, err := c.Post(t.Context(), e, end)
	require.NoError(t, err)
	assert.Equal(t, []uint64{7, 8}, seqs)
	assert.Equal(t, "/api/jobs/job-1/events", path)
	assert.Equal(t, "Bearer "+testToken, auth)
	assert.JSONEq(t, `{"events":[
	 {"id":"a","event":"reasoning","job_id":"job-1","narrative":"Checked git log.",
	  "tool_decisions":[{"tool_name":"shell","rationale":"to see","outcome":"success","parallel_group":0}]},
	 {"id":"b","event":"result","job_id":"job-1","success":true,"message":"done"}]}`, body)
}

func TestEveryKindHasItsFields(t *testing.T) {
	for want, e := range map[string]Event{
		`{"event":"message","role":"user","content":"hi"}`:                                                              Message("user", "hi"),
		`{"event":"tool_use","call_id":"call_1","tool_name":"ls","input":{"p":1}}`:                                      ToolUse("call_1", "ls", json.RawMessage(`{"p":1}`)),
		`{"event":"tool_result","call_id":"call_1","tool_name":"ls","outcome":"error","error":"no","duration_ms":2000}`: ToolResult("call_1", "ls", session.Errored, nil, "no", 2*time.Second),
		`{"event":"status","state":"running","message":"half"}`:                                                         Status("running", "half"),
		`{"event":"result","success":false,"message":"no"}`:                                                             Result(false, "no"),
	} {
		assert.NotEmpty(t, e.ID)
		e.ID = ""
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
	assert.NotEqual(t, Message("user", "hi").ID, Message("user", "hi").ID)
}

func TestAHostileServerGetsNothingOutOfAClient(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Fail(t, "the token went elsewhere", r.Header)
	}))
	defer elsewhere.Close()
	for name, tt := range map[string]struct {
		answer    http.HandlerFunc
		temporary bool
		text      string
	}{
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, false, "HTTP 307"},
		"its token back": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"`+testToken+`","message":"`+testToken+`"}`, 400)
		}, false, "HTTP 400"},
		"a page":             {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "<html>"+testToken) }, true, "not one of a Candor server"},
		"too few numbers":    {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"seqs":[]}`) }, true, "not one of a Candor server"},
		"numbers of no kind": {func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, `{"seqs":["`+testToken+`"]}`) }, true, "not one of a Candor server"},
		"a cut":              {func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }, true, "no answer"},
		"an answer cut short": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, `{"seqs":`)
		}, true, "no answer"},
		"trouble":           {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, true, "HTTP 503"},
		"a word of its own": {func(w http.ResponseWriter, r *http.Request) { http.Error(w, `{"error":"bad_batch"}`, 400) }, false, "bad_batch"},
		"a code with a lot in": {func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"`+strings.Repeat("a", 999)+`"}`, http.StatusForbidden)
		}, false, "HTTP 403"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := clientOf(t, tt.answer).Post(t.Context(), Message("user", "the words"))
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.temporary, e.Temporary())
			assert.Contains(t, err.Error(), tt.text)
			assert.Less(t, len(err.Error()), 200)
			for _, secret := range []string{testToken, "the words", "job-1"} {
				assert.NotContains(t, err.Error(), secret)
			}
		})
	}
}

func TestATokenThatIsNoGoodIsErrOverEverywhere(t *testing.T) {
	c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	_, err := c.Post(t.Context(), Status("x", "y"))
	assert.ErrorIs(t, err, ErrOver)
	_, err = c.Job(t.Context())
	assert.ErrorIs(t, err, ErrOver)
	_, _, err = c.Prompt(t.Context(), 0)
	assert.ErrorIs(t, err, ErrOver)
	_, _, err = c.Events(t.Context(), 0)
	assert.ErrorIs(t, err, ErrOver)
}

func TestTheServersWishToWaitIsRead(t *testing.T) {
	for header, most := range map[string]time.Duration{"7": 7 * time.Second, "99999999": time.Hour, "-1": 0, "soon": 0,
		time.Now().Add(48 * time.Hour).UTC().Format(http.TimeFormat): time.Hour} {
		c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(429)
		})
		_, err := c.Job(t.Context())
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, most, e.RetryAfter, header)
	}
}

func TestWhatCannotBePostedIsSaidBeforeItIsSent(t *testing.T) {
	c := clientOf(t, func(http.ResponseWriter, *http.Request) { assert.Fail(t, "it was sent") })
	_, err := c.Post(t.Context())
	assert.ErrorContains(t, err, "from 1 to 100")
	_, err = c.Post(t.Context(), make([]Event, 1)...)
	assert.ErrorContains(t, err, "no id")
	_, err = c.Post(t.Context(), ToolUse("call_1", "x", json.RawMessage("secret: not JSON")))
	assert.ErrorContains(t, err, "cannot be encoded")
	assert.NotContains(t, err.Error(), "secret")
	many := make([]Event, 101)
	for i := range many {
		many[i] = Status("x", "y")
	}
	_, err = c.Post(t.Context(), many...)
	assert.ErrorContains(t, err, "not 101")
	for _, bad := range [][3]string{{"", "j", "t"}, {"localhost:1", "j", "t"}, {"ftp://x", "j", "t"}, {"http://u:p@x", "j", "t"},
		{"http://x?token=1", "j", "t"}, {"http://x", "", "t"}, {"http://x", "j", ""}, {"http://x", "j", "two\nlines"}} {
		_, err := NewClient(bad[0], bad[1], bad[2])
		assert.Error(t, err, "%q", bad)
	}
}
