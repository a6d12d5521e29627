// Package detect runs all rules over a text in one pass.
//
// # One text
//
// [Detector.Inspect] returns the spans that the rules find. detector.go reads the text
// without decoding it: the prefilter yields candidates, places where a keyword of a rule may start;
// the detector compares the keyword and its context, and asks the rule's matcher.
// layers.go repeats this for what package decode makes of the text, up to [MaxDecode]
// encodings deep, and maps the findings back. stitch.go puts together tokens that are
// in pieces, from their prefix on. [Detector.Merge] joins spans that overlap; the most
// specific rule names the marker.
//
// # Cost
//
// The cost is linear in the length of any text. The prefilter skips most places, the
// inside of a found token is not searched again, repetitive text is judged once (see
// window), and a budget bounds how much is decoded.
//
// # Streams
//
// [Detector.Horizon] returns how much of an unfinished text is decided, whatever follows
// (horizon.go). A stream releases that much and holds back the rest.
//
// A Detector is read-only once made and safe for concurrent use. It depends on no
// particular rule; package secrets and package injection have the tables.
package detect
