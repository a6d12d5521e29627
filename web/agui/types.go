package agui

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"candor/safety"
	"candor/session"
)

// Type is the discriminator of events, as AG-UI names them. Clients of AG-UI validate the
// events against a schema by their type and fail on invalid ones.
type Type string

// The types of events that are sent. Each START is followed by its END within the same
// run; contents and arguments come between them. SUBAGENT events are sent to clients of
// 1.0 only.
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

// Event is one event on the wire: a pointer to one of the structs below. Members that it
// does not have are absent, never null.
type Event interface{ head() *Head }

// Head holds the members of every event. Timestamp is when the event of the log happened,
// so a replay repeats it; it is absent on events that the server makes up for the client,
// such as snapshots.
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
	metaRun       = "candor:run"        // on RUN_STARTED: our ids
	metaReasoning = "candor:reasoning"  // on reasoning messages: what it explains, its source, how long it took
	metaCall      = "candor:call"       // on tool calls: step, parallel group
	metaQuestion  = "candor:question"   // on interrupts: the parameters, how many characters are hidden
	metaConfident = "candor:confidence" // on tool calls and interrupts: how sure the agent was, and the threshold
	metaResult    = "candor:result"     // on results: outcome, duration, changed arguments
	metaAgent     = "candor:agent"      // on SUBAGENT_STARTED: the agent's name, model and effort of reasoning
	metaOmitted   = "candor:omitted"    // on MESSAGES_SNAPSHOT: how many older messages it does not have
)

