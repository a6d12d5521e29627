// Package offline is a model without a model: rules that plan tool calls from
// the user's words and the tools' own descriptions. It needs no key and no
// network, and the same conversation always gets the same answer.
//
// # What it does
//
// It takes the last user message apart into clauses, finds for each the tool
// whose name and description fit its words best, and fills the arguments from
// the clause. Clauses that do not depend on each other are called for in one
// step; what follows “then” waits for the next one, and may take an argument
// from what the earlier step found. The answer is put together from the results.
//
// It works with any tools: it knows English, not them. Where it cannot fill an
// argument that a tool needs it does not call the tool, and says so.
//
// # What it promises
//
//   - Every call has a reason that says which words led to it and what it is
//     expected to show. Nothing else decided, so the reason is true.
//   - The arguments of a call are one JSON object that fits the tool's schema.
//   - It keeps no state: everything follows from the request.
package offline
