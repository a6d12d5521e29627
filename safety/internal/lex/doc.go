// Package lex holds the small functions with which every other part of the detector
// reads text. It knows about bytes, words and values, and nothing about rules.
//
//   - bytes.go: a [Class] is a set of bytes, and a token is a run of one, so that a
//     match costs one table look-up for each byte. [Classes] are those that formats
//     name by a letter.
//   - words.go: a [Vocabulary] knows some words and their roles, whatever their case.
//     [WordBreak] splits the words of a camelCase name.
//   - shape.go: [CountChars] counts the bytes of a value by kind. [Random],
//     [Scrambled] and [WordsIn] tell with such counts a generated value from words.
//   - placeholder.go: [Placeholder] and [Benign] know what stands for a secret without
//     being one, such as ${TOKEN}, xxxxxxxx or "required".
//   - positions.go: rune boundaries, blanks, hex digits, and several bytes at a time.
//   - span.go: a [Span] is what a rule matched; [InMarker] keeps the markers that stand
//     for masked secrets from being read again.
//
// Take tr0ub4dor in "password: tr0ub4dor". It is a run of letters and digits;
// CountChars finds seven lower-case letters and two digits; Random rejects it as too
// short, WordsIn finds no words in it, and Placeholder holds it for a value. Package
// keyvalue draws its conclusion from these.
//
// Every function depends on its arguments alone, allocates nothing and is safe for
// concurrent use. What the detector calls for each byte is small enough to be inlined;
// check that it still is after a change, with go build -gcflags=-m. The package
// imports no other package of this module.
package lex
