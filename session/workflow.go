package session

import (
	"fmt"
	"slices"
	"time"

	"candor/safety"
)

// Workflow says that a client began a turn as the run of a workflow, and how. All of it is empty
// for every other turn.
type Workflow struct {
	ID       string      // of the definition; ours, never text of others
	Inputs   safety.JSON // what the run was given; null if nothing
	Options  safety.JSON // what else its client set, such as tags; null if nothing
	Spoken   bool        // the turn's log has the parts of texts, as they are spoken
	Request  string      // the digest of the request that began the run; its thread has no other. Empty for most
	ReplayOf Ref         // the turn whose facts this one repeats; zero if it repeats none
}

// Set reports whether the turn is the run of a workflow.
func (w Workflow) Set() bool { return w.ID != "" }

// Spoken records a part of the text of a step while its model wrote it: whole sentences, to be
// appended. Index counts the parts from 0. A part with index 0 replaces all before it, and
// withdraws them if it is empty; the step's Narrated, or the turn's answer, replaces them
// in the end. Only the runs of workflows that asked for it have such events.
type Spoken struct {
	Step, Index int
	Text        safety.Text
}

// NodeStarted records that a node of the run's workflow began, and which agent works on it; Agent is empty
// for the turn's own agent and for none. A run whose workflow is one agent has no such events.
type NodeStarted struct{ Node, Type, Agent string } // ours, never text of others

// NodeEnded records that a node of the run's workflow ended.
type NodeEnded struct {
	Node     string
	Outputs  safety.JSON // null if there are none, or the node failed
	Error    safety.Text // empty unless the node failed
	Findings []safety.Finding
}

// Node is a node of a run's workflow: the fold of its events.
type Node struct {
	NodeStarted
	Outputs   safety.JSON
	Error     safety.Text
	StartedAt time.Time
	EndedAt   time.Time // zero until it has ended
}

// Confidence is how sure an agent said it was of a call, between 0 and 1, and the threshold that
// held for the call.
type Confidence struct {
	Stated, Threshold float64
	Suppressed        bool // the operator lets calls below the threshold run
}

// Low reports whether the agent was less sure than the threshold asks for.
func (c Confidence) Low() bool { return c.Stated < c.Threshold }

// AcceptRun is Accept for a turn that is the run of a workflow. If that has a Request, it fails with ErrRepeated
// if the thread has a turn, whichever process began it.
func (s *Session) AcceptRun(
	threadID string, input safety.Text, findings []safety.Finding, w Workflow,
) (Event, error) {
	return s.accept(threadID, TurnStarted{Input: input, Findings: findings, Workflow: w})
}

// Repeat begins the next turn of a thread as a replay: it repeats every fact of a turn that has
// ended, in its order and with the ids of its calls and requests, but with a message id, numbers
// and times of its own. Nothing is asked and nothing runs. It returns the replay's first event.
//
// Repeat fails with ErrNoThread, ErrNoTurn or ErrDropped, with ErrTurnOpen if the turn has not
// ended, with ErrObserved if one of the threads is observed, with ErrBusy if a turn of the thread
// is open, with ErrRepeated if w has a Request and the thread a turn, and with ErrFull,
// ErrServerFull or an error of the log. It then repeats nothing.
func (s *Session) Repeat(of Ref, threadID string, w Workflow) (first Event, err error) {
	w.ReplayOf = of.turn()
	facts, cost, err := s.factsOf(w)
	if err != nil {
		return Event{}, err
	}
	err = s.charged(cost, func() (int, error) {
		th, err := s.lookup(threadID)
		switch {
		case err != nil:
			return 0, err
		case th.origin.Observed():
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrObserved)
		case w.Request != "" && th.total() > 0:
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrRepeated)
		case th.open() > 0:
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
		}
		first, err = s.repeat(facts, Ref{Thread: threadID, Turn: th.total() + 1})
		return cost, err
	})
	return first, err
}

// factsOf returns the facts of the turn that a replay repeats, for that replay, and what they are
// charged. A wait of the turn for its start is none of them, unless it ended while it waited. The
// turn may be dropped to make room for its own replay, which has the facts by then.
func (s *Session) factsOf(w Workflow) (facts []Event, cost int, err error) {
	of := w.ReplayOf
	t, err := s.Turn(of.Thread, of.Turn)
	switch th, missing := s.Thread(of.Thread); {
	case missing == nil && th.Origin.Observed():
		return nil, 0, fmt.Errorf("thread %s: %w", of.Thread, ErrObserved)
	case err != nil:
		return nil, 0, err
	case !t.State.Ended():
		return nil, 0, fmt.Errorf("turn %d: %w", of.Turn, ErrTurnOpen)
	}
	events, err := s.log.between(t.FirstSeq, t.LastSeq+1)
	if err != nil {
		return nil, 0, err
	}
	for _, e := range events {
		if e.turn() != of {
			continue
		}
		switch b := e.Body.(type) {
		case TurnQueued:
			if !t.StartedAt.IsZero() {
				continue
			}
			b.Workflow = w
			e.Body = b
		case TurnStarted:
			b.Workflow = w
			e.Body = b
		}
		facts, cost = append(facts, e), cost+costOf(e.Body)
	}
	if len(facts) == 0 {
		return nil, 0, fmt.Errorf("turn %d: %w", of.Turn, ErrDropped)
	}
	return facts, cost, nil
}

// repeat appends and folds the facts of another turn as those of the turn at ref, and returns the
// first event. The caller holds mu.
func (s *Session) repeat(facts []Event, ref Ref) (first Event, err error) {
	switch b := facts[0].Body.(type) {
	case TurnQueued:
		b.Message = s.nextID("message")
		facts[0].Body = b
	case TurnStarted:
		b.Message = s.nextID("message")
		facts[0].Body = b
	}
	for i := range facts {
		ref.Agent = facts[i].Agent
		facts[i].Ref = ref
	}
	added, err := s.log.appendAll(facts)
	if err != nil {
		return Event{}, err
	}
	for _, e := range added {
		s.tell(s.fold(e))
	}
	return added[0], nil
}

// applyWorkflow folds the events that only the runs of workflows have.
func (t Turn) applyWorkflow(e Event) Turn {
	switch b := e.Body.(type) {
	case NodeStarted:
		// Clip makes append copy, so that two snapshots never share a tail.
		t.Nodes = append(slices.Clip(t.Nodes), Node{NodeStarted: b, StartedAt: e.At})
	case NodeEnded:
		at := lastIndex(t.Nodes, func(n Node) bool { return n.Node == b.Node && n.EndedAt.IsZero() })
		if at < 0 {
			return t
		}
		t.Nodes = slices.Clone(t.Nodes)
		t.Nodes[at].Outputs, t.Nodes[at].Error, t.Nodes[at].EndedAt = b.Outputs, b.Error, e.At
		t.Findings = Merge(t.Findings, b.Findings)
	}
	return t
}
