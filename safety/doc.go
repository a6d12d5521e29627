// Package safety cleans text that a model, a tool, a worker or a user wrote
// before anything keeps it or sends it.
//
// # What it guarantees
//
// Only a [Layer] makes a [Text] or a [JSON] (and [Literal], from a constant in
// our own source), so whatever holds one of these types holds cleaned text:
// the compiler proves it. Cleaning is idempotent, it never fails, its cost is
// linear in the input, and what it returns is bounded in size.
//
// # The stages, in order
//
//  1. length guard: cuts at a rune boundary, and every later stage still runs;
//  2. leak detector: credentials become a marker that names the rule only,
//     [REDACTED:github-pat];
//  3. policy: rules that block, warn, mark for review or force sanitizing;
//  4. sanitizer: control, bidirectional and invisible characters out, role
//     markers and chat-template tokens neutralised.
//
// Text is stored once, plain. It is not entity-escaped: JSON, SSE and terminals
// take it as it is, and whoever renders HTML asks for [Text.HTML].
//
// The package imports no other package of this module.
package safety
