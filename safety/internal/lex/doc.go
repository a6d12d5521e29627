// Package lex holds the text helpers that the rest of the detector is built on:
// small functions over bytes, words and positions, with no knowledge of rules.
//
// Every package below safety scans text for the same few things: a run of token
// characters, a word in any case, a value that a generator produced. The helpers
// are kept together so that all packages agree on what a letter, a word or a
// placeholder is, and so that the code that runs for every byte is in one place,
// where it can be measured. They fall into these groups:
//
//   - class.go: a [Class] is a set of bytes, and a token is a run of one class, so
//     matching costs one table lookup per byte. [Classes] are the ones that a
//     token format refers to by a letter.
//   - chars.go: properties of single bytes ([IsLetter], [ToLower]), the values
//     of hex and base64 digits, and comparisons that ignore ASCII case
//     ([HasFold], [ContainsFold]).
//   - positions.go: functions that take a position and return another one
//     ([SkipBlank], [RuneStart], [ASCIIEnd]), and [CanStartToken]; a [Span] is
//     the part of a text that a rule found; [InMarker] keeps the detector from
//     masking a redaction marker again.
//   - chars.go, too: tests of eight bytes at once, held in a uint64 ([Load8],
//     [LetterMask], [DigitMask]).
//   - words.go: a [Vocabulary] maps a few words to their kinds without
//     allocating; [WordBreak] splits camelCase names.
//   - shape.go: [CountChars] counts the kinds of characters in a value, and
//     [Random], [Scrambled], [WordsIn] and others tell generated values from
//     words by those counts.
//   - placeholder.go: [Placeholder] recognises values that stand for a secret,
//     such as ${TOKEN} or xxxx, and [Benign] lists words that are never one.
//
// Take "password: tr0ub4dor". The value is a run of letters and digits; CountChars
// counts seven lower-case letters and two digits, Random rejects it as too short,
// WordsIn finds that it is not made of words, and Placeholder does not hold. Package
// keyvalue decides by such answers.
//
// All functions depend on their arguments only and are safe for concurrent use;
// the tables are built at start-up and never modified. Positions, lengths and
// limits are in bytes. Functions that take a literal to compare with ignoring
// case expect that literal in lower case. Helpers that run once per byte or word
// must stay small enough for the compiler to inline: check with
// go build -gcflags=-m after a change. The package imports no other package of
// this module.
package lex
