package openwop

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"candor/session"
	"candor/web/problem"
)

// runID returns the id of the run that the path names.
func (in *incoming) runID() string {
	id := unescaped(in.PathValue("run"))
	if tenant := in.PathValue("tenant"); tenant != "" {
		id = unescaped(tenant) + "/" + id
	}
	return id
}

// unescaped undoes what a path needs, which the router leaves where a segment holds a slash.
func unescaped(segment string) string {
	if out, err := url.PathUnescape(segment); err == nil {
		return out
	}
	return segment
}

// turn returns the turn that is the run that the path names. Runs of others, and turns of
// agents that are not Candor's, are no runs.
func (in *incoming) turn() (session.Turn, error) {
	ref, ok := ParseRunID(in.version, in.who.User, in.runID())
	if !ok {
		return session.Turn{}, errNotFound
	}
	th, err := in.own.Thread(ref.Thread)
	if err != nil || th.Origin.Observed() {
		return session.Turn{}, errNotFound
	}
	t, err := in.own.Turn(ref.Thread, ref.Turn)
	switch {
	case errors.Is(err, session.ErrDropped):
		return t, errGone
	case errors.Is(err, session.ErrNoThread), errors.Is(err, session.ErrNoTurn):
		return t, errNotFound
	}
	return t, err
}

// viewOf returns how the caller sees a run.
func (s *Server) viewOf(in *incoming, t session.Turn) View {
	limit := s.options.Verbosity
	switch in.who.Reasoning {
	case "summary":
		limit = least(limit, Summary)
	case "hidden":
		limit = Off
	}
	return View{
		Narratives: limit == Summary,
		Version:    in.version, User: in.who.User, Streaming: !s.options.Whole,
		Verbosity: cmp.Or(settingsOf(t).Verbosity, Summary), Limit: limit, Orchestrator: s.options.Orchestrator,
	}
}

// cancelling is the state of a run that is being stopped.
const cancelling Status = "cancelling"

// pathsOf returns where a run is: its state and its events.
func pathsOf(v Version, id string) (status, events string) {
	status = "/runs/" + id
	if v == V1 {
		status = "/v1" + status
	}
	return status, status + "/events"
}

// runBegun is the answer to what began a run.
type runBegun struct {
	RunID     string `json:"runId"`
	Source    string `json:"sourceRunId,omitempty"`
	Mode      string `json:"mode,omitempty"`
	Status    Status `json:"status"`
	EventsURL string `json:"eventsUrl"`
	StatusURL string `json:"statusUrl"`
}

// runState is the answer to what changed a run.
type runState struct {
	RunID       string `json:"runId"`
	Status      Status `json:"status"`
	NodeID      ours   `json:"nodeId,omitempty"`
	InterruptID ours   `json:"interruptId,omitempty"`
}

// beginning returns the answer about a run that has begun with this event.
func (s *Server) beginning(in *incoming, e session.Event) (runBegun, error) {
	t, err := in.own.Turn(e.Thread, e.Turn)
	if err != nil {
		return runBegun{}, err
	}
	id := RunID(in.version, in.who.User, session.Ref{Thread: t.Thread, Turn: t.Number})
	status, events := pathsOf(in.version, id)
	return runBegun{RunID: id, Status: StatusOf(s.viewOf(in, t), t), EventsURL: events, StatusURL: status}, nil
}

// create handles POST /v1/runs: it begins a run of a workflow. It answers 201 with the run's
// id and addresses.
//
// Errors: validation_error; not_found if inputs.threadId names no thread of the caller's;
// rate_limited, and those of posting a message.
func (s *Server) create(in *incoming, body []byte) (changed, error) {
	wanted, err := s.parseStart(in, body)
	if err != nil {
		return changed{}, err
	}
	if wanted.Thread == "" {
		if wanted.Thread, err = in.openThread(); err != nil {
			return changed{}, err
		}
		wanted.Request = in.asks
	}
	e, err := s.options.Runs.Start(in.Context(), in.who.User, wanted)
	out, err := s.begun(in, wanted.Thread, e, err)
	return changed{http.StatusCreated, out}, err
}

