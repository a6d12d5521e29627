package worker

import (
	"context"
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

// clientOf returns a client of a server that answers with the handler.
func clientOf(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	c, err := NewClient(s.URL+"/", "job-1", testToken)
	require.NoError(t, err)
	return c
}

// answeringWith returns a client of a server that answers everything with the body.
func answeringWith(t *testing.T, body string) *Client {
	t.Helper()
	return clientOf(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
}

func TestPostSendsFlatEventsAndReturnsTheirNumbers(t *testing.T) {
	var body, path, auth, name string
	c := clientOf(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		body, path, auth, name = string(raw), r.URL.Path, r.Header.Get("Authorization"), r.Header.Get(nameHeader)
		_, _ = io.WriteString(w, `{"job_id":"job-1","seqs":[7,8]}`)
	})
	e := Reasoning("Checked git log.", Decision{
		ToolName: "shell", Outcome: session.Success, Reason: Reason{Rationale: "to see", Group: new(0)},
	})
	e.ID = "a"
	end := Result(true, "done")
	end.ID = "b"
	seqs, err := c.Post(t.Context(), e, end)
	require.NoError(t, err)
	assert.Equal(t, []uint64{7, 8}, seqs)
	assert.Equal(t, "/api/jobs/job-1/events", path)
	assert.Equal(t, "Bearer "+testToken, auth)
	assert.NotEmpty(t, name)
	assert.JSONEq(t, `{"events":[
	 {"id":"a","event":"reasoning","job_id":"job-1","narrative":"Checked git log.",
	  "tool_decisions":[{"tool_name":"shell","rationale":"to see","outcome":"success","parallel_group":0}]},
	 {"id":"b","event":"result","job_id":"job-1","success":true,"message":"done"}]}`, body)
}

func TestEachKindOfEventHasItsFields(t *testing.T) {
	for want, e := range map[string]Event{
		`{"event":"message","role":"user","content":"hi"}`: Message("user", "hi"),
		`{"event":"tool_use","call_id":"call_1","tool_name":"ls","input":{"p":1}}`: ToolUse(
			"call_1", "ls", json.RawMessage(`{"p":1}`)),
		`{"event":"tool_result","call_id":"call_1","tool_name":"ls",
		  "outcome":"error","error":"no","duration_ms":2000}`: ToolResult(
			"call_1", "ls", session.Errored, nil, "no", 2*time.Second),
		`{"event":"status","state":"running","message":"half"}`: Status("running", "half"),
		`{"event":"result","success":false,"message":"no"}`:     Result(false, "no"),
	} {
		assert.NotEmpty(t, e.ID)
		e.ID = ""
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(raw))
	}
	assert.NotEqual(t, Message("user", "hi").ID, Message("user", "hi").ID)
}

func TestErrorsContainNothingThatAServerOrAnEventSaid(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Fail(t, "the token was sent to another server", r.Header)
	}))
	defer elsewhere.Close()
	body := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	const foreign = "not that of a Candor server"
	for _, tt := range []struct {
		name      string
		answer    http.HandlerFunc
		retryable bool
		text      string
	}{
		{"a redirect is not followed",
			http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect).ServeHTTP, false, "HTTP 307"},
		{"a refusal is not repeated",
			body(400, `{"error":"`+testToken+`","message":"`+testToken+`"}`), false, "HTTP 400"},
		{"a page of a proxy is not repeated", body(200, "<html>"+testToken), true, foreign},
		{"too few numbers are no answer", body(200, `{"seqs":[]}`), true, foreign},
		{"numbers of another type are no answer", body(200, `{"seqs":["`+testToken+`"]}`), true, foreign},
		{"a dropped connection is no answer",
			func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, "no answer"},
		{"half an answer is no answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = io.WriteString(w, `{"seqs":`)
		}, true, "no answer"},
		{"a failing server may recover", body(503, ""), true, "HTTP 503"},
		{"an error code is reported", body(400, `{"error":"bad_batch"}`), false, "bad_batch"},
		{"an error code that is too long is not",
			body(403, `{"error":"`+strings.Repeat("a", 999)+`"}`), false, "HTTP 403"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := clientOf(t, tt.answer).Post(t.Context(), Message("user", "the words"))
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tt.retryable, e.Temporary())
			assert.Contains(t, err.Error(), tt.text)
			assert.Less(t, len(err.Error()), 200)
			for _, secret := range []string{testToken, "the words", "job-1"} {
				assert.NotContains(t, err.Error(), secret)
			}
		})
	}
}

func TestAnInvalidTokenIsErrOverInEveryMethod(t *testing.T) {
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

func TestAJobOfAnotherIDIsNotAccepted(t *testing.T) {
	_, err := answeringWith(t, `{"job_id":"job-2"}`).Job(t.Context())
	assert.ErrorIs(t, err, errForeignAnswer)
}

func TestTheContextsErrorIsReturnedAsItIs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := answeringWith(t, `{}`).Job(ctx)
	assert.Equal(t, context.Canceled, err)
}

func TestRetryAfterIsReadInBothFormsAndBounded(t *testing.T) {
	twoDays := time.Now().Add(48 * time.Hour).UTC().Format(http.TimeFormat)
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "99999999": time.Hour, "-1": 0, "soon": 0, "": 0, twoDays: time.Hour,
	} {
		c := clientOf(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(429)
		})
		_, err := c.Job(t.Context())
		var e *Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, want, e.RetryAfter, header)
	}
}

func TestInvalidPostsAreNotSent(t *testing.T) {
	c := clientOf(t, func(http.ResponseWriter, *http.Request) { assert.Fail(t, "it was sent") })
	_, err := c.Post(t.Context())
	assert.ErrorContains(t, err, "1 to 100")
	_, err = c.Post(t.Context(), make([]Event, 1)...)
	assert.ErrorContains(t, err, "no id")
	_, err = c.Post(t.Context(), ToolUse("call_1", "x", json.RawMessage("secret: not JSON")))
	assert.ErrorContains(t, err, "cannot be encoded")
	assert.NotContains(t, err.Error(), "secret")
	many := make([]Event, MaxPost+1)
	for i := range many {
		many[i] = Status("x", "y")
	}
	_, err = c.Post(t.Context(), many...)
	assert.ErrorContains(t, err, "not 101")
}

func TestNewClientRefusesWhatCannotWork(t *testing.T) {
	for _, tt := range []struct{ name, server, job, token, want string }{
		{"no server", "", "j", "t", "must be a URL"},
		{"a server without a scheme", "localhost:1", "j", "t", "must be a URL"},
		{"a server that does not speak HTTP", "ftp://x", "j", "t", "must be a URL"},
		{"a server with a user", "http://u:p@x", "j", "t", "must not have a user, query or fragment"},
		{"a server with a query", "http://x?token=1", "j", "t", "must not have a user, query or fragment"},
		{"no job", "http://x", "", "t", "id is missing"},
		{"no token", "http://x", "j", "", "token is missing"},
		{"a token with a line break", "http://x", "j", "two\nlines", "invalid characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewClient(tt.server, tt.job, tt.token)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}
