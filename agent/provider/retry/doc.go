// Package retry asks a model provider again when its failure may pass.
//
// New wraps any agent.Provider. The rest of the package is what providers over
// HTTP need to tell it the truth: Bound, a middleware, reads refusals and keeps an
// endless answer from filling the memory; Explain turns those and whatever broke
// into an *agent.ProviderError, and Read does it for an error in mid-stream. None
// lets a key into an error's text. Forget serves where a provider does not take back
// reasoning.
package retry
