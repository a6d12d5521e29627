package openwop

import (
	"time"

	"candor/session"
)

// RunSnapshot is the state of a run.
type RunSnapshot struct {
	RunID           ours               `json:"runId"`
	WorkflowID      ours               `json:"workflowId"`
	Status          Status             `json:"status"`
	Owner           *Owner             `json:"owner,omitempty"` // of version 2
	CurrentNodeID   ours               `json:"currentNodeId,omitempty"`
	StartedAt       ours               `json:"startedAt,omitempty"`
	CompletedAt     ours               `json:"completedAt,omitempty"`
	Agent           *AgentRef          `json:"agent,omitempty"`
	RunOrchestrator *AgentRef          `json:"runOrchestrator,omitempty"`
	NodeStates      map[ours]NodeState `json:"nodeStates,omitempty"`
	Inputs          object             `json:"inputs,omitempty"`    // of version 1
	Variables       object             `json:"variables,omitempty"` // the inputs, and the outputs of all nodes
	Channels        object             `json:"channels,omitempty"`  // the lists of messages that nodes folded
	Error           *fault             `json:"error,omitempty"`
	Tags            member             `json:"tags,omitzero"`
	Metadata        member             `json:"metadata,omitzero"`
	Configurable    member             `json:"configurable,omitzero"`
	ParentRunID     ours               `json:"parentRunId,omitempty"` // whose facts the run repeats, of version 1
	LogVersion      int                `json:"eventLogSchemaVersion,omitempty"`
	EngineVersion   int                `json:"engineVersion,omitempty"`
	Interrupts      []Interrupt        `json:"x-candor-interrupts,omitempty"`
	Turn            turnRef            `json:"x-candor-turn"`
	XInputs         object             `json:"x-candor-inputs,omitempty"`        // of version 2
	XParentRunID    ours               `json:"x-candor-parent-run-id,omitempty"` // of version 2
}

// NodeState is the state of a node of a run.
type NodeState struct {
	TypeID ours   `json:"typeId"`
	Status Status `json:"status"`
}

// turnRef says which turn the run is, in Candor's own terms.
type turnRef struct {
	Thread ours `json:"thread_id"`
	Turn   int  `json:"turn_number"`
}

// Interrupt is a question of a run that waits for a person.
type Interrupt struct {
	NodeID      ours   `json:"nodeId"`
	InterruptID ours   `json:"interruptId"`
	Kind        ours   `json:"kind"`
	CallID      ours   `json:"callId"`
	Request     string `json:"-"` // by which the session knows it
	Decides     bool   `json:"-"` // the person may answer with a decision of their own
}

// Snapshot returns the state of the run that a turn is. The options of its workflow are an
// object, of which it shows the tags, the metadata and the configurable.
func Snapshot(v View, t session.Turn) RunSnapshot {
	s := RunSnapshot{
		RunID:      bound(v.Version, v.User, runOf(session.Ref{Thread: t.Thread, Turn: t.Number})),
		WorkflowID: workflowOf(t), Status: v.status(t), Owner: ownerOf(v.Version, v.User),
		StartedAt: when(t.StartedAt), CompletedAt: when(t.EndedAt), NodeStates: nodeStates(v, t),
		Inputs: inputsOf(t), Interrupts: Interrupts(v, t), Turn: turnRef{ours(t.Thread), t.Number},
	}
	s.Variables, s.Channels = s.Inputs.with(outputsOf(t)), channelsOf(t)
	s.Tags, s.Metadata = memberOf(t.Workflow.Options, "tags"), memberOf(t.Workflow.Options, "metadata")
	s.Configurable = memberOf(t.Workflow.Options, "configurable")
	if len(s.Interrupts) > 0 {
		s.CurrentNodeID = s.Interrupts[0].NodeID
	}
	if hasAgent(t) {
		s.Agent = refOf(leadOf(t))
	}
	if v.Orchestrator && s.Agent != nil {
		s.RunOrchestrator = s.Agent
	}
	if t.State == session.Failed {
		s.Error = new(runFault(t))
	}
	if of := t.Workflow.ReplayOf; of.Thread != "" {
		s.ParentRunID = ours(RunID(v.Version, v.User, of))
	}
	if v.Version == V2 {
		s.LogVersion, s.EngineVersion = eventLogSchemaVersion, engineVersion
		s.XInputs, s.Inputs = s.Inputs, nil // its snapshots have no such members
		s.XParentRunID, s.ParentRunID = s.ParentRunID, ""
	}
	return s
}

// StatusOf returns the state of the run that a turn is.
func StatusOf(v View, t session.Turn) Status { return v.status(t) }

// status returns the state of the run; one that waits for a person is not running, as far as the client may answer.
func (v View) status(t session.Turn) Status {
	switch t.State {
	case session.Queued:
		return Pending
	case session.Completed:
		return Completed
	case session.Failed:
		return Failed
	case session.Interrupted:
		return Cancelled
	}
	waiting := Interrupts(v, t)
	switch {
	case len(waiting) == 0:
		return Running
	case v.Orchestrator && waiting[0].Kind == kindOf(true):
		return WaitingInput
	}
	return WaitingApproval
}

// Interrupts returns the questions of a run that are open, oldest call first.
func Interrupts(v View, t session.Turn) (open []Interrupt) {
	if t.State != session.Processing {
		return nil
	}
	node := currentNode(t)
	for c := range t.Calls() {
		if c.Approval == nil || c.Approval.Answer != "" || c.Outcome != session.Pending {
			continue
		}
		open = append(open, Interrupt{
			NodeID: node, InterruptID: interruptID(v.Version, v.User, node, c.ID),
			Kind: kindOf(c.Approval.LowConfidence && stated(c.Confidence) != nil), CallID: ours(c.ID),
			Request: c.Approval.Request, Decides: c.Decides,
		})
	}
	return open
}

// nodeStates returns the state of each node that has started.
func nodeStates(v View, t session.Turn) map[ours]NodeState {
	states := map[ours]NodeState{}
	if oneNode(t) && !t.StartedAt.IsZero() {
		states[agentNode] = NodeState{agentNodeType, v.status(t)}
	}
	for _, n := range t.Nodes {
		s := NodeState{ours(n.Type), v.status(t)}
		switch {
		case !n.Error.Empty():
			s.Status = Failed
		case !n.EndedAt.IsZero():
			s.Status = Completed
		}
		states[ours(n.Node)] = s
	}
	return states
}

// hasAgent reports whether an agent works on the run, as far as it has come.
func hasAgent(t session.Turn) bool {
	for _, n := range t.Nodes {
		if agentOf(n.NodeStarted) != "" {
			return true
		}
	}
	return oneNode(t)
}

// channelsOf returns the outputs of the nodes that fold messages.
func channelsOf(t session.Turn) (all object) {
	for _, n := range t.Nodes {
		if n.Type == "core.conformance.messages" && !n.Outputs.Null() {
			all = all.with(objectOf(n.Outputs))
		}
	}
	return all
}

// when returns a time as the protocol writes it, and nothing for one that is not known.
func when(at time.Time) ours {
	if at.IsZero() {
		return ""
	}
	return ours(timestamp(at))
}
