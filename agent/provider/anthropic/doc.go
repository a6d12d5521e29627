// Package anthropic asks Claude models by Anthropic's Messages API, and whatever
// else speaks it.
//
// Answers are streamed and put together here. Thinking is asked for as a summary,
// which is the response's Summary; its signed blocks are Opaque and go back
// unchanged to where they stood, as the API demands of a conversation with tools.
package anthropic
