// Package inert decides whether the masked parts of a tool call are plain data.
//
// # Why
//
// A person who is asked about a call sees its arguments with the secrets masked, while the
// call runs as the model wrote it. So a mask must not hide anything that a shell, an
// interpreter or a URL parser acts on. Candor does not know which of them will read an
// argument, so a part must be inert for all of them.
//
// # How
//
// [Check] reads each text of a call together with its hidden parts. A hidden part is inert
//
//   - if it consists of the characters of credentials: letters, digits and a few signs, in
//     places where those have no meaning (runs.go), and if everything that it decodes to is
//     inert, too (check.go);
//   - if the text beside it gives it no meaning: no $ before it, no parenthesis after it, not
//     the host of an address (place.go);
//   - if it does not name the program that runs (place.go, by the words of
//     words.go);
//   - if nothing in the call runs data as code, such as eval or a pipe into a shell (runs.go).
//
// Each doubt counts against the call, since a refused call can be made again without the
// secret. To refuse another way to run data, add a word to runs.go, and the command to the
// table of the test; to allow another place, see place.go.
//
// All functions depend on their arguments only and are safe for concurrent use; the cost is
// linear in the length of the texts.
package inert
