// Package invisible knows the characters that nobody sees: controls, zero-width
// and bidirectional marks, tags, variation selectors and terminal escapes.
//
// [Strip] takes them out, since one of them inside a token would split it. It
// leaves those that a script or an emoji is spelled with: the joiners of Arabic
// and Indic scripts, the parts of an emoji sequence, the tags of a flag. One of
// each may stand in a place, so nothing can be written in them. [StripAfter] and
// [UnsettledEnd] do the same for a text that comes in pieces.
package invisible
