// Package lex holds what every other part of the detector reads text with: sets
// of bytes, words, counts of a value's characters, and positions.
//
// A [Class] is a set of bytes, and a token is a run of one, so a match costs one
// table look-up for each byte; [Classes] are those that formats name by a letter.
// A [Vocabulary] knows a few words in any case without allocating. [CountChars]
// counts the kinds of characters in a value, from which [Random], [Placeholder]
// and their like tell a credential from a word or a stand-in. A [Span] is a part
// of a text that a rule found, in bytes; [InMarker] keeps markers of ours from
// being read again.
//
// Everything here is a small function of its arguments and safe for concurrent
// use, and what the detector calls for each byte is meant to be inlined. The
// package imports no other package of this module.
package lex
