package ledger

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/web/access"
)

// tampered is a server whose answers can be altered, and which can refuse everything.
type tampered struct {
	http.Handler
	alter atomic.Pointer[func(path string, answer []byte) []byte]
	away  atomic.Bool
}

func (s *tampered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	alter := s.alter.Load()
	switch {
	case s.away.Load():
		w.WriteHeader(http.StatusBadGateway)
	case alter == nil || r.URL.Path == "/api/chat/events":
		s.Handler.ServeHTTP(w, r)
	default:
		answer := httptest.NewRecorder()
		s.Handler.ServeHTTP(answer, r)
		w.WriteHeader(answer.Code)
		_, _ = w.Write((*alter)(r.URL.Path, answer.Body.Bytes()))
	}
}

// newServer returns a real server and a ledger of its users ann and bob.
func newServer(t *testing.T) (*tampered, *Ledger) {
	t.Helper()
	for _, name := range []string{app.OpenAIKeyEnv, app.OpenAIBaseEnv, app.AnthropicKeyEnv, app.AnthropicBaseEnv} {
		t.Setenv(name, "")
	}
	l := &Ledger{Tokens: map[string]string{"ann": strings.Repeat("ann", 9), "bob": strings.Repeat("bob", 9)}}
	var tokens access.Tokens
	for user, token := range l.Tokens {
		tokens.Add(user, token)
	}
	a, err := app.New(app.Settings{
		Model: app.ModelSettings{Provider: "offline"}, SendsPerMinute: 1e6, WritesPerSecond: 1e6,
		Tools: app.ToolSettings{Workspace: t.TempDir(), Approve: []string{"file_list=ask"}},
	}, tokens, nil, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s := &tampered{Handler: a}
	server := httptest.NewServer(s)
	l.Servers, l.Client = []string{server.URL}, server.Client()
	t.Cleanup(func() {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		a.Close(ended)
		server.CloseClientConnections()
		server.Close()
	})
	return s, l
}

// load lets ann do some of everything, with a server that is away for a moment, and returns a reader that
// followed it and one that reads it afterwards.
func load(t *testing.T, s *tampered, l *Ledger) (followed, whole *Reader) {
	t.Helper()
	origin, err := l.Origin(t.Context(), "ann")
	require.NoError(t, err)
	done := make(chan *Reader)
	go func() { done <- l.Follow(t.Context(), "ann", origin, l.Marker("ann")) }()
	s.away.Store(true)
	time.AfterFunc(50*time.Millisecond, func() { s.away.Store(false) })
	l.Chat(t.Context(), "ann", "chat", 3)
	l.Decide(t.Context(), "ann", "decide", 2)
	l.Work(t.Context(), "ann", "job", 3)
	l.Observe(t.Context(), "ann", "agent", 2)
	require.NoError(t, l.Settle(t.Context(), "ann"))
	require.True(t, l.Mark(t.Context(), "ann"))
	return <-done, l.Follow(t.Context(), "ann", origin, l.Marker("ann"))
}

func TestWhatAServerKeepsIsJudgedAsKept(t *testing.T) {
	s, l := newServer(t)
	followed, whole := load(t, s, l)
	v := l.Judge(t.Context(), []*Reader{followed}, map[string]*Reader{"ann": whole})
	assert.Empty(t, v.Problems)
	assert.Equal(t, v.Acknowledged, v.Kept)
	assert.Zero(t, v.Lost+v.Doubled+v.Open)
	assert.Equal(t, l.Acknowledged()+2+1+3, v.Acknowledged, "messages, decisions, a job and its posts")
	assert.Contains(t, v.String(), "doubled 0, lost 0, open 0")
}

func TestWhatAServerLosesOrAltersIsJudgedAsThat(t *testing.T) {
	s, l := newServer(t)
	followed, whole := load(t, s, l)
	for name, tt := range map[string]struct {
		from, to  string
		lost, two bool
		complaint string
	}{
		"a message is gone":              {"is it in chat-", "was it in chat-", true, false, "is lost"},
		"a message has another id":       {`"message_id":"`, `"message_id":"x`, false, false, "and is turn"},
		"a turn has another number":      {`"turn_number":2`, `"turn_number":3`, false, false, "stands at place"},
		"a turn goes on for ever":        {`"completed"`, `"processing"`, false, false, "is processing"},
		"a post is gone":                 {"job-1", "job-x", true, false, "is lost"},
		"a post stands twice":            {"job-1", "job-2", true, true, "stands 2 times"},
		"an approval is gone":            {`"approval":"approve"`, `"approval":""`, true, false, "was approved"},
		"an interrupted turn went on":    {`"interrupted"`, `"completed"`, true, false, "was interrupted"},
		"what is said is no JSON at all": {`{"thread_id"`, `{{`, true, false, "history of thread"},
	} {
		t.Run(name, func(t *testing.T) {
			alter := func(_ string, answer []byte) []byte {
				return bytes.ReplaceAll(answer, []byte(tt.from), []byte(tt.to))
			}
			s.alter.Store(&alter)
			v := l.Judge(t.Context(), []*Reader{followed}, map[string]*Reader{"ann": whole})
			assert.Contains(t, strings.Join(v.Problems, "\n"), tt.complaint)
			assert.Equal(t, tt.lost, v.Lost > 0)
			assert.Equal(t, tt.two, v.Doubled > 0)
		})
	}
}

// What hooks told is counted by kind: what is gone, and what stands in two turns.
func TestWhatHooksToldIsJudgedByKind(t *testing.T) {
	s, l := newServer(t)
	followed, whole := load(t, s, l)
	for kind, from := range map[string]string{
		Prompts: `"user_input":"prompts-of-agent-`, Displays: "displays-of-agent-", Calls: "calls-of-agent-",
	} {
		for to, want := range map[string]Tally{
			from + "1": {2, 2, 0, 0}, from + "x": {2, 1, 0, 1}, from + "0": {2, 0, 1, 1},
		} {
			alter := func(_ string, answer []byte) []byte {
				return bytes.ReplaceAll(answer, []byte(from+"1"), []byte(to))
			}
			s.alter.Store(&alter)
			v := l.Judge(t.Context(), []*Reader{followed}, map[string]*Reader{"ann": whole})
			assert.Equal(t, want, v.Kinds[kind], "%s: %s", kind, to)
		}
	}
}

func TestAReaderThatMissesRepeatsOrReordersIsNoticed(t *testing.T) {
	frames := []frame{{"1", "a"}, {"2", "b"}, {"3", "c"}}
	whole := map[string]*Reader{"ann": {frames: frames}}
	swapped := slices.Clone(frames)
	swapped[0], swapped[1] = swapped[1], swapped[0]
	for name, tt := range map[string]struct {
		frames    []frame
		complaint string
	}{
		"misses the last": {frames[:2], "has 2 frames of 3"},
		"repeats":         {append(slices.Clone(frames), frames[2]), "has 4 frames, and there are 3"},
		"reorders":        {swapped, "frame 0 of a reader"},
	} {
		l := &Ledger{}
		v := l.Judge(t.Context(), []*Reader{{User: "ann", frames: tt.frames}}, whole)
		require.Len(t, v.Problems, 1, name)
		assert.Contains(t, v.Problems[0], tt.complaint, name)
	}
}

func TestAnAnswerThatNoClientMayGetIsAProblem(t *testing.T) {
	s, l := newServer(t)
	alter := func(path string, answer []byte) []byte { return answer }
	s.alter.Store(&alter)
	l.complain(errStatus{http.StatusServiceUnavailable, "later"})
	l.complain(errStatus{http.StatusTooManyRequests, "slower"})
	assert.Empty(t, l.refused)
	l.complain(errStatus{http.StatusUnauthorized, "who are you?"})
	assert.Equal(t, []string{"status 401: who are you?"}, l.Judge(t.Context(), nil, nil).Problems)
	l.Tokens["ann"] = "a-token-of-nobody"
	r := l.Follow(t.Context(), "ann", "", "never")
	assert.Contains(t, l.Judge(t.Context(), []*Reader{r}, nil).Problems[1], "could not resume: 401")
}

func TestEverythingEndsWithItsContext(t *testing.T) {
	s, l := newServer(t)
	s.away.Store(true)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	l.Chat(ctx, "bob", "chat", 1)
	l.Decide(ctx, "bob", "decide", 1)
	l.Work(ctx, "bob", "job", 1)
	assert.False(t, l.Mark(ctx, "bob"))
	require.Error(t, l.Settle(ctx, "bob"))
	_, err := l.Origin(ctx, "bob")
	require.Error(t, err)
	assert.Empty(t, l.Follow(ctx, "bob", "", "never").frames)
	assert.Zero(t, l.Acknowledged())
}