// The events. Types with the same members share a struct.
type (
	// Run is RUN_STARTED and RUN_FINISHED. ThreadID and RunID are those that the client
	// chose. ProtocolVersion is on RUN_STARTED and sent to clients of 1.0 only. ParentRunID
	// repeats the input's. Outcome and Usage are on RUN_FINISHED; Usage is absent if a
	// model did not report its tokens.
	Run struct {
		Head
		ThreadID        string       `json:"threadId"`
		RunID           string       `json:"runId"`
		ProtocolVersion string       `json:"protocolVersion,omitempty"`
		ParentRunID     string       `json:"parentRunId,omitempty"`
		Outcome         *Outcome     `json:"outcome,omitempty"`
		Usage           []TokenUsage `json:"usage,omitempty"`
	}
	// Failure is RUN_ERROR and SUBAGENT_ERROR. RUN_ERROR ends its run in place of
	// RUN_FINISHED. Code is turn_failed, cancelled (clients of 0.x only) or stopped, and
	// Message is text for people.
	Failure struct {
		Head
		Message string       `json:"message"`
		Code    string       `json:"code,omitempty"`
		Usage   []TokenUsage `json:"usage,omitempty"`
	}
	// Step is STEP_STARTED and STEP_FINISHED. AG-UI pairs the two by StepName, which is
	// therefore unique among the steps of a turn.
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
	// Start is TEXT_MESSAGE_START and REASONING_MESSAGE_START. A client opens a message
	// with this id and role; the role of reasoning is "reasoning".
	Start struct {
		Head
		MessageID string `json:"messageId"`
		Role      string `json:"role"`
	}
	// Content is TEXT_MESSAGE_CONTENT and REASONING_MESSAGE_CONTENT. A client appends Delta
	// to the message. The log has complete texts, so a message has one Content.
	Content struct {
		Head
		MessageID string `json:"messageId"`
		Delta     string `json:"delta"`
	}
	// Encrypted is REASONING_ENCRYPTED_VALUE. A client stores the value with what EntityID
	// names and sends it back in later inputs. Subtype is "tool-call" for the first call of
	// a step, and "message" for the reasoning message of the step that answered.
	Encrypted struct {
		Head
		Subtype        string `json:"subtype"`
		EntityID       string `json:"entityId"`
		EncryptedValue string `json:"encryptedValue"`
	}
	// Call is TOOL_CALL_START and TOOL_CALL_END. ToolCallName is on the start only. A client
	// that provided the tool runs it, and sends the result with its next run.
	Call struct {
		Head
		ToolCallID   string `json:"toolCallId"`
		ToolCallName string `json:"toolCallName,omitempty"`
	}
	// Args is TOOL_CALL_ARGS. Delta holds all arguments of the call, cleaned, as JSON. The
	// rationale is not among them.
	Args struct {
		Head
		ToolCallID string `json:"toolCallId"`
		Delta      string `json:"delta"`
	}
	// Result is TOOL_CALL_RESULT. A client adds a message with the id MessageID and the role
	// "tool". Content is the result as text or, if the call failed, its error.
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
	// State is STATE_SNAPSHOT: the state that the front end sent with an input, cleaned. It
	// is sent in replays only, because a client that runs turns has its state.
	State struct {
		Head
		Snapshot safety.JSON `json:"snapshot"`
	}
	// Subagent is SUBAGENT_STARTED and SUBAGENT_FINISHED. The id is in Head. Name,
	// Description and the parents are on the start; a sub-agent that began in an earlier
	// run is started again without Description and call. Result and Outcome are on the end.
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

// Outcome says how a run ended: its turn completed, it waits for a person, or it was
// stopped. A run that waits only for tools of the front end ends with success; to clients
// of 1.0 PendingToolCallIDs then names the calls.
type Outcome struct {
	Type               string      `json:"type"` // success, interrupt or cancelled
	PendingToolCallIDs []string    `json:"pendingToolCallIds,omitempty"`
	Interrupts         []Interrupt `json:"interrupts,omitempty"`
}

// SubagentOutcome says how a sub-agent's part of a run ended. A suspended sub-agent
// continues in a later run; InterruptIDs has the approvals that are open.
type SubagentOutcome struct {
	Type         string   `json:"type"` // success or suspended
	InterruptIDs []string `json:"interruptIds,omitempty"`
}

// Interrupt asks a person whether a call may run. The front end answers with a [Resume] of
// the same ID in a later run. Reason is always "tool_call". ResponseSchema is a JSON Schema
// of the resume's payload. ExpiresAt is an RFC 3339 time with milliseconds, absent if the
// server does not know how long an approval stays open.
type Interrupt struct {
	ID             string          `json:"id"`
	Reason         string          `json:"reason"`
	Message        string          `json:"message,omitempty"`
	ToolCallID     string          `json:"toolCallId,omitempty"`
	ResponseSchema json.RawMessage `json:"responseSchema,omitempty"`
	ExpiresAt      string          `json:"expiresAt,omitempty"`
	Subagent       string          `json:"subagentRunId,omitempty"`
	Metadata       Metadata        `json:"metadata,omitempty"`
}

// TokenUsage counts the tokens of a run, of all its agents together. Unknown counts are
// absent. TotalTokens is the sum of input and output, of which reasoning is a part.
type TokenUsage struct {
	Model           string `json:"model,omitempty"`
	InputTokens     int    `json:"inputTokens,omitempty"`
	OutputTokens    int    `json:"outputTokens,omitempty"`
	TotalTokens     int    `json:"totalTokens,omitempty"`
	ReasoningTokens int    `json:"reasoningTokens,omitempty"`
}

// Message is one of our messages in a snapshot. Content is nil for an assistant message
// that is only a call; each call has a message of its own. ToolCallID is on messages of the
// role "tool" and names the call whose result they hold.
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

// agentMeta says who a sub-agent is, for people. The name of SUBAGENT_STARTED is its id, which no other has in its run.
type agentMeta struct {
	Name   string `json:"name,omitempty"`
	Model  string `json:"model,omitempty"`
	Effort string `json:"effort,omitempty"` // of reasoning, which the model is told to make
}

// metaOf returns what is known of an agent, nil if it is nothing.
func metaOf(p session.Profile) Metadata {
	who := agentMeta{p.Name.String(), p.Model.String(), p.Effort.String()}
	if who == (agentMeta{}) {
		return nil
	}
	return Metadata{metaAgent: who}
}

// Ids are derived from the turn and its calls, so a replay has the same ones. A
// reasoning message never has the id of a text message: a client would append the one
// to the other.

func turnID(turn int) string                { return "turn_" + strconv.Itoa(turn) }
func runID(turn, n int) string              { return fmt.Sprintf("turn_%d_run_%d", turn, n) }
func conclusionID(turn int) string          { return fmt.Sprintf("turn_%d_conclusion", turn) }
func responseID(turn int) string            { return fmt.Sprintf("turn_%d_response", turn) }
func callID(turn int, call string) string   { return fmt.Sprintf("turn_%d_%s", turn, call) }
func reasonID(turn int, call string) string { return callID(turn, call) + "_rationale" }
func resultID(turn int, call string) string { return callID(turn, call) + "_result" }

// stepName names a step uniquely within its turn.
func stepName(agent string, step int) string {
	if agent != "" {
		return fmt.Sprintf("%s/step_%d", agent, step)
	}
	return fmt.Sprintf("step_%d", step)
}

// narrativeID identifies the reasoning message of a step's narrative.
func narrativeID(turn int, agent string, step int) string {
	return fmt.Sprintf("turn_%d_%s_narrative", turn, strings.ReplaceAll(stepName(agent, step), "/", "_"))
}

// thoughtID identifies the reasoning message of the thought beside a step's narrative.
func thoughtID(turn int, agent string, step int) string {
	return strings.TrimSuffix(narrativeID(turn, agent, step), "narrative") + "thought"
}

// subagentID identifies a sub-agent across turns, "" for the main agent.
func subagentID(turn int, agent string) string {
	if agent == "" {
		return ""
	}
	return turnID(turn) + "/" + agent
}

var narrativeIDForm = regexp.MustCompile(`^turn_([1-9][0-9]{0,8})_step_[1-9][0-9]{0,8}_narrative$`)

// parseNarrativeID returns the turn of an id that narrativeID returned for a step of the
// lead agent. ok is false for any other.
func parseNarrativeID(id string) (turn int, ok bool) {
	m := narrativeIDForm.FindStringSubmatch(id)
	if m == nil {
		return 0, false
	}
	turn, err := strconv.Atoi(m[1])
	return turn, err == nil
}

var callIDForm = regexp.MustCompile(`^turn_([1-9][0-9]{0,8})_(call_[0-9]{1,9})$`)

// parseCallID splits an id that callID returned. ok is false for any other.
func parseCallID(id string) (turn int, call string, ok bool) {
	m := callIDForm.FindStringSubmatch(id)
	if m == nil {
		return 0, "", false
	}
	turn, err := strconv.Atoi(m[1])
	return turn, m[2], err == nil
}
