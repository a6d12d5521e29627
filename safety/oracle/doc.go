// Package oracle is a corpus of secrets and of harmless texts that look like secrets.
// It measures Candor's safety layer against gitleaks.
//
// The corpus has four parts:
//
//   - secrets that gitleaks's own rules describe, generated from their expressions and
//     put into sentences, settings, markup and code ([Samples], [Written], [Whole],
//     [Decorations]);
//   - keys of AI providers, which gitleaks mostly does not know ([Providers]);
//   - secrets that somebody hid: encoded, split, spelled in numbers ([Evasions]);
//   - texts without secrets, to count false positives ([HardNegatives],
//     [OrdinaryLines], [CleanTexts], [AgentNotes]).
//
// [BenchCases] and [WorstCases] are the texts whose scan is timed. The command compare
// runs all of it:
//
//	go run ./compare recall    # the secrets found, and the false positives
//	go run ./compare blind blind/first
//	                           # the same over a corpus of somebody who did not see the rules
//	go run ./compare bench     # time, as ratios to gitleaks
//	go run ./compare grams DIR... > ../internal/prefilter/grams.txt
//
// oracle is a module of its own, so that gitleaks and the modules it needs never become
// dependencies of Candor. The root module's tests do not run it.
//
// All secrets are generated at run time from a format and a seed: the same run always
// gives the same texts, and the repository contains no secret. To add a harmless text
// that was masked by mistake, append a line to texts/negatives.txt; to add a provider,
// a line to texts/providers.txt. Inserting lines elsewhere changes all texts after them,
// since they share one generator.
package oracle
