package otlp

// Names of OpenTelemetry's conventions for generative AI, as of semantic-conventions-genai in
// autumn 2026. All of them are in development, so they are written down here and not imported.
const (
	attrOperationName   = "gen_ai.operation.name"
	attrConversationID  = "gen_ai.conversation.id"
	attrProviderName    = "gen_ai.provider.name"
	attrAgentName       = "gen_ai.agent.name"
	attrWorkflowName    = "gen_ai.workflow.name"
	attrRequestModel    = "gen_ai.request.model"
	attrInputTokens     = "gen_ai.usage.input_tokens"
	attrOutputTokens    = "gen_ai.usage.output_tokens"
	attrReasoningTokens = "gen_ai.usage.reasoning.output_tokens"
	attrToolName        = "gen_ai.tool.name"
	attrToolType        = "gen_ai.tool.type"
	attrToolCallID      = "gen_ai.tool.call.id"
	attrToolArguments   = "gen_ai.tool.call.arguments" // with content only
	attrToolResult      = "gen_ai.tool.call.result"    // with content only
	attrInputMessages   = "gen_ai.input.messages"      // with content only
	attrOutputMessages  = "gen_ai.output.messages"     // with content only
	attrErrorType       = "error.type"
	attrServiceName     = "service.name"
	attrServiceVersion  = "service.version"
	opInvokeAgent       = "invoke_agent"
	opChat              = "chat"
	opExecuteTool       = "execute_tool"
	functionTool        = "function"
	extensionTool       = "extension" // the tool runs on an MCP server
	leadAgent           = "candor"    // the agent that users talk to
	workerAgent         = "worker"    // the agent of a job
	otherError          = "_OTHER"    // OpenTelemetry's word for an error without a known type
	interruptedError    = "interrupted"
)

// Names of our own, for what the conventions have none for.
const (
	attrTurnNumber       = "candor.turn.number"
	attrTurnState        = "candor.turn.state"
	attrTurnNarrative    = "candor.turn.narrative"
	attrJobRun           = "candor.job.run"
	attrStepNumber       = "candor.step"
	attrRationale        = "candor.tool.rationale"
	attrRationaleSource  = "candor.tool.rationale.source"
	attrRationaleBlocked = "candor.tool.rationale.blocked"
	attrOutcome          = "candor.tool.outcome"
	attrDecides          = "candor.tool.decides"
	attrConfidence       = "candor.tool.confidence"
	attrParallelGroup    = "candor.parallel_group"
	attrRedactionCount   = "candor.redaction.count"
	attrApprovalAnswer   = "candor.approval.answer"
	attrApprovalRequest  = "candor.approval.request"
	attrLowConfidence    = "candor.approval.low_confidence"
	attrNarrativeSource  = "candor.narrative.source"
	attrNarrativeBlocked = "candor.narrative.blocked"

	narrativeEvent = "candor.narrative"
	askedEvent     = "candor.approval.asked"
	answeredEvent  = "candor.approval.answered"
)
