// Package recall finds values again that were masked before, without keeping them.
//
// A [Set] holds keyed hashes of values. [Set.Add] enters a value in all the forms in which
// it is to be found, such as its base64; [Set.Next] finds the forms in a text, wherever
// they start.
//
// # What a set keeps
//
// For each form: its length, sixteen bits of a keyed hash of its first eight bytes, sixteen
// of its last eight, and half of a SHA-256 of the key and the whole form. The key is random
// and belongs to the process. So a dump of a set shows no value and no part of one. Whoever
// has the key as well can test guesses, as with any hash; a set protects values from being
// read, not a weak password from being guessed by somebody who can read the process.
//
// # Cost
//
// Next reads eight bytes at each position of a text and looks their hash up in a table of
// 65,536 bits. Few positions pass; there the last eight bytes are compared in the same way,
// and only then SHA-256 is computed. At most [maxAlike] forms share the hash of their first
// bytes, so the cost of a position is bounded whatever was entered, and nobody who does not
// know the key can make positions pass. An empty set costs nothing.
//
// A set is safe for concurrent use: readers load an immutable index, and Add replaces it.
//
// To find values in another encoding, let the caller of Add pass one more form, or let
// package decode show the text decoded.
package recall
