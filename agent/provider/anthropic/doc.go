// Package anthropic implements agent.Provider for Claude models and for other servers
// that speak Anthropic's Messages API.
//
// A request goes through the package like this:
//
//	Respond ─▶ request ─▶ wire.Client.Stream
//	        ◀─ answer  ◀─ messages.Event
//
// Answers are streamed and joined here, so that a connection that breaks in the
// middle is not taken for the end of an answer. Failures are *agent.ProviderError,
// classified by agent/provider/retry; this package repeats a request only where the
// API refused thinking, its summary, or thinking that was sent back, and leaves
// everything else to retry.New.
//
// # Thinking
//
// Thinking is requested as a summary, which is Response.Summary. Where no summary was
// requested, thinking may be the model's raw thoughts, so there is none. Its signed
// and encrypted blocks are Response.Opaque: the API demands them back with every tool
// call, unchanged and where they stood. The kind of an Opaque holds that place, its
// data the block with all members it came with. Blocks of another host or model are
// never sent. Of encrypted blocks, and of signatures without thoughts, Response.Sealed has the size.
//
// # What the API insists on
//
// The system speaks first, the sides take turns, texts are not blank, arguments are
// objects, names and ids have few characters, and every tool that was called is
// described even if it may not be called any more. request.go makes any conversation
// fit. A new kind of content block is read in message.go; its members are described
// in wire/messages.
package anthropic
