// Package safety removes secrets and dangerous tokens from text that a model, a tool, a
// worker or a user wrote, before anything stores or sends it.
//
// # Guarantees
//
// Only a [Layer] makes a [Text] or a [JSON]; the exception is [Literal], which accepts
// nothing but constants in Candor's source. A function that takes a Text can therefore
// rely on cleaned text, and the compiler proves it. Cleaning never fails, is idempotent,
// takes time linear in the input, and returns output of bounded size. Text that needs no
// change is returned as it is, without an allocation.
//
// # What a text goes through
//
//  1. Length guard (layer.go): bounds how much is read. Texts are cut last, so that
//     the cut never leaves half of a secret.
//  2. Invisible characters are removed, since one of them could split a secret.
//  3. Leak detector: a secret is replaced by a marker that names only the rule, such as
//     [REDACTED:github-pat].
//  4. Policy (policy.go): each rule's severity decides whether a match withholds the text,
//     is masked, asks for a review or is only noted. Operators change it and add rules.
//  5. Sanitizer: role markers and chat-template tokens get one visible backslash.
//
// Stages 3 to 5 share one pass, which layer.go repeats until the text no longer changes.
//
// The [Report] says how each finding was handled: [Masked] and [Withheld] matches are
// gone, [Neutralised] and [Noticed] ones are still readable.
//
// # How secrets are found
//
// Every rule lists keywords, one of which each of its matches contains. A table, indexed
// by a hash of three bytes, rules out most positions of a text; a hand-written matcher
// then reads the text around each remaining keyword. Built with GOEXPERIMENT=simd for
// amd64, eight positions are hashed at a time, with the same findings.
//
// The text is also searched as a reader sees it (full-width letters, look-alikes) and as
// decoders see it (percent, backslash and character escapes, base64, base32 and hex, gzip and
// zlib in base64, up to three deep). Tokens that are split into fragments, by emphasis or into
// letters, or spelled as byte values are joined first. Tokens in reverse and in rot13 have
// keywords of their own. Each match is masked at its place in the original text.
//
// # Forms
//
//   - [Layer.Clean] withholds a text that must be blocked; [Layer.Mask] masks it in place.
//   - [Layer.CleanJSON] cleans a value by its content and by the names of its keys
//     (json.go, jsonkeys.go, jsonscan.go).
//   - [Stream] cleans text that arrives in pieces (stream.go).
//   - [Layer.ScanLines] cleans a file with one object a line (scanlines.go).
//
// A Text is plain: it is not escaped for any markup. JSON and terminals take it as it
// is; package render turns it into HTML.
//
// # Where things are
//
// This package holds everything outside the detector: lengths, policy, streams, JSON.
// The detector consists of packages below internal, each of which imports only packages
// listed before it:
//
//	lex         bytes, words, character classes
//	invisible   characters without a visible form
//	decode      a text under its encodings, with positions mapped back
//	prefilter   where a keyword may start
//	rule        what a rule is, and the format language for tokens
//	recall      values that were masked before, as hashes
//	keyvalue    values assigned to names
//	injection   rules for instructions aimed at a model
//	secrets     rules for credentials
//	detect      all rules in one pass
//
// A new kind of credential is one line in a table of secrets, with the texts that it must
// not match. A token of your own needs no code: add a [TokenRule] to the policy file. Any
// change of the output shows in TestCorpusOutputIsUnchanged. Package oracle, a module of
// its own, measures recall and false positives beside gitleaks.
package safety
