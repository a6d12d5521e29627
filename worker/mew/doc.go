// Package mew takes part in a MEW space as an agent: it answers chats with the agent loop of
// package agent, and publishes in the space the reasons for its actions. It speaks MEW v0.4.
//
// # How a turn becomes messages
//
// A [Participant] keeps a connection to a gateway (connection.go). A chat that addresses a
// question to it (chat.go) waits in line, and becomes one turn of the dispatcher (turn.go). The
// turn's recorder (recorder.go) turns the dispatcher's records into messages:
//
//	reasoning/start        at top level, correlated to the question; its id is the context of what follows
//	reasoning/thought      the narrative of a step; the reason of a call, with the tool's name
//	mcp/request            a call, correlated to the thought with its reason (call.go)
//	mcp/response           its result: our own, or that of the participant that has the tool
//	reasoning/conclusion   how the reasoning ended
//	chat                   the answer, at top level, correlated to the question and to the start
//
// A sub-agent has a start of its own within its caller's context, and its thoughts are below it.
// The model's text is streamed as it is written (live.go), and complete thoughts follow.
//
// # Tools
//
// Present participants are asked for their tools (peer.go), which the model sees as
// participant__tool. A call of one is a request to its participant, or a proposal where the space
// lets this participant propose only. Others may call this participant's tools (serve.go,
// service.go) with the same checks as a model's calls. A call that a person must approve is
// proposed to the approvers (approval.go).
//
// # What it guarantees
//
//   - Every published text was cleaned by package safety. A call whose arguments would have to be
//     masked is not sent to others.
//   - A message is sent until the gateway has broadcast or refused it, always under one id, so
//     a lost connection neither loses nor repeats it (outbox.go). Ids are UUIDs of version 7.
//   - A cancel stops the turn whose context it names, whoever sends it, and the tools that run.
//     After that the turn publishes only how its calls and the turn end (control.go).
//   - Memory that others can make it use is bounded: archtest/testdata/limits.txt has each bound with its test.
//   - Capabilities are checked before sending, against the gateway's last welcome
//     (capability.go). The gateway checks them again.
//   - Goroutines: Run starts one for the connection, which has one that writes, one for turns and
//     at most four for calls of others, and waits for them all.
//   - Errors and logs contain nothing that a model, a tool or a participant wrote, and no token.
//
// To handle another kind of message, add it to receive in receive.go; for a kind of the group
// participant/, add it to obey in control.go.
package mew
