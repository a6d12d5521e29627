// Package ask implements an MCP server through which an agent asks Candor why something was done.
//
// # The tools
//
//	why               the decisions of a turn, or those about a file or with a tool, each with its reason
//	search_reasons    the decisions that match a question or some words, the best first
//	recent_decisions  the latest decisions of all conversations, or of one
//
// All three only read, and return the same type, [Decisions]. A decision has the ids by which the next question can
// name it. The source of a reason says who wrote it: fallback if the model gave none. If a person changed a call's
// arguments before it ran, the decisions of a turn have both versions. Those of a search do not; ask why about their
// turn.
//
// # Who sees what
//
// A tool calls Candor's own HTTP interface with the caller's token: over HTTP that of the request, over standard input
// and output that of the command's settings. So its answers were cleaned before they were stored, and belong to that
// token's user. There is no second path to the log that could lack a check of the first.
//
// Answers quote other agents, their users and their tools. The tools' descriptions tell the model to treat them as
// quotation, since it might otherwise follow instructions in them.
//
// A call that says why it is made (invoked.go) is taken down as a decision, by the same interface and for the same
// user.
//
// # Bounds and ownership
//
// Over standard input, a line that is no message, a batch, and a line longer than 1 MiB are each answered with a
// JSON-RPC error, and the connection continues. The SDK alone would end it, and with it all outstanding requests.
// Batches are refused in every version of the protocol, since its newer versions have none.
//
// An answer has at most [MaxDecisions] decisions, each with at most [MaxArguments] characters of each version of
// changed arguments, and says whether there are more. A server keeps nothing between two calls and starts no goroutine
// of its own. cmd/candor/app mounts it at /mcp, without sessions; candor mcp runs it over standard input and output.
//
// # Adding a tool
//
// Add a type for its arguments, whose jsonschema tags describe them to the model, a function that queries the client,
// and a line in New.
package ask
