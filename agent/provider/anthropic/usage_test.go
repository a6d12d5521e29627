package anthropic

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/agent"
	"candor/agent/provider/wire/messages"
)

func TestTokensThatTheProviderHadAtHandAreCounted(t *testing.T) {
	var a answer
	a.count(messages.Usage{InputTokens: 5, CacheReadInputTokens: 4, OutputTokens: 1})
	assert.Equal(t, agent.Usage{Input: 9, Output: 1, Cached: 4}, a.usage)
}
