// Package openai implements agent.Provider for models that speak OpenAI's protocols:
// Chat Completions, which Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek and many
// others offer as well, and Responses.
//
// A request goes through the package like this:
//
//	Respond ─▶ chatRequest, responsesRequest ─▶ wire.Client.Stream
//	        ◀─ chatAnswer, responsesAnswer   ◀─ chat.Chunk, responses.Event
//
// Answers are streamed and joined here, so that a connection that breaks in the
// middle is not mistaken for the end of an answer. Failures are
// *agent.ProviderError, classified by agent/provider/retry. This package repeats a
// request only where the server refused an optional part of it, and leaves
// everything else to retry.New.
//
// # Reasoning
//
// The provider's summary of its reasoning becomes Response.Summary. Raw reasoning
// never becomes text: where the provider requires it back it is Response.Opaque,
// and returns to the same protocol, host and model only.
//
//   - Chat has no member of its own for reasoning. Servers send it as reasoning_content, as
//     reasoning, or as the entries of reasoning_details. Whether it returns depends on the
//     provider, see Echo. Gemini signs it in the extra_content of the first call of a step,
//     which always returns.
//   - Responses has reasoning items, which are encrypted on request and only accepted
//     back in their place between the text and the calls; the kind of an Opaque holds
//     that place.
//
// Response.Sealed has the size of encrypted reasoning, and of signatures without their reasoning
// (sealed.go).
//
// # Compatible servers
//
// Servers differ from the protocol in known ways, which the code handles where they
// occur: calls that are all numbered 0, arguments that are an object, no final
// "[DONE]", errors in the middle of a stream. Handle another difference in chat.go,
// with a case in testdata/providers/openai-chat; add another rule for reasoning to
// the table in reasoning.go.
package openai
