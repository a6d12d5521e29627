package openwop

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
