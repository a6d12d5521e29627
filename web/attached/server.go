package attached

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"candor/attach"
	"candor/safety"
	"candor/session"
	"candor/web"
	"candor/web/access"
	"candor/web/openapi"
	"candor/web/problem"
)

// The bounds of a request.
const (
	maxBody = 4 << 20 // in bytes
	maxLine = 1 << 20 // of a sighting, in bytes
)

// Hook returns the sightings in the payload of an agent's hook. Its errors quote nothing.
type Hook func(payload []byte) ([]attach.Sighting, error)

// Asker lets hooks of an agent's program wait for a person.
type Asker struct {
	// Question returns the call that a hook's payload asks about; ok is false if it asks about none.
	Question func(payload []byte) (q attach.Question, ok bool)
	// Reply returns the answer to the program, which encodes as JSON: a verdict, or "", and a message for the model or
	// the person.
	Reply func(v attach.Verdict, words string) any
	// Escalation returns the call that a hook asks to run outside the program's sandbox. AllowEscalation is the answer
	// if a person approved the call with exactly these arguments. Escalation is nil for a program without such hooks.
	Escalation      func(payload []byte) (q attach.Question, ok bool)
	AllowEscalation any
}

// Options configures a Server. Store, Safety and Hooks are required.
type Options struct {
	Store  session.Store
	Safety *safety.Layer
	Hooks  map[string]Hook  // by the name of the agent's program
	Askers map[string]Asker // by the name of the agent's program
	// Reminders return the reply to a hook that asks the model for its reasons, which encodes as JSON. The key is the
	// name of the agent's program.
	Reminders map[string]func(payload []byte) any
	Wait      time.Duration    // how long to wait for a person; 0 or more than MaxWait is MaxWait
	Now       func() time.Time // nil means time.Now
}

// Server records sightings. It is safe for concurrent use.
type Server struct {
	Options
	closing context.Context // ends with Close
	close   context.CancelFunc
	askers  sync.WaitGroup // hooks that wait for a person

	mu       sync.Mutex
	open     map[string]*live     // by the id of the thread
	waiting  map[string]int       // hooks that wait for a person, by user
	unplaced map[string]*unplaced // by user
}

// New returns a server without state.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait <= 0 || o.Wait > MaxWait {
		o.Wait = MaxWait
	}
	s := &Server{Options: o, open: map[string]*live{}, waiting: map[string]int{},
		unplaced: map[string]*unplaced{}}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// Routes returns the routes of the package.
func (s *Server) Routes() []web.Route {
	return web.Describe([]web.Route{
		{Method: http.MethodPost, Path: "/api/attached", MaxBody: maxBody, Serve: s.postSightings},
		{Method: http.MethodPost, Path: "/api/hooks/:agent", MaxBody: maxBody, Serve: s.postHook},
		{Method: http.MethodPost, Path: "/api/hooks/:agent/ask", MaxBody: maxBody, CountsItself: true,
			Serve: s.postAsk},
		{Method: http.MethodPost, Path: "/api/hooks/:agent/reasons", MaxBody: maxBody, Serve: s.postReasons},
	}, operations)
}

// Taken is the answer to sightings: how many were new, and how many were already known.
type Taken struct {
	Taken int `json:"taken"`
	Known int `json:"known"`
}

// hookReply lets the agent carry on. No member is set unless a person decided something.
type hookReply struct{}

// postSightings takes a sighting a line. Those before a line that is wrong are taken, and the answer names the line;
// they change nothing when they are sent again.
func (s *Server) postSightings(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, maxLine)
	var all []attach.Sighting
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var one attach.Sighting
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return notASighting(n, "it is no JSON object with members of the types that docs/attach.md names")
		}
		if why := invalid(one); why != "" {
			return notASighting(n, why+" is missing, too long or out of range").With("member", why)
		}
		all = append(all, one)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return longLine
	case err != nil:
		return err
	}
	t, err := s.take(r.Context(), who.User, all)
	if err != nil {
		return err
	}
	return problem.WriteJSON(w, r, http.StatusOK, t.taken)
}

// postHook takes what a hook of an agent posts while the agent works.
func (s *Server) postHook(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	if _, _, err := s.hear(r, who); err != nil {
		return err
	}
	return problem.WriteJSON(w, r, http.StatusOK, hookReply{})
}

// postReasons takes what a hook of an agent posts, and replies with the request for reasons. A hook that cannot be
// recorded asks for none: what the model then says would be read by nobody.
func (s *Server) postReasons(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	remind := s.Reminders[r.PathValue("agent")]
	if remind == nil {
		return unknownAgent
	}
	payload, _, err := s.hear(r, who)
	if err != nil {
		return err
	}
	return problem.WriteJSON(w, r, http.StatusOK, remind(payload))
}

// hear records what a hook posted, and returns its payload and what was recorded.
func (s *Server) hear(r *http.Request, who access.Caller) (payload []byte, t taking, err error) {
	read := s.Hooks[r.PathValue("agent")]
	if read == nil {
		return nil, t, unknownAgent
	}
	if payload, err = problem.ReadBody(r); err != nil {
		return nil, t, err
	}
	all, err := read(payload)
	if err != nil {
		return nil, t, badHook
	}
	for i := range all {
		if all[i].At.IsZero() {
			all[i].At = s.Now().UTC()
		}
		if invalid(all[i]) != "" {
			return nil, t, badHook
		}
	}
	t, err = s.take(r.Context(), who.User, all)
	return payload, t, err
}

// The problems of the routes. None repeats input.
var (
	longLine = problem.New(http.StatusRequestEntityTooLarge, "body_too_large",
		fmt.Sprintf("A line has more than %d bytes. Cut its result and set partial.", maxLine))
	unknownAgent = problem.New(http.StatusNotFound, "unknown_agent",
		"Candor does not read hooks of this agent. candor attach --help lists the agents that it supports.")
	badHook = problem.New(http.StatusBadRequest, "invalid_hook",
		"This is not a hook payload of this agent. The agent continues; this hook is not recorded.")
)

// notASighting returns the problem of a line of a request.
func notASighting(line int, why string) *problem.Problem {
	return problem.New(http.StatusBadRequest, "invalid_sighting",
		fmt.Sprintf("line %d is not a sighting: %s. Nothing was stored; correct the line and send all lines again.",
			line, why)).With("line", line)
}

// operations describes the routes. The body of a hook is that of the agent's program and has no schema here.
var operations = map[string]openapi.Operation{
	"POST /api/attached": {Summary: "Tell what another program's agent did, a sighting a line",
		Text: "What is known already changes nothing, so a request may be repeated. A sighting is a JSON object; its " +
			"form is in docs/attach.md.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, Taken{})}},
	"POST /api/hooks/:agent": {Summary: "Tell what another program's agent does, as its hooks post it",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, hookReply{})}},
	"POST /api/hooks/:agent/reasons": {
		Summary: "Tell of a prompt, as a hook posts it, and ask the model for its reasons",
		Text: "The reply is one that the agent's program understands. It asks the model for a line before each call, " +
			"\"Reason for Bash: …\", which is then shown as the call's reason.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{})}},
	"POST /api/hooks/:agent/ask": {Summary: "Tell of a call, as a hook posts it, and wait for a person's answer",
		Text: "The call waits in the conversation of the agent like one of Candor's own, to be answered by POST " +
			"/api/chat/approval. The answer is the reply that the agent's program understands. It is empty where " +
			"nobody can be asked.",
		Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{})}},
}
