// Package invisible removes invisible characters: controls, zero-width and
// bidirectional marks, tags, variation selectors and terminal escapes.
//
// # Why
//
// One such character inside a token splits it, so that no rule matches, while a
// reader or a shell still sees the token whole. Others reorder what a person reads,
// or move a terminal's cursor. So [Strip] runs before detection, and every later
// stage may assume a text without them.
//
// # What stays
//
// Some scripts and all emoji are spelled with invisible characters: the joiners of
// Arabic and Indic scripts, the soft hyphen inside a Latin word, the variation
// selectors of ideographs, the parts of an emoji sequence, the tags of a flag. Strip
// keeps those where a neighbouring character gives them a meaning, and at most one
// in a place, so that they cannot encode anything.
//
// # Streams
//
// [StripAfter] continues a text whose beginning was stripped before, and
// [UnsettledEnd] returns how much of the end of a piece must wait for the next one.
// [Unseen] counts the characters about which a reader should be warned: those that
// hide something or steer a terminal, but neither spelling nor the colours of a
// log.
//
// The ranges of characters come from the Unicode Character Database: general
// category Cf, the property Default_Ignorable_Code_Point, and
// emoji-variation-sequences.txt. To keep another character, add it to a table in
// ranges.go; to keep it in some places only, add a rule there or to strip.go.
package invisible
