package otlp

import (
	"strings"
	"unicode/utf8"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"

	"candor/safety"
	"candor/session"
)

// Names of OpenTelemetry's conventions for generative AI, as of semantic-conventions-genai in
// autumn 2026. All of them are in development, so they are written down here and not imported.
const (
	// What a span is: one of the operations below.
	attrOperationName = "gen_ai.operation.name"
	// The thread, or the job.
	attrConversationID = "gen_ai.conversation.id"
	// Who provides the lead agent's model, in the operator's words.
	attrProviderName = "gen_ai.provider.name"
	// Candor is the lead agent, worker that of a job; else a sub-agent's id, or a participant of a space.
	attrAgentName = "gen_ai.agent.name"
	// Of a turn that is the run of a workflow.
	attrWorkflowName = "gen_ai.workflow.name"
	// The model that was asked.
	attrRequestModel = "gen_ai.request.model"
	// Tokens of a request, or of all requests of a turn.
	attrInputTokens = "gen_ai.usage.input_tokens"
	// Those of the answer.
	attrOutputTokens  = "gen_ai.usage.output_tokens"
	attrFinishReasons = "gen_ai.response.finish_reasons"
	// The part of the output that is reasoning.
	attrReasoningTokens = "gen_ai.usage.reasoning.output_tokens"
	// Cleaned, since a model can ask for a tool of any name.
	attrToolName = "gen_ai.tool.name"
	// Either functionTool or extensionTool.
	attrToolType = "gen_ai.tool.type"
	// Our id, such as call_1; unique in the turn.
	attrToolCallID     = "gen_ai.tool.call.id"
	attrToolArguments  = "gen_ai.tool.call.arguments" // with content only
	attrToolResult     = "gen_ai.tool.call.result"    // with content only
	attrInputMessages  = "gen_ai.input.messages"      // with content only
	attrOutputMessages = "gen_ai.output.messages"     // with content only
	// Of a span that failed: an outcome, otherError or interruptedError.
	attrErrorType = "error.type"
	// Of the resource: candor.
	attrServiceName = "service.name"
	// Of the resource: the version of the program.
	attrServiceVersion = "service.version"
	// A turn, or the work of a sub-agent in it.
	opInvokeAgent = "invoke_agent"
	// A request to a model.
	opChat = "chat"
	// A call of a tool.
	opExecuteTool = "execute_tool"
	// The tool runs here, or in the user's front end.
	functionTool  = "function"
	extensionTool = "extension" // the tool runs on an MCP server
	leadAgent     = "candor"    // the agent that users talk to
	workerAgent   = "worker"    // the agent of a job
	otherError    = "_OTHER"    // OpenTelemetry's word for an error without a known type
	// Somebody stopped the turn, or the process ended.
	interruptedError = "interrupted"
)

// Names of our own, for what the conventions have none for.
const (
	// From 1 in its thread.
	attrTurnNumber = "candor.turn.number"
	// Completed, failed or interrupted.
	attrTurnState = "candor.turn.state"
	// What the lead agent said last before it called tools.
	attrTurnNarrative = "candor.turn.narrative"
	// Of a job's turn: which run of the job, from 1.
	attrJobRun = "candor.job.run"
	// From 1 for each agent.
	attrStepNumber = "candor.step"
	// Why the agent called the tool.
	attrRationale = "candor.tool.rationale"
	// Whose words that is: model, thought, or fallback for our sentence.
	attrRationaleSource = "candor.tool.rationale.source"
	// Safety withheld the model's reason.
	attrRationaleBlocked = "candor.tool.rationale.blocked"
	// One of success, error, rejected, cancelled or unknown.
	attrOutcome = "candor.tool.outcome"
	// The call is a decision, and touches nothing.
	attrDecides = "candor.tool.decides"
	// How sure of the call the agent said it was, from 0 to 1.
	attrConfidence = "candor.tool.confidence"
	// Shared by calls that ran in parallel.
	attrParallelGroup = "candor.parallel_group"
	// How much safety masked or withheld.
	attrRedactionCount = "candor.redaction.count"
	// One of approve, always, deny, expired or withdrawn.
	attrApprovalAnswer = "candor.approval.answer"
	// The id of the question.
	attrApprovalRequest = "candor.approval.request"
	// A person was asked since the agent was not sure.
	attrLowConfidence = "candor.approval.low_confidence"
	// Either model, or summary for the provider's words.
	attrNarrativeSource = "candor.narrative.source"
	// Safety withheld the narrative.
	attrNarrativeBlocked = "candor.narrative.blocked"
	// Either encrypted or signature: only the model's provider can read reasoning of the step.
	attrSealedKind = "candor.reasoning.sealed"
	// How much it was.
	attrSealedBytes = "candor.reasoning.sealed.bytes"

	// Why the model stopped, where it was neither done nor called tools.
	attrStop = "candor.stop"
	// The provider's summary of the reasoning beside the narrative.
	attrThought = "candor.thought"

	// What an agent said before it called tools, or a summary of its reasoning.
	narrativeEvent = "candor.narrative"
	// A call waits for a person.
	askedEvent = "candor.approval.asked"
	// The person's answer, or why there is none.
	answeredEvent = "candor.approval.answered"
)

// maxText is how many bytes of a text an attribute or a log has.
const maxText = 8 << 10

// attributes are those of a span, a log or a resource. What is empty or unknown is left out.
type attributes []*commonpb.KeyValue

// word adds a word of the program, an id, or a name that the operator chose.
func (a *attributes) word(key, value string) {
	if value != "" {
		a.add(key, wordValue(value))
	}
}

// text adds a cleaned text.
func (a *attributes) text(key string, t safety.Text) { a.word(key, t.String()) }

// value adds a cleaned JSON value, as its text.
func (a *attributes) value(key string, v safety.JSON) {
	if !v.Null() {
		a.word(key, string(v.Raw()))
	}
}

func (a *attributes) number(key string, n int) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(n)}})
}

// positive adds a number unless it is 0, which means unknown.
// stop adds why a model stopped, if it was neither done nor called tools.
func (a *attributes) stop(s session.Stop) {
	if s != "" {
		a.add(attrFinishReasons, &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{
			ArrayValue: &commonpb.ArrayValue{Values: []*commonpb.AnyValue{wordValue(s.FinishReason())}},
		}})
		a.word(attrStop, string(s))
	}
}

func (a *attributes) positive(key string, n int) {
	if n > 0 {
		a.number(key, n)
	}
}

func (a *attributes) share(key string, x float64) {
	a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: x}})
}

// mark adds true, and nothing for false.
func (a *attributes) mark(key string, on bool) {
	if on {
		a.add(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}})
	}
}

func (a *attributes) add(key string, v *commonpb.AnyValue) {
	*a = append(*a, &commonpb.KeyValue{Key: key, Value: v})
}

// wordValue returns a text as the value of an attribute or the body of a log.
func wordValue(text string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: cut(text)}}
}

// cut returns the beginning of a text as far as it is sent, and as valid UTF-8, which protobuf
// demands.
func cut(text string) string { return cutTo(text, maxText) }

// cutTo is cut for another bound, in bytes.
func cutTo(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit]
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
