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

// NodeStarted records that a node of the run's workflow began. A run whose workflow is one
// agent has no such events.
type NodeStarted struct{ Node, Type string } // ours, never text of others

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

// AcceptRun is Accept for a turn that is the run of a workflow.
func (s *Session) AcceptRun(
	threadID string, input safety.Text, findings []safety.Finding, w Workflow,
) (Event, error) {
	return s.accept(threadID, TurnStarted{Input: input, Findings: findings, Workflow: w})
}

// Repeat begins the next turn of a thread as a replay: it repeats every fact of a turn that
// has ended, in its order, with new numbers and times, and the ids of its calls and requests.
// It returns the replay's first event. Nothing is asked and nothing runs. It fails with
// ErrNoThread, ErrNoTurn, ErrDropped, with ErrTurnOpen if the turn has not ended, with
// ErrObserved if one of the threads is observed, with ErrBusy if a turn of the
// thread is open, and with ErrFull or ErrServerFull; it then repeats nothing.
func (s *Session) Repeat(of Ref, threadID string, w Workflow) (first Event, err error) {
	original, err := s.Turn(of.Thread, of.Turn)
	if err != nil {
		return Event{}, err
	}
	if !original.State.Ended() {
		return Event{}, fmt.Errorf("turn %d: %w", of.Turn, ErrTurnOpen)
	}
	w.ReplayOf = Ref{Thread: of.Thread, Turn: of.Turn}
	facts, cost := s.factsOf(original, w)
	err = s.charged(cost, func() (int, error) {
		th, err := s.lookup(threadID)
		switch {
		case err != nil:
			return 0, err
		case th.origin.Observed() || s.threads[of.Thread] == nil || s.threads[of.Thread].origin.Observed():
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrObserved)
		case th.open() > 0:
			return 0, fmt.Errorf("thread %s: %w", threadID, ErrBusy)
		}
		ref := Ref{Thread: threadID, Turn: th.total() + 1}
		for i, f := range facts {
			ref.Agent = f.Agent
			e, err := s.add(ref, f.Body)
			if err != nil {
				return cost, err
			}
			if i == 0 {
				first = e
			}
		}
		return cost, nil
	})
	return first, err
}

// factsOf returns the facts of a turn for its replay, without the wait for its start, and what
// they are charged.
func (s *Session) factsOf(t Turn, w Workflow) (facts []Event, cost int) {
	for _, e := range s.log.between(t.FirstSeq, t.LastSeq+1) {
		if e.turn() != (Ref{Thread: t.Thread, Turn: t.Number}) {
			continue
		}
		switch b := e.Body.(type) {
		case TurnQueued:
			continue
		case TurnStarted:
			b.Workflow = w
			e.Body = b
		}
		facts, cost = append(facts, e), cost+costOf(e.Body)
	}
	return facts, cost
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
