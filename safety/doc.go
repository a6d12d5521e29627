// Package safety cleans text that a model, a tool, a worker or a user wrote
// before anything keeps it or sends it.
//
// # What it guarantees
//
// Only a [Layer] makes a [Text] or a [JSON] (and [Literal], from a constant in
// our own source), so whatever holds one of these types holds cleaned text:
// the compiler proves it. Cleaning is idempotent, it never fails, its cost is
// linear in the input, and what it returns is bounded in size. Text with nothing
// to clean is returned as it is and costs no allocation.
//
// # The stages, in order
//
//  1. length guard: bounds what is read, and cuts what was cleaned at a rune
//     boundary; every later stage runs before the cut, so no half secret stays;
//  2. leak detector: credentials become a marker that names the rule only,
//     [REDACTED:github-pat];
//  3. policy: rules that block, warn, mark for review or force sanitizing;
//  4. sanitizer: control, bidirectional and invisible characters out, role
//     markers and chat-template tokens neutralised by one visible backslash.
//
// Invisible characters go first of all, since one of them would split a secret.
// Detector, policy and sanitizer share one pass over the text.
//
// # How secrets are found
//
// Every rule has anchors, literals that each of its matches holds. A hash of
// three bytes tells where one may stand; there a hand-written validator reads
// the neighbourhood: a class table, lengths, what may stand on the left. Built
// with GOEXPERIMENT=simd for amd64, eight hashes are made at a time, and the same
// is found.
//
// A token ends where its alphabet ends, whatever stands next. Text is also looked
// at as a reader sees it (full-width letters, look-alikes) and as a decoder does
// (percent, backslash and character escapes, base64, hex, up to three deep), and
// what is found there is masked where it came from. So is a token in pieces, put
// together from its prefix on, and a text that is spelled in numbers.
//
// # Forms
//
// Text is stored once, plain. It is not entity-escaped: JSON, SSE and terminals
// take it as it is, and whoever shows it on a page asks package render.
// [Stream] cleans text that arrives in pieces, [Layer.CleanJSON] values, and
// [Layer.ScanLines] a file of them.
//
// # Where things are
//
// The parts are packages below internal, each importing only those before it: lex
// (bytes, words, counts), invisible, prefilter, decode, rule (what a rule is),
// keyvalue, injection and secrets (the rules), detect (one pass of all of them).
// This package adds what the detector knows nothing of: the length guard, the
// policy, streams and JSON.
package safety
