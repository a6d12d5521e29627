package agui

import (
	"encoding/json"
	"time"

	"candor/safety"
)

// Type is the discriminator of events, as AG-UI names them.
type Type string

// The types of events that are sent.
const (
	RunStarted       Type = "RUN_STARTED"
	RunFinished      Type = "RUN_FINISHED"
	RunError         Type = "RUN_ERROR"
	StepStarted      Type = "STEP_STARTED"
	StepFinished     Type = "STEP_FINISHED"
	TextStart        Type = "TEXT_MESSAGE_START"
	TextContent      Type = "TEXT_MESSAGE_CONTENT"
	TextEnd          Type = "TEXT_MESSAGE_END"
	SpanStart        Type = "REASONING_START"
	ReasoningStart   Type = "REASONING_MESSAGE_START"
	ReasoningContent Type = "REASONING_MESSAGE_CONTENT"
	ReasoningEnd     Type = "REASONING_MESSAGE_END"
	SpanEnd          Type = "REASONING_END"
	EncryptedValue   Type = "REASONING_ENCRYPTED_VALUE"
	ToolStart        Type = "TOOL_CALL_START"
	ToolArgs         Type = "TOOL_CALL_ARGS"
	ToolEnd          Type = "TOOL_CALL_END"
	ToolResult       Type = "TOOL_CALL_RESULT"
	MessagesSnapshot Type = "MESSAGES_SNAPSHOT"
	StateSnapshot    Type = "STATE_SNAPSHOT"
	SubagentStarted  Type = "SUBAGENT_STARTED"
	SubagentFinished Type = "SUBAGENT_FINISHED"
	SubagentError    Type = "SUBAGENT_ERROR"
)

// Event is one event on the wire. Members that it does not have are absent, never null.
type Event interface{ head() *Head }

// Head holds the members of every event.
type Head struct {
	Type      Type     `json:"type"`
	Timestamp int64    `json:"timestamp,omitempty"` // ms since 1970
	Metadata  Metadata `json:"metadata,omitempty"`
	Subagent  string   `json:"subagentRunId,omitempty"` // the sub-agent it belongs to, "" for the main agent
}

func (h *Head) head() *Head { return h }

// newHead returns a head. A zero time leaves the timestamp out.
func newHead(t Type, at time.Time) Head {
	h := Head{Type: t}
	if !at.IsZero() {
		h.Timestamp = at.UnixMilli()
	}
	return h
}

// Metadata holds what AG-UI has no members for, under keys that begin with "candor:".
type Metadata map[string]any

// The keys of our metadata.
const (
	metaRun       = "candor:run"       // on RUN_STARTED: our ids
	metaReasoning = "candor:reasoning" // on reasoning messages: what it explains, its source, how long it took
	metaCall      = "candor:call"      // on tool calls: step, parallel group
	metaResult    = "candor:result"    // on results: outcome, duration
)