// openThread opens the thread of a new run. A request with a key has one of its own, which its log keeps for whoever
// gets the request again.
func (in *incoming) openThread() (id string, err error) {
	if in.key != "" {
		return in.own.OpenNamed(in.key)
	}
	e, err := in.own.OpenThread()
	return e.Thread, err
}

// begun returns the answer about a run that has begun with e, unless err says that it has not: that the same request
// has begun it before is none.
func (s *Server) begun(in *incoming, thread string, e session.Event, err error) (runBegun, error) {
	if errors.Is(err, session.ErrRepeated) {
		t, err := in.own.Turn(thread, 1)
		switch {
		case err != nil:
			return runBegun{}, err
		case t.Workflow.Request != in.asks:
			return runBegun{}, errOtherBody
		}
		in.repeated = true
		return s.beginning(in, session.Event{Ref: session.Ref{Thread: thread, Turn: 1}})
	}
	if err != nil {
		return runBegun{}, err
	}
	return s.beginning(in, e)
}

// snapshot handles GET /v1/runs/{run}: the run's state.
//
// Errors: not_found; replay_source_missing, with status 410, if it was dropped; method_not_allowed
// for the path of a fork.
func (s *Server) snapshot(w http.ResponseWriter, in *incoming) error {
	if strings.HasSuffix(in.runID(), ":fork") {
		w.Header().Set("Allow", http.MethodPost)
		return errPostOnly
	}
	t, err := in.turn()
	if err != nil {
		return err
	}
	return problem.WriteJSON(w, in.Request, http.StatusOK, Snapshot(s.viewOf(in, t), t))
}

// cancel handles POST /v1/runs/{run}/cancel: it stops the run, running or not yet begun. A run
// that has ended answers with its state in version 1.
//
// Errors: not_found; run_terminal, in version 2.
func (s *Server) cancel(in *incoming, _ []byte) (changed, error) {
	t, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	stopped := s.options.Runs.Cancel(in.Context(), in.who.User, session.Ref{Thread: t.Thread, Turn: t.Number})
	now, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	status := StatusOf(s.viewOf(in, now), now)
	switch {
	case stopped == nil && !now.State.Ended():
		status = cancelling
	case stopped == nil:
	case !errors.Is(stopped, session.ErrTurnEnded) && !errors.Is(stopped, session.ErrNotRunning):
		return changed{}, stopped
	case in.version == V2:
		return changed{}, errTerminal
	}
	return changed{http.StatusOK, runState{RunID: in.runID(), Status: status}}, nil
}

// act handles POST /v1/runs/{run}:{action}. Only fork exists, with the mode replay: a new run
// that repeats the facts of one that has ended. Nothing is asked and nothing runs.
//
// Errors: not_found; validation_error; run_state_conflict if the run has not ended;
// capability_not_provided, with status 501, for other modes and actions.
func (s *Server) act(in *incoming, body []byte) (changed, error) {
	id, action, _ := strings.Cut(unescaped(in.PathValue("run")), ":")
	in.SetPathValue("run", id)
	switch action {
	case "fork":
	case "pause", "resume", "bulk-cancel":
		return changed{}, errUnsupported
	default:
		return changed{}, problem.New(http.StatusNotFound, "not_found", "There is nothing at this path.")
	}
	t, err := in.turn()
	if err != nil {
		return changed{}, err
	}
	if err := parseFork(body); err != nil {
		return changed{}, err
	}
	return s.replay(in, t)
}

// replay repeats the facts of a run in a thread of their own.
func (s *Server) replay(in *incoming, t session.Turn) (changed, error) {
	if !t.State.Ended() {
		return changed{}, errNotEnded
	}
	thread, err := in.openThread()
	if err != nil {
		return changed{}, err
	}
	of := t.Workflow
	of.Request = in.asks
	e, err := in.own.Repeat(session.Ref{Thread: t.Thread, Turn: t.Number}, thread, of)
	out, err := s.begun(in, thread, e, err)
	out.Source, out.Mode = in.runID(), "replay"
	return changed{http.StatusCreated, out}, err
}
