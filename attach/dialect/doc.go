// Package dialect turns telemetry into sightings: the spans that agent frameworks and SDKs write, and the log records
// of coding agents.
//
// [Read] interprets a span by itself. It reads these dialects, each in a file of its own:
//
//   - OpenTelemetry's GenAI conventions (genai.go): invoke_agent, chat, execute_tool. The AI SDK writes them since
//     version 7, and so does Pydantic AI, whose older names for some attributes are read, too.
//   - The AI SDK before version 7 (aisdk.go): ai.generateText, its doGenerate, ai.toolCall.
//   - OpenInference (openinference.go): kinds LLM, TOOL, AGENT, CHAIN, with messages flattened into attributes.
//   - OpenLLMetry (traceloop.go): Traceloop's workflows, agents and tools, model calls with messages flattened
//
// otherwise.
//
// A span may be of several of these. Each reads what it knows, and of each member the first that has it counts. A span
// with attributes of agents or models that none of them knows is a loss, by its name.
//
// [Message] reads a log record in which a writer of the GenAI conventions has a message of a model call (logs.go): a
// node within the call's span. [Record] reads any other log record. Claude Code's records (logs.go) name their session
// and turn. Codex's records (codexlogs.go) name a conversation, and the code that records them finds the turn.
//
// Spans name neither. The turn of a span, and its sub-agent, follow from the spans around it, of which the outer ones
// end, and arrive, last. [Traces] holds spans until those arrive, in bounded memory and for a bounded time:
//
//   - The turn is the outermost run of an agent; without one, the outermost span.
//   - An agent's run within another is a sub-agent, and so are the spans within a tool's span. Spans of one call, each
//     within the one before, are one call, and those of one answer one answer (nested.go).
//   - The session is the conversation that the span, or the nearest span around it, names; without a name, the trace.
//   - A parent in another process does not count. If a span's parent does not arrive within [MaxWait], the span is
//     recorded without it, and later spans of the same branch join it.
//
// Texts before calls are narratives, reasoning is marked as a summary, and nothing is taken for a reason. An agent's
// last span repeats what its model calls reported; it is read only if these reported nothing.
//
// # Where things happen
//
//   - node.go: Read, Node, and the facts that all dialects share: a prompt, an answer with its texts and calls, a tool
//     that ran, the end of a run. A dialect adds only where these stand in its attributes.
//   - messages.go: messages of the GenAI conventions, as a JSON string or structured.
//   - program.go: the names of agents' programs. Names join the channels, so some have a second name here.
//   - traces.go and ancestry.go: the spans that wait, the memory of recorded spans, and the turn, session and sub-agent
//     of each.
//   - values.go: what stands in the inputs and outputs of runs, and in events.
//   - ancestry.go: spans of tools that do not name their call.
//   - logs.go: everything that can be lost, in words that metrics may use as labels.
//
// # What holds for all dialects
//
// Nothing is invented. A call has the id that the model's provider gave it, since that id joins channels; only if the
// writer has none does it get the span's. A result that a channel lacks is partial, not empty. Ids of answers are span
// ids, which no other channel knows; shared calls join them with the answers of other channels.
//
// Package rows bounds texts, this package bounds lists, and names that are displayed are reduced to plain characters.
// Sightings hold other programs' text, which is not cleaned here.
//
// To read another dialect, add a file with a function like genai, a case to Read, and a test with a recorded span.
// attach/dialect/realtest runs an agent of the real AI SDK, whose real exporters send spans to a Candor server.
package dialect
