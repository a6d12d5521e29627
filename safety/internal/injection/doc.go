// Package injection finds text that is meant to steer the model or the page that
// reads it, rather than to inform: attacks on an agent by tool output.
//
// [Rules] lists three families, one file each:
//
//   - inject.go: text that ends one turn of a conversation and begins another: role
//     markers such as "system:", the special tokens of chat templates, and the
//     closing tags of the envelopes in which a model receives tool output.
//   - markup.go: markup that a page would fetch or run: images whose address carries
//     data away, and active HTML.
//   - override.go: sentences that tell a model to drop its instructions, in English by a
//     small grammar, in other languages by the words that must appear together.
//
// The action of a rule depends on the possible damage. Text of the first two families
// is dangerous by itself, so its rules neutralise it with one visible backslash:
//
//	<|im_start|>system   becomes   <\|im_start|>system
//
// Active HTML and orders are only reported: agents write pages and quote attacks, and
// Candor escapes everything that it shows anyway.
//
// The severity of a rule says whether a person is asked before a tool that can act gets
// such text: Medium where it is written to steer a model or to carry data away, Low where
// honest files contain the same, such as "user:" in YAML.
//
// Each rule contains its own proof: Hits are texts that it must find, Misses are
// honest texts that it once reported or that look much like hits. To add a marker,
// add its literal to the Keywords of its family, in lower case if the rule folds
// case, with a hit, and with the most similar honest text as a miss. Neutralised text
// must not be found again: each rule's own output is one of its misses.
package injection
