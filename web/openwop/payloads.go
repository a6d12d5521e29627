package openwop

import (
	"candor/safety"
	"candor/session"
)

// The payloads. Version 2 closes them: what it has no member for is under a key of ours there,
// while version 1 has it under the name that its clients look for. Of such a pair, only one is set.
type (
	runStarted struct {
		WorkflowID ours   `json:"workflowId"`
		Inputs     object `json:"inputs,omitempty"`
		Owner      *Owner `json:"owner,omitempty"` // of version 2
	}
	runCompleted struct {
		Outputs object       `json:"outputs"`
		Stop    session.Stop `json:"x-candor-stop,omitempty"`
	}
	runFailed struct {
		Error fault        `json:"error"`
		Stop  session.Stop `json:"x-candor-stop,omitempty"`
	}
	runCancelled struct {
		Reason ours `json:"reason"`
	}
	nodeStarted struct {
		NodeID ours      `json:"nodeId"`
		TypeID ours      `json:"typeId"`
		Agent  *AgentRef `json:"agent,omitempty"`          // of version 1
		XAgent *AgentRef `json:"x-candor-agent,omitempty"` // of version 2
	}
	// nodeEnded is the payload of NodeCompleted, NodeFailed and NodeCancelled.
	nodeEnded struct {
		NodeID  ours      `json:"nodeId"`
		Outputs object    `json:"outputs,omitempty"`
		Error   *fault    `json:"error,omitempty"`
		Reason  ours      `json:"reason,omitempty"`
		Agent   *AgentRef `json:"agent,omitempty"`          // of version 1
		XAgent  *AgentRef `json:"x-candor-agent,omitempty"` // of version 2
	}
	// nodeSuspended says that a node waits for a person. Threshold and Observed are set if an
	// agent was not sure enough.
	nodeSuspended struct {
		NodeID      ours     `json:"nodeId"`
		InterruptID ours     `json:"interruptId"`
		Kind        ours     `json:"kind"`
		Reason      ours     `json:"reason"`
		AgentID     ours     `json:"agentId,omitempty"`            // of version 1
		Threshold   *float64 `json:"threshold,omitempty"`          // of version 1
		Observed    *float64 `json:"observed,omitempty"`           // of version 1
		XAgentID    ours     `json:"x-candor-agent-id,omitempty"`  // of version 2
		XThreshold  *float64 `json:"x-candor-threshold,omitempty"` // of version 2
		XObserved   *float64 `json:"x-candor-observed,omitempty"`  // of version 2
		Question    question `json:"x-candor-question"`
	}
	// question is what a person has to know of the call that waits.
	question struct {
		CallID      ours        `json:"callId"`
		Tool        safety.Text `json:"tool"`
		Description safety.Text `json:"description,omitzero"`
		Arguments   safety.JSON `json:"arguments"`
		Hidden      int         `json:"hidden"` // characters behind the markers of Arguments
	}
	nodeResumed struct {
		NodeID      ours        `json:"nodeId"`
		InterruptID ours        `json:"interruptId"`
		ResumeValue resumeValue `json:"resumeValue"`
	}
	resumeValue struct {
		Answer session.Answer `json:"answer"`
		Value  safety.JSON    `json:"value,omitzero"`
	}
	// agentReasoned closes a block of deltas, if one of its agent is open. Closed says why the
	// block has no text.
	agentReasoned struct {
		AgentID   ours           `json:"agentId"`
		Reasoning excerpt        `json:"reasoning"`
		Verbosity Verbosity      `json:"verbosity"`
		CallID    ours           `json:"x-candor-call-id,omitempty"` // whose rationale it is
		Step      int            `json:"x-candor-step,omitempty"`
		Source    session.Source `json:"x-candor-source,omitempty"`
		Closed    closed         `json:"x-candor-closed,omitempty"`
		Stop      session.Stop   `json:"x-candor-stop,omitempty"` // why the model stopped, if it was not done
		StopWords ours           `json:"x-candor-stop-words,omitempty"`
	}
	agentReasoningDelta struct {
		AgentID   ours      `json:"agentId"`
		Delta     excerpt   `json:"delta"`
		Sequence  int       `json:"sequence"`
		Verbosity Verbosity `json:"verbosity"`
		Step      int       `json:"x-candor-step"`
	}
	agentToolCalled struct {
		AgentID       ours              `json:"agentId"`
		ToolName      safety.Text       `json:"toolName"`
		CallID        ours              `json:"callId"`
		Inputs        safety.JSON       `json:"inputs,omitzero"`
		ArgsHash      ours              `json:"argsHash"`
		Principal     ours              `json:"principal"`
		Transport     session.Transport `json:"transport,omitempty"`
		Rationale     *rationale        `json:"x-candor-rationale,omitempty"`
		ParallelGroup *int              `json:"x-candor-parallel-group,omitempty"`
	}
	rationale struct {
		Text   excerpt        `json:"text"`
		Source session.Source `json:"source"`
	}
	// agentToolReturned has either an outcome, which may be null, or an error.
	agentToolReturned struct {
		AgentID    ours            `json:"agentId"`
		ToolName   safety.Text     `json:"toolName"`
		CallID     ours            `json:"callId"`
		Outcome    *safety.JSON    `json:"outcome,omitempty"`
		Error      *fault          `json:"error,omitempty"`
		Status     ours            `json:"status"`
		DurationMS *int64          `json:"durationMs,omitempty"`
		Ended      session.Outcome `json:"x-candor-outcome"`
	}
	agentHandoff struct {
		From   ours        `json:"fromAgentId"`
		To     ours        `json:"toAgentId"`
		Reason safety.Text `json:"reason,omitzero"`
		CallID ours        `json:"x-candor-call-id,omitempty"`
	}
	// agentDecided is a decision of an agent, or of the person who was asked about it.
	agentDecided struct {
		AgentID    ours     `json:"agentId"`
		Decision   decision `json:"decision"`
		Confidence *float64 `json:"confidence,omitempty"`
		CallID     ours     `json:"x-candor-call-id,omitempty"`
		By         ours     `json:"x-candor-by,omitempty"` // "person" for the answer to a question
	}
	orchestratorDecided struct {
		AgentID  ours    `json:"agentId"`
		Decision askUser `json:"decision"`
	}
	askUser struct {
		Kind   ours        `json:"kind"`
		Prompt safety.Text `json:"prompt"`
	}
	// escalationSuppressed says that a call ran although its agent was not sure enough of it.
	escalationSuppressed struct {
		Kind      ours    `json:"kind"`
		AgentID   ours    `json:"agentId"`
		CallID    ours    `json:"callId"`
		Threshold float64 `json:"threshold"`
		Observed  float64 `json:"observed"`
	}
	messageChunk struct {
		NodeID ours        `json:"nodeId"`
		RunID  ours        `json:"runId"`
		Chunk  safety.Text `json:"chunk"`
		IsLast bool        `json:"isLast"`
	}
	fault struct {
		Code    ours        `json:"code"`
		Message safety.Text `json:"message"`
	}
)

// closed says why a block of deltas ended without a text of its own.
type closed string

// The reasons. The text of a withdrawn block is not what the agent said in the end, and that of an
// answer is the run's output.
const (
	closedWithdrawn closed = "withdrawn"
	closedWithheld  closed = "withheld"
	closedAnswer    closed = "answer"
)
