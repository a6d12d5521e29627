// Package collect records the messages of a MEW space in a session, so that the reasoning
// that other agents publish is kept, streamed and searched like that of Candor's own.
//
// # How messages map to the session
//
// Each participant of a space has an observed thread in the session of the space's owner. A
// reasoning becomes a turn of its agent's thread. The message that asked for it is the input,
// with its sender and reason. Each thought is the narrative of a step, each mcp/request a call
// of that step; the conclusion and the answer end the turn. A reasoning of the same agent
// within another is a sub-agent of the turn, with a hand-off each way. A reasoning of another
// agent is a turn of its own, with the first as its origin. A message that belongs to no
// reasoning is a turn of its author with only a response.
//
//	Collector.Admit     a message's context becomes a path; is there room for it? (contexts.go)
//	Collector.Observe   which turn is it about? (attach.go)
//	                    thoughts.go, ends.go, calls.go, results.go, proposals.go, chat.go
//	clean.go            every text is cleaned before anything keeps it
//	session             the log; from there on, package view
//
// # Permissions
//
// A reasoning belongs to the participant that began it. Other participants' messages in its context are
// notes of the turn: their thoughts are not its steps, and their conclusions do not end it. Nobody else
// can begin the context anew while it is open. Only a request for the same call fulfils a proposal,
// which has no result before that. A request to cancel may come from anybody whom the gateway lets send
// one. Messages after the end are kept, and marked as late.
//
// # Inference
//
// Shipped agents leave out members that the protocol asks for: the context of a request, the
// correlation of an answer. A message without a context belongs to the only reasoning that its
// author has open. A request also belongs to the reasoning that named its tool. A thought is
// the reason of a call only if it names the call, by its id or by the name of the tool; any
// other thought is a narrative. An answered reasoning ends when it concludes, when its agent
// begins the next, or when it has been silent for [Limits].AnswerGrace.
//
// # Bounds and ownership
//
// A Collector belongs to its space, which calls it with a lock held; it starts no goroutine.
// [Limits] bounds the open contexts and the messages in each. A Collector remembers a fixed
// number of the latest messages and ended contexts, to which later messages may refer. The
// log counts against the owner's session; if that has no room, messages are still passed on,
// and the loss is logged.
package collect
