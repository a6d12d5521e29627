// Package secrets defines the rules that find credentials: keys, tokens, passwords and
// whole private keys.
//
// [Rules] returns them in order. Most are rows of a table: aiRules, cloudRules,
// platformRules and saasRules list tokens with a prefix of their own, one line a rule, and
// a comment above each group says whose keys they are and where the vendor documents
// them. A value without a prefix counts only beside its vendor's name: [Vendor] makes such
// a rule, and a walk reads from the name to the value. What a format cannot express has a
// matcher of its own: private keys, also incomplete ones, JSON Web Tokens and Keys,
// passwords in URLs, headers and cookies, command lines, Kubernetes manifests, and
// passwords named in other languages. Assignments such as password = "…" belong to
// package keyvalue. [Known] finds the values that the user named.
//
// A matcher is called where one of its rule's keywords occurs, and reads only the
// neighbourhood. It returns the bounds of the credential, without the text around it. How
// far it reads is bounded, so that a hostile text costs little more than another. Open
// reports whether more text could change the answer; a stream then
// waits for it.
//
// To add a token with a prefix of its own, add one line to the table of its family:
//
//	rule.Token("acme-api-key", "acme_{a32}").Except("acme_configuration_of_the_service"),
//
// The format is also the hit that proves the rule, and Except names texts that it must
// leave alone. Use RandomToken if the prefix begins ordinary words, and LooseToken if it
// is so rare that it counts inside a word. For a key without a prefix, add
//
//	Vendor("acme-key", "acme", "{a32}"),
//
// The tests of this package fill each hit with random characters and require that the
// rule's own matcher finds it and nothing around it, and that it finds none of the misses.
// The tests of package safety require the same of the whole detector, and a corpus holds
// what all rules together do to ordinary text.
package secrets
