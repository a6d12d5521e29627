// Package detect runs all rules over a text in one pass.
//
// [Detector.Inspect] gives the spans that the rules find: first in the text as it
// stands, then in what package decode makes of it, up to three encodings deep,
// each mapped back to the text (layers.go). A token in pieces is put together from
// its prefix on (stitch.go). [Detector.Merge] joins spans that overlap.
// [Detector.Horizon] tells how much of an unfinished text is decided, whatever
// follows, which lets a stream go on.
//
// The cost is linear in the text: the prefilter chooses the places, nothing is
// looked for inside a token that was found, and text that repeats itself is judged
// once. A Detector is read-only once made and safe for concurrent use. It knows no
// rule by its name.
package detect
