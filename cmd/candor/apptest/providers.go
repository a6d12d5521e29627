package apptest

import (
	"testing"

	"candor/cmd/candor/app"
)

// HideProviders clears the environment variables that would choose a model until the
// test ends, so that no test calls a provider with the key of the person who runs it. A
// test that uses it cannot be parallel.
func HideProviders(t testing.TB) {
	t.Helper()
	for _, name := range []string{
		app.OpenAIKeyEnv, app.OpenAIBaseEnv, app.OpenAIModelEnv,
		app.AnthropicKeyEnv, app.AnthropicBaseEnv, app.AnthropicNameEnv,
	} {
		t.Setenv(name, "")
	}
}
