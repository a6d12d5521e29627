package openwop

import (
	"encoding/json"
	"time"

	"candor/session"
)

// Event is an event of a run. Members that it does not have are absent on the wire, never null.
type Event struct {
	Version  Version
	Kind     Kind
	ID       string // the same in both versions
	Run      string // id of the run, as the version has it
	Sequence int    // in the run, from 0
	At       time.Time
	Node     string // it is about; may be empty
	Cause    string // id of the event that caused it; may be empty
	Payload  any    // one of the payloads below
}

// Type returns the event's name on the wire.
func (e Event) Type() string { return e.Kind.Name(e.Version) }

// Ends reports whether the event is the last of its run.
func (e Event) Ends() bool { return e.Kind.ends() }

// The versions that events of version 2 carry: of an event's members, and of the program that
// wrote it, which is a number there.
const (
	schemaVersion         = 1
	engineVersion         = 1
	eventLogSchemaVersion = 3
)

// envelope is an event as it stands on the wire. Version 1 has no SchemaVersion and no
// EngineVersion.
type envelope struct {
	EventID       string `json:"eventId"`
	RunID         string `json:"runId"`
	Type          string `json:"type"`
	Sequence      int    `json:"sequence"`
	Timestamp     string `json:"timestamp"`
	NodeID        string `json:"nodeId,omitempty"`
	CausationID   string `json:"causationId,omitempty"`
	SchemaVersion int    `json:"schemaVersion,omitempty"`
	EngineVersion int    `json:"engineVersion,omitempty"`
	Payload       any    `json:"payload"`
}

// MarshalJSON encodes the event as its version has it.
func (e Event) MarshalJSON() ([]byte, error) {
	out := envelope{
		EventID: e.ID, RunID: e.Run, Type: e.Type(), Sequence: e.Sequence, Timestamp: timestamp(e.At),
		NodeID: e.Node, CausationID: e.Cause, Payload: e.Payload,
	}
	if e.Version == V2 {
		out.SchemaVersion, out.EngineVersion = schemaVersion, engineVersion
	}
	return json.Marshal(out)
}

func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// Status is the state of a run.
type Status string

// The states of a run. A run that waits for a person waits for an approval; it waits for an input
// if the question is asked as an orchestrator's.
const (
	Pending         Status = "pending"
	Running         Status = "running"
	WaitingApproval Status = "waiting-approval"
	WaitingInput    Status = "waiting-input"
	Completed       Status = "completed"
	Failed          Status = "failed"
	Cancelled       Status = "cancelled"
)

// AgentRef says who an agent is.
type AgentRef struct {
	AgentID ours `json:"agentId"`
	Name    ours `json:"name,omitempty"`
}

// refOf returns the AgentRef of an agent. Only a run's own has a name.
func refOf(agent ours) *AgentRef {
	if agent == agentOfRun {
		return &AgentRef{AgentID: agent, Name: "Candor"}
	}
	return &AgentRef{AgentID: agent}
}

// Owner says whose run it is. Only version 2 has it.
type Owner struct {
	Tenant  ours    `json:"tenant"`
	Subject Subject `json:"subject"`
}

// Subject is the user to whom a run belongs, known by a token.
type Subject struct {
	Issuer    ours `json:"issuer"`
	SubjectID ours `json:"subjectId"`
	Tenant    ours `json:"tenant"`
	Lane      ours `json:"lane"`
	Kind      ours `json:"kind"`
}

// ownerOf returns the owner of a user's runs, nil for version 1.
func ownerOf(v Version, user string) *Owner {
	if v == V1 {
		return nil
	}
	tenant := tenantOf(user)
	return &Owner{tenant, Subject{"urn:candor", principalOf(user), tenant, "api-key", "user"}}
}

// Version is a major version of OpenWOP.
type Version int

// The versions.
const (
	V1 Version = 1
	V2 Version = 2
)

// Kind says what an event of a run is, whatever a version calls it.
type Kind int

