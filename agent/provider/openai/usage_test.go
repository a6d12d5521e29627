package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent"
	"candor/agent/provider/wire/chat"
)

func TestTokensThatTheProviderHadAtHandAreCounted(t *testing.T) {
	chunk, err := chat.Decode([]byte(
		`{"usage":{"prompt_tokens":9,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":4}}}`))
	require.NoError(t, err)
	var a chatAnswer
	a.add(chunk)
	assert.Equal(t, agent.Usage{Input: 9, Cached: 4}, a.usage)
	var final responsesAnswer
	require.NoError(t, json.Unmarshal([]byte(`{"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4}}}`),
		&final.final))
	assert.Equal(t, agent.Usage{Input: 9, Cached: 4}, (&Provider{}).readItems(final).Usage)
}
