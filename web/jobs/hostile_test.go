package jobs_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// hostile is the user ann, who tries to make the server hold as much as it can be made to.
type hostile struct {
	s *apptest.Client

	mu        sync.Mutex
	id, token string // of a job
	answers   map[int]int
}

// do makes a request, discards the answer's body and counts its status.
func (h *hostile) do(method, path, body string, edit ...func(*http.Request)) int {
	resp, err := h.s.Caller.Do(h.s.Request(h.s.T.Context(), "ann", method, path, body, edit...))
	if err != nil {
		return 0 // the test is over, or the server has cut the connection
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answers[resp.StatusCode]++
	return resp.StatusCode
}

// job returns the latest job whose token is known.
func (h *hostile) job() (id, token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.id, h.token
}

// begin opens a job, or restarts one, and remembers its token.
func (h *hostile) begin(path, body string) {
	r, err := h.s.Caller.Do(h.s.Request(h.s.T.Context(), "ann", http.MethodPost, path, body))
	if err != nil {
		return
	}
	defer r.Body.Close()
	raw, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.answers[r.StatusCode]++; r.StatusCode < 300 {
		job := apptest.Decode(h.s.T, raw)
		h.id, h.token = job["job_id"].(string), job["token"].(string)
	}
}

var (
	hostilePost   = message(900_000)
	hostilePrompt = `{"content":"` + strings.Repeat("so it goes ", 80_000) + `"}`
	hostileJob    = `{"title":"x","prompt":"` + strings.Repeat("so it goes ", 80_000) + `"}`
	hostileInput  = `{"threadId":%q,"runId":%q,"messages":[{"id":"1","role":"user","content":"` +
		strings.Repeat("so it goes ", 5000) + `"}],"tools":[{"name":"pick","description":"x","parameters":` +
		`{"type":"object","properties":{"a":{"type":"string","pattern":"^(a{1,20}b?){1,20}$"}}}}],` +
		`"context":[],"state":{},"forwardedProps":{}}`
)

// attacks are what a hostile user does, each to one kind of route. n counts the calls.
var attacks = map[string]func(h *hostile, n int){
	"threads":  func(h *hostile, _ int) { h.do("POST", "/api/chat/thread/new", "{}") },
	"turns":    func(h *hostile, _ int) { h.do("POST", "/api/chat/send", hostilePrompt) },
	"jobs":     func(h *hostile, _ int) { h.begin("/api/jobs", hostileJob) },
	"searches": func(h *hostile, _ int) { h.do("GET", "/api/chat/search?q=goes", "") },
	"history":  func(h *hostile, _ int) { h.do("GET", "/api/chat/history?limit=200&render=html", "") },
	"rubbish":  func(h *hostile, _ int) { h.do("POST", "/api/jobs", "{") },
	"posts": func(h *hostile, _ int) {
		id, token := h.job()
		h.do("POST", "/api/jobs/"+id+"/events", hostilePost, apptest.WithToken(token))
	},
	"restarts": func(h *hostile, n int) {
		id, token := h.job()
		h.do("GET", "/api/jobs/"+id, "")
		if n%5 == 0 {
			h.do("POST", "/worker/"+id+"/complete", `{"success":true}`, apptest.WithToken(token))
			h.begin("/api/jobs/"+id+"/restart", "{}")
		}
	},
	"prompts": func(h *hostile, _ int) {
		id, _ := h.job()
		h.do("POST", "/api/jobs/"+id+"/prompt", hostilePrompt)
	},
	"AG-UI": func(h *hostile, n int) {
		h.do("POST", "/agui", fmt.Sprintf(hostileInput, fmt.Sprint("t", n%10), fmt.Sprint("r", n)))
	},
}

func TestAHostileUserLeavesAnHonestOneAlone(t *testing.T) {
	const session, memory = 6 << 20, 16 << 20
	s := apptest.Start(t, app.Settings{
		SessionMemory: session, Memory: memory, WritesPerSecond: freely, SendsPerMinute: 1000,
	}, apptest.Answering("It is done."))
	bob, ann := newHonest(&s.Client), &hostile{s: &s.Client, answers: map[int]int{}}
	ann.begin("/api/jobs", hostileJob)
	for n := range 12 {
		for _, attack := range attacks {
			attack(ann, n)
			require.LessOrEqual(t, s.Session("ann").Held(), session)
			require.LessOrEqual(t, s.App.Store.(interface{ Held() int }).Held(), memory/2)
		}
		bob.post()
		if n%3 == 0 {
			bob.ask()
		}
	}
	assert.Zero(t, bob.missing(), "what the honest user has lost")
	assert.Zero(t, ann.answers[http.StatusInternalServerError])
	assert.Positive(t, ann.answers[http.StatusInsufficientStorage], "what has not ended stays: %v", ann.answers)
	assert.Contains(t, s.Logs.String(), "older parts of a session dropped from memory")
}
