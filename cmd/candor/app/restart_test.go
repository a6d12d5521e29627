package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/secret"
	"candor/session"
	"candor/web/access"
)

const annsToken = "token-of-ann-for-tests"

// appWith returns an app of a deployment with this key, whose user is ann, until the test ends.
func appWith(t *testing.T, key secret.Key) *App {
	t.Helper()
	s := offlineSettings(t)
	s.Key = key
	return appOf(t, s)
}

func appOf(t *testing.T, s Settings) *App {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", annsToken)
	a, err := New(s, tokens, nil, quiet)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close(t.Context()) })
	return a
}

// ask makes a request as the page does, with a login if there is one.
func (a *App) ask(method, path, body string, login []*http.Cookie, pageKey string) *http.Response {
	r := httptest.NewRequest(method, "http://localhost:8080"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for _, c := range login {
		r.AddCookie(c)
	}
	r.Header.Set(access.PageKeyHeader, pageKey)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Result()
}

// logIn logs in with a code and returns both values of the login.
func (a *App) logIn(t *testing.T, code string) (status int, cookies []*http.Cookie, pageKey string) {
	t.Helper()
	resp := a.ask(http.MethodPost, "/api/login", `{"code":"`+code+`"}`, nil, "")
	var in struct {
		Key string `json:"page_key"`
	}
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &in))
	return resp.StatusCode, resp.Cookies(), in.Key
}

func TestAServersLoginsAndLinksHoldOnTheNextAndOnReplicas(t *testing.T) {
	key := secret.NewKey()
	first, second := appWith(t, key), appWith(t, key)
	code, ok := first.NewCode(annsToken)
	require.True(t, ok)
	status, cookies, pageKey := second.logIn(t, code)
	require.Equal(t, http.StatusOK, status, "a link that another server printed")
	again, _, _ := second.logIn(t, code)
	assert.Equal(t, http.StatusUnauthorized, again, "it logs in once")
	for _, a := range []*App{first, second, appWith(t, key)} {
		assert.Equal(t, http.StatusOK, a.ask(http.MethodGet, "/api/chat/threads", "", cookies, pageKey).StatusCode)
		assert.Equal(t, http.StatusUnauthorized, a.ask(http.MethodGet, "/api/chat/threads", "", cookies, "").StatusCode)
	}

	assert.Equal(t, http.StatusNoContent, second.ask(http.MethodPost, "/api/logout", "{}", cookies, pageKey).StatusCode)
	after := second.ask(http.MethodGet, "/api/chat/threads", "", cookies, pageKey)
	assert.Equal(t, http.StatusUnauthorized, after.StatusCode, "signing out ends the login here")
	after = first.ask(http.MethodGet, "/api/chat/threads", "", cookies, pageKey)
	assert.Equal(t, http.StatusOK, after.StatusCode, "but a copy holds on a replica, as docs/identity.md says")
}

func TestALinkOfAServerWithoutAKeyEndsWithIt(t *testing.T) {
	first, second := appWith(t, secret.Key{}), appWith(t, secret.Key{})
	code, ok := first.NewCode(annsToken)
	require.True(t, ok)
	status, _, _ := second.logIn(t, code)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _, _ = first.logIn(t, code)
	assert.Equal(t, http.StatusOK, status)
}

// Two apps whose sessions have the same ids are as one that was started again over a store that lasts.
func TestAJobsTokenHoldsOnTheNextServer(t *testing.T) {
	s := offlineSettings(t)
	s.Key = secret.NewKey()
	var all access.Tokens
	all.Add("ann", annsToken)
	token := func(s Settings) (a *App, job, token string) {
		a, err := New(s, all, func() uuid.UUID { return uuid.UUID{1} }, quiet)
		require.NoError(t, err)
		t.Cleanup(func() { a.Close(t.Context()) })
		var made struct {
			ID    string `json:"job_id"`
			Token string `json:"token"`
		}
		resp := a.as(annsToken, "/api/jobs", `{"prompt":"tidy up"}`)
		require.Equal(t, http.StatusCreated, resp.StatusCode)
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&made))
		return a, made.ID, made.Token
	}
	_, job, first := token(s)
	next, same, _ := token(s)
	require.Equal(t, job, same)
	posted := next.as(first, "/api/jobs/"+job+"/events", `{"event":"status","message":"I go on"}`)
	assert.Equal(t, http.StatusOK, posted.StatusCode)
	s.Key = secret.NewKey()
	stranger, _, _ := token(s)
	posted = stranger.as(first, "/api/jobs/"+job+"/events", `{"event":"status","message":"I go on"}`)
	assert.Equal(t, http.StatusUnauthorized, posted.StatusCode)
}

// as posts with a token.
func (a *App) as(token, path, body string) *http.Response {
	r := httptest.NewRequest(http.MethodPost, "http://localhost:8080"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	a.ServeHTTP(w, r)
	return w.Result()
}

// thoughtful is a model server whose model calls a tool and then answers, with raw thoughts that only its
// provider reads.
func thoughtful(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	delta := `{"role":"assistant","reasoning_content":"raw thoughts",` +
		`"tool_calls":[{"index":0,"id":"c1","type":"function",` +
		`"function":{"name":"time","arguments":"{\"rationale\":\"it was asked for\"}"}}]}`
	reason := "tool_calls"
	if strings.Contains(string(body), `"role":"tool"`) {
		delta, reason = `{"role":"assistant","content":"It is noon."}`, "stop"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", delta)
	fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: [DONE]\n\n", reason)
}

func TestReasoningThatAClientCarriesHoldsOnTheNextServer(t *testing.T) {
	model := httptest.NewServer(http.HandlerFunc(thoughtful))
	defer model.Close()
	t.Setenv(OpenAIBaseEnv, model.URL+"/v1")
	s := offlineSettings(t)
	s.Model, s.Key = ModelSettings{Provider: "openai", Name: "m"}, secret.NewKey()
	first, next := appOf(t, s), appOf(t, s)
	s.Key = secret.NewKey()
	stranger := appOf(t, s)

	started, err := first.chat.Send(t.Context(), "ann", "", "what time is it?")
	require.NoError(t, err)
	awaitEnd(t, first, started)
	sealed := first.chat.EncryptedReasoning("ann", started.Thread, 1, "call_1")
	require.NotEmpty(t, sealed)
	require.NoError(t, next.chat.RestoreReasoning("ann", started.Thread, 1, "call_1", sealed))
	assert.Equal(t, sealed, next.chat.EncryptedReasoning("ann", started.Thread, 1, "call_1"))
	require.Error(t, stranger.chat.RestoreReasoning("ann", started.Thread, 1, "call_1", sealed))
}

// awaitEnd waits until the turn that began with an event has ended.
func awaitEnd(t *testing.T, a *App, started session.Event) {
	t.Helper()
	own, err := a.Store.Open(t.Context(), "ann")
	require.NoError(t, err)
	for up := range own.Watch(t.Context(), started.Seq) {
		if _, ended := up.Event.Body.(session.TurnCompleted); ended {
			return
		}
	}
	t.Fatal("the log ended before the turn")
}

func TestTheKeyOfADeploymentIsMasked(t *testing.T) {
	s := offlineSettings(t)
	s.Key = secret.NewKey()
	a := appOf(t, s)
	spelled := s.Key.Values()[0]
	e, err := a.chat.Send(t.Context(), "ann", "", "the file has "+spelled)
	require.NoError(t, err)
	b := e.Body.(session.TurnStarted)
	assert.NotContains(t, b.Input.String(), spelled)
	assert.Contains(t, b.Input.String(), "the file has")
}
