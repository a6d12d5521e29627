// Package ask is an MCP server by which an agent asks Candor why something was done.
//
// # The tools
//
//	why               the decisions of a turn, or those about a file or with a tool, each with its reason
//	search_reasons    the decisions that a question or some words find, the best first
//	recent_decisions  the latest decisions of all conversations, or of one
//
// All three only read, and answer with the same list, [Decisions]. A decision has the ids with which the
// next question can name it. A reason says whose words it is: a decision without the model's own has
// the source fallback. Where a person changed a call's arguments before it ran, the decisions of a turn have
// both versions; those that a search finds do not, so ask why of their turn.
//
// # Who sees what
//
// A tool asks Candor's own HTTP interface, with the token of whoever calls it: over HTTP that of the request,
// over standard input and output that of the command's settings. So what it answers was cleaned before it
// was kept, and belongs to the user of that token; there is no second way to the log that could be
// forgotten when the first one is mended.
//
// What a tool answers is text of other agents, their users and their tools. The descriptions of the tools
// say that it is to be read as quotation, since a model that asks may otherwise follow what it finds.
//
// # Bounds and ownership
//
// Over standard input a line that is no message, a batch, or longer than 1 MiB is answered with an error of JSON-RPC,
// and the connection goes on: the SDK would end it, and with it all requests that wait for an answer. Batches are
// refused whatever version of the protocol was agreed on, since its newer ones have none.
//
// An answer has at most [MaxDecisions] decisions, each with at most [MaxArguments] characters of each version
// of changed arguments, and says whether there are more. A server keeps nothing
// between two calls, and starts no goroutine of its own. cmd/candor/app mounts it at /mcp, without
// sessions; candor mcp runs it over standard input and output.
//
// # To add a tool
//
// A type for its arguments, whose jsonschema tags are what the model reads, a method of server that asks the
// client, and a line in New.
package ask
