// Package decode shows a text as its readers and its decoders see it, with a map back to
// where each byte came from.
//
// A secret may be percent-encoded in an address, in base64 in a header, in full-width
// letters, or split over two lines. Each of these forms has a function here, and none
// of them judges what it decodes; package detect runs the rules over the result.
//
//   - Readers: [PlainLetters] replaces look-alikes by the ASCII characters that they
//     resemble (view.go, lookalikes.go).
//   - Decoders: [Unescaped] resolves percent escapes, backslash escapes and character
//     references (escapes.go). [NextRun] finds runs of base64 and hex, over line ends as
//     in mail, and [FromBase64], [FromWide] and [FromHex] decode them (base64.go).
//     [NextSeries] finds text spelled as numbers: lists of bytes (numbers.go). [NextDump] finds the
//     output of od, hexdump and xxd (dump.go).
//   - Split words: [NextMarked] finds words that marks of Markdown split (view.go).
//   - Torn tokens: an [Assembly] collects the pieces of one token (pieces.go), with joints
//     between them such as a line break, two quotes with a plus sign, or a tag (joints.go).
//
// A [View] maps its bytes back to the source, so that a finding in it is masked where it
// came from. Each function reads the text once and within fixed bounds, so decoding is
// linear. Text with nothing to decode gives nil and allocates nothing.
//
// To support another encoding, add a finder of its runs and a decoder here, and call
// both in the detector's layers.go within its budget.
package decode
