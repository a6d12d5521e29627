package openwop

import (
	"encoding/json"
	"time"
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