// The events. Types with the same members share a struct.
type (
	// Run is RUN_STARTED and RUN_FINISHED.
	Run struct {
		Head
		ThreadID        string       `json:"threadId"`
		RunID           string       `json:"runId"`
		ProtocolVersion string       `json:"protocolVersion,omitempty"`
		ParentRunID     string       `json:"parentRunId,omitempty"`
		Outcome         *Outcome     `json:"outcome,omitempty"`
		Usage           []TokenUsage `json:"usage,omitempty"`
	}
	// Failure is RUN_ERROR and SUBAGENT_ERROR.
	Failure struct {
		Head
		Message string       `json:"message"`
		Code    string       `json:"code,omitempty"`
		Usage   []TokenUsage `json:"usage,omitempty"`
	}
	// Step is STEP_STARTED and STEP_FINISHED.
	Step struct {
		Head
		StepName string `json:"stepName"`
	}
	// Mark only names its message: REASONING_START, REASONING_END, TEXT_MESSAGE_END and
	// REASONING_MESSAGE_END.
	Mark struct {
		Head
		MessageID string `json:"messageId"`
	}
	// Start is TEXT_MESSAGE_START and REASONING_MESSAGE_START.
	Start struct {
		Head
		MessageID string `json:"messageId"`
		Role      string `json:"role"`
	}
	// Content is TEXT_MESSAGE_CONTENT and REASONING_MESSAGE_CONTENT.
	Content struct {
		Head
		MessageID string `json:"messageId"`
		Delta     string `json:"delta"`
	}
	// Encrypted is REASONING_ENCRYPTED_VALUE.
	Encrypted struct {
		Head
		Subtype        string `json:"subtype"`
		EntityID       string `json:"entityId"`
		EncryptedValue string `json:"encryptedValue"`
	}
	// Call is TOOL_CALL_START and TOOL_CALL_END.
	Call struct {
		Head
		ToolCallID   string `json:"toolCallId"`
		ToolCallName string `json:"toolCallName,omitempty"`
	}
	// Args is TOOL_CALL_ARGS.
	Args struct {
		Head
		ToolCallID string `json:"toolCallId"`
		Delta      string `json:"delta"`
	}
	// Result is TOOL_CALL_RESULT.
	Result struct {
		Head
		MessageID  string `json:"messageId"`
		ToolCallID string `json:"toolCallId"`
		Content    string `json:"content"`
		Role       string `json:"role"`
	}
	// Messages is MESSAGES_SNAPSHOT. The client's own messages are as it sent them.
	Messages struct {
		Head
		Messages []any `json:"messages"`
	}
	// State is STATE_SNAPSHOT.
	State struct {
		Head
		Snapshot safety.JSON `json:"snapshot"`
	}
	// Subagent is SUBAGENT_STARTED and SUBAGENT_FINISHED.
	Subagent struct {
		Head
		Name             string           `json:"name,omitempty"`
		Description      string           `json:"description,omitempty"`
		ParentSubagent   string           `json:"parentSubagentRunId,omitempty"`
		ParentToolCallID string           `json:"parentToolCallId,omitempty"`
		Result           string           `json:"result,omitempty"`
		Outcome          *SubagentOutcome `json:"outcome,omitempty"`
	}
)

// Outcome says how a run ended.
type Outcome struct {
	Type               string      `json:"type"` // success, interrupt or cancelled
	PendingToolCallIDs []string    `json:"pendingToolCallIds,omitempty"`
	Interrupts         []Interrupt `json:"interrupts,omitempty"`
}

// SubagentOutcome says how a sub-agent's part of a run ended.
type SubagentOutcome struct {
	Type         string   `json:"type"` // success or suspended
	InterruptIDs []string `json:"interruptIds,omitempty"`
}

// Interrupt asks a person whether a call may run.
type Interrupt struct {
	ID             string          `json:"id"`
	Reason         string          `json:"reason"`
	Message        string          `json:"message,omitempty"`
	ToolCallID     string          `json:"toolCallId,omitempty"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	ExpiresAt      string          `json:"expiresAt,omitempty"`
	Subagent       string          `json:"subagentRunId,omitempty"`
}

// TokenUsage counts tokens. Unknown counts are absent.
type TokenUsage struct {
	Model           string `json:"model,omitempty"`
	InputTokens     int    `json:"inputTokens,omitempty"`
	OutputTokens    int    `json:"outputTokens,omitempty"`
	TotalTokens     int    `json:"totalTokens,omitempty"`
	ReasoningTokens int    `json:"reasoningTokens,omitempty"`
}

// Message is one of our messages in a snapshot. Content is nil for an assistant message
// that is only a call.
type Message struct {
	ID             string     `json:"id"`
	Role           string     `json:"role"`
	Content        *string    `json:"content,omitempty"`
	ToolCalls      []ToolCall `json:"toolCalls,omitempty"`
	ToolCallID     string     `json:"toolCallId,omitempty"`
	EncryptedValue string     `json:"encryptedValue,omitempty"`
	Metadata       Metadata   `json:"metadata,omitempty"`
	Subagent       string     `json:"subagentRunId,omitempty"`
}

// ToolCall is a call in an assistant's message.
type ToolCall struct {
	ID             string       `json:"id"`
	Type           string       `json:"type"` // always "function"
	Function       FunctionCall `json:"function"`
	EncryptedValue string       `json:"encryptedValue,omitempty"`
	Metadata       Metadata     `json:"metadata,omitempty"`
}

// FunctionCall names a tool. Arguments is a JSON object as text.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}