// The kinds of events. StateSnapshot and MessageChunk stand in for others in some modes; they
// are not in a run's own sequence. EscalationSuppressed is ours: OpenWOP has no event for it.
const (
	RunStarted Kind = iota
	RunCompleted
	RunFailed
	RunCancelled
	NodeStarted
	NodeCompleted
	NodeFailed
	NodeCancelled
	NodeSuspended
	NodeResumed
	AgentReasoned
	AgentReasoningDelta
	AgentToolCalled
	AgentToolReturned
	AgentHandoff
	AgentDecided
	OrchestratorDecided
	EscalationSuppressed
	StateSnapshot
	MessageChunk
	kinds // how many there are
)

// names has the name of each kind in version 1 and in version 2.
var names = [kinds][2]string{
	RunStarted:           {"run.started", "run.started"},
	RunCompleted:         {"run.completed", "run.completed"},
	RunFailed:            {"run.failed", "run.failed"},
	RunCancelled:         {"run.cancelled", "run.cancelled"},
	NodeStarted:          {"node.started", "node.started"},
	NodeCompleted:        {"node.completed", "node.completed"},
	NodeFailed:           {"node.failed", "node.failed"},
	NodeCancelled:        {"node.cancelled", "node.cancelled"},
	NodeSuspended:        {"node.suspended", "node.suspended"},
	NodeResumed:          {"node.resumed", "node.resumed"},
	AgentReasoned:        {"agent.reasoned", "agent.reasoned"},
	AgentReasoningDelta:  {"agent.reasoning.delta", "agent.reasoning-delta"},
	AgentToolCalled:      {"agent.toolCalled", "agent.tool-called"},
	AgentToolReturned:    {"agent.toolReturned", "agent.tool-returned"},
	AgentHandoff:         {"agent.handoff", "agent.handoff"},
	AgentDecided:         {"agent.decided", "agent.decided"},
	OrchestratorDecided:  {"runOrchestrator.decided", "orchestrator.decided"},
	EscalationSuppressed: {"candor.confidence.escalation-suppressed", "candor.confidence.escalation-suppressed"},
	StateSnapshot:        {"state.snapshot", "state.snapshot"},
	MessageChunk:         {"ai.message.chunk", "ai.message.chunk"},
}

// Name returns what a version calls events of this kind.
func (k Kind) Name(v Version) string { return names[k][v-V1] }

// ends reports whether an event of this kind is the last of its run.
func (k Kind) ends() bool { return k == RunCompleted || k == RunFailed || k == RunCancelled }

// Mode is which events of a run a stream shows.
type Mode string

// The modes. OpenWOP's table has the agents' events and the start of a node in debug only; updates
// shows them as well, since clients of other hosts look for them there.
const (
	Updates  Mode = "updates"  // every event that OpenWOP knows
	Values   Mode = "values"   // a snapshot of the run for each event of the run or of a node
	Messages Mode = "messages" // the answer
	Debug    Mode = "debug"    // every event
)

// Modes returns the names of all modes.
func Modes() []Mode { return []Mode{Updates, Values, Messages, Debug} }

// Show returns the event as a stream of this mode has it, and whether it has it. t is the turn at
// that event. What it shows in place of an event has that event's number and id, so that a stream
// resumes at the same place in each mode.
func (m Mode) Show(v View, t session.Turn, e Event) (Event, bool) {
	switch m {
	case Debug:
		return e, true
	case Updates:
		return e, e.Kind != EscalationSuppressed
	case Values:
		return asSnapshot(v, t, e)
	case Messages:
		return asChunk(t, e)
	}
	return Event{}, false
}

// asSnapshot returns a snapshot in place of an event that changes the state of the run or of a node.
func asSnapshot(v View, t session.Turn, e Event) (Event, bool) {
	if e.Kind > NodeResumed && e.Kind != OrchestratorDecided {
		return Event{}, false
	}
	e.Kind, e.Payload = StateSnapshot, Snapshot(v, t)
	return e, true
}

// asChunk returns the answer in place of the event that ends a run which has one.
func asChunk(t session.Turn, e Event) (Event, bool) {
	if e.Kind != RunCompleted || t.Response.Empty() || !hasAgent(t) {
		return Event{}, false
	}
	node := agentNode
	for _, n := range t.Nodes {
		if agentOf(n.NodeStarted) != "" {
			node = ours(n.Node)
		}
	}
	e.Kind, e.Node = MessageChunk, string(node)
	e.Payload = messageChunk{NodeID: node, RunID: ours(e.Run), Chunk: t.Response, IsLast: true}
	return e, true
}
