// Package openai asks models that speak OpenAI's protocols: Chat Completions, which
// Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek and many others offer as well, and
// Responses.
//
// Both are streamed and put together here, so that a connection that breaks is
// told from an answer that ended. What the provider offers as a summary of its
// reasoning is the response's Summary. Raw reasoning is never text: where the
// provider wants it back it is Opaque, and goes to the same provider only.
package openai
