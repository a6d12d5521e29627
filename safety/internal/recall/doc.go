// Package recall finds previously masked values again without storing them.
//
// A [Set] holds keyed hashes of values. [Set.Add] enters a value in all the forms to
// search for, such as its base64; [Set.Next] finds the forms in a text, wherever they
// begin.
//
// # What a set keeps
//
// For each form: its length, sixteen bits of a keyed hash of its first eight bytes, sixteen
// of its last eight, and half of a SHA-256 of the key and the whole form. The key is random
// and belongs to the process. So a dump of a set shows no value and no part of one. A
// reader of the process who also has the key can test guesses, as with any hash; a set does
// not protect weak passwords from that.
//
// # Cost
//
// Next reads eight bytes at each position of a text and looks their hash up in a table of
// 65,536 bits. Few positions pass; there the last eight bytes are compared in the same way,
// and only then SHA-256 is computed. At most [maxAlike] forms share the hash of their first
// bytes, so the cost of a position is bounded for any content, and nobody can make
// positions pass without knowing the key. An empty set costs nothing.
//
// A set is safe for concurrent use: readers load an immutable index, and Add replaces it.
//
// To find values in another encoding, pass one more form to Add, or let package decode
// show the text decoded.
package recall
