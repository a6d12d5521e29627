// Package injection finds text that is meant to steer the model or the page that
// reads it, rather than to inform: the attacks of tool output on an agent.
//
// [Rules] lists three families, one file each:
//
//   - inject.go: whatever ends one turn of a conversation and begins another. That is
//     role markers such as "system:", the special tokens of chat templates, and the
//     closing tags of the envelopes in which tool output is handed to a model.
//   - markup.go: whatever a page that shows the text would fetch or run. That is images
//     whose address carries data away, and active HTML.
//   - override.go: sentences that tell a model to drop its instructions, in English by a
//     small grammar, in other languages by the words that must appear together.
//
// The action of a rule follows from what can go wrong. Text of the first two families
// is dangerous by itself, so its rules neutralise it with one visible backslash:
//
//	<|im_start|>system   becomes   <\|im_start|>system
//
// Active HTML and orders are only reported: agents write pages and quote attacks, and
// what this program shows is escaped anyway.
//
// The severity of a rule says whether a person is asked before a tool that can act gets
// such text: Medium where it is written to steer a model or to carry data away, Low where
// honest files contain the same, such as "user:" in YAML.
//
// Each rule holds its own proof, in Hits the texts it must find and in Misses honest
// texts that it once reported or that look much the same. To add a marker, add its
// literal to the Keywords of its family, in lower case if the rule folds case, with a
// hit, and with the honest text that comes closest to it as a miss. What has become
// harmless must not be found again: a miss of each rule is its own output.
package injection
