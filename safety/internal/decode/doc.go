// Package decode gives a text as its readers and decoders see it, with the way
// back to where each byte came from.
//
// Readers: [PlainLetters] makes full-width letters and look-alikes plain ones.
// Decoders: [Unescaped] resolves percent, backslash and character escapes,
// [NextRun] finds base64 and hex, which [FromBase64], [FromWide] and [FromHex]
// decode, and [NextSeries] finds text spelled in numbers. An [Assembly] puts a
// token together that stands in pieces, with joints such as a line break, a quote
// and a plus sign, or a tag between them.
//
// A [View] maps each of its bytes to the source, so what is found in it is masked
// where it came from. Nothing here judges what it decodes, and a text with nothing
// to decode gives nil and allocates nothing.
package decode
