// Package retry repeats requests to a model provider that failed temporarily, and
// classifies the failures.
//
// New wraps any agent.Provider. What it does depends on the agent.ProviderError that
// the provider returns:
//
//	Temporary  wait and repeat, up to Options.Attempts in all
//	TooLong    repeat once without the oldest turns, see shorten.go
//	Permanent  return the error
//
// A wait doubles with every failure and is randomized, so that many conversations do
// not return at once. The provider's own Retry-After can make it longer; Options.Max
// bounds it. No request runs longer than Options.PerTry.
//
// # Classification
//
// The rest of the package is for providers that speak HTTP. Explain turns an error of
// agent/provider/wire into an agent.ProviderError; Read does the same for an error
// that the server sent in the middle of a stream. Both look at the status, at the codes
// and, for conversations that are too long, at the words, since providers agree on
// none of these. A new code or wording belongs in the tables of failure.go.
//
// # The key
//
// Servers repeat the key in their messages. No error that this package makes contains
// the key or a recognizable piece of it, and logs have no text of the provider at all.
//
// # Refused reasoning
//
// Forget removes opaque reasoning from a request, for a provider that refused to take
// it back.
package retry
