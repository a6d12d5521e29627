// Package anthropic implements agent.Provider for Claude models and for other servers
// that speak Anthropic's Messages API.
//
// A request goes through the package like this:
//
//	Respond ─▶ request ─▶ wire.Client.Stream
//	        ◀─ answer  ◀─ messages.Event
//
// Answers are streamed and joined here, so that a connection that breaks in the
// middle is not mistaken for the end of an answer. Failures are
// *agent.ProviderError, classified by agent/provider/retry. This package repeats a
// request only where the API refused thinking, its summary, or thinking that was
// sent back, and leaves everything else to retry.New.
//
// # Thinking
//
// Thinking is requested as a summary, which becomes Response.Summary. If no summary was requested,
// thinking may be the model's raw thoughts, so there is no summary. Its signed and encrypted blocks
// are Response.Opaque: the API requires them back with every tool call, unchanged and in their
// place. The kind of an Opaque holds that place, its data the block with all its members. Blocks of
// another host or model are never sent. Response.Sealed has the size of encrypted blocks, and of
// signatures without thoughts.
//
// # What the API requires
//
// The system prompt comes first, roles alternate, texts are not blank, arguments are
// objects, names and ids use a small set of characters, and every tool that was
// called is described even if it may no longer be called. request.go makes any
// conversation fit. A new kind of content block is read in message.go; its members
// are described in wire/messages.
package anthropic
