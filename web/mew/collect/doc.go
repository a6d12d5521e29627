// Package collect folds what is said in a MEW space into a session, so that the reasoning
// that other agents publish is kept, streamed and searched like that of our own.
//
// # What becomes what
//
// Each participant of a space has an observed thread in the session of the space's owner. A
// reasoning becomes a turn of its agent's thread: what asked for it is the input, with who
// asked and why; each thought is the narrative of a step, each mcp/request a call of that
// step; the conclusion and the answer end it. A reasoning of the same agent within another is
// a sub-agent of the turn, with a hand-off each way; one of another agent is a turn of its own,
// asked for by the first. A message that belongs to no reasoning is a turn of its author with
// only a response.
//
//	Collector.Admit     a message's context becomes a path; is there room for it? (contexts.go)
//	Collector.Observe   which turn is it about? (attach.go)
//	                    thoughts.go, ends.go, calls.go, results.go, proposals.go, chat.go
//	clean.go            every text is cleaned before anything keeps it
//	session             the log; from there on, package view
//
// # Who may say what
//
// A reasoning belongs to the participant that began it. What others say in its context is a
// note of the turn: their thoughts are none of its steps, and their conclusions do not end it.
// The context of another cannot be begun anew while it is open. A proposal is fulfilled by a request for
// the same call only, and has no result before. A request to cancel may come from anybody whom the
// gateway lets send one. What comes after the end is kept, and marked as late.
//
// # What has to be inferred
//
// Shipped agents leave out what the protocol asks for: the context of a request, the
// correlation of an answer. A message without a context is about the only reasoning that its
// author has open. A request is also about the one that named its tool. A reason is that of a
// call only if its thought names the call, by its id or by the name of the tool; any other
// thought is a narrative. A reasoning that was answered ends when it concludes, when its agent
// begins the next, or when it has been silent for [Limits].AnswerGrace.
//
// # Bounds and ownership
//
// A Collector belongs to its space, which calls it with a lock held; it starts no goroutine.
// [Limits] bounds the open contexts and the messages in each. It remembers a fixed number of
// messages and of ended contexts to which others may refer, the latest ones. The log counts
// against the owner's session; if that has no room, messages are passed on all the same, and
// the loss is logged.
package collect
