package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"candor/agent"
	"candor/agent/provider/script"
	"candor/safety"
	"candor/session/pause"
)

const testToken = "token-for-tests-only"

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeLog is a job's log that accepts posts as a server does: whole, and each id once.
type fakeLog struct {
	mu      sync.Mutex
	ids     map[string]bool
	events  []Event
	posts   int
	largest int                                  // number of events in the largest post
	before  func(post int, events []Event) error // may refuse a post
	after   func(post int) error                 // may lose the answer to an accepted post
	hold    chan struct{}                        // posts wait until it is closed
}

func newFakeLog() *fakeLog { return &fakeLog{ids: map[string]bool{}} }

func (l *fakeLog) post(ctx context.Context, raws []json.RawMessage) ([]uint64, error) {
	if l.hold != nil {
		select {
		case <-l.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	events := make([]Event, len(raws))
	for i, raw := range raws {
		if err := json.Unmarshal(raw, &events[i]); err != nil {
			return nil, err
		}
	}
	l.posts++
	l.largest = max(l.largest, len(events))
	if l.before != nil {
		if err := l.before(l.posts, events); err != nil {
			return nil, err
		}
	}
	for _, e := range events {
		if !l.ids[e.ID] {
			l.ids[e.ID], l.events = true, append(l.events, e)
		}
	}
	if l.after != nil {
		return make([]uint64, len(events)), l.after(l.posts)
	}
	return make([]uint64, len(events)), nil
}

// fakeServer serves one job with the id job-1 over HTTP. As at a real server, a worker
// that asks for the job replaces the one before it for good.
type fakeServer struct {
	url string
	log *fakeLog

	mu      sync.Mutex
	current string // name of the worker that may make requests
	former  map[string]bool
	over    bool
	full    bool // the log accepts no more posts
	calls   int  // highest number of a call in earlier runs
	prompts []Prompt
	result  string        // body of the request that ended the job without an event
	changed chan struct{} // receives a token after each accepted post, if there is room
}

func newFakeServer(t *testing.T) *fakeServer {
	t.Helper()
	s := &fakeServer{log: newFakeLog(), former: map[string]bool{}, changed: make(chan struct{}, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /worker/job-1/job", s.serveJob)
	mux.HandleFunc("GET /worker/job-1/events", s.serveEvents)
	mux.HandleFunc("GET /worker/job-1/prompt", s.servePrompt)
	mux.HandleFunc("POST /worker/job-1/complete", s.serveComplete)
	mux.HandleFunc("POST /api/jobs/job-1/events", s.servePost)
	server := httptest.NewServer(s.authenticate(mux))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// authenticate refuses workers after the job's end and those that were replaced.
func (s *fakeServer) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		name := r.Header.Get(nameHeader)
		if strings.HasSuffix(r.URL.Path, "/job") && s.current != name && !s.former[name] {
			s.former[s.current], s.current = true, name
		}
		over, replaced := s.over, s.current != name
		s.mu.Unlock()
		switch {
		case over:
			w.WriteHeader(http.StatusUnauthorized)
		case replaced:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":"replaced"}`)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func (s *fakeServer) serveJob(w http.ResponseWriter, _ *http.Request) {
	posted := 0
	for _, e := range s.events() {
		if e.Role != "user" {
			posted++
		}
	}
	_ = json.NewEncoder(w).Encode(Job{
		ID: "job-1", Prompt: "first prompt", State: "running", Run: 1, Posted: posted, Calls: s.calls,
	})
}

// serveEvents serves the log in pages of three, as a server would with longer ones.
func (s *fakeServer) serveEvents(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	events := s.events()
	page := []LoggedEvent{}
	for i := after; i < min(after+3, len(events)); i++ {
		data, _ := json.Marshal(events[i])
		page = append(page, LoggedEvent{Seq: uint64(i) + 1, Kind: "job_" + events[i].Kind, Data: data})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"events": page, "has_more": after+len(page) < len(events)})
}

func (s *fakeServer) servePrompt(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.Atoi(r.URL.Query().Get("after"))
	s.mu.Lock()
	defer s.mu.Unlock()
	if after >= len(s.prompts) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	_ = json.NewEncoder(w).Encode(s.prompts[after])
}

func (s *fakeServer) serveComplete(_ http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.result = string(raw)
}

func (s *fakeServer) servePost(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	full := s.full
	s.mu.Unlock()
	var post struct {
		Events []json.RawMessage `json:"events"`
	}
	if full || json.NewDecoder(r.Body).Decode(&post) != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_, _ = io.WriteString(w, `{"error":"job_full"}`)
		return
	}
	seqs, err := s.log.post(r.Context(), post.Events)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"seqs": seqs})
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// events returns the log.
func (s *fakeServer) events() []Event {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return append([]Event(nil), s.log.events...)
}

// prompt sends a further prompt of the user, which also appears in the log, cleaned.
func (s *fakeServer) prompt(content string, last bool) {
	s.mu.Lock()
	s.prompts = append(s.prompts, Prompt{Content: content, Done: last, Number: len(s.prompts) + 1})
	s.mu.Unlock()
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	e := Event{Kind: KindMessage, Role: "user", Content: "cleaned " + content, Done: last}
	s.log.events = append(s.log.events, e)
}

// until waits until the log satisfies ok.
func (s *fakeServer) until(t *testing.T, ok func([]Event) bool) {
	t.Helper()
	for !ok(s.events()) {
		select {
		case <-s.changed:
		case <-t.Context().Done():
			t.Fatal("the test ended first")
		}
	}
}

// runtime returns a worker of the server's job whose model follows a script. Its pauses
// are short, and its grace is longer than any machine needs.
func (s *fakeServer) runtime(t *testing.T, scriptJSON string) *Runtime {
	t.Helper()
	model, err := script.Load(strings.NewReader(scriptJSON))
	require.NoError(t, err)
	tools := &agent.Toolbox{}
	require.NoError(t, tools.Replace(model.Tools()...))
	c, err := NewClient(s.url, "job-1", testToken)
	require.NoError(t, err)
	discard := slog.New(slog.DiscardHandler)
	return &Runtime{
		Client: c, Log: discard, Poll: time.Millisecond, Grace: time.Hour, SpillDir: t.TempDir(),
		backoff:    pause.Backoff{First: time.Millisecond, Longest: 4 * time.Millisecond},
		Dispatcher: &agent.Dispatcher{Provider: model, Tools: tools, Safety: safety.NewLayer(), Log: discard},
	}
}

// newUploaderTo returns an uploader to a log, what it writes to its own log, and the
// folder of its spill file.
func newUploaderTo(t *testing.T, to sender) (u *uploader, logged *bytes.Buffer, dir string) {
	t.Helper()
	logged, dir = &bytes.Buffer{}, t.TempDir()
	u = &uploader{
		to: to, run: 1, log: slog.New(slog.NewTextHandler(logged, nil)), onStop: func(error) {},
		backoff: pause.Backoff{First: time.Millisecond, Longest: 4 * time.Millisecond},
		queue:   queue{dir: dir, maxEvents: 1000, maxBytes: 8 << 20},
	}
	u.start()
	return u, logged, dir
}

// summaries lists events in short: their kind and what tells them apart.
func summaries(events []Event) (list []string) {
	for _, e := range events {
		detail := e.CallID + string(e.Outcome) + e.Role + e.State
		list = append(list, strings.TrimSpace(e.Kind+" "+detail))
	}
	return list
}
