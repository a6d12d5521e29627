// Package dialect turns telemetry into sightings: spans of agents that frameworks and SDKs write, and log records of
// coding agents.
//
// [Read] knows a span by itself: what it is, and what it tells. It knows these dialects, each in a file of its own:
//
//   - OpenTelemetry's GenAI conventions (genai.go): invoke_agent, chat, execute_tool. The AI SDK writes it since
//     version 7, and Pydantic AI, whose older names for some attributes are there, too.
//   - the AI SDK before version 7 (aisdk.go): ai.generateText, its doGenerate, ai.toolCall.
//   - OpenInference (openinference.go): kinds LLM, TOOL, AGENT, CHAIN, with messages flattened into attributes.
//
// [Record] reads a log record: Claude Code's (logs.go), which name their session and turn, and Codex's (codexlogs.go),
// which name a conversation, and whose turns whoever records them finds. Spans do not name theirs.
// Whose turn a span belongs to, and whether a sub-agent's, follows from the spans around it, of which the outer
// ones end, and arrive, last. [Traces] lets spans wait for them, in bounded memory and for a bounded time:
//
//   - The turn is the outermost run of an agent; without one, the outermost span.
//   - An agent's run within another is a sub-agent, and what a tool does within its span is one, too.
//   - The session is what the span or the nearest around it calls its conversation; without a name it is the trace.
//   - A parent in another process is no parent. A span whose parent does not come within [MaxWait] goes without it, and
//     what comes later of the same branch joins it.
//
// Texts before calls are what the model said; reasoning is marked as a summary; nothing is a reason. An agent that ends
// lists what its model calls have told already: it is read only where these told nothing.
//
// # Where things happen
//
//   - node.go: Read, Node, and the sentences that all dialects share: a prompt, an answer with its texts and calls, a
//     tool that ran, the end of a run. What a dialect adds is only where these stand in its attributes.
//   - messages.go: messages as the GenAI conventions write them, in a string of JSON or structured.
//   - program.go: what an agent's program is called; names join the channels, so some have a second name here.
//   - traces.go and ancestry.go: what waits, what is remembered of spans that are told, and to which turn, session and
//     sub-agent they belong.
//   - match.go: tools that do not name their call.
//   - loss.go: all that can be lost, in words that metrics may have as labels.
//
// # What holds for all dialects
//
// Nothing is made up. A call has the id that the model's provider gave it, since that is what joins channels; only
// where a writer has none is it the span's. A result that a channel does not have is partial, not empty. Ids of answers
// are those of spans, which no other channel knows; the calls that they share join them with the answers of others.
//
// Texts are bounded by package rows as everywhere, lists by numbers of their own, and a name that is shown somewhere is
// made plain. All of it is text of strangers; nothing here is clean.
//
// To read another dialect, add a file with a function like genai and a case to Read, with a test that has a span of it.
// attach/dialect/realtest plays an agent of the real AI SDK, whose spans real exporters send to a server of ours.
package dialect
