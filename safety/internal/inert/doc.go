// Package inert decides whether the parts of a tool call that are masked are plain data.
//
// # Why
//
// A person who is asked about a call sees its arguments with the secrets masked, while the
// call runs as the model wrote it. So nothing that a shell, an interpreter or a URL parser
// acts on may be behind a marker. Nobody knows which of them will read an argument: a part
// has to be inert for all of them.
//
// # How
//
// [Check] reads each text of a call together with its hidden parts. A hidden part is inert
//
//   - if it consists of what credentials consist of: letters, digits and a few signs, in
//     places where those have no meaning (span.go). Neither is it text in disguise: what it
//     decodes to must be inert, too (decoded.go);
//   - if what stands beside it gives it no meaning: no $ before it, no parenthesis behind it,
//     not the host of an address (beside.go);
//   - if it is not the name of what runs (place.go, by the words of words.go);
//   - if nothing in the call runs data as code, such as eval or a pipe into a shell (runs.go).
//
// Each doubt counts against the call, since a call that is refused can be made again without
// the secret. To refuse another way to run data, add a word to runs.go, and the command to
// the table of the test; to allow another place, see place.go.
//
// All functions depend on their arguments only and are safe for concurrent use; the cost is
// linear in the length of the texts.
package inert
